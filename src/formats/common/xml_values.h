#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/fields.h"
#include "lockstep/math.h"

namespace lockstep {

/// Reads the attributes of files that other programs wrote: plain numbers without units, separated by blanks.
/// What is wrong is reported with its place, and the reading goes on with the value that is usual.
class XmlValues {
 public:
  explicit XmlValues(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Between `least` and `most` numbers, or nothing if the attribute is not there or wrong.
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

  /// The attribute as it is written; empty if it is not there.
  static std::string text(const Element& element, std::string_view name);
  /// As above, with an error if it is not there.
  std::string needed_text(const Element& element, std::string_view name);

  Diagnostics& diagnostics() { return diagnostics_; }

  /// Texts "$(optenv NAME 1 2 3)" that were read as what is there for want of the variable.
  const std::vector<std::string>& substitutions() const { return substitutions_; }

  static constexpr double kMax = 1e9;

 private:
  Diagnostics& diagnostics_;
  std::vector<std::string> substitutions_;
};

/// The first child of that name, or nothing.
const Element* find_child(const Element& element, std::string_view name);

/// "<link> 'arm'", "<joint>": how messages call an element.
std::string subject_of(const Element& element);

}  // namespace lockstep
