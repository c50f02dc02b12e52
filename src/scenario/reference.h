#pragma once

#include <string>

#include "scenario/schema.h"

namespace lockstep {

/// The schema as a page of Markdown: one section per element, with a table of its attributes.
std::string write_reference(const ElementSchema& root);

}  // namespace lockstep
