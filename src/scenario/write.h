#pragma once

#include <string>

#include "scenario/chain.h"
#include "scenario/field_writer.h"
#include "scenario/scenario.h"

namespace lockstep {

/// A scenario as XML in SI units, in a fixed order, numbers with as many digits as it takes to read back the
/// same value: read(write(s)) == s, and writing that again gives the same bytes.
std::string write_scenario(const Scenario& scenario, Defaults defaults);

/// The same as an element tree, and what a <chain> says.
Element write_scenario_element(const Scenario& scenario, Defaults defaults);
Element write_chain_element(const Chain& chain, Defaults defaults);

/// An element tree as XML text.
std::string write_element(const Element& element);

}  // namespace lockstep
