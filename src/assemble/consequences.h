#pragma once

#include <string>
#include <string_view>

#include "lockstep/error.h"
#include "lockstep/fields.h"
#include "lockstep/model.h"

/// Which errors are only consequences of others.
///
/// A device, a fault or a formula that names something with an error of its own cannot be checked: it would be
/// reported for what is not its mistake. Whether it does is seen from the words that the user wrote, so that
/// factories need not know of it.
namespace lockstep {

/// Whether an attribute or the text of the element, or of one inside it, names something that is missing or
/// broken in the diagnostics. `scope` is the robot whose names may be written without it.
bool names_something_broken(const Element& element, const std::string& scope, const Model& model,
                            const Diagnostics& diagnostics);

/// The same of a text, such as a formula.
bool names_something_broken(std::string_view text, const std::string& scope, const Model& model,
                            const Diagnostics& diagnostics);

}  // namespace lockstep
