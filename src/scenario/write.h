#pragma once

#include <string>

#include "scenario/field_writer.h"
#include "scenario/scenario.h"

namespace lockstep {

/// A scenario as XML in SI units, in a fixed order, numbers with as many digits as it takes to read back the
/// same value: read(write(s)) == s, and writing that again gives the same bytes.
std::string write_scenario(const Scenario& scenario, Defaults defaults);

/// An element tree as XML text.
std::string write_element(const Element& element);

}  // namespace lockstep
