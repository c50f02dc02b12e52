#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

struct DriveConfig {
  std::string joint;
  std::optional<double> frequency;
  std::optional<double> amplitude;
  double phase = 0.0;
  std::optional<double> rise_time;
  std::optional<double> velocity;
  std::optional<double> max_acceleration;
};

template <class V>
void describe(V& v, DriveConfig& c) {
  v.text("joint", c.joint,
         {.doc = "Hinge or slide joint to move; no other actuator may act on it.", .required = true});
  v.number("frequency", c.frequency,
           {.unit = "Hz", .min = 0.0, .above_min = true, .doc = "Of a sine about the initial position."});
  v.number("amplitude", c.amplitude, {.unit = "rad or m", .min = 0.0, .doc = "Of the sine."});
  v.number("phase", c.phase, {.unit = "rad", .doc = "Angle of the sine at time zero."});
  v.number("rise_time", c.rise_time,
           {.unit = "s",
            .min = 0.0,
            .doc = "Time in which the amplitude grows smoothly from zero; one period if omitted."});
  v.number("velocity", c.velocity,
           {.unit = "rad/s or m/s", .doc = "Velocity command at the start; makes it a drive by velocity."});
  v.number("max_acceleration", c.max_acceleration,
           {.unit = "rad/s^2 or m/s^2",
            .min = 0.0,
            .above_min = true,
            .doc = "With 'velocity': how fast the velocity changes; within one step if omitted."});
}

/// Sine motion that begins smoothly from rest:
///
///     q(t) = center + s(t / T) amplitude sin(2π frequency t + phase),   s(x) = 10 x³ - 15 x⁴ + 6 x⁵ up to x = 1
struct SineMotion {
  double center = 0.0;     ///< rad or m
  double amplitude = 0.0;  ///< rad or m
  double frequency = 1.0;  ///< Hz
  double phase = 0.0;      ///< rad
  double rise_time = 0.0;  ///< T, s; 0: the amplitude is full from the start

  JointMotion at(double t) const;
};

/// Moves a driven joint (World::drive_joint()). Its force is what the motion needs, without a limit. A joint with
/// limits stops there at once. The motions are functions of the time and of the state of the joint, so no form has
/// memory.
class SineDrive final : public Actuator {
 public:
  SineDrive(JointId joint, Slot effort, const SineMotion& motion, Duration step)
      : joint_(joint), effort_(effort), motion_(motion), step_(step) {}
  void actuate(const Instant& now, Row row, World& world) override;

 private:
  JointId joint_;
  Slot effort_;  // mean of the last step, N m or N
  SineMotion motion_;
  Duration step_;
};

/// At a commanded velocity; changes of it are limited by an acceleration.
class VelocityDrive final : public Actuator {
 public:
  VelocityDrive(JointId joint, Slot effort, Slot velocity, double max_acceleration, double step)
      : joint_(joint), effort_(effort), velocity_(velocity), max_acceleration_(max_acceleration), step_(step) {}
  void actuate(const Instant& now, Row row, World& world) override;

 private:
  JointId joint_;
  Slot effort_;
  Slot velocity_;            // command, rad/s or m/s
  double max_acceleration_;  // rad/s^2 or m/s^2
  double step_;              // s
};

/// To a commanded target in each step, with the velocity of the way there.
class TargetDrive final : public Actuator {
 public:
  TargetDrive(JointId joint, Slot effort, Slot target, double step)
      : joint_(joint), effort_(effort), target_(target), step_(step) {}
  void actuate(const Instant& now, Row row, World& world) override;

 private:
  JointId joint_;
  Slot effort_;
  Slot target_;  // command, rad or m
  double step_;  // s
};

std::unique_ptr<Actuator> make_drive(const DriveConfig& config, BuildContext& context);

}  // namespace lockstep
