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

/// One measurement of a motor on a test bench.
struct CharacteristicPoint {
  double current = 0.0;         ///< A
  std::optional<double> speed;  ///< rad/s of the rotor; given for all points or for none
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

/// Motor characteristic: torque T(i, w) over current i (A) and, if measured, rotor speed w (rad/s), in N m.
///
/// Linear interpolation over current, bilinear over a grid of current and speed; outside the table the torque
/// is that of its edge. A table that starts at zero current and zero torque is used for both directions:
/// T(-i, -w) = -T(i, w).
class Characteristic {
 public:
  /// Takes the points in any order. Nothing, with errors about `subject` in the diagnostics, if they are not a
  /// table: a duplicate point, a gap in the grid, fewer than two currents, one direction without its zero.
  static std::optional<Characteristic> make(std::vector<CharacteristicPoint> points, const Place& place,
                                            std::string_view subject, Diagnostics& diagnostics);

  double torque(double current, double speed) const;  ///< N m; A and rad/s

  static constexpr std::size_t kMaxPoints = 100'000;

 private:
  double torque_in_table(double current, double speed) const;

  std::vector<double> currents_;  // rising
  std::vector<double> speeds_;    // rising; one unused entry if the torque does not depend on speed
  std::vector<double> torques_;   // currents × speeds, row by row
  bool mirrored_ = false;         // T(-i, -w) = -T(i, w)
};

/// Reads the points of a CSV file: a header with the names current, torque and optionally speed, in any order,
/// each with its unit in brackets if that is not the SI unit ("current [mA]"); then one line of numbers per
/// point. Separated by commas or semicolons; empty lines are skipped. Throws UserError at the line in `file`.
std::vector<CharacteristicPoint> read_characteristic(std::span<const std::uint8_t> csv,
                                                     const std::string& file);

}  // namespace lockstep
