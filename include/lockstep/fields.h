#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/math.h"
#include "lockstep/time.h"

/// How a plain struct says which attributes it has in a scenario file.
///
/// Each configuration has one function template describe(visitor, value) that names every member once:
///
///     struct TiltConfig {
///       std::string body;
///       double limit = 0.5;
///     };
///
///     template <class V>
///     void describe(V& v, TiltConfig& c) {
///       v.text("body", c.body, {.doc = "Body to measure.", .required = true});
///       v.number("limit", c.limit, {.unit = "rad", .min = 0.0, .doc = "Where it warns."});
///     }
///
/// Everything else follows from it: the reader with its checks and error texts (`limit="30 deg"` is accepted,
/// `limit="3 kg"` and `limt="1"` are errors at their line and column), the defaults, which are the values of a
/// fresh struct, the XSD and the reference of the file format. Attributes that describe() does not name are
/// errors for the user.
///
/// A program outside of Lockstep gets a `Fields` as visitor; Lockstep's own configurations are visited by
/// classes with more functions (nested elements, colours, poses). A describe() written as above suits both.
namespace lockstep {

/// What a field is, beside its name and its default.
struct FieldSpec {
  /// SI unit of a number: "m", "rad/s", "N*m/rad"; "" for a plain number, "any" where it depends on something
  /// else. The user may write any unit of the same dimension; the struct always gets SI. "rad or m" accepts
  /// both where it depends on a joint; BuildContext::require_unit() then checks which.
  std::string_view unit = "";
  /// The range of a number, in that unit; of a time, in s. Values outside are errors.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool above_min = false;     ///< the minimum itself is outside
  std::string_view doc = "";  ///< one or two sentences for the reference
  bool required = false;      ///< an element without it is an error; else the member keeps its default
};

/// The texts of an enum, each with its value, in the order in which the reference shows them:
///
///     inline constexpr std::pair<std::string_view, Side> kSides[] = {{"left", Side::kLeft}, …};
template <class E>
using Choices = std::span<const std::pair<std::string_view, E>>;

/// Visits the fields of a configuration. Made and owned by Lockstep; valid only during the call of describe().
///
/// In each function, `value` is the member: reading sets it if the attribute is there and right, a schema takes
/// it as the default. An optional has no default: what its absence means is said in its doc.
class Fields {
 public:
  virtual ~Fields() = default;

  /// A number with any unit of the right dimension: "72 mm". NaN and infinity are errors.
  virtual void number(std::string_view name, double& value, const FieldSpec& spec) = 0;
  virtual void number(std::string_view name, std::optional<double>& value, const FieldSpec& spec) = 0;
  /// A whole number.
  virtual void integer(std::string_view name, std::int64_t& value, const FieldSpec& spec) = 0;
  /// Three numbers: "0 0 10 cm". The range holds for each of them.
  virtual void vector(std::string_view name, Vec3& value, const FieldSpec& spec) = 0;
  /// "true" or "false".
  virtual void flag(std::string_view name, bool& value, const FieldSpec& spec) = 0;
  /// A length of simulated time, a whole number of nanoseconds: "20 ms".
  virtual void time(std::string_view name, Duration& value, const FieldSpec& spec) = 0;
  /// Any text; also names of bodies, joints and signals, which the factory resolves (BuildContext).
  virtual void text(std::string_view name, std::string& value, const FieldSpec& spec) = 0;
  /// A new name: letters, digits, '_', '-', '.'; at most 64.
  virtual void name(std::string_view name, std::string& value, const FieldSpec& spec) = 0;

  /// One of several texts. Returns whether the value can be relied on, for fields that depend on it.
  template <class E>
  bool choice(std::string_view name, E& value, std::type_identity_t<Choices<E>> choices,
              const FieldSpec& spec) {
    std::vector<std::string_view> texts;
    std::size_t chosen = choices.size();
    for (std::size_t i = 0; i < choices.size(); ++i) {
      texts.push_back(choices[i].first);
      if (choices[i].second == value) chosen = i;
    }
    const bool is_right = choose(name, chosen, texts, spec);
    if (chosen < choices.size()) value = choices[chosen].second;
    return is_right;
  }

  /// A rule between fields: if it does not hold, `error` is reported at that attribute, unless an error of one
  /// of the fields explains it already.
  ///
  ///     v.check(c.lower <= c.upper, "lower", "lower is above upper; expected at most that");
  virtual void check(bool is_right, std::string_view name, std::string_view error) = 0;

 private:
  /// As choice(), by index into `texts`; an index behind the last one means none of them.
  virtual bool choose(std::string_view name, std::size_t& index, std::span<const std::string_view> texts,
                      const FieldSpec& spec) = 0;
};

/// An attribute as the user wrote it.
struct Attribute {
  std::string name;
  std::string value;
  Place place;  ///< of the value, also when it comes from an included file or an edit (--set)
};

/// An XML element as plain data, before anything in it was understood. Configurations are read from it; model
/// and engines keep some of them as they are.
struct Element {
  std::string name;
  Place place;
  std::vector<Attribute> attributes;
  std::vector<Element> children;
  std::string text;  ///< character data directly inside, trimmed

  /// Null if it has none of that name. Borrowed from the element.
  const Attribute* find_attribute(std::string_view attribute_name) const;
};

}  // namespace lockstep
