#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/common/format.h"
#include "lockstep/error.h"
#include "lockstep/fields.h"
#include "lockstep/math.h"

namespace lockstep {

/// Reads the attributes of files from other programs: plain numbers without units, separated by spaces.
/// Errors are reported with their place, and reading continues with the default.
class XmlValues {
 public:
  explicit XmlValues(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
  /// Lenient: a value that is not valid is a line in `report` instead of an error; commas separate numbers, too.
  XmlValues(Diagnostics& diagnostics, FormatReport& report) : diagnostics_(diagnostics), report_(&report) {}

  /// Between `least` and `most` numbers; empty if the attribute is missing or invalid.
  std::optional<std::vector<double>> numbers(const Element& element, std::string_view name, std::size_t least,
                                             std::size_t most);
  std::optional<double> number(const Element& element, std::string_view name);
  std::optional<Vec3> vector(const Element& element, std::string_view name);
  double number(const Element& element, std::string_view name, double usual) {
    return number(element, name).value_or(usual);
  }
  Vec3 vector(const Element& element, std::string_view name, const Vec3& usual) {
    return vector(element, name).value_or(usual);
  }

  /// A limit: numbers beyond -1e9 to 1e9 are infinite. Empty if the attribute is missing or not a number.
  std::optional<double> limit(const Element& element, std::string_view name);

  /// The text of the attribute; empty if it is missing.
  static std::string text(const Element& element, std::string_view name);
  /// As above, with an error if it is missing.
  std::string needed_text(const Element& element, std::string_view name);

  Diagnostics& diagnostics() { return diagnostics_; }

  /// Texts "$(optenv NAME 1 2 3)" for which the default was used.
  const std::vector<std::string>& substitutions() const { return substitutions_; }

  static constexpr double kMax = 1e9;

 private:
  void reject(const Element& element, const Attribute& attribute, const std::string& problem);

  Diagnostics& diagnostics_;
  FormatReport* report_ = nullptr;  // if lenient
  std::vector<std::string> substitutions_;
};

/// The first child of that name, or null.
const Element* find_child(const Element& element, std::string_view name);

/// "<link> 'arm'", "<joint>": an element as named in messages.
std::string subject_of(const Element& element);

}  // namespace lockstep
