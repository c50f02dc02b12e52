#pragma once

#include <optional>
#include <string>
#include <vector>

/// What an element may contain, as plain data. Generated from the `describe()` functions; source of the XSD and
/// of the reference in docs/.
namespace lockstep {

enum class ValueType { kNumber, kNumbers, kInteger, kFlag, kTime, kText, kName, kChoice, kColor };

struct AttributeSchema {
  std::string name;
  ValueType type = ValueType::kText;
  std::size_t min_count = 1;  ///< of numbers
  std::size_t max_count = 1;
  std::string unit;                         ///< SI; "" for none; "rad or m" if it depends on another attribute
  std::optional<std::string> default_text;  ///< none: see doc for the meaning if omitted
  std::optional<double> min, max;           ///< of each number, in `unit`; none: no limit
  std::string range;                        ///< "at least 0 m"; "" if unlimited
  bool required = false;
  std::string doc;
  std::vector<std::string> choices;
};

/// Elements that may have engine-specific options: <engine>, a joint, another constraint (a contact, loop or
/// coupling). The options are in a child element named after the engine.
enum class EngineHost { kEngine, kJoint, kContact, kConstraint };

struct ChildSchema;

struct ElementSchema {
  std::string name;
  std::string doc;
  std::vector<AttributeSchema> attributes;
  std::vector<ChildSchema> children;
  bool has_text = false;                  ///< character data directly inside
  bool is_container = false;              ///< contains devices of any kind in the registry
  bool is_file_root = false;              ///< can be the root of a file
  std::optional<EngineHost> engine_host;  ///< can have a child of an engine
};

struct ChildSchema {
  static constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);
  std::size_t min = 0;
  std::size_t max = kAnyNumber;
  ElementSchema element;
};

/// The children that engines accept in such an element.
struct EngineChildSchema {
  EngineHost host = EngineHost::kEngine;
  ElementSchema element;
};

/// The kinds of devices by container, and the children of engines. An empty list means unknown: the schema
/// then accepts anything there.
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

/// Adds the children of engines to every element that may have them.
void add_engine_children(ElementSchema& element, const std::vector<EngineChildSchema>& engine_children);

/// Everything a scenario file may contain, with <include> and the src of <robot>.
ElementSchema scenario_schema(const DeviceSchemas& devices);

}  // namespace lockstep
