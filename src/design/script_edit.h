#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/fields.h"

/// Edits the text of a design script without changing anything else, such as comments.
namespace lockstep {

/// The text with an element appended.
std::string with_appended(std::string_view text, const Element& operation);

/// The text without the element at a place.
std::string without_element(std::string_view text, const Place& place);

/// An operation from the command line: a name and settings such as "parent=base" or, for elements inside,
/// "joint/at/from=hole". Throws UserError at `origin`.
Element make_operation_element(std::string_view name, const std::vector<std::string>& settings,
                               const Place& origin);

}  // namespace lockstep
