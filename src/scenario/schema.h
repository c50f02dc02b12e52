#pragma once

#include <optional>
#include <string>
#include <vector>

/// What an element may contain, as plain data: made from `describe()` functions, turned into an XSD and into
/// the reference in docs/.
namespace lockstep {

enum class ValueType { kNumber, kNumbers, kInteger, kFlag, kTime, kText, kName, kChoice, kColor };

struct AttributeSchema {
  std::string name;
  ValueType type = ValueType::kText;
  std::size_t min_count = 1;  ///< of numbers
  std::size_t max_count = 1;
  std::string unit;                         ///< SI; "" for none; "rad or m" where it depends
  std::optional<std::string> default_text;  ///< none: omitted means something of its own, see doc
  std::optional<double> min, max;           ///< of each number, in `unit`; none: no limit
  std::string range;                        ///< "at least 0 m"; "" for none worth telling
  bool required = false;
  std::string doc;
  std::vector<std::string> choices;
};

/// Where an engine can have options of its own: in <engine>, in a joint, in another constraint (a contact, loop
/// or coupling). They are in a child element with the engine's name.
enum class EngineHost { kEngine, kJoint, kConstraint };

struct ChildSchema;

struct ElementSchema {
  std::string name;
  std::string doc;
  std::vector<AttributeSchema> attributes;
  std::vector<ChildSchema> children;
  bool has_text = false;      ///< character data directly inside
  bool is_container = false;  ///< holds devices of any kind; what kinds there are the registry knows
  bool is_file_root = false;  ///< can be the root of a file of its own
  std::optional<EngineHost> engine_host;  ///< can have a child of an engine; what is in it the engine knows
};

struct ChildSchema {
  static constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);
  std::size_t min = 0;
  std::size_t max = kAnyNumber;
  ElementSchema element;
};

/// What one engine, or several, may have in such a place.
struct EngineChildSchema {
  EngineHost host = EngineHost::kEngine;
  ElementSchema element;
};

/// The kinds of devices there are, by the container they are in, and the children of engines. An empty list
/// means unknown: a schema made from it accepts anything there.
struct DeviceSchemas {
  std::vector<ElementSchema> sensors;
  std::vector<ElementSchema> actuators;
  std::vector<ElementSchema> controllers;
  std::vector<ElementSchema> connections;
  std::vector<ElementSchema> subsystems;
  std::vector<ElementSchema> observers;
  std::vector<ElementSchema> faults;
  std::vector<EngineChildSchema> engine_children;
};

/// Adds what engines may have wherever an element can hold it.
void add_engine_children(ElementSchema& element, const std::vector<EngineChildSchema>& engine_children);

/// Everything a scenario file may contain, with <include> and the src of <robot>.
ElementSchema scenario_schema(const DeviceSchemas& devices);

}  // namespace lockstep
