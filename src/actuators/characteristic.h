#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/fields.h"

namespace lockstep {

/// One measurement of a motor on the test stand.
struct CharacteristicPoint {
  double current = 0.0;         ///< A
  std::optional<double> speed;  ///< rad/s of the rotor; all points have one, or none has
  double torque = 0.0;          ///< N m at the rotor
  Place place;
};

template <class V>
void describe(V& v, CharacteristicPoint& p) {
  v.number("current", p.current, {.unit = "A", .doc = "Current of the motor.", .required = true});
  v.number(
      "speed", p.speed,
      {.unit = "rad/s", .doc = "Speed of the rotor. Omitted at all points: the torque does not depend on it."});
  v.number("torque", p.torque, {.unit = "N*m", .doc = "Torque of the rotor.", .required = true});
}

/// Torque of a motor over current, and over speed if that was measured.
///
/// Linear between the points of a table over current, bilinear between those of a grid over current and speed.
/// Outside, the torque is that at the edge. A table that begins at zero current and zero torque holds for the
/// other direction, too: T(-i, -w) = -T(i, w).
class Characteristic {
 public:
  /// The points may come in any order. Nothing, with errors about `subject` in the diagnostics, if they make no
  /// table: a point twice, a hole in the grid, less than two currents, one direction without its zero.
  static std::optional<Characteristic> make(std::vector<CharacteristicPoint> points, const Place& place,
                                            std::string_view subject, Diagnostics& diagnostics);

  double torque(double current, double speed) const;  ///< N m; A and rad/s

  static constexpr std::size_t kMaxPoints = 100'000;

 private:
  double torque_in_table(double current, double speed) const;

  std::vector<double> currents_;  // rising
  std::vector<double> speeds_;    // rising; one entry without meaning if the torque does not depend on it
  std::vector<double> torques_;   // currents × speeds
  bool mirrored_ = false;         // for currents below zero
};

/// The points of a CSV file: a line of the names current, torque and, if wanted, speed, in any order, each with
/// its unit in brackets if that is not the SI unit ("current [mA]"); then one line of numbers per point.
/// Separated by commas or semicolons; empty lines do not count. Throws UserError at the line in `file`.
std::vector<CharacteristicPoint> read_characteristic(std::span<const std::uint8_t> csv,
                                                     const std::string& file);

}  // namespace lockstep
