#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lockstep/error.h"

namespace lockstep {

struct XacroValue;
using XacroList = std::vector<XacroValue>;
using XacroMap = std::vector<std::pair<XacroValue, XacroValue>>;  ///< in the order of insertion

/// A value of an expression in xacro, with the meaning it has in Python. Lists and maps are constant and shared.
struct XacroValue {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::shared_ptr<const XacroList>,
               std::shared_ptr<const XacroMap>>
      data;

  bool is_none() const { return std::holds_alternative<std::monostate>(data); }
  const bool* flag() const { return std::get_if<bool>(&data); }
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&data); }
  const double* real() const { return std::get_if<double>(&data); }
  const std::string* text() const { return std::get_if<std::string>(&data); }
  const XacroList* list() const;
  const XacroMap* map() const;
  bool is_number() const { return flag() != nullptr || integer() != nullptr || real() != nullptr; }
  double number() const;  ///< of a number; a flag is 0 or 1
};

XacroValue make_xacro_list(XacroList items);
XacroValue make_xacro_map(XacroMap items);

/// What the expansion of one file may cost, so that hostile files end with an error: a step is an operation,
/// an element, or 16 bytes of text.
class XacroBudget {
 public:
  /// Throws UserError at `place` once everything is spent.
  void spend(std::size_t steps, const Place& place);
  bool is_spent() const { return spent_ > kMaxSteps; }
  void spend_text(std::size_t bytes, const Place& place) { spend(1 + bytes / 16, place); }

  static constexpr std::size_t kMaxSteps = 10'000'000;
  static constexpr std::size_t kMaxText = 1u << 20;  ///< bytes of one value
  static constexpr std::size_t kMaxItems = 100'000;  ///< of one list or map

 private:
  std::size_t spent_ = 0;
};

/// Where a value is computed: for errors and costs.
struct XacroPlace {
  Place place;
  XacroBudget& budget;

  void spend(std::size_t steps = 1) const { budget.spend(steps, place); }
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw_user_error(place, format, std::forward<Args>(args)...);
  }
};

/// As Python's str(): 2.0, True, [1, 'a'].
std::string xacro_text(const XacroValue& value, const XacroPlace& at);
bool is_xacro_true(const XacroValue& value);
bool xacro_equal(const XacroValue& a, const XacroValue& b, const XacroPlace& at);
bool xacro_less(const XacroValue& a, const XacroValue& b, const XacroPlace& at);
/// The value of a key, or null.
const XacroValue* find_xacro_key(const XacroMap& map, const XacroValue& key, const XacroPlace& at);
/// "a number", "a list": for messages.
std::string_view xacro_kind(const XacroValue& value);

/// A text of a file as a value: a number, true or false, text in single quotes, else the text itself.
XacroValue xacro_literal(std::string_view text);

/// A map, list or value of a YAML file: block and flow style, quoted and plain scalars, comments, and the tags
/// !degrees and !radians. Anchors, block scalars and several documents are errors.
XacroValue read_yaml(std::string_view text, const std::string& name, XacroBudget& budget);

}  // namespace lockstep
