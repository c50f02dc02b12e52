#include "signals/expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "lockstep/error.h"

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

constexpr std::string_view kFormulaBlanks = " \t\r\n";
constexpr std::array<std::string_view, 9> kWords = {"and", "or", "not", "lt", "le", "gt", "ge", "eq", "ne"};

bool is_word(std::string_view text) {
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

/// A unit, quoted for error texts.
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
    if (instruction.operation == Operation::kCall) {
      top -= instruction.arguments;
      stack[top] = instruction.calculate({&stack[top], instruction.arguments});
      ++top;
      continue;
    }
    double& last = stack[top - 1];
    if (instruction.operation == Operation::kNegate) last = -last;
    if (instruction.operation == Operation::kNot) last = last == 0.0 ? 1.0 : 0.0;
    if (instruction.operation <= Operation::kNot) continue;
    const double b = last;
    double& a = stack[--top - 1];
    switch (instruction.operation) {
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

/// Recursive descent parser: each function consumes its part of the text, appends its instructions and returns
/// what they leave on the stack.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const FormulaScope& scope)
      : text_(text),
        scope_(scope),
        is_of_a_run_(std::any_of(scope.functions.begin(), scope.functions.end(), is_running)) {}

  Result<Expression, ExpressionError> parse(Expression::Kind kind) try {
    if (text_.size() > Expression::kMaxBytes) {
      fail(Expression::kMaxBytes,
           fmt::format("the formula is longer than {} characters", Expression::kMaxBytes));
    }
    const Operand outcome = parse_condition();
    if (at_ < text_.size())
      fail(at_, fmt::format("unexpected {}; expected 'and', 'or' or the end", shown_here()));
    require(outcome, kind);
    return finish(outcome);
  } catch (const Error& error) {
    return Failure{ExpressionError{error.at + 1, error.text}};
  }

 private:
  using Operation = Expression::Operation;
  using Kind = Expression::Kind;
  struct Error {
    std::size_t at;
    std::string text;
  };
  /// What a part of the formula leaves on the stack.
  struct Operand {
    std::size_t at = 0;  // where it begins
    Kind kind = Kind::kNumber;
    Unit unit;
    bool has_any_unit = false;  // a bare number: in SI units of the operand it is combined with
  };

  static bool is_running(const FormulaFunction& function) { return function.follow != nullptr; }

  /// Moves the instructions so far into an expression.
  Expression finish(const Operand& outcome) {
    Expression done = std::exchange(result_, {});
    height_ = 0;
    done.kind_ = outcome.kind;
    done.unit_ = outcome.unit;
    return done;
  }

  [[noreturn]] void fail(std::size_t at, std::string text) const { throw Error{at, std::move(text)}; }

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
        // Parse number and unit again together: parse_numbers() rounds the conversion correctly.
        const std::optional<Unit> unit = find_unit(word);
        if (!unit) fail(unit_at, fmt::format("'{}' is not a unit", word));
        const std::string whole = fmt::format("{} {}", text_.substr(number.at, stop - number.at), word);
        const Result<std::vector<double>> parsed = parse_numbers(whole, kAnyUnit);
        if (!parsed) fail(number.at, parsed.error());
        value = parsed->front();
        number.unit = *unit;
        number.unit.factor = 1.0;
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
    const std::optional<Slot> slot = scope_.find(name);
    if (!slot) fail(at, fmt::format("unknown signal '{}'{}", name, suggest(name, scope_.known)));
    if (is_of_a_run_ && around_ == nullptr) {
      const auto example = std::find_if(scope_.functions.begin(), scope_.functions.end(), is_running);
      fail(at, fmt::format("the signal '{0}' changes during a run; choose a value of it, as in {1}({0})", name,
                           example->name));
    }
    emit({.operation = Operation::kSignal, .signal = *slot});
    const std::optional<Unit> unit = find_unit(scope_.signals.info(*slot).unit);
    LOCKSTEP_CHECK(unit.has_value());
    return {.at = at, .unit = *unit};
  }

  Operand parse_call(const std::string& name, std::size_t at) {
    const std::size_t count = count_arguments();
    const FormulaFunction& function = find_function(name, count, at);
    expect('(');
    Operand result =
        is_running(function) ? parse_running_call(function, count) : parse_plain_call(function, count);
    expect(')');
    result.at = at;
    return result;
  }

  Operand parse_plain_call(const FormulaFunction& function, std::size_t count) {
    Operand result = parse_sum();
    require(result, Kind::kNumber);
    for (std::size_t i = 1; i < count; ++i) {
      expect(',');
      result = unite(result, parse_sum());
    }
    emit({.operation = Operation::kCall, .calculate = function.calculate, .arguments = count});
    height_ -= count - 1;
    return result;
  }

  /// The arguments become separate expressions: they are evaluated with every row of a run, the rest of the
  /// formula only once.
  Operand parse_running_call(const FormulaFunction& function, std::size_t count) {
    RunningCall call;
    if (function.takes_name) {
      skip_blanks();
      call.name_character = at_ + 1;
      const std::string_view rest = text_.substr(at_, text_.find(')', at_) - at_);
      call.name = rest.substr(0, rest.find_last_not_of(kFormulaBlanks) + 1);
      at_ += rest.size();
    } else {
      const Expression outside = std::exchange(result_, {});
      const std::size_t height_outside = std::exchange(height_, 0);
      around_ = &function;
      for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) expect(',');
        const Operand argument = parse_sum();
        require(argument, Kind::kNumber);
        call.arguments.push_back({finish(argument), argument.at + 1});
      }
      around_ = nullptr;
      result_ = outside;
      height_ = height_outside;
    }
    const Result<RunningValue, ExpressionError> followed = function.follow(std::move(call));
    if (!followed) fail(followed.error().character - 1, followed.error().text);
    emit({.operation = Operation::kSignal, .signal = followed->slot});
    return {.unit = followed->unit};
  }

  /// How many arguments are between the '(' that is next and its ')'.
  std::size_t count_arguments() const {
    std::size_t depth = 0, commas = 0;
    bool is_empty = true;
    for (std::size_t at = at_; at < text_.size(); ++at) {
      const char c = text_[at];
      if (c == ')' && --depth == 0) return is_empty ? 0 : commas + 1;
      if (c == ',' && depth == 1) ++commas;
      if (depth > 0 && kFormulaBlanks.find(c) == kFormulaBlanks.npos) is_empty = false;
      if (c == '(') ++depth;
    }
    fail(text_.size(), "expected ')', found the end");
  }

  const FormulaFunction& find_function(const std::string& name, std::size_t count, std::size_t at) const {
    std::size_t least = text_.size(), most = 0;
    for (const FormulaFunction& function : scope_.functions) {
      if (function.name != name) continue;
      least = std::min(least, function.min_arguments);
      most = std::max(most, function.max_arguments);
      if (count < function.min_arguments || count > function.max_arguments) continue;
      if (is_running(function) && around_ != nullptr) {
        fail(at,
             fmt::format("'{}' is a value of the whole run and cannot be inside '{}'", name, around_->name));
      }
      return function;
    }
    if (least > most) fail(at, fmt::format("there is no function '{}'; expected {}", name, function_names()));
    const std::string expected = least == most       ? fmt::format("{}", least)
                                 : least + 1 == most ? fmt::format("{} or {}", least, most)
                                                     : fmt::format("{} to {}", least, most);
    fail(at, fmt::format("'{}' takes {} argument{}, not {}", name, expected, most == 1 ? "" : "s", count));
  }

  /// "'abs', 'min' or 'max'"
  std::string function_names() const {
    std::vector<std::string> names;
    for (const FormulaFunction& function : scope_.functions) {
      const std::string name = fmt::format("'{}'", function.name);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    if (names.empty()) return "a formula without functions";
    const std::string last = names.back();
    names.pop_back();
    return names.empty() ? last : fmt::format("{} or {}", fmt::join(names, ", "), last);
  }

  Operand join_truths(const Operand& left, const Operand& right, Operation operation) {
    require(left, Kind::kTruth);
    require(right, Kind::kTruth);
    emit_binary(operation);
    return left;
  }

  Operand join_alike(const Operand& left, const Operand& right, Operation operation) {
    const Operand result = unite(left, right);
    emit_binary(operation);
    return result;
  }

  /// The result of two operands that must have the same unit.
  Operand unite(const Operand& left, const Operand& right) const {
    require_same_unit(left, right);
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
         fmt::format("this has {}, but what is before it has {}", shown(right.unit), shown(left.unit)));
  }

  void emit(const Expression::Instruction& instruction) {
    const bool pushes = instruction.operation <= Operation::kSignal;
    // Nesting bounds the stack, except for the left operands that wait for their operator.
    if (pushes && ++height_ > Expression::kMaxDepth) fail(at_, "the formula is nested too deeply");
    result_.program_.push_back(instruction);
  }
  void emit_binary(Operation operation) {
    emit({operation});
    --height_;
  }

  /// Counts the recursion depth of the parser.
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
    // Longer operators first.
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

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kFormulaBlanks, at_), text_.size()); }

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

  /// The character here, quoted for an error text.
  std::string shown_here() const {
    if (at_ >= text_.size()) return "the end";
    const char c = text_[at_];
    if (c <= ' ' || c >= 0x7F) return "an unprintable character";
    return fmt::format("'{}'", c);
  }

  std::string_view text_;
  const FormulaScope& scope_;
  const bool is_of_a_run_;
  const FormulaFunction* around_ = nullptr;  // the running function whose arguments are parsed
  Expression result_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t height_ = 0;
};

std::vector<FormulaFunction> plain_functions() {
  using Arguments = std::span<const double>;
  return {{.name = "abs", .calculate = [](Arguments x) { return std::abs(x[0]); }},
          {.name = "min",
           .min_arguments = 2,
           .max_arguments = 2,
           .calculate = [](Arguments x) { return std::min(x[0], x[1]); }},
          {.name = "max", .min_arguments = 2, .max_arguments = 2, .calculate = [](Arguments x) {
             return std::max(x[0], x[1]);
           }}};
}

Result<Expression, ExpressionError> parse_expression(std::string_view text, Expression::Kind kind,
                                                     const FormulaScope& scope) {
  return ExpressionParser(text, scope).parse(kind);
}

}  // namespace lockstep
