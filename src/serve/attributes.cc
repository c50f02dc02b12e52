#include "serve/attributes.h"

#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "base/units.h"
#include "serve/rejection.h"

namespace lockstep::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kOr = " or ";

class Lister {
 public:
  /// The elements of a name, or the one at an XPath if that is not empty.
  Lister(const Scene& scene, const std::string& name, std::string xpath)
      : scene_(scene), name_(name), xpath_(std::move(xpath)) {}

  /// Walks the elements and their schema in parallel. `robot` is the prefix of names.
  void visit(const Element& element, const ElementSchema& schema, const std::string& xpath,
             const std::string& prefix, bool is_inside) {
    const Attribute* own_name = element.find_attribute("name");
    const bool is_root = &element == &scene_.root;
    const std::string full = is_root ? "" : own_name != nullptr ? prefix + own_name->value : "";
    const bool is_named = is_root || own_name != nullptr;
    const bool is_wanted = !xpath_.empty() ? xpath == xpath_ || (is_inside && !is_named)
                           : is_named      ? full == name_
                                           : is_inside;
    if (is_wanted) list(element, schema, xpath, prefix);
    const bool is_robot = element.name == "robot" && own_name != nullptr;
    std::map<std::string, int> counts;
    for (const Element& child : element.children) {
      const int number = ++counts[child.name];
      const ElementSchema* kind = find_child(schema, child.name);
      if (kind == nullptr) continue;
      visit(child, *kind, fmt::format("{}/{}[{}]", xpath, child.name, number),
            is_robot ? own_name->value + "/" : prefix, is_wanted);
    }
  }

  bool has_found() const { return has_found_; }
  Json take() { return std::move(found_); }

 private:
  static const ElementSchema* find_child(const ElementSchema& schema, const std::string& name) {
    for (const ChildSchema& child : schema.children) {
      if (child.element.name == name) return &child.element;
    }
    return nullptr;
  }

  void list(const Element& element, const ElementSchema& schema, const std::string& xpath,
            const std::string& prefix) {
    has_found_ = true;
    for (const AttributeSchema& attribute : schema.attributes) {
      const bool is_number = attribute.type == ValueType::kNumber || attribute.type == ValueType::kInteger ||
                             attribute.type == ValueType::kTime;
      if (!is_number) continue;
      const Attribute* written = element.find_attribute(attribute.name);
      if (written == nullptr && !attribute.default_text) continue;
      const std::string& text = written != nullptr ? written->value : *attribute.default_text;
      const std::string unit = unit_of(attribute.unit, element, prefix);
      const Result<std::vector<double>> read = parse_numbers(text, unit.empty() ? kAnyUnit : unit);
      found_.push_back({{"xpath", fmt::format("{}/@{}", xpath, attribute.name)},
                        {"name", attribute.name},
                        {"value", text},
                        {"number", read && read->size() == 1 ? Json(read->front()) : Json(nullptr)},
                        {"unit", unit},
                        {"min", attribute.min ? Json(*attribute.min) : Json(nullptr)},
                        {"max", attribute.max ? Json(*attribute.max) : Json(nullptr)},
                        {"type", attribute.type == ValueType::kInteger ? "integer"
                                 : attribute.type == ValueType::kTime  ? "time"
                                                                       : "number"},
                        {"step", step_of(attribute)},
                        {"doc", attribute.doc}});
    }
  }

  /// Distance between two allowed values; null: any number. Times are multiples of the physics step.
  Json step_of(const AttributeSchema& attribute) const {
    if (attribute.type == ValueType::kInteger) return 1;
    if (attribute.type == ValueType::kTime && attribute.name != "step") return scene_.step;
    return nullptr;
  }

  /// Unit that depends on the joint type: hinge or slide.
  std::string unit_of(const std::string& unit, const Element& element, const std::string& prefix) const {
    if (unit == kAnyUnit) return "";
    const std::size_t at = unit.find(kOr);
    if (at == std::string::npos) return unit;
    const Attribute* joint = element.find_attribute(element.name == "joint" ? "name" : "joint");
    if (joint == nullptr) return "";
    auto found = scene_.joints.find(prefix + joint->value);
    if (found == scene_.joints.end()) found = scene_.joints.find(joint->value);
    if (found == scene_.joints.end()) return "";
    return found->second == JointType::kSlide ? unit.substr(at + kOr.size()) : unit.substr(0, at);
  }

  const Scene& scene_;
  const std::string& name_;
  const std::string xpath_;
  Json found_ = Json::array();
  bool has_found_ = false;
};

}  // namespace

Json list_attributes(const Scene& scene, const ElementSchema& schema, const std::string& name) {
  Lister lister(scene, name, "");
  lister.visit(scene.root, schema, "/scenario", "", false);
  if (const auto made_by = scene.paths.find(name); !lister.has_found() && made_by != scene.paths.end()) {
    Lister generator(scene, name, made_by->second);
    generator.visit(scene.root, schema, "/scenario", "", false);
    if (generator.has_found()) return generator.take();
  }
  if (!lister.has_found()) throw Rejection(fmt::format("there is no element '{}'", shown_text(name)));
  return lister.take();
}

}  // namespace lockstep::serve
