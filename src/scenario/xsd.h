#pragma once

#include <string>

#include "scenario/schema.h"

namespace lockstep {

/// The schema as XSD 1.0, for editors that complete and check while one types. Children may be in any order;
/// how often they may occur and the ranges of numbers are left to `lockstep check`.
std::string write_xsd(const ElementSchema& root);

}  // namespace lockstep
