#include "formats/xacro/value.h"

#include <charconv>
#include <cmath>

#include "scenario/xml_text.h"

namespace lockstep {

namespace {

/// Nesting of lists and maps when they are compared or printed.
constexpr int kMaxValueDepth = 64;

std::string real_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".eni") == std::string::npos) text += ".0";  // also keeps "inf" and "nan"
  return text;
}

void add_text(const XacroValue& value, bool is_quoted, int depth, const XacroPlace& at, std::string& out) {
  at.spend();
  if (depth > kMaxValueDepth || out.size() > XacroBudget::kMaxText)
    at.fail("a value is too large to be written as text");
  if (const bool* flag = value.flag()) {
    out += *flag ? "True" : "False";
  } else if (const std::int64_t* integer = value.integer()) {
    out += fmt::format("{}", *integer);
  } else if (const double* real = value.real()) {
    out += real_text(*real);
  } else if (const std::string* text = value.text()) {
    at.budget.spend_text(text->size(), at.place);
    out += is_quoted ? "'" + *text + "'" : *text;
  } else if (const XacroList* list = value.list()) {
    out += "[";
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (i > 0) out += ", ";
      add_text((*list)[i], true, depth + 1, at, out);
    }
    out += "]";
  } else if (const XacroMap* map = value.map()) {
    out += "{";
    for (std::size_t i = 0; i < map->size(); ++i) {
      if (i > 0) out += ", ";
      add_text((*map)[i].first, true, depth + 1, at, out);
      out += ": ";
      add_text((*map)[i].second, true, depth + 1, at, out);
    }
    out += "}";
  } else {
    out += "None";
  }
}

/// -1, 0 or 1; `is_ordered` is false for values that have no order.
bool equal_at_depth(const XacroValue& a, const XacroValue& b, int depth, const XacroPlace& at) {
  at.spend();
  if (depth > kMaxValueDepth) at.fail("a value is nested too deeply to be compared");
  if (a.is_number() && b.is_number()) {
    if (a.integer() != nullptr && b.integer() != nullptr) return *a.integer() == *b.integer();
    return a.number() == b.number();
  }
  if (a.data.index() != b.data.index()) return false;
  if (const XacroList* list = a.list()) {
    if (list->size() != b.list()->size()) return false;
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (!equal_at_depth((*list)[i], (*b.list())[i], depth + 1, at)) return false;
    }
    return true;
  }
  if (const XacroMap* map = a.map()) {
    if (map->size() != b.map()->size()) return false;
    for (const auto& [key, value] : *map) {
      const XacroValue* other = find_xacro_key(*b.map(), key, at);
      if (other == nullptr || !equal_at_depth(value, *other, depth + 1, at)) return false;
    }
    return true;
  }
  return a.data == b.data;  // texts, or none
}

template <typename Number>
bool parse_whole(std::string_view text, Number& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

const XacroList* XacroValue::list() const {
  const auto* list = std::get_if<std::shared_ptr<const XacroList>>(&data);
  return list == nullptr ? nullptr : list->get();
}

const XacroMap* XacroValue::map() const {
  const auto* map = std::get_if<std::shared_ptr<const XacroMap>>(&data);
  return map == nullptr ? nullptr : map->get();
}

double XacroValue::number() const {
  if (const double* value = real()) return *value;
  if (const std::int64_t* value = integer()) return static_cast<double>(*value);
  const bool* value = flag();
  LOCKSTEP_CHECK(value != nullptr);
  return *value ? 1.0 : 0.0;
}

XacroValue make_xacro_list(XacroList items) {
  return {std::make_shared<const XacroList>(std::move(items))};
}

XacroValue make_xacro_map(XacroMap items) {
  return {std::make_shared<const XacroMap>(std::move(items))};
}

void XacroBudget::spend(std::size_t steps, const Place& place) {
  spent_ += steps;
  if (spent_ > kMaxSteps)
    throw_user_error(place, "the macros of the file expand to too much; at most {} steps are allowed",
                     kMaxSteps);
}

std::string xacro_text(const XacroValue& value, const XacroPlace& at) {
  std::string text;
  add_text(value, false, 0, at, text);
  if (text.size() > XacroBudget::kMaxText) at.fail("a text has more than {} bytes", XacroBudget::kMaxText);
  return text;
}

bool is_xacro_true(const XacroValue& value) {
  if (value.is_number()) return value.number() != 0.0;
  if (const std::string* text = value.text()) return !text->empty();
  if (const XacroList* list = value.list()) return !list->empty();
  if (const XacroMap* map = value.map()) return !map->empty();
  return false;
}

bool xacro_equal(const XacroValue& a, const XacroValue& b, const XacroPlace& at) {
  return equal_at_depth(a, b, 0, at);
}

bool xacro_less(const XacroValue& a, const XacroValue& b, const XacroPlace& at) {
  at.spend();
  if (a.is_number() && b.is_number()) {
    if (a.integer() != nullptr && b.integer() != nullptr) return *a.integer() < *b.integer();
    return a.number() < b.number();
  }
  if (a.text() != nullptr && b.text() != nullptr) return *a.text() < *b.text();
  at.fail("{} cannot be compared with {}", xacro_kind(a), xacro_kind(b));
}

const XacroValue* find_xacro_key(const XacroMap& map, const XacroValue& key, const XacroPlace& at) {
  for (const auto& [name, value] : map) {
    if (xacro_equal(name, key, at)) return &value;
  }
  return nullptr;
}

std::string_view xacro_kind(const XacroValue& value) {
  if (value.flag() != nullptr) return "a truth value";
  if (value.is_number()) return "a number";
  if (value.text() != nullptr) return "a text";
  if (value.list() != nullptr) return "a list";
  if (value.map() != nullptr) return "a map";
  return "None";
}

XacroValue xacro_literal(std::string_view text) {
  if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'')
    return {std::string(text.substr(1, text.size() - 2))};
  const std::string_view word = xml::trim(text);
  if (word == "true" || word == "True") return {true};
  if (word == "false" || word == "False") return {false};
  std::int64_t integer = 0;
  if (parse_whole(word, integer)) return {integer};
  double real = 0.0;
  // Words such as "inf" and "nan" are names of links as well.
  if (word.find_first_of("0123456789") != std::string_view::npos && parse_whole(word, real)) return {real};
  return {std::string(text)};
}

}  // namespace lockstep
