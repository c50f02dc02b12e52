#include "simulation/run_formulas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

/// The unit of |force · speed| over time. Radians are dropped: N*m times rad/s is W.
Unit energy_unit(const Unit& force, const Unit& speed) {
  Unit unit = force * speed * Unit{.second = 1};
  unit.radian = 0;
  return unit;
}

}  // namespace

Result<void, ExpressionError> RunFormulas::add(std::string_view text, Expression::Kind kind) {
  const FormulaScope scope{.signals = *signals_,
                           .find = [this](const std::string& name) { return signals_->find(name); },
                           .known = signals_->names(),
                           .functions = functions()};
  Result<Expression, ExpressionError> parsed = parse_expression(text, kind, scope);
  if (!parsed) return Failure{parsed.error()};
  formulas_.push_back(*std::move(parsed));
  return {};
}

std::vector<FormulaFunction> RunFormulas::functions() {
  std::vector<FormulaFunction> functions = plain_functions();
  const auto add = [&](const char* name, std::size_t least, std::size_t most, Kind kind) {
    functions.push_back(
        {.name = name,
         .min_arguments = least,
         .max_arguments = most,
         .follow = [this, kind, name](RunningCall call) { return follow(kind, name, std::move(call)); },
         .takes_name = kind == Kind::kWork});
  };
  add("final", 1, 1, Kind::kFinal);  // first, as it is the example in errors
  add("initial", 1, 1, Kind::kInitial);
  add("mean", 1, 1, Kind::kMean);
  add("min", 1, 1, Kind::kMin);
  add("max", 1, 1, Kind::kMax);
  add("integral", 1, 1, Kind::kIntegral);
  add("distance", 1, 3, Kind::kDistance);
  add("energy", 0, 1, Kind::kWork);
  add("energy", 2, 2, Kind::kPower);
  return functions;
}

Result<RunningValue, ExpressionError> RunFormulas::follow(Kind kind, const std::string& name,
                                                          RunningCall given) {
  Call call{.kind = kind, .name = name};
  Unit unit = *find_unit("J");
  if (kind == Kind::kWork) {
    Result<std::vector<JointId>, ExpressionError> joints = find_joints(given);
    if (!joints) return Failure{joints.error()};
    call.joints = *std::move(joints);
  } else {
    unit = given.arguments.front().formula.unit();
    if (kind == Kind::kIntegral) unit = unit * Unit{.second = 1};
    if (kind == Kind::kPower) unit = energy_unit(unit, given.arguments.back().formula.unit());
    for (RunningCall::Argument& argument : given.arguments) {
      if (kind == Kind::kDistance && !fits(argument.formula.unit(), unit)) {
        return Failure{ExpressionError{argument.character, "this has another unit than the one before it"}};
      }
      call.arguments.push_back(std::move(argument.formula));
    }
  }
  call.first.resize(call.arguments.size());
  call.last.resize(call.arguments.size());
  const bool ends_matter_only = kind == Kind::kInitial || kind == Kind::kFinal || kind == Kind::kDistance;
  needs_every_row_ |= !ends_matter_only;
  call.unit = unit;
  calls_.push_back(std::move(call));
  return RunningValue{Slot{calls_.size() - 1}, unit};
}

/// The joints of a robot, the joint of this name, or all joints.
Result<std::vector<JointId>, ExpressionError> RunFormulas::find_joints(const RunningCall& call) const {
  std::vector<JointId> joints;
  for (std::size_t i = 0; i < model_->joints.size(); ++i) {
    const std::string& name = model_->joints[i].name;
    if (call.name.empty() || name == call.name || name.starts_with(call.name + "/"))
      joints.push_back(JointId{static_cast<int>(i)});
  }
  if (!joints.empty() || call.name.empty()) return joints;
  return Failure{ExpressionError{
      call.name_character,
      fmt::format("there is no robot or joint '{}'{}", call.name, suggest(call.name, model_->joint_names()))}};
}

void RunFormulas::begin(double step) {
  step_ = step;
  rows_ = 0;
  for (Call& call : calls_) {
    call.sum = 0.0;
    std::fill(call.first.begin(), call.first.end(), 0.0);
    std::fill(call.last.begin(), call.last.end(), 0.0);
  }
}

void RunFormulas::see(ConstRow row, const World& world) {
  for (Call& call : calls_) accumulate(call, row, world);
  ++rows_;
}

void RunFormulas::accumulate(Call& call, ConstRow row, const World& world) const {
  switch (call.kind) {
    case Kind::kInitial:
    case Kind::kFinal:
    case Kind::kDistance:
      for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        call.last[i] = call.arguments[i].value(row);
        if (rows_ == 0) call.first[i] = call.last[i];
      }
      return;
    case Kind::kMean:
    case Kind::kIntegral:
      call.sum += call.arguments[0].value(row);
      return;
    case Kind::kMin:
    case Kind::kMax: {
      const double value = call.arguments[0].value(row);
      const bool is_better = call.kind == Kind::kMin ? value < call.sum : value > call.sum;
      if (rows_ == 0 || is_better || std::isnan(value)) call.sum = value;
      return;
    }
    case Kind::kPower:
      call.sum += std::abs(call.arguments[0].value(row) * call.arguments[1].value(row));
      return;
    case Kind::kWork:
      for (const JointId joint : call.joints) {
        const auto force = world.joint_force(joint);
        const auto velocity = world.joint_velocity(joint);
        for (std::size_t i = 0; i < std::min(force.size(), velocity.size()); ++i)
          call.sum += std::abs(force[i] * velocity[i]);
      }
      return;
  }
}

double RunFormulas::result_of(const Call& call) const {
  switch (call.kind) {
    case Kind::kInitial:
      return call.first[0];
    case Kind::kFinal:
      return call.last[0];
    case Kind::kDistance: {
      double squares = 0.0;
      for (std::size_t i = 0; i < call.first.size(); ++i) {
        const double difference = call.last[i] - call.first[i];
        squares += difference * difference;
      }
      return std::sqrt(squares);
    }
    case Kind::kMean:
      return call.sum / static_cast<double>(rows_);
    case Kind::kMin:
    case Kind::kMax:
      return call.sum;
    case Kind::kIntegral:
    case Kind::kPower:
    case Kind::kWork:
      return call.sum * step_;
  }
  return std::nan("");
}

double RunFormulas::value(std::size_t formula) const {
  std::vector<double> row;
  row.reserve(calls_.size());
  for (const Call& call : calls_) row.push_back(result_of(call));
  return formulas_[formula].value(ConstRow(row));
}

std::string RunFormulas::shown_values() const {
  std::string text;
  for (const Call& call : calls_) {
    const std::string unit = to_text(call.unit);
    text += fmt::format("{}{} {:.6g}{}{}", text.empty() ? "" : ", ", call.name, result_of(call),
                        unit.empty() ? "" : " ", unit);
  }
  return text;
}

}  // namespace lockstep
