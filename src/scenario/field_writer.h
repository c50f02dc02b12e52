#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "scenario/field_reader.h"

namespace lockstep {

enum class Defaults {
  kOmit,      ///< attributes that have their default are not written
  kWriteOut,  ///< every attribute is written
};

/// Turns a struct into an element, in SI units. fields.h lists what the functions mean.
class FieldWriter {
 public:
  static constexpr bool kIsSchema = false;

  /// `fresh`, if given, is the element of a fresh struct; attributes that are the same there are omitted.
  FieldWriter(Element& element, const Element* fresh) : element_(element), fresh_(fresh) {}

  void number(std::string_view name, double value, const FieldSpec& spec);
  void number(std::string_view name, const std::optional<double>& value, const FieldSpec& spec);
  void vector(std::string_view name, const Vec3& value, const FieldSpec& spec);
  void vector(std::string_view name, const std::optional<Vec3>& value, const FieldSpec& spec);
  void numbers(std::string_view name, const std::vector<double>& value, Count count, const FieldSpec& spec);
  void integer(std::string_view name, std::int64_t value, const FieldSpec& spec);
  void integer(std::string_view name, std::uint64_t value, const FieldSpec& spec);
  void integer(std::string_view name, const std::optional<std::int64_t>& value, const FieldSpec& spec);
  void flag(std::string_view name, bool value, const FieldSpec& spec);
  void time(std::string_view name, Duration value, const FieldSpec& spec);
  void time(std::string_view name, const std::optional<Duration>& value, const FieldSpec& spec);
  void text(std::string_view name, const std::string& value, const FieldSpec& spec);
  void name(std::string_view name, const std::string& value, const FieldSpec& spec);
  void color(std::string_view name, const Color& value, const FieldSpec& spec);
  void color(std::string_view name, const std::optional<Color>& value, const FieldSpec& spec);
  void pose(const Pose& value, const FieldSpec& spec);
  void prose(std::string_view name, const std::string& value, const FieldSpec& spec);
  void content(const std::string& value, const FieldSpec& spec);
  void container(std::string_view name, const std::vector<Element>& value, const FieldSpec& spec);
  void engine_children(EngineHost host, const std::vector<Element>& value);

  template <class E>
  bool choice(std::string_view name, E value, std::type_identity_t<Choices<E>> choices, const FieldSpec& spec) {
    for (const auto& [text, meaning] : choices) {
      if (meaning == value) put(name, std::string(text), spec);
    }
    return true;
  }

  template <class T>
  void child(std::string_view name, T& value, const FieldSpec& spec) {
    Element element = make_element(name, value, T{}, defaults());
    const bool is_empty = element.attributes.empty() && element.children.empty() && element.text.empty();
    // An element that says nothing is omitted together with its attributes.
    if (defaults() == Defaults::kWriteOut || spec.required || !is_empty) add(std::move(element));
  }
  template <class T>
  void child(std::string_view name, std::optional<T>& value, const FieldSpec&) {
    if (value) add(make_element(name, *value, T{}, defaults()));
  }
  template <class T>
  void children(std::string_view name, std::vector<T>& values, const FieldSpec&, Count = {}) {
    for (T& value : values) add(make_element(name, value, T{}, defaults()));
  }
  template <class T>
  void children(std::type_identity_t<std::span<const ChildKind<T>>> kinds, std::vector<T>& values) {
    for (T& value : values) {
      for (const ChildKind<T>& kind : kinds) {
        if (kind.is_kind(value)) add(make_element(kind.name, value, kind.make(), defaults()));
      }
    }
  }

  void no_meaning(std::string_view, std::string_view) {}
  void check(bool, std::string_view, std::string_view) {}

  template <class T>
  static Element make_element(std::string_view name, T& value, T fresh, Defaults defaults) {
    Element element;
    element.name = name;
    Element fresh_element;
    if (defaults == Defaults::kOmit) {
      FieldWriter writer(fresh_element, nullptr);
      describe(writer, fresh);
    }
    FieldWriter writer(element, defaults == Defaults::kOmit ? &fresh_element : nullptr);
    describe(writer, value);
    return element;
  }

 private:
  Defaults defaults() const { return fresh_ != nullptr ? Defaults::kOmit : Defaults::kWriteOut; }
  void put(std::string_view name, std::string text, const FieldSpec& spec);
  void add(Element element) { element_.children.push_back(std::move(element)); }

  Element& element_;
  const Element* fresh_;
};

}  // namespace lockstep
