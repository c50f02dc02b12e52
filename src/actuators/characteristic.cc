#include "actuators/characteristic.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace lockstep {
namespace {

constexpr double kMaxCharacteristicValue = 1e9;  // A, rad/s, N m: beyond any motor, and no sum overflows

std::string name_of(const CharacteristicPoint& point) {
  return point.speed ? fmt::format("{} A and {} rad/s", point.current, *point.speed)
                     : fmt::format("{} A", point.current);
}

/// The distinct values of a list, rising.
std::vector<double> make_axis(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// A place on an axis: between entry `index` and the next, at this fraction of the interval.
struct AxisPlace {
  std::size_t index = 0;
  double share = 0.0;
};

AxisPlace find_on(const std::vector<double>& axis, double value) {
  if (axis.size() == 1) return {};
  const auto above = std::upper_bound(axis.begin() + 1, axis.end() - 1, value);
  const auto i = static_cast<std::size_t>(above - axis.begin()) - 1;
  // NaN passes the clamp, so that the world sees and reports it.
  return {i, std::clamp((value - axis[i]) / (axis[i + 1] - axis[i]), 0.0, 1.0)};
}

double between(double a, double b, double share) {
  return (1.0 - share) * a + share * b;
}

}  // namespace

std::optional<Characteristic> Characteristic::make(std::vector<CharacteristicPoint> points, const Place& place,
                                                   std::string_view subject, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.error_count();
  if (points.size() > kMaxPoints) {
    diagnostics.error(place, "{}: {} points; expected at most {}", subject, points.size(), kMaxPoints);
    return std::nullopt;
  }
  for (const CharacteristicPoint& point : points) {
    const double largest =
        std::max({std::abs(point.current), std::abs(point.speed.value_or(0.0)), std::abs(point.torque)});
    if (largest <= kMaxCharacteristicValue) continue;
    diagnostics.error(point.place, "{}: a point with {}; expected numbers up to {}", subject, largest,
                      kMaxCharacteristicValue);
    return std::nullopt;
  }
  const auto with_speed = std::count_if(points.begin(), points.end(), [](const auto& p) { return p.speed; });
  if (with_speed != 0 && with_speed != std::ssize(points)) {
    const auto without = std::find_if(points.begin(), points.end(), [](const auto& p) { return !p.speed; });
    diagnostics.error(without->place, "{}: the point at {} has no speed, but others have; expected all or none",
                      subject, name_of(*without));
    return std::nullopt;
  }

  const auto key = [](const CharacteristicPoint& p) { return std::tuple(p.current, p.speed.value_or(0.0)); };
  std::stable_sort(points.begin(), points.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (key(points[i]) != key(points[i - 1])) continue;
    diagnostics.error(points[i].place, "{}: duplicate point at {}", subject, name_of(points[i]));
  }
  if (diagnostics.error_count() > errors) return std::nullopt;

  Characteristic made;
  std::vector<double> currents;
  std::vector<double> speeds;
  for (const CharacteristicPoint& point : points) {
    currents.push_back(point.current);
    speeds.push_back(point.speed.value_or(0.0));
    made.torques_.push_back(point.torque);
  }
  made.currents_ = make_axis(std::move(currents));
  made.speeds_ = make_axis(std::move(speeds));
  if (made.currents_.size() < 2) {
    diagnostics.error(place, "{}: a characteristic needs at least two currents", subject);
    return std::nullopt;
  }

  // Sorted and without duplicates, the points are the grid row by row; the first that is not shows the gap.
  const std::size_t columns = made.speeds_.size();
  for (std::size_t i = 0; i < made.currents_.size() * columns; ++i) {
    const std::tuple wanted(made.currents_[i / columns], made.speeds_[i % columns]);
    if (i < points.size() && key(points[i]) == wanted) continue;
    diagnostics.error(place, "{}: no point at {} A and {} rad/s; expected one for each current at each speed",
                      subject, std::get<0>(wanted), std::get<1>(wanted));
    return std::nullopt;
  }

  made.mirrored_ = made.currents_.front() >= 0.0;
  if (!made.mirrored_) return made;
  if (made.currents_.front() > 0.0) {
    diagnostics.error(place,
                      "{}: the smallest current is {} A; expected 0 A, or also negative currents if the "
                      "motor is not symmetric",
                      subject, made.currents_.front());
    return std::nullopt;
  }
  for (std::size_t i = 0; i < columns; ++i) {
    if (points[i].torque == 0.0) continue;
    diagnostics.error(points[i].place,
                      "{}: torque {} N*m at {}; expected 0 without current, or also negative currents if the "
                      "motor is not symmetric",
                      subject, points[i].torque, name_of(points[i]));
  }
  if (diagnostics.error_count() > errors) return std::nullopt;
  return made;
}

double Characteristic::torque(double current, double speed) const {
  return mirrored_ && current < 0.0 ? -torque_in_table(-current, -speed) : torque_in_table(current, speed);
}

double Characteristic::torque_in_table(double current, double speed) const {
  const std::size_t columns = speeds_.size();
  const AxisPlace row = find_on(currents_, current);
  const AxisPlace column = find_on(speeds_, speed);
  const auto at_speed = [&](std::size_t i) {
    const double* torques = torques_.data() + i * columns + column.index;
    return columns == 1 ? torques[0] : between(torques[0], torques[1], column.share);
  };
  return between(at_speed(row.index), at_speed(row.index + 1), row.share);
}

}  // namespace lockstep
