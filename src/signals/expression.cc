#include "signals/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/error.h"

namespace lockstep {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_in_name(char c) {
  return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '/';
}
bool is_in_unit(char c) {
  return is_letter(c) || is_digit(c) || c == '/' || c == '*' || c == '^';
}

constexpr std::array<std::string_view, 9> kWords = {"and", "or", "not", "lt", "le", "gt", "ge", "eq", "ne"};

bool is_word(std::string_view text) {
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

/// A unit for messages.
std::string shown(const Unit& unit) {
  const std::string text = to_text(unit);
  return text.empty() ? "no unit" : "'" + text + "'";
}

}  // namespace

double Expression::value(ConstRow row) const {
  std::array<double, kMaxDepth> stack;
  std::size_t top = 0;  // one past
  for (const Instruction& instruction : program_) {
    if (instruction.operation == Operation::kConstant) {
      stack[top++] = instruction.constant;
      continue;
    }
    if (instruction.operation == Operation::kSignal) {
      stack[top++] = row[instruction.signal];
      continue;
    }
    double& last = stack[top - 1];
    if (instruction.operation == Operation::kNegate) last = -last;
    if (instruction.operation == Operation::kNot) last = last == 0.0 ? 1.0 : 0.0;
    if (instruction.operation == Operation::kAbs) last = std::abs(last);
    if (instruction.operation <= Operation::kAbs) continue;
    const double b = last;
    double& a = stack[--top - 1];
    switch (instruction.operation) {
      case Operation::kMin:
        a = std::min(a, b);
        break;
      case Operation::kMax:
        a = std::max(a, b);
        break;
      case Operation::kAdd:
        a += b;
        break;
      case Operation::kSubtract:
        a -= b;
        break;
      case Operation::kMultiply:
        a *= b;
        break;
      case Operation::kDivide:
        a /= b;
        break;
      case Operation::kLess:
        a = a < b ? 1.0 : 0.0;
        break;
      case Operation::kLessEqual:
        a = a <= b ? 1.0 : 0.0;
        break;
      case Operation::kGreater:
        a = a > b ? 1.0 : 0.0;
        break;
      case Operation::kGreaterEqual:
        a = a >= b ? 1.0 : 0.0;
        break;
      case Operation::kEqual:
        a = a == b ? 1.0 : 0.0;
        break;
      case Operation::kUnequal:
        a = a != b ? 1.0 : 0.0;
        break;
      case Operation::kAnd:
        a = a != 0.0 && b != 0.0 ? 1.0 : 0.0;
        break;
      case Operation::kOr:
        a = a != 0.0 || b != 0.0 ? 1.0 : 0.0;
        break;
      default:
        break;  // done above
    }
  }
  return stack[0];
}

/// Recursive descent; each function takes its part off the text, writes its instructions and says what they
/// leave.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const SignalTable& signals, const FindSignal& find,
                   std::span<const std::string> known)
      : text_(text), signals_(signals), find_(find), known_(known) {}

  ExpressionOrError parse(Expression::Kind kind) try {
    if (text_.size() > Expression::kMaxBytes) {
      fail(Expression::kMaxBytes,
           fmt::format("the formula is longer than {} characters", Expression::kMaxBytes));
    }
    const Operand outcome = parse_condition();
    if (at_ < text_.size())
      fail(at_, fmt::format("{} is left over; expected 'and', 'or' or the end", shown_here()));
    require(outcome, kind);
    result_.kind_ = kind;
    result_.unit_ = outcome.unit;
    return {std::move(result_), {}};
  } catch (const Failure& failure) {
    return {std::nullopt, {failure.at + 1, failure.text}};
  }

 private:
  using Operation = Expression::Operation;
  using Kind = Expression::Kind;
  struct Failure {
    std::size_t at;
    std::string text;
  };
  /// What a part of the formula leaves on the stack.
  struct Operand {
    std::size_t at = 0;  // where it begins
    Kind kind = Kind::kNumber;
    Unit unit;
    bool has_any_unit = false;  // a bare number: in SI units of whatever it is held against
  };

  [[noreturn]] void fail(std::size_t at, std::string text) const { throw Failure{at, std::move(text)}; }

  Operand parse_condition() {
    Operand left = parse_conjunction();
    while (take_word("or")) left = join_truths(left, parse_conjunction(), Operation::kOr);
    return left;
  }

  Operand parse_conjunction() {
    Operand left = parse_negation();
    while (take_word("and")) left = join_truths(left, parse_negation(), Operation::kAnd);
    return left;
  }

  Operand parse_negation() {
    skip_blanks();
    const std::size_t at = at_;
    if (!take_word("not")) return parse_comparison();
    const Nesting nesting(*this);
    const Operand inner = parse_negation();
    require(inner, Kind::kTruth);
    emit({Operation::kNot});
    return {at, Kind::kTruth, {}};
  }

  Operand parse_comparison() {
    const Operand left = parse_sum();
    const std::optional<Operation> operation = take_comparison();
    if (!operation) return left;
    const Operand right = parse_sum();
    require_same_unit(left, right);
    emit_binary(*operation);
    return {left.at, Kind::kTruth, {}};
  }

  Operand parse_sum() {
    Operand left = parse_product();
    while (true) {
      const bool adds = take('+');
      if (!adds && !take('-')) return left;
      left = join_alike(left, parse_product(), adds ? Operation::kAdd : Operation::kSubtract);
    }
  }

  Operand parse_product() {
    Operand left = parse_factor();
    while (true) {
      const bool multiplies = take('*');
      if (!multiplies && !take('/')) return left;
      const Operand right = parse_factor();
      require(left, Kind::kNumber);
      require(right, Kind::kNumber);
      left.unit = multiplies ? left.unit * right.unit : left.unit / right.unit;
      left.has_any_unit = left.has_any_unit && right.has_any_unit;
      emit_binary(multiplies ? Operation::kMultiply : Operation::kDivide);
    }
  }

  Operand parse_factor() {
    skip_blanks();
    const Nesting nesting(*this);
    const std::size_t at = at_;
    if (at_ == text_.size()) fail(at_, "the formula ends too early; expected a number or a signal");
    const char c = text_[at_];
    if (is_digit(c) || c == '.') return parse_number();
    if (take('(')) {
      Operand inner = parse_condition();
      expect(')');
      inner.at = at;
      return inner;
    }
    if (take('-')) {
      Operand inner = parse_factor();
      require(inner, Kind::kNumber);
      inner.at = at;
      emit({Operation::kNegate});
      return inner;
    }
    if (is_letter(c)) return parse_name();
    fail(at_, fmt::format("{} is neither a number nor a signal", shown_here()));
  }

  Operand parse_number() {
    Operand number{.at = at_, .has_any_unit = true};
    double value = 0.0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    const auto stop = static_cast<std::size_t>(end - text_.data());
    if (error != std::errc{} || !std::isfinite(value))
      fail(at_, fmt::format("{} is not a number", shown_here()));
    at_ = stop;
    skip_blanks();
    const std::size_t unit_at = at_;
    if (at_ < text_.size() && is_letter(text_[at_])) {
      while (at_ < text_.size() && is_in_unit(text_[at_])) ++at_;
      const std::string_view word = text_.substr(unit_at, at_ - unit_at);
      if (is_word(word)) {
        at_ = unit_at;
      } else {
        // Read again as a whole: only the units know how to round.
        const std::optional<Unit> unit = find_unit(word);
        if (!unit) fail(unit_at, fmt::format("'{}' is no unit", word));
        const std::string whole = fmt::format("{} {}", text_.substr(number.at, stop - number.at), word);
        const Result<std::vector<double>> parsed = parse_numbers(whole, kAnyUnit);
        if (!parsed) fail(number.at, parsed.error());
        value = parsed->front();
        number.unit = *unit;
        number.has_any_unit = false;
      }
    }
    emit({.operation = Operation::kConstant, .constant = value});
    return number;
  }

  Operand parse_name() {
    const std::size_t at = at_;
    while (at_ < text_.size() && is_in_name(text_[at_])) ++at_;
    const std::string name(text_.substr(at, at_ - at));
    if (is_word(name)) fail(at, fmt::format("'{}' is out of place; expected a number or a signal", name));
    if (at_ < text_.size() && text_[at_] == '(') return parse_call(name, at);
    const std::optional<Slot> slot = find_(name);
    if (!slot) fail(at, fmt::format("unknown signal '{}'{}", name, suggest(name, known_)));
    emit({.operation = Operation::kSignal, .signal = *slot});
    const std::optional<Unit> unit = find_unit(signals_.info(*slot).unit);
    LOCKSTEP_CHECK(unit.has_value());
    return {.at = at, .unit = *unit};
  }

  Operand parse_call(const std::string& name, std::size_t at) {
    const bool is_abs = name == "abs";
    if (!is_abs && name != "min" && name != "max") {
      fail(at, fmt::format("there is no function '{}'; expected 'abs', 'min' or 'max'", name));
    }
    expect('(');
    Operand result = parse_sum();
    require(result, Kind::kNumber);
    if (is_abs) {
      emit({Operation::kAbs});
    } else {
      expect(',');
      result = join_alike(result, parse_sum(), name == "min" ? Operation::kMin : Operation::kMax);
    }
    expect(')');
    result.at = at;
    return result;
  }

  Operand join_truths(const Operand& left, const Operand& right, Operation operation) {
    require(left, Kind::kTruth);
    require(right, Kind::kTruth);
    emit_binary(operation);
    return left;
  }

  Operand join_alike(const Operand& left, const Operand& right, Operation operation) {
    require_same_unit(left, right);
    emit_binary(operation);
    Operand result = left.has_any_unit ? right : left;
    result.at = left.at;
    return result;
  }

  void require(const Operand& operand, Kind kind) const {
    if (operand.kind == kind) return;
    fail(operand.at, kind == Kind::kTruth ? "this is a number; expected a comparison such as 'a > 0.5'"
                                          : "this is true or false; expected a number");
  }

  void require_same_unit(const Operand& left, const Operand& right) const {
    require(left, Kind::kNumber);
    require(right, Kind::kNumber);
    if (left.has_any_unit || right.has_any_unit || fits(left.unit, right.unit) || fits(right.unit, left.unit))
      return;
    fail(right.at,
         fmt::format("this has {}, but what stands before it has {}", shown(right.unit), shown(left.unit)));
  }

  void emit(const Expression::Instruction& instruction) {
    const bool pushes = instruction.operation <= Operation::kSignal;
    // Held values are bounded by the nesting, but for those that wait to the left of an operator.
    if (pushes && ++height_ > Expression::kMaxDepth) fail(at_, "the formula is nested too deeply");
    result_.program_.push_back(instruction);
  }
  void emit_binary(Operation operation) {
    emit({operation});
    --height_;
  }

  /// Counts how deep the parser is in itself.
  class Nesting {
   public:
    explicit Nesting(ExpressionParser& parser) : parser_(parser) {
      if (++parser_.depth_ > Expression::kMaxDepth)
        parser_.fail(parser_.at_, "the formula is nested too deeply");
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    ExpressionParser& parser_;
  };

  std::optional<Operation> take_comparison() {
    struct Sign {
      std::string_view sign;
      std::string_view word;
      Operation operation;
    };
    // The longer signs first.
    constexpr std::array<Sign, 6> kSigns = {{{"<=", "le", Operation::kLessEqual},
                                             {">=", "ge", Operation::kGreaterEqual},
                                             {"==", "eq", Operation::kEqual},
                                             {"!=", "ne", Operation::kUnequal},
                                             {"<", "lt", Operation::kLess},
                                             {">", "gt", Operation::kGreater}}};
    skip_blanks();
    for (const Sign& sign : kSigns) {
      if (text_.substr(at_).starts_with(sign.sign)) {
        at_ += sign.sign.size();
        return sign.operation;
      }
      if (take_word(sign.word)) return sign.operation;
    }
    return std::nullopt;
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail(at_, fmt::format("expected '{}', found {}", c, shown_here()));
  }

  bool take_word(std::string_view word) {
    skip_blanks();
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(word)) return false;
    if (rest.size() > word.size() && is_in_name(rest[word.size()])) return false;
    at_ += word.size();
    return true;
  }

  /// The character here, as it may stand in a message.
  std::string shown_here() const {
    if (at_ >= text_.size()) return "the end";
    const char c = text_[at_];
    if (c <= ' ' || c >= 0x7F) return "a character that has no place here";
    return fmt::format("'{}'", c);
  }

  std::string_view text_;
  const SignalTable& signals_;
  const FindSignal& find_;
  std::span<const std::string> known_;
  Expression result_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t height_ = 0;
};

ExpressionOrError parse_expression(std::string_view text, Expression::Kind kind, const SignalTable& signals,
                                   const FindSignal& find, std::span<const std::string> known) {
  return ExpressionParser(text, signals, find, known).parse(kind);
}

}  // namespace lockstep
