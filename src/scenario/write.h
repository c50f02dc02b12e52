#pragma once

#include <string>

#include "scenario/chain.h"
#include "scenario/field_writer.h"
#include "scenario/scenario.h"

namespace lockstep {

/// Writes a scenario as XML in SI units, in a fixed order, with enough digits to read back the same values:
/// read(write(s)) == s, and writing that again gives the same bytes.
std::string write_scenario(const Scenario& scenario, Defaults defaults);

/// The same as an element tree; and the element of a chain.
Element write_scenario_element(const Scenario& scenario, Defaults defaults);
Element write_chain_element(const Chain& chain, Defaults defaults);

/// An element tree as XML text.
std::string write_element(const Element& element);

}  // namespace lockstep
