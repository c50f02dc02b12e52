#include "study/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockstep {
namespace {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_in_name(char c) {
  return is_name_start(c) || is_digit(c) || c == '-' || c == '.' || c == '/';
}

/// A piece of the formula, with the offset at which it stands in it.
struct Piece {
  std::string_view text;
  std::size_t at = 0;
};

Piece trimmed(Piece piece) {
  while (!piece.text.empty() && piece.text.front() == ' ') {
    piece.text.remove_prefix(1);
    ++piece.at;
  }
  while (!piece.text.empty() && piece.text.back() == ' ') piece.text.remove_suffix(1);
  return piece;
}

}  // namespace

/// Takes the calls out of a formula: each becomes a signal of the calls' own table and stands in the text by a
/// name as long as the call was, so that the places of errors stay right. What is left any expression parser
/// reads.
class RunFormulaParser {
 public:
  RunFormulaParser(RunFormulas& formulas, std::string_view text)
      : formulas_(formulas), text_(text), outer_(text) {}

  std::optional<ExpressionError> parse() {
    if (text_.size() > Expression::kMaxBytes) {
      return ExpressionError{1, fmt::format("the formula is longer than {} characters", Expression::kMaxBytes)};
    }
    std::replace_if(
        outer_.begin(), outer_.end(), [](char c) { return c == '\t' || c == '\r' || c == '\n'; }, ' ');
    text_ = outer_;
    std::string rest = outer_;
    if (!take_calls(rest)) return error_;
    std::string unknown;
    const auto find = [&](const std::string& name) {
      unknown = name;
      return formulas_.call_table_.find(name);
    };
    ExpressionOrError parsed =
        parse_expression(rest, Expression::Kind::kNumber, formulas_.call_table_, find, names_of_functions());
    if (parsed.expression) {
      formulas_.formulas_.push_back(std::move(*parsed.expression));
      return std::nullopt;
    }
    if (formulas_.signals_->find(unknown) && parsed.error.text.starts_with("unknown signal")) {
      parsed.error.text = fmt::format(
          "the signal '{}' changes during a run; say which value is meant, as in final({})", unknown, unknown);
    }
    return parsed.error;
  }

 private:
  using Kind = RunFormulas::Kind;
  struct Function {
    std::string_view name;
    Kind kind;
    std::size_t least, most;  // arguments
  };
  static constexpr std::array<Function, 9> kFunctions = {{{"initial", Kind::kInitial, 1, 1},
                                                          {"final", Kind::kFinal, 1, 1},
                                                          {"mean", Kind::kMean, 1, 1},
                                                          {"min", Kind::kMin, 1, 1},
                                                          {"max", Kind::kMax, 1, 1},
                                                          {"integral", Kind::kIntegral, 1, 1},
                                                          {"distance", Kind::kDistance, 1, 3},
                                                          {"energy", Kind::kWork, 0, 1},
                                                          {"energy", Kind::kPower, 2, 2}}};

  static std::vector<std::string> names_of_functions() {
    std::vector<std::string> names = {"abs"};
    for (const Function& function : kFunctions) names.push_back(std::string(function.name) + "(…)");
    return names;
  }

  bool fail(std::size_t at, std::string text) {
    error_ = ExpressionError{at + 1, std::move(text)};
    return false;
  }

  /// Replaces every call in `rest` by the name of its result.
  bool take_calls(std::string& rest) {
    for (std::size_t at = 0; at < text_.size();) {
      if (is_digit(text_[at])) {
        at = end_of_number(at);
        continue;
      }
      if (!is_name_start(text_[at])) {
        ++at;
        continue;
      }
      const std::size_t begin = at;
      while (at < text_.size() && is_in_name(text_[at])) ++at;
      if (at == text_.size() || text_[at] != '(') continue;
      if (!take_call(begin, at, rest)) return false;
    }
    return true;
  }

  /// Behind a number, which may have an exponent (1e-5), and a unit that follows at once.
  std::size_t end_of_number(std::size_t at) const {
    for (++at; at < text_.size(); ++at) {
      const char c = text_[at];
      const char before = text_[at - 1];
      const bool is_sign_of_exponent = (c == '-' || c == '+') && (before == 'e' || before == 'E');
      if (!is_digit(c) && !is_name_start(c) && c != '.' && !is_sign_of_exponent) break;
    }
    return at;
  }

  /// One call, whose name stands from `begin` to `at`; `at` goes on behind it, or behind its '('.
  bool take_call(std::size_t begin, std::size_t& at, std::string& rest) {
    const std::string_view name = text_.substr(begin, at - begin);
    std::vector<Piece> arguments;
    const std::optional<std::size_t> end = split_arguments(at, arguments);
    if (!end) return fail(text_.size(), "a ')' is missing");
    const bool is_plain = name == "abs" || ((name == "min" || name == "max") && arguments.size() == 2);
    if (is_plain) {  // left to the expression parser; its arguments may be calls
      ++at;
      return true;
    }
    const Function* function = nullptr;
    bool is_known = false;
    for (const Function& each : kFunctions) {
      if (each.name != name) continue;
      is_known = true;
      if (arguments.size() >= each.least && arguments.size() <= each.most) function = &each;
    }
    if (!is_known)
      return fail(begin, fmt::format("there is no function '{}'{}", name, suggest(name, names_of_functions())));
    if (function == nullptr) {
      return fail(begin, fmt::format("'{}' has {} argument{}; see docs/studies.md for what it takes", name,
                                     arguments.size(), arguments.size() == 1 ? "" : "s"));
    }
    // Shorter than any call, so that a blank always follows.
    const std::string id = fmt::format("{}{}", name.substr(0, 3), formulas_.calls_.size());
    if (formulas_.calls_.size() >= RunFormulas::kMaxCalls) {
      return fail(begin, fmt::format("there are more than {} calls in all formulas", RunFormulas::kMaxCalls));
    }
    if (!add_call(*function, id, arguments)) return false;
    const std::size_t length = *end - begin;
    rest.replace(begin, length, id + std::string(length - id.size(), ' '));
    at = *end;
    return true;
  }

  /// The arguments between the '(' at `open` and its ')', and the offset behind that.
  std::optional<std::size_t> split_arguments(std::size_t open, std::vector<Piece>& arguments) const {
    std::size_t depth = 0, begin = open + 1;
    for (std::size_t at = open; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == '(') ++depth;
      if (c == ')') --depth;
      const bool is_end = depth == 0;
      if (!is_end && !(c == ',' && depth == 1)) continue;
      const Piece piece = trimmed({text_.substr(begin, at - begin), begin});
      if (!is_end || !piece.text.empty() || !arguments.empty()) arguments.push_back(piece);
      begin = at + 1;
      if (is_end) return at + 1;
    }
    return std::nullopt;
  }

  bool add_call(const Function& function, const std::string& id, const std::vector<Piece>& arguments) {
    RunFormulas::Call call{.kind = function.kind};
    Unit unit;
    if (function.kind == Kind::kWork) {
      if (!find_joints(arguments, call.joints)) return false;
      unit = *find_unit("J");
    } else {
      for (const Piece& argument : arguments) {
        if (!add_argument(argument, call)) return false;
      }
      if (!find_result_unit(call, arguments, unit)) return false;
    }
    call.first.resize(call.arguments.size());
    call.last.resize(call.arguments.size());
    const bool ends_matter_only =
        call.kind == Kind::kInitial || call.kind == Kind::kFinal || call.kind == Kind::kDistance;
    formulas_.needs_every_row_ |= !ends_matter_only;
    formulas_.calls_.push_back(std::move(call));
    formulas_.call_table_.add(id, to_text(unit), SignalRole::kInternal);
    return true;
  }

  bool add_argument(const Piece& argument, RunFormulas::Call& call) {
    const SignalTable& signals = *formulas_.signals_;
    ExpressionOrError parsed = parse_expression(
        argument.text, Expression::Kind::kNumber, signals,
        [&](const std::string& name) { return signals.find(name); }, signals.names());
    if (!parsed.expression) return fail(argument.at + parsed.error.character - 1, parsed.error.text);
    call.arguments.push_back(std::move(*parsed.expression));
    return true;
  }

  bool find_result_unit(const RunFormulas::Call& call, const std::vector<Piece>& arguments, Unit& unit) {
    unit = call.arguments.front().unit();
    if (call.kind == Kind::kIntegral) unit.second += 1;
    if (call.kind == Kind::kPower) {
      const Unit& other = call.arguments.back().unit();
      unit.metre += other.metre;
      unit.kilogram += other.kilogram;
      unit.ampere += other.ampere;
      unit.second += other.second + 1;
      unit.radian = 0;  // N*m times rad/s is W
    }
    if (call.kind != Kind::kDistance) return true;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      if (fits(call.arguments[i].unit(), unit)) continue;
      return fail(arguments[i].at, "this has another unit than what stands before it");
    }
    return true;
  }

  /// The joints of a robot, the joint of that name, or all.
  bool find_joints(const std::vector<Piece>& arguments, std::vector<JointId>& joints) {
    const std::string wanted(arguments.empty() ? "" : arguments.front().text);
    for (std::size_t i = 0; i < formulas_.model_->joints.size(); ++i) {
      const std::string& name = formulas_.model_->joints[i].name;
      if (wanted.empty() || name == wanted || name.starts_with(wanted + "/"))
        joints.push_back(JointId{static_cast<int>(i)});
    }
    if (!joints.empty() || wanted.empty()) return true;
    return fail(arguments.front().at, fmt::format("there is no robot and no joint '{}'{}", wanted,
                                                  suggest(wanted, formulas_.model_->joint_names())));
  }

  RunFormulas& formulas_;
  std::string_view text_;
  std::string outer_;
  ExpressionError error_;
};

std::optional<ExpressionError> RunFormulas::add(std::string_view text) {
  return RunFormulaParser(*this, text).parse();
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

}  // namespace lockstep
