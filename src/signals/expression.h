#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "signals/table.h"

namespace lockstep {

/// A formula over signals, such as "left/distance lt 0.3 m and (bumper/touch > 0.5 or time > 5 s)". Its units
/// are checked when it is read; evaluating it takes no memory.
///
///     condition   = conjunction { "or" conjunction }
///     conjunction = negation { "and" negation }
///     negation    = "not" negation | comparison
///     comparison  = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
///     sum         = product { ("+" | "-") product }
///     product     = factor { ("*" | "/") factor }
///     factor      = number [unit] | signal | "-" factor | "(" condition ")"
///                 | "abs(" sum ")" | "min(" sum "," sum ")" | "max(" sum "," sum ")"
///
/// The comparisons may also be written lt, le, gt, ge, eq and ne, as '<' cannot stand in an XML attribute. A
/// name has letters, digits, '_', '-', '.' and '/', so '-' and '/' between names need blanks. A number without
/// unit is in SI units. NaN compares as false, except by "!=".
class Expression {
 public:
  enum class Kind { kTruth, kNumber };

  double value(ConstRow row) const;
  bool is_true(ConstRow row) const { return value(row) != 0.0; }

  Kind kind() const { return kind_; }
  const Unit& unit() const { return unit_; }  ///< of a number

  static constexpr std::size_t kMaxBytes = 1000;
  static constexpr std::size_t kMaxDepth = 32;

 private:
  friend class ExpressionParser;
  enum class Operation : std::uint8_t {
    kConstant,
    kSignal,
    kNegate,
    kNot,
    kAbs,
    kMin,
    kMax,
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
  };
  std::vector<Instruction> program_;  // postfix
  Kind kind_ = Kind::kNumber;
  Unit unit_;
};

/// What went wrong, and at which character of the text, from 1.
struct ExpressionError {
  std::size_t character = 1;
  std::string text;
};

struct ExpressionOrError {
  std::optional<Expression> expression;
  ExpressionError error;  ///< if there is no expression
};

/// Finds the signal that a name means.
using FindSignal = std::function<std::optional<Slot>(const std::string& name)>;

/// Reads a formula whose outcome is a truth or a number, as asked for. `known` are the names to suggest for one
/// that is unknown.
ExpressionOrError parse_expression(std::string_view text, Expression::Kind kind, const SignalTable& signals,
                                   const FindSignal& find, std::span<const std::string> known);

}  // namespace lockstep
