#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "scenario/field_writer.h"
#include "scenario/schema.h"

namespace lockstep {

/// Collects what a struct may contain. It is called with a fresh struct, whose values are the defaults.
/// fields.h lists what the functions mean.
class FieldSchema {
 public:
  static constexpr bool kIsSchema = true;

  explicit FieldSchema(ElementSchema& schema) : schema_(schema) {}

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
    AttributeSchema& attribute = add(name, ValueType::kChoice, spec);
    for (const auto& [text, meaning] : choices) {
      attribute.choices.emplace_back(text);
      if (meaning == value) attribute.default_text = text;
    }
    return true;
  }

  template <class T>
  void child(std::string_view name, T&, const FieldSpec& spec) {
    add_child(make_schema(name, spec.doc, T{}), spec.required ? 1 : 0, 1);
  }
  template <class T>
  void child(std::string_view name, std::optional<T>&, const FieldSpec& spec) {
    add_child(make_schema(name, spec.doc, T{}), spec.required ? 1 : 0, 1);
  }
  template <class T>
  void children(std::string_view name, std::vector<T>&, const FieldSpec& spec, Count count = {}) {
    add_child(make_schema(name, spec.doc, T{}), count.min, count.max);
  }
  template <class T>
  void children(std::type_identity_t<std::span<const ChildKind<T>>> kinds, std::vector<T>&) {
    for (const ChildKind<T>& kind : kinds) {
      add_child(make_schema(kind.name, kind.doc, kind.make()), 0, ChildSchema::kAnyNumber);
    }
  }

  void no_meaning(std::string_view, std::string_view) {}
  void check(bool, std::string_view, std::string_view) {}

  template <class T>
  static ElementSchema make_schema(std::string_view name, std::string_view doc, T fresh) {
    ElementSchema schema;
    schema.name = name;
    schema.doc = doc;
    FieldSchema collector(schema);
    describe(collector, fresh);
    return schema;
  }

 private:
  AttributeSchema& add(std::string_view name, ValueType type, const FieldSpec& spec);
  void add_child(ElementSchema element, std::size_t min, std::size_t max);

  ElementSchema& schema_;
};

}  // namespace lockstep
