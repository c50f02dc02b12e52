#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/fields.h"
#include "scenario/field_format.h"
#include "scenario/schema.h"

namespace lockstep {

/// How many numbers an attribute, or children an element, may have.
struct Count {
  std::size_t min = 0;
  std::size_t max = static_cast<std::size_t>(-1);
};

/// One of several elements that all become a T, such as <box> and <sphere>, which both become a Shape.
template <class T>
struct ChildKind {
  std::string_view name;
  T (*make)();  ///< a fresh T of this kind
  bool (*is_kind)(const T& value);
  std::string_view doc;
};

/// Turns an element into a struct. Reports all that is wrong with it, and goes on with the value it had; a name
/// that cannot be read becomes kNoName. Marks elements with errors of their own as broken, and the names in
/// those that are not read as missing. fields.h lists what the functions mean.
class FieldReader {
 public:
  static constexpr bool kIsSchema = false;

  FieldReader(const Element& element, Diagnostics& diagnostics);

  void number(std::string_view name, double& value, const FieldSpec& spec);
  void number(std::string_view name, std::optional<double>& value, const FieldSpec& spec);
  void vector(std::string_view name, Vec3& value, const FieldSpec& spec);
  void vector(std::string_view name, std::optional<Vec3>& value, const FieldSpec& spec);
  void numbers(std::string_view name, std::vector<double>& value, Count count, const FieldSpec& spec);
  void integer(std::string_view name, std::int64_t& value, const FieldSpec& spec);
  void integer(std::string_view name, std::uint64_t& value, const FieldSpec& spec);
  void integer(std::string_view name, std::optional<std::int64_t>& value, const FieldSpec& spec);
  void flag(std::string_view name, bool& value, const FieldSpec& spec);
  void time(std::string_view name, Duration& value, const FieldSpec& spec);
  void time(std::string_view name, std::optional<Duration>& value, const FieldSpec& spec);
  void text(std::string_view name, std::string& value, const FieldSpec& spec);
  void name(std::string_view name, std::string& value, const FieldSpec& spec);
  void color(std::string_view name, Color& value, const FieldSpec& spec);
  void color(std::string_view name, std::optional<Color>& value, const FieldSpec& spec);
  void pose(Pose& value, const FieldSpec& spec);
  void prose(std::string_view name, std::string& value, const FieldSpec& spec);
  void content(std::string& value, const FieldSpec& spec);
  void container(std::string_view name, std::vector<Element>& value, const FieldSpec& spec);
  void engine_children(EngineHost host, std::vector<Element>& value);

  template <class E>
  bool choice(std::string_view name, E& value, std::type_identity_t<Choices<E>> choices,
              const FieldSpec& spec) {
    std::vector<std::string> texts;
    for (const auto& [text, meaning] : choices) texts.emplace_back(text);
    const auto index = read_choice(name, texts, spec);
    if (index) value = choices[*index].second;
    return index || (!spec.required && element_.find_attribute(name) == nullptr);
  }

  template <class T>
  void child(std::string_view name, T& value, const FieldSpec& spec) {
    if (const Element* element = take_child(name, spec.required)) read_into(*element, value);
  }
  template <class T>
  void child(std::string_view name, std::optional<T>& value, const FieldSpec& spec) {
    if (const Element* element = take_child(name, spec.required)) read_into(*element, value.emplace());
  }
  template <class T>
  void children(std::string_view name, std::vector<T>& value, const FieldSpec&, Count count = {}) {
    for (const Element* element : take_children(name, count)) read_into(*element, value.emplace_back());
  }
  template <class T>
  void children(std::type_identity_t<std::span<const ChildKind<T>>> kinds, std::vector<T>& value) {
    std::vector<std::string_view> names;
    for (const ChildKind<T>& kind : kinds) names.push_back(kind.name);
    for (const auto& [index, element] : take_kinds(names)) {
      read_into(*element, value.emplace_back(kinds[index].make()));
    }
  }

  void no_meaning(std::string_view name, std::string_view where);
  void check(bool is_right, std::string_view name, std::string_view error);

  /// Reports what no field asked for.
  void finish();

  template <class T>
  void read_into(const Element& element, T& value) {
    const std::size_t errors = diagnostics_.error_count();
    FieldReader reader(element, diagnostics_);
    if constexpr (requires { value.place = element.place; }) value.place = element.place;
    describe(reader, value);
    reader.finish();
    errors_inside_ += diagnostics_.error_count() - errors;
  }

 private:
  /// An error that is reported only if nothing else explains it.
  struct Doubt {
    Place place;
    std::string missing;  ///< attribute or element, or "" if it is about a rule between fields
    std::string text;
  };
  bool has_own_errors() const;
  void mark_names_missing(const Element& element);
  void report_doubts();

  const Attribute* take(std::string_view name, bool required);
  const Element* take_child(std::string_view name, bool required);
  std::vector<const Element*> take_children(std::string_view name, Count count);
  std::vector<std::pair<std::size_t, const Element*>> take_kinds(std::span<const std::string_view> names);
  std::optional<std::size_t> read_choice(std::string_view name, std::span<const std::string> texts,
                                         const FieldSpec& spec);
  std::optional<std::vector<double>> read_numbers(const Attribute& attribute, Count count,
                                                  const FieldSpec& spec);
  std::optional<double> read_number(std::string_view name, const FieldSpec& spec);
  std::optional<Vec3> read_vector(std::string_view name, const FieldSpec& spec);
  std::optional<Duration> read_time(std::string_view name, const FieldSpec& spec);
  std::optional<Color> read_color(std::string_view name, const FieldSpec& spec);
  template <class I>
  std::optional<I> read_integer(std::string_view name, const FieldSpec& spec);
  void read_orientation(const Attribute& attribute, Quat& value);

  template <typename... Args>
  void error(const Attribute& attribute, fmt::format_string<Args...> format, Args&&... args) {
    diagnostics_.error(attribute.place, "{}: {}", subject(), fmt::format(format, std::forward<Args>(args)...));
  }
  std::string subject() const;  ///< "joint 'elbow'", or "<joint>" for one without a name

  const Element& element_;
  Diagnostics& diagnostics_;
  std::vector<std::string> known_attributes_;
  std::vector<std::string> known_children_;
  std::vector<bool> is_attribute_known_;
  std::vector<bool> is_child_known_;
  bool may_have_text_ = false;
  std::vector<Element>* engine_children_ = nullptr;  // where children go that no field asked for
  std::size_t errors_before_;
  std::size_t errors_inside_ = 0;  // of children
  std::vector<Doubt> doubts_;
};

}  // namespace lockstep
