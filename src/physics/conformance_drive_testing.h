#pragma once

#include "physics/conformance_testing.h"

/// Driven joints: they follow their motion exactly, and everything else reacts as to an infinitely heavy body.
namespace lockstep {

class DriveConformance : public Conformance {
 protected:
  static constexpr Integrator kAll[] = {Integrator::kEuler, Integrator::kImplicit, Integrator::kRk4};
  static constexpr std::size_t kSource = 1;
  using Motion = std::function<JointMotion(double)>;

  /// A table that is driven along an axis, with its surface at z = 0.
  static BodyId add_table(SmallModel& model, const Vec3& axis, MaterialId material = {}) {
    const BodyId table =
        model.add_body("table", kWorldBody, {{0.0, 0.0, -0.05}, Quat::Identity()}, 10.0, Vec3::Constant(1.0));
    model.add_joint(table, JointType::kSlide, axis).driven = true;
    model.add_shape(table, Box{{2.0, 2.0, 0.1}}, material);
    return table;
  }
  static Motion make_sine(double amplitude, double frequency) {
    const double w = 2.0 * kPi * frequency;
    return [=](double t) { return JointMotion{amplitude * std::sin(w * t), amplitude * w * std::cos(w * t)}; };
  }
  /// The joint starts with the motion.
  static void start(SmallModel& model, JointId joint, const Motion& motion) {
    model.model.joints[index(joint)].initial_position = {motion(0.0).position};
    model.model.joints[index(joint)].initial_velocity = {motion(0.0).velocity};
  }
  static void drive(World& world, JointId joint, const Motion& motion, double seconds,
                    const std::function<void()>& after_each_step = {}) {
    const double h = to_seconds(world.model().step);
    const auto steps = std::llround(seconds / h);
    for (std::int64_t i = 0; i < steps; ++i) {
      world.attribute_forces(kSource);
      world.drive_joint(joint, motion(h * static_cast<double>(world.step_count() + 1)));
      const Status status = world.step();
      ASSERT_TRUE(status.ok()) << to_string(status);
      if (after_each_step) after_each_step();
    }
  }
  static double now(const World& world) {
    return to_seconds(world.model().step) * static_cast<double>(world.step_count());
  }
  /// Unexplained energy, as a fraction of the work of the drive that was exchanged.
  static double calc_balance(const World& world) {
    const WorldReport report = world.report({.energy = true, .work = true});
    return report.work.unexplained / (report.energy.kinetic + std::abs(report.work.by_source[kSource]) +
                                      std::abs(report.work.contacts) + std::abs(report.work.damping));
  }
};

TEST_P(DriveConformance, ADrivenJointFollowsItsMotionExactly) {
  LOCKSTEP_NEEDS(driven_joints);
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    SmallModel model;
    model.model.engine.integrator = integrator;
    add_table(model, Vec3(1.0, 0.0, 2.0).normalized());
    model.add_box("crate", {{0.1, 0.0, 0.15}, Quat::Identity()}, {0.3, 0.3, 0.3}, 500.0);
    const Motion motion = make_sine(0.02, 5.0);
    start(model, JointId{0}, motion);
    const auto world = make_world(model);
    drive(*world, JointId{0}, motion, 1.0, [&] {
      EXPECT_NEAR(world->joint_position(JointId{0})[0], motion(now(*world)).position, 1e-12);
      EXPECT_NEAR(world->joint_velocity(JointId{0})[0], motion(now(*world)).velocity, 1e-12);
    });
  }
}

TEST_P(DriveConformance, TheForceIsMassTimesAcceleration) {
  LOCKSTEP_NEEDS(driven_joints);
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    SmallModel model;
    model.model.engine.integrator = integrator;
    const BodyId table = add_table(model, Vec3::UnitZ());
    model.add_body("load", table, {{0.5, 0.0, 0.3}, Quat::Identity()}, 3.0, Vec3::Constant(0.1));
    const Motion motion = make_sine(0.01, 10.0);
    start(model, JointId{0}, motion);
    const auto world = make_world(model);
    double before = motion(0.0).velocity;
    drive(*world, JointId{0}, motion, 0.5, [&] {
      const double after = motion(now(*world)).velocity;
      const double mean = (after - before) / 1e-3;
      EXPECT_NEAR(world->joint_force(JointId{0})[0], 13.0 * (mean + kGravity), 1e-6 * 13.0 * kGravity);
      before = after;
    });
    const Work work = world->report({.work = true}).work;
    EXPECT_NEAR(work.unexplained, 0.0, 1e-5 * 6.5 * 0.4);
  }
}

TEST_P(DriveConformance, ABlockSlipsOnAShakerWhereFrictionCannotAccelerateIt) {
  LOCKSTEP_NEEDS(driven_joints);
  constexpr double kFriction = 0.4, kFrequency = 3.0;
  constexpr double kSettling = 0.1;  // s, until the contact carries the block
  const double critical = kFriction * kGravity / std::pow(2.0 * kPi * kFrequency, 2);  // amplitude, m
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    for (const double factor : {0.97, 1.03}) {
      SmallModel model;
      model.model.engine.integrator = integrator;
      const MaterialId steel = model.add_material("steel", {.friction = kFriction});
      const BodyId table = add_table(model, Vec3::UnitX(), steel);
      const BodyId block =
          model.add_box("block", {{0.0, 0.0, 0.05}, Quat::Identity()}, {0.4, 0.4, 0.1}, 2.0, steel);
      const double amplitude = factor * critical, w = 2.0 * kPi * kFrequency;
      // Starts at rest, so that the block can move along from the start.
      const Motion motion = [=](double t) {
        return JointMotion{amplitude * (1.0 - std::cos(w * t)), amplitude * w * std::sin(w * t)};
      };
      const auto world = make_world(model);
      double slip = 0.0;
      drive(*world, JointId{0}, motion, 2.0, [&] {
        if (now(*world) < kSettling) return;
        slip = std::max(
            slip, std::abs(world->body_velocity(block).linear.x() - world->body_velocity(table).linear.x()));
      });
      // Slipping begins where A w^2 sin = mu g; the velocities then differ by about A w (1 - factor^-2)^1.5.
      const double expected = amplitude * w * std::pow(std::max(0.0, 1.0 - 1.0 / (factor * factor)), 1.5) / 3.0;
      if (factor < 1.0) {
        EXPECT_LT(slip, 1e-3 * amplitude * w) << static_cast<int>(integrator);
      } else {
        EXPECT_GT(slip, expected) << static_cast<int>(integrator);
      }
      // At the end everything is at rest again, so the bound is relative to the energy at the highest speed.
      const double exchanged = 0.5 * 2.0 * std::pow(amplitude * w, 2);
      EXPECT_LT(std::abs(world->report({.work = true}).work.unexplained), 0.005 * exchanged)
          << static_cast<int>(integrator);
    }
  }
}

/// A point mass of 1 kg on a rod of `length` above a pivot that moves up and down.
inline SmallModel make_pendulum_on_shaker(double length, double angle, Integrator integrator, Duration step) {
  SmallModel model(step);
  model.model.engine.integrator = integrator;
  const BodyId pivot = model.add_body("pivot", kWorldBody, {}, 0.2, Vec3::Constant(0.01));
  model.add_joint(pivot, JointType::kSlide, Vec3::UnitZ()).driven = true;
  const BodyId rod = model.add_body("rod", pivot, {}, 1.0, Vec3::Constant(1e-9), {0.0, 0.0, length});
  model.add_joint(rod, JointType::kHinge, Vec3::UnitY()).initial_position = {angle};
  return model;
}

TEST_P(DriveConformance, APendulumStandsUprightOnAPivotThatVibratesFastEnough) {
  LOCKSTEP_NEEDS(driven_joints);
  // Kapitza: stable if (A w)^2 > 2 g l.
  constexpr double kLength = 0.2, kAmplitude = 0.01, kAngle = 0.1;
  const double critical = std::sqrt(2.0 * kGravity * kLength) / kAmplitude / (2.0 * kPi);  // Hz, about 31.5
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    for (const double factor : {0.8, 1.5}) {
      const double w = factor * critical * 2.0 * kPi;
      const Motion motion = [=](double t) {
        return JointMotion{-kAmplitude * std::cos(w * t), kAmplitude * w * std::sin(w * t)};
      };
      SmallModel model = make_pendulum_on_shaker(kLength, kAngle, integrator, std::chrono::microseconds(250));
      start(model, JointId{0}, motion);
      const auto world = make_world(model);
      double largest = 0.0;
      drive(*world, JointId{0}, motion, 3.0,
            [&] { largest = std::max(largest, std::abs(world->joint_position(JointId{1})[0])); });
      if (factor > 1.0) {
        EXPECT_LT(largest, 0.3);
      } else {
        EXPECT_GT(largest, 2.0);
      }
    }
  }
}

TEST_P(DriveConformance, APendulumOnADrivenPivotMovesAsAnIndependentIntegrationSays) {
  LOCKSTEP_NEEDS(driven_joints);
  constexpr double kLength = 0.2, kAmplitude = 0.02, kAngle = 0.5, kTime = 1.0;
  const double w = 2.0 * kPi * 8.0;
  // l a'' = (g + z'') sin a, with the classic Runge-Kutta method at 2 µs.
  double angle = kAngle, speed = 0.0;
  const double h = 2e-6;
  const auto accelerate = [&](double t, double a) {
    return (kGravity - kAmplitude * w * w * std::sin(w * t)) * std::sin(a) / kLength;
  };
  for (int i = 0; i < std::lround(kTime / h); ++i) {
    const double t = i * h;
    const double a1 = accelerate(t, angle), v2 = speed + h / 2 * a1;
    const double a2 = accelerate(t + h / 2, angle + h / 2 * speed), v3 = speed + h / 2 * a2;
    const double a3 = accelerate(t + h / 2, angle + h / 2 * v2), v4 = speed + h * a3;
    const double a4 = accelerate(t + h, angle + h * v3);
    angle += h / 6 * (speed + 2 * v2 + 2 * v3 + v4);
    speed += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  const Motion motion = make_sine(kAmplitude, 8.0);
  const auto error = [&](Integrator integrator, Duration step) {
    SmallModel model = make_pendulum_on_shaker(kLength, kAngle, integrator, step);
    start(model, JointId{0}, motion);
    const auto world = make_world(model);
    drive(*world, JointId{0}, motion, kTime);
    return std::abs(world->joint_position(JointId{1})[0] - angle);
  };
  using std::chrono::microseconds;
  if (has_integrator(Integrator::kRk4)) {
    const double coarse = error(Integrator::kRk4, microseconds(2000)),
                 fine = error(Integrator::kRk4, microseconds(1000));
    EXPECT_LT(fine, 1e-5);
    EXPECT_NEAR(std::log2(coarse / fine), 4.0, 0.5);
  }
  for (const Integrator integrator : {Integrator::kEuler, Integrator::kImplicit}) {
    if (!has_integrator(integrator)) continue;
    const double coarse = error(integrator, microseconds(200)), fine = error(integrator, microseconds(100));
    EXPECT_LT(fine, 0.05);
    EXPECT_NEAR(coarse / fine, 2.0, 0.3);
  }
}

TEST_P(DriveConformance, AMassOnASpringHasTheAmplitudeOfItsTransferFunction) {
  LOCKSTEP_NEEDS(driven_joints);
  // m x'' = -k (x - u) - c (x' - u'):  |X / U| = sqrt((1 + (2 z r)^2) / ((1 - r^2)^2 + (2 z r)^2)).
  constexpr double kMass = 2.0, kRatio = 0.1, kAmplitude = 0.01;
  const double natural = 2.0 * kPi * 2.0;
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    for (const double r : {0.5, 1.0, 2.0}) {
      SmallModel model;
      model.model.engine.integrator = integrator;
      add_table(model, Vec3::UnitX());
      const BodyId mass =
          model.add_body("mass", BodyId{1}, {{0.0, 0.0, 0.3}, Quat::Identity()}, kMass, Vec3::Constant(0.1));
      JointModel& spring = model.add_joint(mass, JointType::kSlide, Vec3::UnitX());
      spring.stiffness = kMass * natural * natural;
      spring.damping = 2.0 * kRatio * kMass * natural;
      const Motion motion = make_sine(kAmplitude, r * 2.0);
      start(model, JointId{0}, motion);
      const auto world = make_world(model);
      drive(*world, JointId{0}, motion, 12.0);
      double largest = 0.0;
      drive(*world, JointId{0}, motion, 2.0,
            [&] { largest = std::max(largest, std::abs(world->body_pose(mass).p.x())); });
      const double d = 2.0 * kRatio * r;
      const double gain = std::sqrt((1.0 + d * d) / (std::pow(1.0 - r * r, 2) + d * d));
      const double tolerance = integrator == Integrator::kRk4 ? 1e-3 : 0.03;
      EXPECT_NEAR(largest / kAmplitude, gain, tolerance * gain) << r << " " << static_cast<int>(integrator);
      EXPECT_LT(std::abs(calc_balance(*world)), integrator == Integrator::kRk4 ? 1e-3 : 0.05);
    }
  }
}

TEST_P(DriveConformance, ACoinStaysOnATurntableWhereFrictionHoldsIt) {
  LOCKSTEP_NEEDS(driven_joints);
  constexpr double kFriction = 0.3, kRadius = 0.4, kTime = 4.0;
  constexpr double kCreep =
      0.008;  // m: contacts hold velocities at the start of a step, which is h w^2 r / 2 too fast
  const double critical = std::sqrt(kFriction * kGravity / kRadius);  // rad/s
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    for (const double factor : {0.95, 1.05}) {
      SmallModel model;
      model.model.engine.integrator = integrator;
      const MaterialId steel = model.add_material("steel", {.friction = kFriction});
      const BodyId table =
          model.add_body("table", kWorldBody, {{0.0, 0.0, -0.05}, Quat::Identity()}, 5.0, Vec3::Constant(1.0));
      model.add_joint(table, JointType::kHinge).driven = true;
      model.add_shape(table, Box{{2.0, 2.0, 0.1}}, steel);
      const BodyId coin =
          model.add_box("coin", {{kRadius, 0.0, 0.01}, Quat::Identity()}, {0.05, 0.05, 0.02}, 0.1, steel);
      // Speeds up slowly enough that friction carries the coin along.
      const double w = factor * critical, rise = 2.0;
      const Motion motion = [=](double t) {
        return t < rise ? JointMotion{0.5 * w / rise * t * t, w / rise * t}
                        : JointMotion{w * (t - 0.5 * rise), w};
      };
      const auto world = make_world(model);
      drive(*world, JointId{0}, motion, kTime);
      const double radius = world->body_pose(coin).p.head<2>().norm();
      if (factor < 1.0) {
        EXPECT_NEAR(radius, kRadius, kCreep) << static_cast<int>(integrator);
      } else {
        EXPECT_GT(radius, 1.2 * kRadius) << static_cast<int>(integrator);
      }
      EXPECT_LT(std::abs(calc_balance(*world)), 0.02) << static_cast<int>(integrator);
    }
  }
}

TEST_P(DriveConformance, ABallBouncesOffAMovingPlateAsOffAnInfinitelyHeavyOne) {
  LOCKSTEP_NEEDS(driven_joints);
  constexpr double kUp = 1.5, kDown = 2.0, kRestitution = 0.8;
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    SmallModel model;
    model.model.engine.integrator = integrator;
    model.model.gravity.setZero();
    const MaterialId rubber = model.add_material("rubber", {.friction = 0.0, .restitution = kRestitution});
    add_table(model, Vec3::UnitZ(), rubber);
    const BodyId ball = model.add_ball("ball", {0.0, 0.0, 1.1}, 0.1, 5.0, rubber);
    model.model.joints[0].initial_velocity = {kUp};
    model.model.joints[1].initial_velocity[2] = -kDown;
    const auto world = make_world(model);
    drive(
        *world, JointId{0},
        [](double t) {
          return JointMotion{kUp * t, kUp};
        },
        0.5);
    const double after = kUp + kRestitution * (kUp + kDown);
    EXPECT_NEAR(world->body_velocity(ball).linear.z(), after, 1e-6);
    const Work work = world->report({.work = true}).work;
    // The impulse on the table times its velocity; the rest is the loss of the impact.
    const double impulse = 5.0 * (after + kDown);
    EXPECT_NEAR(work.by_source[kSource], impulse * kUp, 1e-3);
    EXPECT_NEAR(work.contacts, 0.5 * 5.0 * (after * after - kDown * kDown) - impulse * kUp, 1e-3);
    EXPECT_LT(work.contacts, 0.0);
  }
}

TEST_P(DriveConformance, ADrivenWheelTurnsTheFreeBodyThatCarriesIt) {
  LOCKSTEP_NEEDS(driven_joints);
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    SmallModel model;
    model.model.engine.integrator = integrator;
    model.model.gravity.setZero();
    const BodyId satellite = model.add_body("satellite", kWorldBody, {}, 10.0, {0.4, 0.5, 0.6});
    model.add_joint(satellite, JointType::kFree);
    const BodyId wheel = model.add_body("wheel", satellite, {}, 1.0, {0.01, 0.01, 0.02});
    model.add_joint(wheel, JointType::kHinge).driven = true;
    const auto world = make_world(model);
    drive(
        *world, JointId{1},
        [](double t) {
          return JointMotion{10.0 * t * t, 20.0 * t};
        },
        2.0);
    // 0.6 W + 0.02 (W + w) = 0.
    EXPECT_NEAR(world->body_velocity(satellite).angular.z(), -0.02 * 40.0 / 0.62, 1e-6);
    EXPECT_NEAR(world->report({.momentum = true}).momentum.angular.norm(), 0.0, 1e-9);
    EXPECT_NEAR(world->joint_force(JointId{1})[0], 0.02 * (20.0 - 0.02 * 20.0 / 0.62), 1e-6);
    EXPECT_LT(std::abs(calc_balance(*world)), 1e-6);
  }
}

TEST_P(DriveConformance, ADrivenCrankMovesAFourBarLinkage) {
  LOCKSTEP_NEEDS(driven_joints);
  LOCKSTEP_NEEDS(closed_loops);
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    SmallModel model = make_four_bar(LoopType::kHinge, 0.3);
    model.model.engine.integrator = integrator;
    model.model.joints[0].driven = true;
    const Motion motion = [](double t) {
      return JointMotion{0.3 + 0.2 * std::sin(3.0 * t), 0.6 * std::cos(3.0 * t)};
    };
    start(model, JointId{0}, motion);
    model.model.joints[1].initial_velocity = {-0.6};
    model.model.joints[2].initial_velocity = {0.6};
    const auto world = make_world(model);
    // A parallelogram: crank and rocker turn alike.
    drive(*world, JointId{0}, motion, 4.0, [&] {
      EXPECT_NEAR(world->joint_position(JointId{0})[0], motion(now(*world)).position, 1e-12);
      EXPECT_NEAR(world->joint_position(JointId{2})[0], motion(now(*world)).position, 1e-4);
    });
    EXPECT_LT(std::abs(calc_balance(*world)), 0.02) << static_cast<int>(integrator);
  }
}

TEST_P(DriveConformance, ACoupledJointFollowsADrivenOne) {
  LOCKSTEP_NEEDS(driven_joints);
  LOCKSTEP_NEEDS(couplings);
  SmallModel model;
  add_table(model, Vec3::UnitX());
  const BodyId wheel = model.add_body("wheel", kWorldBody, {}, 1.0, Vec3::Constant(0.02));
  model.add_joint(wheel, JointType::kHinge);
  model.model.couplings.push_back({.name = "rack", .joint = JointId{1}, .follows = JointId{0}, .ratio = 10.0});
  const Motion motion = [](double t) { return JointMotion{0.5 * t * t, t}; };
  const auto world = make_world(model);
  drive(*world, JointId{0}, motion, 1.0);
  EXPECT_NEAR(world->joint_position(JointId{1})[0], 5.0, 0.01);
  // The table, and the wheel through its gear: 10 kg + 0.02 kg m^2 (10 rad/m)^2, at 1 m/s^2.
  EXPECT_NEAR(world->joint_force(JointId{0})[0], 12.0, 0.01);
}

TEST_P(DriveConformance, ARestoredDriveContinuesBitForBit) {
  LOCKSTEP_NEEDS(driven_joints);
  for (const Integrator integrator : kAll) {
    if (!has_integrator(integrator)) continue;
    SmallModel model;
    model.model.engine.integrator = integrator;
    add_table(model, Vec3::UnitX());
    model.add_box("crate", {{0.1, 0.0, 0.15}, turn(0.2, Vec3::UnitZ())}, {0.3, 0.3, 0.3}, 2.0);
    const Motion motion = make_sine(0.05, 4.0);
    const auto world = make_world(model), other = make_world(model);
    drive(*world, JointId{0}, motion, 0.3);
    world->drive_joint(JointId{0}, motion(0.301));
    restore_bytes(*other, save_bytes(*world));
    EXPECT_EQ(other->joint_force(JointId{0})[0], world->joint_force(JointId{0})[0]);
    for (World* continued : {world.get(), other.get()}) {
      ASSERT_TRUE(continued->step().ok());
      drive(*continued, JointId{0}, motion, 0.2);
    }
    EXPECT_EQ(save_bytes(*other), save_bytes(*world));
  }
}

TEST_P(DriveConformance, ADrivenJointWithoutAMotionStops) {
  LOCKSTEP_NEEDS(driven_joints);
  SmallModel model;
  add_table(model, Vec3::UnitZ());
  model.model.joints[0].initial_velocity = {1.0};
  model.model.joints[0].lower = -0.1;
  model.model.joints[0].upper = 0.1;
  const auto world = make_world(model);
  run(*world, 0.1);
  EXPECT_EQ(world->joint_position(JointId{0})[0], 0.0);
  EXPECT_EQ(world->joint_velocity(JointId{0})[0], 0.0);
  EXPECT_NEAR(world->joint_force(JointId{0})[0], 10.0 * kGravity, 1e-9);
}

TEST_P(DriveConformance, AMotionThatIsNotANumberIsAnInvalidInput) {
  LOCKSTEP_NEEDS(driven_joints);
  SmallModel model;
  add_table(model, Vec3::UnitZ());
  const auto world = make_world(model);
  world->drive_joint(JointId{0}, {.position = std::nan(""), .velocity = 0.0});
  const Status status = world->step();
  EXPECT_EQ(status.outcome, Outcome::kInvalidInput);
  EXPECT_EQ(status.subject, "table/joint");
  EXPECT_EQ(status.cause, "its motion is not a finite number");
  EXPECT_TRUE(world->step().ok());
}

}  // namespace lockstep
