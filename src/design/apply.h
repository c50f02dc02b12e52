#pragma once

#include <functional>

#include "design/operation.h"

namespace lockstep {

/// Loads the files that operations reference.
struct OperationContext {
  std::function<std::string(const std::string& src, const Place& place)> read_file;
};

/// The design after an operation; the input is not changed. Throws UserError at the operation if it fails.
Design apply(const Design& design, const Operation& operation, const OperationContext& context);

}  // namespace lockstep
