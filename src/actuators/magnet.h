#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/math.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

struct MagnetConfig {
  std::string a;
  std::string b;
  double stiffness = 0.0;
  double damping = 0.0;
  double torsional_stiffness = 0.0;
  double torsional_damping = 0.0;
  double reach = 0.0;
  std::optional<double> max_force;
  bool on = false;
};

template <class V>
void describe(V& v, MagnetConfig& c) {
  v.text("a", c.a, {.doc = "Site of the magnet.", .required = true});
  v.text("b", c.b, {.doc = "Site that it grips.", .required = true});
  v.number("stiffness", c.stiffness,
           {.unit = "N/m",
            .min = 0.0,
            .above_min = true,
            .doc = "Stiffness of the spring that pulls the two sites together.",
            .required = true});
  v.number("damping", c.damping,
           {.unit = "N*s/m", .min = 0.0, .doc = "Damping of the relative speed of the two sites."});
  v.number("torsional_stiffness", c.torsional_stiffness,
           {.unit = "N*m/rad",
            .min = 0.0,
            .doc = "Stiffness of the torsion spring about the relative orientation at the grip."});
  v.number("torsional_damping", c.torsional_damping,
           {.unit = "N*m*s/rad", .min = 0.0, .doc = "Damping of their relative rotation."});
  v.number("reach", c.reach,
           {.unit = "m", .min = 0.0, .doc = "It grips only within this distance.", .required = true});
  v.number("max_force", c.max_force,
           {.unit = "N",
            .min = 0.0,
            .above_min = true,
            .doc = "Above this force it loses its grip until it is switched off and on again. No limit if "
                   "omitted."});
  v.flag("on", c.on, {.doc = "Whether it is switched on at the start."});
}

/// Switchable grip between two sites: a spring and a damper. It grips once they are within reach, and then acts
/// on b, at b, with
///
///     force  = -k r - d (v_b - v_a - w_a × r),   N;   r from a to b
///     torque = -k_t θ - d_t (w_b - w_a),         N m; θ the rotation of b against a since it gripped
///
/// in world axes, and on a, at the same point, with the opposite: momentum is conserved and no energy is added.
///
///     kOff --on--> kWaiting --within reach--> kGripping --above max_force--> kTorn;   off: back to kOff
class Magnet final : public Actuator {
 public:
  struct Slots {
    Slot on;        ///< command, 0 or 1
    Slot gripping;  ///< 0 or 1
    Slot force;     ///< size of the force, N
  };
  struct Settings {
    double stiffness = 0.0;            ///< N/m
    double damping = 0.0;              ///< N s/m
    double torsional_stiffness = 0.0;  ///< N m/rad
    double torsional_damping = 0.0;    ///< N m s/rad
    double reach = 0.0;                ///< m
    double max_force = 0.0;            ///< N
  };

  Magnet(SiteId a, SiteId b, const Slots& slots, const Settings& settings)
      : a_(a), b_(b), slots_(slots), settings_(settings) {}

  void actuate(const Instant& now, Row row, World& world) override;
  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  enum class State : std::uint8_t { kOff, kWaiting, kGripping, kTorn };

  SiteId a_;
  SiteId b_;
  Slots slots_;
  Settings settings_;
  State state_ = State::kOff;
  Quat q_AB_ = Quat::Identity();  // when it gripped
};

std::unique_ptr<Actuator> make_magnet(const MagnetConfig& config, BuildContext& context);

}  // namespace lockstep
