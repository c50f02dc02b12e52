#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/fields.h"

/// Keywords in the names of parts, and templates filled with their values.
namespace lockstep {

/// A keyword found in a label.
struct KeywordMatch {
  std::string name;         ///< the keyword with its numbers filled in
  std::int64_t number = 0;  ///< the last one
};

/// The first match of a keyword in a label, case-insensitive; '#' in it is a number.
std::optional<KeywordMatch> find_keyword(std::string_view keyword, std::string_view label);

/// Replaces the {…} placeholders of a template.
class Filler {
 public:
  void set(std::string name, std::string value) { values_["{" + name + "}"] = std::move(value); }

  /// Throws UserError at an attribute with an unknown placeholder.
  Element fill(Element element) const;

 private:
  std::string filled(const std::string& text, const Place& place) const;

  std::map<std::string, std::string> values_;
};

}  // namespace lockstep
