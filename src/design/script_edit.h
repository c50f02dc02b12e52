#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/fields.h"

/// Changes to the text of a design script, which leave all else as it was written, comments included.
namespace lockstep {

/// The text with one more element at the end.
std::string with_appended(std::string_view text, const Element& operation);

/// The text without the element that begins at a place.
std::string without_element(std::string_view text, const Place& place);

/// An operation as the command line has it: a name, and settings such as "parent=base" or, for elements inside,
/// "joint/at/from=hole". Throws UserError in the name of `origin`.
Element make_operation_element(std::string_view name, const std::vector<std::string>& settings,
                               const Place& origin);

}  // namespace lockstep
