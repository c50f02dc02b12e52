#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/signals.h"
#include "lockstep/world.h"
#include "signals/expression.h"

namespace lockstep {

/// Formulas over a whole run, such as "distance(snake/head/x, snake/head/y) / energy()". They are expressions
/// of signals/expression.h in which signals appear only as arguments of these running functions:
///
///     initial(x) final(x)       the value in the first and in the last row of the run
///     mean(x) min(x) max(x)     over all rows (min and max of two arguments are the plain functions)
///     integral(x)               over time
///     distance(x, y [, z])      between the points of the first and of the last row
///     energy()                  work of all joints: integral of |force · velocity|; energy(snake): of that
///                               robot, energy(snake/joint1): of that joint
///     energy(force, speed)      integral of |force · speed| of two signals
///
/// x, y, z are formulas over signals themselves. Only a few numbers per call are stored, not the run.
class RunFormulas {
 public:
  RunFormulas(const SignalTable& signals, const Model& model) : signals_(&signals), model_(&model) {}

  /// Adds a formula, or returns its error. Formulas are numbered in the order they are added, from 0.
  Result<void, ExpressionError> add(std::string_view text, Expression::Kind kind = Expression::Kind::kNumber);

  /// Starts a run with this step, s.
  void begin(double step);
  /// Whether see() must be called for every row of the run, and not only for the first and the last.
  bool needs_every_row() const { return needs_every_row_; }
  /// Processes one instant: its row, and the world at that time.
  void see(ConstRow row, const World& world);
  /// The value of a formula for the rows seen so far; of a condition: 1 if it is true, else 0.
  double value(std::size_t formula) const;
  /// The values of the running functions in all formulas: "max 1.2 m/s, final 0 rad".
  std::string shown_values() const;

 private:
  enum class Kind { kInitial, kFinal, kMean, kMin, kMax, kIntegral, kDistance, kWork, kPower };
  struct Call {
    Kind kind{};
    std::string name;  // of the function
    Unit unit;
    std::vector<Expression> arguments;
    std::vector<JointId> joints;      // kWork
    double sum = 0.0;                 // or minimum or maximum
    std::vector<double> first, last;  // of each argument
  };
  std::vector<FormulaFunction> functions();
  Result<RunningValue, ExpressionError> follow(Kind kind, const std::string& name, RunningCall call);
  Result<std::vector<JointId>, ExpressionError> find_joints(const RunningCall& call) const;
  void accumulate(Call& call, ConstRow row, const World& world) const;
  double result_of(const Call& call) const;

  const SignalTable* signals_;
  const Model* model_;
  std::vector<Call> calls_;  // of all formulas; their values are the row that formulas_ are evaluated with
  std::vector<Expression> formulas_;
  bool needs_every_row_ = false;
  double step_ = 0.0;
  std::int64_t rows_ = 0;
};

}  // namespace lockstep
