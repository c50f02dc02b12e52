#pragma once

#include "formats/common/xml_values.h"

namespace lockstep {

/// Reads values of SDF, which are the texts of elements. Errors are reported with their place, and reading continues
/// with the default.
class SdfValues {
 public:
  explicit SdfValues(Diagnostics& diagnostics) : values_(diagnostics) {}

  /// The numbers in an element; empty if they are not valid.
  std::optional<std::vector<double>> numbers(const Element& element, std::size_t least, std::size_t most);
  /// Values of a child.
  double number(const Element& parent, std::string_view child, double usual);
  Vec3 vector(const Element& parent, std::string_view child, const Vec3& usual);
  bool flag(const Element& parent, std::string_view child, bool usual);
  static std::string text(const Element& parent, std::string_view child);
  /// A limit of a joint; empty if it is missing or larger than anything that moves.
  std::optional<double> limit(const Element& parent, std::string_view child);
  /// The numbers of <pose>; the frame that they refer to is in pose_frame().
  Pose pose(const Element& parent);
  static std::string pose_frame(const Element& parent);

  std::string needed_name(const Element& element) { return values_.needed_text(element, "name"); }
  Diagnostics& diagnostics() { return values_.diagnostics(); }

 private:
  XmlValues values_;
};

/// The element at a path of children, such as {"surface", "friction", "ode"}; null if there is none.
const Element* find_path(const Element& element, std::initializer_list<std::string_view> path);

}  // namespace lockstep
