#pragma once

#include <functional>

#include "design/operation.h"

namespace lockstep {

/// Finds the bytes of files that operations name.
struct OperationContext {
  std::function<std::string(const std::string& src, const Place& place)> read_file;
};

/// The design after an operation; the one before stays as it is. Throws UserError at the operation if it cannot
/// be carried out.
Design apply(const Design& design, const Operation& operation, const OperationContext& context);

}  // namespace lockstep
