#pragma once

#include <string>
#include <string_view>

#include "lockstep/error.h"
#include "lockstep/fields.h"
#include "lockstep/model.h"

/// Detects follow-up errors.
///
/// A device, a fault or a formula that references an element with an error cannot be checked: its errors would
/// only follow from the first. References are found in the text that the user wrote, so that factories need not
/// report them.
namespace lockstep {

/// Whether an attribute or the text of the element, or of one inside it, references something that is missing
/// or broken in the diagnostics. `scope` is the robot whose names may be written without prefix.
bool references_broken(const Element& element, const std::string& scope, const Model& model,
                       const Diagnostics& diagnostics);

/// The same for a text, such as a formula.
bool references_broken(std::string_view text, const std::string& scope, const Model& model,
                       const Diagnostics& diagnostics);

}  // namespace lockstep
