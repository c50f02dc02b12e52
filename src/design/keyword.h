#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/fields.h"

/// Keywords in the names of parts, and templates that are filled with what they say.
namespace lockstep {

/// A keyword found in a label.
struct KeywordMatch {
  std::string name;         ///< the keyword with the numbers in it
  std::int64_t number = 0;  ///< the last one
};

/// The first place in a label where a keyword stands, capitals or not; '#' in it is a number.
std::optional<KeywordMatch> find_keyword(std::string_view keyword, std::string_view label);

/// Puts values into the {…} of a template.
class Filler {
 public:
  void set(std::string name, std::string value) { values_["{" + name + "}"] = std::move(value); }

  /// Throws UserError at an attribute that names a value there is none of.
  Element fill(Element element) const;

 private:
  std::string filled(const std::string& text, const Place& place) const;

  std::map<std::string, std::string> values_;
};

}  // namespace lockstep
