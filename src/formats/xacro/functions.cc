#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "formats/xacro/expression_internal.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

using Values = std::vector<XacroValue>;

struct MathFunction {
  std::string_view name;
  double (*calculate)(double);
};
constexpr std::array kMathFunctions = {
    MathFunction{"sin", [](double x) { return std::sin(x); }},
    MathFunction{"cos", [](double x) { return std::cos(x); }},
    MathFunction{"tan", [](double x) { return std::tan(x); }},
    MathFunction{"asin", [](double x) { return std::asin(x); }},
    MathFunction{"acos", [](double x) { return std::acos(x); }},
    MathFunction{"atan", [](double x) { return std::atan(x); }},
    MathFunction{"sinh", [](double x) { return std::sinh(x); }},
    MathFunction{"cosh", [](double x) { return std::cosh(x); }},
    MathFunction{"tanh", [](double x) { return std::tanh(x); }},
    MathFunction{"sqrt", [](double x) { return std::sqrt(x); }},
    MathFunction{"exp", [](double x) { return std::exp(x); }},
    MathFunction{"log10", [](double x) { return std::log10(x); }},
    MathFunction{"log2", [](double x) { return std::log2(x); }},
    MathFunction{"fabs", [](double x) { return std::abs(x); }},
    MathFunction{"radians", [](double x) { return x * (std::numbers::pi / 180.0); }},
    MathFunction{"degrees", [](double x) { return x * (180.0 / std::numbers::pi); }},
};

struct MathFunction2 {
  std::string_view name;
  double (*calculate)(double, double);
};
constexpr std::array kMathFunctions2 = {
    MathFunction2{"atan2", [](double a, double b) { return std::atan2(a, b); }},
    MathFunction2{"hypot", [](double a, double b) { return std::hypot(a, b); }},
    MathFunction2{"fmod", [](double a, double b) { return std::fmod(a, b); }},
    MathFunction2{"copysign", [](double a, double b) { return std::copysign(a, b); }},
};

constexpr std::array<std::string_view, 22> kOtherFunctions = {
    "abs",  "min",   "max",    "round", "int", "float", "str", "bool",      "len",   "sum",  "list",
    "dict", "range", "sorted", "tuple", "all", "any",   "zip", "enumerate", "floor", "ceil", "log"};

template <class Functions>
auto find_function(const Functions& functions, std::string_view name) {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const auto& each) { return each.name == name; });
  return found == functions.end() ? nullptr : found->calculate;
}

void expect_count(std::string_view name, const Values& arguments, std::size_t least, std::size_t most,
                  const XacroPlace& at) {
  if (arguments.size() >= least && arguments.size() <= most) return;
  at.fail("{}() got {} arguments; expected {}", name, arguments.size(),
          least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most));
}

double number_of(std::string_view name, const XacroValue& value, const XacroPlace& at) {
  if (!value.is_number()) at.fail("{}() needs a number, and got {}", name, xacro_kind(value));
  return value.number();
}

XacroValue finite(double value, std::string_view name, const XacroPlace& at) {
  if (!std::isfinite(value)) at.fail("'{}' has no finite result", name);
  return {value};
}

XacroValue integer_of(double value, const XacroPlace& at) {
  if (!(std::abs(value) < 9e18)) at.fail("{} is too large for a whole number", value);
  return {static_cast<std::int64_t>(value)};
}

XacroValue limited_text(std::string text, const XacroPlace& at) {
  if (text.size() > XacroBudget::kMaxText) at.fail("a text has more than {} bytes", XacroBudget::kMaxText);
  at.budget.spend_text(text.size(), at.place);
  return {std::move(text)};
}

XacroValue limited_list(XacroList items, const XacroPlace& at) {
  if (items.size() > XacroBudget::kMaxItems) at.fail("a list has more than {} items", XacroBudget::kMaxItems);
  at.spend(1 + items.size());
  return make_xacro_list(std::move(items));
}

XacroValue to_number(const std::string& name, const XacroValue& value, const XacroPlace& at) {
  if (value.is_number()) {
    if (name == "float") return {value.number()};
    return value.integer() != nullptr ? value : integer_of(std::trunc(value.number()), at);
  }
  if (value.text() != nullptr) {
    const XacroValue read = xacro_literal(*value.text());
    if (read.integer() != nullptr) return name == "float" ? XacroValue{read.number()} : read;
    if (read.real() != nullptr && name == "float") return read;
    at.fail("'{}' is not a {}", xml::shown(*value.text()), name == "int" ? "whole number" : "number");
  }
  at.fail("{}() needs a number or a text, and got {}", name, xacro_kind(value));
}

XacroValue round_number(const Values& arguments, const XacroPlace& at) {
  expect_count("round", arguments, 1, 2, at);
  const double value = number_of("round", arguments[0], at);
  if (arguments.size() == 1) return integer_of(std::nearbyint(value), at);
  const double digits = number_of("round", arguments[1], at);
  if (!(std::abs(digits) <= 300)) at.fail("round() to {} digits is not possible", digits);
  const double scale = std::pow(10.0, digits);
  const double scaled = value * scale;
  return {std::isfinite(scaled) ? std::nearbyint(scaled) / scale : value};
}

XacroValue extreme(const std::string& name, const Values& arguments, const XacroPlace& at) {
  const XacroList items = arguments.size() == 1 ? xacro_items(arguments[0], at) : arguments;
  if (items.empty()) at.fail("{}() needs at least one value", name);
  const XacroValue* best = &items[0];
  for (const XacroValue& each : items) {
    if (name == "min" ? xacro_less(each, *best, at) : xacro_less(*best, each, at)) best = &each;
  }
  return *best;
}

XacroValue make_range(const Values& arguments, const XacroPlace& at) {
  expect_count("range", arguments, 1, 3, at);
  std::array<std::int64_t, 3> numbers = {0, 0, 1};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].integer() == nullptr)
      at.fail("range() needs whole numbers, and got {}", xacro_kind(arguments[i]));
    numbers[arguments.size() == 1 ? 1 : i] = *arguments[i].integer();
  }
  const double length =
      (static_cast<double>(numbers[1]) - static_cast<double>(numbers[0])) / static_cast<double>(numbers[2]);
  if (numbers[2] == 0 || length > static_cast<double>(XacroBudget::kMaxItems))
    at.fail("range() gives more than {} numbers", XacroBudget::kMaxItems);
  XacroList items;
  const auto count = length > 0.0 ? static_cast<std::int64_t>(std::ceil(length)) : 0;
  for (std::int64_t i = 0; i < count; ++i) items.push_back({numbers[0] + i * numbers[2]});
  return limited_list(std::move(items), at);
}

XacroValue make_map(const Values& arguments, const std::vector<std::string>& words, const XacroPlace& at) {
  XacroMap items;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!words[i].empty()) {
      items.emplace_back(XacroValue{words[i]}, arguments[i]);
    } else if (arguments[i].map() != nullptr) {
      items.insert(items.end(), arguments[i].map()->begin(), arguments[i].map()->end());
    } else {
      for (const XacroValue& pair : xacro_items(arguments[i], at)) {
        const XacroList parts = xacro_items(pair, at);
        if (parts.size() != 2) at.fail("dict() needs pairs of a key and a value");
        items.emplace_back(parts[0], parts[1]);
      }
    }
  }
  at.spend(items.size());
  return make_xacro_map(std::move(items));
}

XacroValue make_pairs(const std::string& name, const Values& arguments, const XacroPlace& at) {
  std::vector<XacroList> columns;
  for (const XacroValue& each : arguments) columns.push_back(xacro_items(each, at));
  if (columns.empty()) return make_xacro_list({});
  std::size_t rows = columns[0].size();
  for (const XacroList& column : columns) rows = std::min(rows, column.size());
  XacroList items;
  for (std::size_t i = 0; i < rows; ++i) {
    XacroList row;
    if (name == "enumerate") row.push_back({static_cast<std::int64_t>(i)});
    for (const XacroList& column : columns) row.push_back(column[i]);
    items.push_back(limited_list(std::move(row), at));
  }
  return limited_list(std::move(items), at);
}

XacroValue call_other(const std::string& name, const Values& arguments, const XacroPlace& at) {
  if (name == "min" || name == "max") return extreme(name, arguments, at);
  if (name == "round") return round_number(arguments, at);
  if (name == "range") return make_range(arguments, at);
  if (name == "zip" || name == "enumerate") return make_pairs(name, arguments, at);
  if (name == "log") {
    expect_count(name, arguments, 1, 2, at);
    const double base = arguments.size() == 2 ? std::log(number_of(name, arguments[1], at)) : 1.0;
    return finite(std::log(number_of(name, arguments[0], at)) / base, name, at);
  }
  if ((name == "list" || name == "tuple" || name == "str") && arguments.empty())
    return name == "str" ? XacroValue{std::string()} : make_xacro_list({});
  expect_count(name, arguments, 1, 1, at);
  const XacroValue& value = arguments[0];
  if (name == "str") return limited_text(xacro_text(value, at), at);
  if (name == "bool") return {is_xacro_true(value)};
  if (name == "int" || name == "float") return to_number(name, value, at);
  if (name == "floor" || name == "ceil") {
    const double number = number_of(name, value, at);
    return integer_of(name == "floor" ? std::floor(number) : std::ceil(number), at);
  }
  if (name == "abs") {
    const double number = number_of(name, value, at);
    return number < 0.0 ? xacro_operation("-", {std::int64_t{0}}, value, at) : value;
  }
  if (name == "len" && value.text() != nullptr) return {static_cast<std::int64_t>(value.text()->size())};
  XacroList items = xacro_items(value, at);
  if (name == "len") return {static_cast<std::int64_t>(items.size())};
  if (name == "sum") {
    XacroValue total{std::int64_t{0}};
    for (const XacroValue& each : items) total = xacro_operation("+", total, each, at);
    return total;
  }
  if (name == "all") return {std::all_of(items.begin(), items.end(), is_xacro_true)};
  if (name == "any") return {std::any_of(items.begin(), items.end(), is_xacro_true)};
  if (name == "sorted")
    std::stable_sort(items.begin(), items.end(),
                     [&](const XacroValue& a, const XacroValue& b) { return xacro_less(a, b, at); });
  return limited_list(std::move(items), at);
}

/// Whole numbers stay whole unless the result is too large.
XacroValue whole_operation(std::string_view operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool is_too_large = operation == "+"   ? __builtin_add_overflow(a, b, &result)
                            : operation == "-" ? __builtin_sub_overflow(a, b, &result)
                                               : __builtin_mul_overflow(a, b, &result);
  if (!is_too_large) return {result};
  const auto x = static_cast<double>(a), y = static_cast<double>(b);
  return {operation == "+" ? x + y : operation == "-" ? x - y : x * y};
}

XacroValue whole_power(std::int64_t base, std::int64_t exponent, const XacroPlace& at) {
  XacroValue result{std::int64_t{1}};
  for (std::int64_t i = 0; i < exponent && result.integer() != nullptr; ++i) {
    if (i > 64 && (base == 1 || base == 0 || base == -1))
      return {base == -1 && exponent % 2 == 0 ? std::int64_t{1} : base};
    result = whole_operation("*", *result.integer(), base);
  }
  if (result.integer() != nullptr) return result;
  return finite(std::pow(static_cast<double>(base), static_cast<double>(exponent)), "**", at);
}

/// The sign of the remainder is that of the divisor, as in Python.
XacroValue divide_down(std::string_view operation, const XacroValue& a, const XacroValue& b,
                       const XacroPlace& at) {
  const double x = a.number(), y = b.number();
  const double quotient = std::floor(x / y);
  if (a.real() == nullptr && b.real() == nullptr && std::abs(x) < 9e15 && std::abs(y) < 9e15)
    return integer_of(operation == "//" ? quotient : x - quotient * y, at);
  if (operation == "//") return finite(quotient, operation, at);
  double rest = std::fmod(x, y);
  if (rest != 0.0 && (rest < 0.0) != (y < 0.0)) rest += y;
  return finite(rest, operation, at);
}

XacroValue number_operation(std::string_view operation, const XacroValue& a, const XacroValue& b,
                            const XacroPlace& at) {
  const bool is_division = operation == "/" || operation == "//" || operation == "%";
  if (is_division && b.number() == 0.0) at.fail("division by zero");
  if (operation == "//" || operation == "%") return divide_down(operation, a, b, at);
  const bool is_whole = a.real() == nullptr && b.real() == nullptr;
  if (is_whole && operation == "**" && b.number() >= 0.0)
    return whole_power(static_cast<std::int64_t>(a.number()), static_cast<std::int64_t>(b.number()), at);
  if (is_whole && (operation == "+" || operation == "-" || operation == "*")) {
    const auto whole = [](const XacroValue& v) {
      return v.integer() != nullptr ? *v.integer() : std::int64_t{*v.flag()};
    };
    return whole_operation(operation, whole(a), whole(b));
  }
  const double x = a.number(), y = b.number();
  const double result = operation == "+"   ? x + y
                        : operation == "-" ? x - y
                        : operation == "*" ? x * y
                        : operation == "/" ? x / y
                                           : std::pow(x, y);
  return finite(result, operation, at);
}

XacroValue repeat(const XacroValue& value, std::int64_t count, const XacroPlace& at) {
  const std::size_t size = value.text() != nullptr ? value.text()->size() : value.list()->size();
  const std::size_t most = value.text() != nullptr ? XacroBudget::kMaxText : XacroBudget::kMaxItems;
  if (count > 0 && size > most / static_cast<std::size_t>(count)) at.fail("the result of '*' is too long");
  if (value.text() != nullptr) {
    std::string text;
    for (std::int64_t i = 0; i < count && size > 0; ++i) text += *value.text();
    return limited_text(std::move(text), at);
  }
  XacroList items;
  for (std::int64_t i = 0; i < count && size > 0; ++i)
    items.insert(items.end(), value.list()->begin(), value.list()->end());
  return limited_list(std::move(items), at);
}

/// "{} and {0}" with values, without format specifiers.
XacroValue format_text(const std::string& format, const Values& arguments, const XacroPlace& at) {
  std::string text;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '{') {
      text += format[i];
      continue;
    }
    const std::size_t end = format.find('}', i);
    if (end == std::string::npos) at.fail("format(): '{{' without '}}'");
    const std::string inside = format.substr(i + 1, end - i - 1);
    const XacroValue number = xacro_literal(inside);
    if (!inside.empty() && number.integer() == nullptr)
      at.fail("format(): '{{{}}}' is not supported; expected '{{}}' or a number between the braces",
              xml::shown(inside));
    const std::size_t index = inside.empty() ? next++ : static_cast<std::size_t>(*number.integer());
    if (index >= arguments.size()) at.fail("format() has no value for '{{{}}}'", xml::shown(inside));
    text += xacro_text(arguments[index], at);
    if (text.size() > XacroBudget::kMaxText) break;
    i = end;
  }
  return limited_text(std::move(text), at);
}

std::string text_argument(const std::string& name, const Values& arguments, std::size_t index,
                          const XacroPlace& at) {
  if (index >= arguments.size() || arguments[index].text() == nullptr) at.fail("{}() needs a text", name);
  return *arguments[index].text();
}

XacroValue split_text(const std::string& text, const Values& arguments, const XacroPlace& at) {
  XacroList items;
  if (!arguments.empty()) {
    const std::string mark = text_argument("split", arguments, 0, at);
    if (mark.empty()) at.fail("split() needs a text that is not empty");
    std::size_t begin = 0;
    for (std::size_t end = text.find(mark); end != std::string::npos; end = text.find(mark, begin)) {
      items.push_back({text.substr(begin, end - begin)});
      begin = end + mark.size();
    }
    items.push_back({text.substr(begin)});
    return limited_list(std::move(items), at);
  }
  constexpr std::string_view kBlankCharacters = " \t\r\n";
  for (std::size_t begin = text.find_first_not_of(kBlankCharacters); begin != std::string::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlankCharacters, begin), text.size());
    items.push_back({text.substr(begin, end - begin)});
    begin = text.find_first_not_of(kBlankCharacters, end);
  }
  return limited_list(std::move(items), at);
}

XacroValue replace_text(const std::string& text, const Values& arguments, const XacroPlace& at) {
  const std::string from = text_argument("replace", arguments, 0, at),
                    to = text_argument("replace", arguments, 1, at);
  if (from.empty()) at.fail("replace() needs a text that is not empty");
  std::string result;
  std::size_t begin = 0;
  for (std::size_t end = text.find(from); end != std::string::npos; end = text.find(from, begin)) {
    result += text.substr(begin, end - begin) + to;
    if (result.size() > XacroBudget::kMaxText) break;
    begin = end + from.size();
  }
  return limited_text(result + text.substr(begin), at);
}

XacroValue join_texts(const std::string& mark, const Values& arguments, const XacroPlace& at) {
  expect_count("join", arguments, 1, 1, at);
  std::string text;
  bool is_first = true;
  for (const XacroValue& each : xacro_items(arguments[0], at)) {
    if (each.text() == nullptr) at.fail("join() needs texts, and got {}", xacro_kind(each));
    text += (is_first ? "" : mark) + *each.text();
    is_first = false;
    if (text.size() > XacroBudget::kMaxText) break;
  }
  return limited_text(std::move(text), at);
}

XacroValue call_text_method(const std::string& text, const std::string& name, const Values& arguments,
                            const XacroPlace& at) {
  at.budget.spend_text(text.size(), at.place);
  if (name == "format") return format_text(text, arguments, at);
  if (name == "split") return split_text(text, arguments, at);
  if (name == "replace") return replace_text(text, arguments, at);
  if (name == "join") return join_texts(text, arguments, at);
  if (name == "startswith") return {text.starts_with(text_argument(name, arguments, 0, at))};
  if (name == "endswith") return {text.ends_with(text_argument(name, arguments, 0, at))};
  if (name == "strip") return {std::string(xml::trim(text))};
  if (name == "find") {
    const std::size_t found = text.find(text_argument(name, arguments, 0, at));
    return {found == std::string::npos ? std::int64_t{-1} : static_cast<std::int64_t>(found)};
  }
  if (name == "isdigit")
    return {!text.empty() &&
            std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })};
  if (name == "lower" || name == "upper" || name == "capitalize") {
    std::string result = text;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const bool is_up = name == "upper" || (name == "capitalize" && i == 0);
      char& c = result[i];
      if (is_up && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      if (!is_up && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return {std::move(result)};
  }
  at.fail("a text has no method '{}'", xml::shown(name));
}

}  // namespace

std::optional<XacroValue> find_xacro_constant(std::string_view name) {
  if (name == "pi") return XacroValue{std::numbers::pi};
  if (name == "e") return XacroValue{std::numbers::e};
  if (name == "tau") return XacroValue{2.0 * std::numbers::pi};
  if (name == "inf") return XacroValue{std::numeric_limits<double>::infinity()};
  return std::nullopt;
}

bool is_xacro_function(std::string_view name) {
  return find_function(kMathFunctions, name) != nullptr || find_function(kMathFunctions2, name) != nullptr ||
         std::find(kOtherFunctions.begin(), kOtherFunctions.end(), name) != kOtherFunctions.end() ||
         name == "pow" || name == "load_yaml" || name == "arg";
}

XacroValue call_xacro_function(const std::string& name, const Values& arguments,
                               const std::vector<std::string>& words, const XacroPlace& at) {
  at.spend();
  if (name == "dict") return make_map(arguments, words, at);
  for (const std::string& word : words) {
    if (!word.empty()) at.fail("{}() has no argument '{}'", xml::shown(name), xml::shown(word));
  }
  if (const auto calculate = find_function(kMathFunctions, name)) {
    expect_count(name, arguments, 1, 1, at);
    return finite(calculate(number_of(name, arguments[0], at)), name, at);
  }
  if (const auto calculate = find_function(kMathFunctions2, name)) {
    expect_count(name, arguments, 2, 2, at);
    return finite(calculate(number_of(name, arguments[0], at), number_of(name, arguments[1], at)), name, at);
  }
  if (name == "pow") {
    expect_count(name, arguments, 2, 2, at);
    return xacro_operation("**", arguments[0], arguments[1], at);
  }
  if (std::find(kOtherFunctions.begin(), kOtherFunctions.end(), name) != kOtherFunctions.end())
    return call_other(name, arguments, at);
  if (name == "error" || name == "fatal") {
    const std::string text = arguments.empty() ? "" : xacro_text(arguments[0], at);
    at.fail("the file reports an error: {}", xml::shown(text));
  }
  if (name == "print_location") return {std::string()};
  at.fail(
      "unknown function '{}'; functions of Python's math, abs, min, max, round, int, float, str, len and "
      "similar are "
      "known",
      xml::shown(name));
}

XacroValue call_xacro_method(const XacroValue& object, const std::string& name, const Values& arguments,
                             const XacroPlace& at) {
  at.spend();
  if (object.text() != nullptr) return call_text_method(*object.text(), name, arguments, at);
  if (const XacroMap* map = object.map()) {
    if (name == "get") {
      expect_count(name, arguments, 1, 2, at);
      const XacroValue* found = find_xacro_key(*map, arguments[0], at);
      return found != nullptr ? *found : arguments.size() == 2 ? arguments[1] : XacroValue{};
    }
    if (name == "keys" || name == "values" || name == "items") {
      XacroList items;
      for (const auto& [key, value] : *map)
        items.push_back(name == "keys" ? key : name == "values" ? value : make_xacro_list({key, value}));
      return limited_list(std::move(items), at);
    }
  }
  if (const XacroList* list = object.list(); list != nullptr && (name == "index" || name == "count")) {
    expect_count(name, arguments, 1, 1, at);
    std::int64_t count = 0;
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (!xacro_equal((*list)[i], arguments[0], at)) continue;
      if (name == "index") return {static_cast<std::int64_t>(i)};
      ++count;
    }
    if (name == "index") at.fail("the list does not contain '{}'", xml::shown(xacro_text(arguments[0], at)));
    return {count};
  }
  at.fail("{} has no method '{}'", xacro_kind(object), xml::shown(name));
}

XacroValue xacro_operation(std::string_view operation, const XacroValue& a, const XacroValue& b,
                           const XacroPlace& at) {
  at.spend();
  if (a.is_number() && b.is_number()) return number_operation(operation, a, b, at);
  const auto is_long = [](const XacroValue& value) {
    return value.text() != nullptr || value.list() != nullptr;
  };
  if (operation == "+" && a.text() != nullptr && b.text() != nullptr)
    return limited_text(*a.text() + *b.text(), at);
  if (operation == "+" && a.list() != nullptr && b.list() != nullptr) {
    XacroList items = *a.list();
    items.insert(items.end(), b.list()->begin(), b.list()->end());
    return limited_list(std::move(items), at);
  }
  if (operation == "*" && is_long(a) && b.integer() != nullptr) return repeat(a, *b.integer(), at);
  if (operation == "*" && is_long(b) && a.integer() != nullptr) return repeat(b, *a.integer(), at);
  at.fail("'{}' cannot combine {} and {}", operation, xacro_kind(a), xacro_kind(b));
}

XacroList xacro_items(const XacroValue& value, const XacroPlace& at) {
  XacroList items;
  if (const XacroList* list = value.list()) items = *list;
  if (const XacroMap* map = value.map()) {
    for (const auto& [key, inside] : *map) items.push_back(key);
  }
  if (const std::string* text = value.text()) {
    if (text->size() > XacroBudget::kMaxItems) at.fail("a list has more than {} items", XacroBudget::kMaxItems);
    for (const char c : *text) items.push_back({std::string(1, c)});
  }
  const bool has_items = value.list() != nullptr || value.map() != nullptr || value.text() != nullptr;
  if (!has_items) at.fail("{} is not a list", xacro_kind(value));
  at.spend(1 + items.size());
  return items;
}

}  // namespace lockstep
