#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/fields.h"
#include "lockstep/math.h"

namespace lockstep {

/// Reads an object written by the XML serialiser of .NET: each member is an element that contains its value.
/// Reports all errors and continues with a default value.
class ObjectReader {
 public:
  ObjectReader(const Element& element, Diagnostics& diagnostics);

  /// The member, or null; with an error if it is required.
  const Element* find(std::string_view name, bool is_needed = true);
  double number(std::string_view name, double min = -kMax, double max = kMax);
  int integer(std::string_view name, int min, int max);
  bool flag(std::string_view name);
  std::string text(std::string_view name);
  Vec3 vector(std::string_view name);
  Vec3 lengths(std::string_view name);     ///< a vector of numbers above 0
  Quat quaternion(std::string_view name);  ///< of unit length
  std::vector<const Element*> list(std::string_view name, std::string_view item);

  /// Members to ignore.
  void skip(std::initializer_list<std::string_view> names);
  /// Reports unknown members.
  void finish();

  static constexpr double kMax = 1e9;

 private:
  double parse(const Element& element, double min, double max);

  const Element& element_;
  Diagnostics& diagnostics_;
  std::vector<std::string> known_;
};

}  // namespace lockstep
