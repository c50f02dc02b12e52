#pragma once

#include <string>
#include <string_view>

#include "scenario/schema.h"

namespace lockstep {

struct ReferenceTitle {
  std::string_view heading = "Scenario files";
  std::string_view file = "a scenario file";
};

/// The schema as a Markdown page: one section per element, with a table of its attributes.
std::string write_reference(const ElementSchema& root, const ReferenceTitle& title = {});

}  // namespace lockstep
