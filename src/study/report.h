#pragma once

#include <string>

#include "study/results.h"

namespace lockstep {

/// The results of a study as one self-contained HTML page: convergence, the effect of each parameter, the
/// Pareto front of several objectives, the winner compared with the start, and commands to run it again. `file`
/// is the name of the results file, for the commands.
std::string make_report(const Results& results, const std::string& file);

/// Fraction of the variance of the first objective that each parameter explains by itself, 0…1: the variance of
/// the bin means over bins of the parameter with equal numbers of valid candidates.
std::vector<double> calc_importance(const Results& results);

}  // namespace lockstep
