#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "lockstep/error.h"
#include "lockstep/signals.h"

namespace lockstep {

/// A formula over signals, such as "left/distance lt 0.3 m and (bumper/touch > 0.5 or time > 5 s)". Its units
/// are checked when it is parsed; evaluation does not allocate.
///
///     condition   = conjunction { "or" conjunction }
///     conjunction = negation { "and" negation }
///     negation    = "not" negation | comparison
///     comparison  = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
///     sum         = product { ("+" | "-") product }
///     product     = factor { ("*" | "/") factor }
///     factor      = number [unit] | signal | "-" factor | "(" condition ")" | call
///     call        = function "(" [ sum { "," sum } ] ")"
///
/// The comparisons may also be written lt, le, gt, ge, eq and ne, as '<' cannot appear in an XML attribute. A
/// name has letters, digits, '_', '-', '.' and '/', so '-' and '/' between names need blanks. A number without
/// unit is in SI units. NaN compares as false, except by "!=".
///
/// The caller of parse_expression(), below, supplies the functions.
class Expression {
 public:
  enum class Kind { kTruth, kNumber };
  using Calculate = double (*)(std::span<const double> arguments);

  double value(ConstRow row) const;
  bool is_true(ConstRow row) const { return value(row) != 0.0; }

  Kind kind() const { return kind_; }
  const Unit& unit() const { return unit_; }  ///< of a number; its factor is 1

  static constexpr std::size_t kMaxBytes = 1000;
  static constexpr std::size_t kMaxDepth = 32;

 private:
  friend class ExpressionParser;
  enum class Operation : std::uint8_t {
    kConstant,
    kSignal,
    kNegate,
    kNot,
    kCall,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kEqual,
    kUnequal,
    kAnd,
    kOr,
  };
  struct Instruction {
    Operation operation{};
    double constant = 0.0;
    Slot signal{};
    Calculate calculate = nullptr;  // kCall
    std::size_t arguments = 0;      // their number; kCall
  };
  std::vector<Instruction> program_;  // postfix
  Kind kind_ = Kind::kNumber;
  Unit unit_;
};

/// An error and the character of the text at which it occurs, from 1.
struct ExpressionError {
  std::size_t character = 1;
  std::string text;
};

/// A call such as mean(left/distance), whose value is computed from all rows of a run: its arguments.
struct RunningCall {
  struct Argument {
    Expression formula;
    std::size_t character = 1;  ///< where it begins, for errors
  };
  std::vector<Argument> arguments;  ///< formulas over signals; empty if the function takes a name
  std::string name;                 ///< if the function takes one; "" if the parentheses are empty
  std::size_t name_character = 1;
};

/// Where a formula reads the value of a running call: this slot of the row that it is evaluated with.
struct RunningValue {
  Slot slot{};
  Unit unit;
};

/// A function that formulas may call. Several may have the same name if they differ in the number of arguments.
struct FormulaFunction {
  std::string name;
  std::size_t min_arguments = 1;
  std::size_t max_arguments = 1;

  /// A plain function of numbers in one unit, which is also the unit of its result.
  Expression::Calculate calculate = nullptr;

  /// Otherwise a running function. `follow` is invoked once for each call in a formula, stores what it needs to
  /// follow a run, and returns where the value will be. A formula with such functions is about a whole run:
  /// signals may appear only as their arguments.
  std::function<Result<RunningValue, ExpressionError>(RunningCall call)> follow = nullptr;
  bool takes_name = false;  ///< a running function of a name, such as energy(snake), and not of formulas
};

/// abs(x), min(x, y) and max(x, y).
std::vector<FormulaFunction> plain_functions();

/// The signals and functions that a formula may name.
struct FormulaScope {
  const SignalTable& signals;
  std::function<std::optional<Slot>(const std::string& name)> find;  ///< the signal that a name means
  std::vector<std::string> known;                                    ///< names to suggest for an unknown one
  std::vector<FormulaFunction> functions;
};

/// Parses a formula whose result is of the given kind, a truth value or a number.
Result<Expression, ExpressionError> parse_expression(std::string_view text, Expression::Kind kind,
                                                     const FormulaScope& scope);

}  // namespace lockstep
