#pragma once

#include "lockstep/state.h"

namespace lockstep {

/// A number that moves smoothly to its goal: along the cubic that starts with the current value and speed and
/// arrives at rest after a given time. When the goal changes on the way, a new cubic starts there without a
/// jump in value or speed; a goal that keeps moving is followed as by a damped spring.
class Blend {
 public:
  double value() const { return value_; }
  double speed() const { return speed_; }  ///< per second

  /// Sets value and goal at once, at rest.
  void jump(double value) {
    value_ = from_ = goal_ = value;
    speed_ = from_speed_ = elapsed_ = 0.0;
  }

  /// Moves by `dt` towards the goal, which it reaches `duration` after the goal last changed (both in s).
  void advance(double goal, double dt, double duration) {
    if (goal != goal_) {
      from_ = value_;
      from_speed_ = speed_;
      goal_ = goal;
      elapsed_ = 0.0;
    }
    elapsed_ += dt;
    if (elapsed_ >= duration) return jump(goal_);
    const double u = elapsed_ / duration;
    const double way = goal_ - from_, tangent = from_speed_ * duration;
    value_ = from_ + u * (tangent + u * (3.0 * way - 2.0 * tangent + u * (tangent - 2.0 * way)));
    speed_ = (tangent + u * (2.0 * (3.0 * way - 2.0 * tangent) + u * 3.0 * (tangent - 2.0 * way))) / duration;
  }

  void save(StateWriter& writer) const {
    for (const double number : {value_, speed_, from_, from_speed_, goal_, elapsed_}) writer.write(number);
  }
  void restore(StateReader& reader) {
    for (double* number : {&value_, &speed_, &from_, &from_speed_, &goal_, &elapsed_}) {
      *number = reader.read<double>();
    }
  }

 private:
  double value_ = 0.0;
  double speed_ = 0.0;
  double from_ = 0.0;        // value when the goal last changed
  double from_speed_ = 0.0;  // speed at that time
  double goal_ = 0.0;
  double elapsed_ = 0.0;  // s since the goal last changed
};

}  // namespace lockstep
