#pragma once

#include <string>

#include "study/results.h"

namespace lockstep {

/// The results of a study as one HTML page that needs nothing else: how the search went, what each parameter
/// does, the front of several objectives, the winner against the start, and how to run it again. `file` is the
/// name of the results, for the commands.
std::string make_report(const Results& results, const std::string& file);

/// How much of the variance of the first objective each parameter explains by itself, 0…1: the variance of its
/// means over bins of the parameter with as many valid candidates each.
std::vector<double> calc_importance(const Results& results);

}  // namespace lockstep
