#include "actuators/magnet.h"

#include "actuators/command.h"
#include "device/context.h"

namespace lockstep {
namespace {

/// The rotation q as axis times angle, rad, by the shorter way.
Vec3 rotation_vector(const Quat& q) {
  const Eigen::AngleAxisd turn(q);
  return turn.angle() * turn.axis();
}

}  // namespace

void Magnet::actuate(const Instant&, Row row, World& world) {
  const Pose X_WA = site_pose(world, a_);
  const Pose X_WB = site_pose(world, b_);
  const Vec3 r = X_WB.p - X_WA.p;

  if (!is_on(row[slots_.on])) {
    state_ = State::kOff;
  } else if (state_ == State::kOff) {
    state_ = State::kWaiting;
  }
  if (state_ == State::kWaiting && r.norm() <= settings_.reach) {
    state_ = State::kGripping;
    q_AB_ = X_WA.q.conjugate() * X_WB.q;
  }

  Wrench on_b;
  if (state_ == State::kGripping) {
    const Twist v_a = site_velocity(world, a_);
    const Twist v_b = site_velocity(world, b_);
    const Vec3 speed = v_b.linear - v_a.linear - v_a.angular.cross(r);
    const Vec3 turn = rotation_vector(X_WB.q * (X_WA.q * q_AB_).conjugate());
    on_b.force = -settings_.stiffness * r - settings_.damping * speed;
    on_b.torque =
        -settings_.torsional_stiffness * turn - settings_.torsional_damping * (v_b.angular - v_a.angular);
    if (on_b.force.norm() > settings_.max_force) {
      state_ = State::kTorn;
      on_b = {};
    } else {
      world.add_body_force(world.model().site(b_).body, X_WB.p, on_b);
      world.add_body_force(world.model().site(a_).body, X_WB.p, {-on_b.force, -on_b.torque});
    }
  }
  row[slots_.gripping] = state_ == State::kGripping ? 1.0 : 0.0;
  row[slots_.force] = on_b.force.norm();
}

void Magnet::save(StateWriter& writer) const {
  writer.write(state_);
  for (const double x : {q_AB_.w(), q_AB_.x(), q_AB_.y(), q_AB_.z()}) writer.write(x);
}

void Magnet::restore(StateReader& reader) {
  const auto state = reader.read<State>();
  if (state > State::kTorn) throw StateError("a magnet has an unknown state");
  state_ = state;
  for (double* x : {&q_AB_.w(), &q_AB_.x(), &q_AB_.y(), &q_AB_.z()}) *x = reader.read<double>();
}

std::unique_ptr<Actuator> make_magnet(const MagnetConfig& config, BuildContext& context) {
  const auto a = context.find_site(config.a);
  const auto b = context.find_site(config.b);
  if (!a || !b) return nullptr;
  const BodyId body_a = context.model.site(*a).body;
  const BodyId body_b = context.model.site(*b).body;
  if (body_a == body_b) {
    context.error_at("b", "both sites are on the body '{}'; expected two bodies",
                     context.model.body(body_a).name);
    return nullptr;
  }
  if (!context.model.can_move(body_a) && !context.model.can_move(body_b)) {
    context.error_at("b", "neither '{}' nor '{}' ever moves; expected one that can be gripped",
                     context.model.body(body_a).name, context.model.body(body_b).name);
    return nullptr;
  }
  const auto on = context.add_signal("on", "", SignalRole::kCommand, config.on ? 1.0 : 0.0);
  const auto gripping = context.add_signal("gripping", "", SignalRole::kInternal);
  const auto force = context.add_signal("force", "N", SignalRole::kInternal);
  if (!on || !gripping || !force) return nullptr;
  return std::make_unique<Magnet>(*a, *b, Magnet::Slots{*on, *gripping, *force},
                                  Magnet::Settings{.stiffness = config.stiffness,
                                                   .damping = config.damping,
                                                   .torsional_stiffness = config.torsional_stiffness,
                                                   .torsional_damping = config.torsional_damping,
                                                   .reach = config.reach,
                                                   .max_force = config.max_force.value_or(kNoLimit)});
}

}  // namespace lockstep
