#pragma once

#include <limits>
#include <string_view>

/// How a plain struct says which attributes and children it has in a scenario file.
///
/// Each struct has one function template `describe(visitor, value)` that names every member once:
///
///     struct TorqueActuatorConfig { std::string joint; double limit = 100.0; };
///
///     template <class V> void describe(V& v, TorqueActuatorConfig& c) {
///       v.text("joint", c.joint, {.doc = "Joint to drive.", .required = true});
///       v.number("limit", c.limit, {.unit = "N*m", .min = 0.0, .doc = "Largest torque."});
///     }
///
/// The scenario reader, the writer, the XSD and the reference in docs/ are all made from it
/// (scenario/fields.h lists what a visitor offers). The default is the value of a fresh struct.
namespace lockstep {

struct FieldSpec {
  std::string_view unit = "";  ///< SI unit of a number, as units.h writes it: "m", "N*m/rad"; "" for none
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool above_min = false;     ///< the minimum itself is out of range
  std::string_view doc = "";  ///< one or two sentences for the reference
  bool required = false;
};

}  // namespace lockstep
