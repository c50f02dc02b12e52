#pragma once

#include <string_view>

#include "lockstep/error.h"
#include "lockstep/fields.h"
#include "scenario/field_reader.h"
#include "scenario/field_schema.h"
#include "scenario/field_writer.h"

/// Structs in scenario files, by means of their `describe(visitor, value)` (see lockstep/fields.h).
///
/// What a visitor offers to a describe function; `spec` is a FieldSpec:
///
///     v.number(name, x, spec)            double or optional<double>, with any fitting unit; the unit of the
///     spec
///                                        may be an alternative such as "rad or m"
///     v.vector(name, p, spec)            Vec3 or optional<Vec3>; the range holds for each number
///     v.numbers(name, list, {min, max}, spec)   vector<double> of so many numbers
///     v.integer(name, n, spec)           int64, uint64 or optional<int64>
///     v.flag(name, b, spec)              "true" or "false"
///     v.time(name, t, spec)              Duration or optional<Duration>: a whole number of nanoseconds; limits
///     in s v.text(name, s, spec)              any text v.name(name, s, spec)              letters, digits,
///     '_', '-', '.'; at most 64 v.choice(name, e, table, spec)     enum; the table is an array of
///     pair<string_view, E> v.color(name, c, spec)             Color or optional<Color>: "#rrggbb", "#rrggbbaa"
///     or three or four numbers v.pose(pose, spec)                 the attributes position, and orientation or
///     rpy v.prose(name, s, spec)             text for people: an attribute, or an element with the text inside
///     v.content(s, spec)                 the text inside the element
///     v.child(name, t, spec)             one element at most: T or optional<T>
///     v.children(name, list, spec, {min, max})  vector<T>
///     v.children(kinds, list)            vector<T> of elements of several names, in their order; see ChildKind
///     v.container(name, list, spec)      one element at most, whose children are kept as they are
///     v.engine_children(host, list)      children of engines, kept as they are: all that no field asked for
///     v.no_meaning(name, "a fixed joint")  instead of a field that this value cannot have
///     v.check(is_right, name, error)     a rule between fields; the error is at that attribute
///     V::kIsSchema                       collecting a schema: name every field, whatever the value
///
/// An optional has no default: what its absence means is in its doc. A member `Place place` is set by
/// reading.
namespace lockstep {

/// The struct that an element describes. Everything wrong goes into `diagnostics`; the value returned is
/// complete only if nothing was.
template <class T>
T read_fields(const Element& element, Diagnostics& diagnostics) {
  T value{};
  FieldReader(element, diagnostics).read_into(element, value);
  return value;
}

template <class T>
Element write_fields(std::string_view name, T value, Defaults defaults) {
  return FieldWriter::make_element(name, value, T{}, defaults);
}

template <class T>
ElementSchema schema_of(std::string_view name, std::string_view doc) {
  return FieldSchema::make_schema(name, doc, T{});
}

}  // namespace lockstep
