#pragma once

#include <string>

#include "scenario/schema.h"

namespace lockstep {

/// The schema as XSD 1.0, for completion and validation in editors. Children may be in any order; `lockstep
/// check` checks their counts and the ranges of numbers.
std::string write_xsd(const ElementSchema& root);

}  // namespace lockstep
