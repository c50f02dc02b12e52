#pragma once

#include "lockstep/state.h"

namespace lockstep {

/// A number that goes smoothly to its goal: along the cubic that begins with the present value and speed and
/// arrives at rest after the time given. A goal that changes on the way bends the path, without a jump in value
/// or speed, so that a goal that moves all the time is followed like by a damped spring.
class Blend {
 public:
  double value() const { return value_; }
  double speed() const { return speed_; }  ///< per second

  /// Stands at the value, as its goal.
  void jump(double value) {
    value_ = from_ = goal_ = value;
    speed_ = from_speed_ = elapsed_ = 0.0;
  }

  /// Goes on by `dt` towards the goal, so as to be there `duration` after it was given (both in s).
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
  double from_ = 0.0;        // where the goal was given
  double from_speed_ = 0.0;  // and how fast it was there
  double goal_ = 0.0;
  double elapsed_ = 0.0;  // s since then
};

}  // namespace lockstep
