#include "device/context.h"

#include <algorithm>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "base/units.h"
#include "device/axis.h"

namespace lockstep {

std::vector<std::string> command_names(const SignalTable& signals) {
  std::vector<std::string> names;
  for (const SignalInfo& info : signals.all()) {
    if (info.role == SignalRole::kCommand) names.push_back(info.name);
  }
  return names;
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c != ' ') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

void BuildContext::begin(const Element& element, const std::string& device_name, Duration device_period) {
  element_ = &element;
  name_ = in_scope(device_name);
  every_ = default_every;
  if (device_period.count() == 0) return;
  if (device_period.count() < 0 || device_period.count() % model.step.count() != 0) {
    error_at("period", "period {} s is not a multiple of the physics step ({} s)", to_seconds(device_period),
             to_seconds(model.step));
    return;
  }
  every_ = device_period.count() / model.step.count();
}

std::string BuildContext::subject() const {
  return fmt::format("<{}> '{}'", element_->name, name_);
}

Place BuildContext::place_of(std::string_view attribute) const {
  const Attribute* found = element_->find_attribute(attribute);
  return found != nullptr ? found->place : element_->place;
}

const Element* BuildContext::find_child(std::string_view child) const {
  for (const Element& candidate : element_->children) {
    if (candidate.name == child) return &candidate;
  }
  return nullptr;
}

Place BuildContext::place_of_value(const std::string& value) const {
  Place place = element_->place;
  const auto look = [&](const Element& element) {
    for (const Attribute& attribute : element.attributes) {
      // A device may have the same name as its joint.
      if (attribute.name != "name" && attribute.value == value) place = attribute.place;
    }
  };
  look(*element_);
  for (const Element& child : element_->children) look(child);
  return place;
}

std::vector<std::string> BuildContext::short_names(std::vector<std::string> full_names) const {
  const std::string prefix = scope.empty() ? "" : scope + "/";
  for (std::string& name : full_names) {
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  }
  return full_names;
}

namespace {

std::string name_of_joint(const Model& model, const Axis& axis) {
  const auto* joint = std::get_if<JointId>(&axis);
  return joint == nullptr ? std::string() : model.joint(*joint).name;
}

}  // namespace

template <typename Id, typename Find>
std::optional<Id> BuildContext::resolve(const char* what, const std::string& given,
                                        const std::vector<std::string>& known, Find find) {
  // Names within the robot first; then full names.
  std::optional<Id> id = find(in_scope(given));
  if (!id) id = find(given);
  if (id) return id;
  diagnostics.error(place_of_value(given), "{}: unknown {} '{}'{}", subject(), what, given,
                    suggest(given, short_names(known)));
  return std::nullopt;
}

std::optional<JointId> BuildContext::find_joint(const std::string& given) {
  return resolve<JointId>("joint", given, model.joint_names(),
                          [&](const std::string& n) { return model.find_joint(n); });
}

std::optional<JointId> BuildContext::find_axis_joint(const std::string& given) {
  const std::optional<JointId> id = find_joint(given);
  if (!id) return std::nullopt;
  const JointModel& joint = model.joint(*id);
  if (joint.type == JointType::kHinge || joint.type == JointType::kSlide) return id;
  error_at("joint", "joint '{}' is neither a hinge nor a slide", joint.name);
  return std::nullopt;
}

std::optional<Axis> BuildContext::find_axis(const std::string& joint, const std::string& tendon) {
  if (!require_one(joint, "joint", tendon, "tendon")) return std::nullopt;
  if (!joint.empty()) return find_axis_joint(joint);
  return resolve<TendonId>("tendon", tendon, model.tendon_names(),
                           [&](const std::string& n) { return model.find_tendon(n); });
}

std::optional<SiteId> BuildContext::find_site(const std::string& given) {
  return resolve<SiteId>("site", given, model.site_names(),
                         [&](const std::string& n) { return model.find_site(n); });
}

std::optional<BodyId> BuildContext::find_body(const std::string& given) {
  return resolve<BodyId>("body", given, model.body_names(),
                         [&](const std::string& n) { return model.find_body(n); });
}

std::optional<std::vector<ShapeId>> BuildContext::find_shapes(const std::string& given) {
  std::vector<std::string> known = model.body_names();
  for (const ShapeModel& shape : model.shapes) known.push_back(shape.name);
  const auto of_name = [&](const std::string& name) -> std::optional<std::vector<ShapeId>> {
    const std::string inside = name + "/";
    bool exists = false;
    std::vector<ShapeId> found;
    for (std::size_t i = 0; i < model.shapes.size(); ++i) {
      const ShapeModel& shape = model.shapes[i];
      const std::string& body = model.body(shape.body).name;
      if (shape.name != name && body != name && !body.starts_with(inside)) continue;
      exists = true;
      if (shape.collide) found.push_back(ShapeId{static_cast<int>(i)});
    }
    return exists || model.find_body(name) ? std::optional(found) : std::nullopt;
  };
  const auto found = resolve<std::vector<ShapeId>>("body or shape", given, known, of_name);
  if (!found || !found->empty()) return found;
  diagnostics.error(place_of_value(given), "{}: '{}' has no shape that can collide", subject(), given);
  return std::nullopt;
}

std::optional<MaterialId> BuildContext::find_material(const std::string& given) {
  std::vector<std::string> names;
  for (const Material& material : model.materials) names.push_back(material.name);
  const auto it = std::find(names.begin(), names.end(), given);
  if (it != names.end()) return MaterialId{static_cast<int>(it - names.begin())};
  diagnostics.error(place_of_value(given), "{}: unknown material '{}'{}", subject(), given,
                    suggest(given, names));
  return std::nullopt;
}

std::optional<Slot> BuildContext::find_signal(const std::string& given) {
  return resolve<Slot>("signal", given, signals.names(), [&](const std::string& n) { return signals.find(n); });
}

std::optional<Slot> BuildContext::find_command(const std::string& given) {
  const std::optional<Slot> slot = resolve<Slot>("signal", given, command_names(signals),
                                                 [&](const std::string& n) { return signals.find(n); });
  if (!slot) return std::nullopt;
  const SignalInfo& info = signals.info(*slot);
  if (info.role == SignalRole::kCommand) return slot;
  diagnostics.error(place_of_value(given), "{}: signal '{}' is measured, not commanded; it cannot be written",
                    subject(), info.name);
  return std::nullopt;
}

std::optional<Slot> BuildContext::add_signal(std::string_view quantity, std::string_view unit, SignalRole role,
                                             double initial) {
  std::string full = fmt::format("{}/{}", name_, quantity);
  if (signals.find(full)) {
    diagnostics.error(element_->place, "{}: there is a signal '{}' already; give the device another name",
                      subject(), full);
    return std::nullopt;
  }
  return signals.add(std::move(full), std::string(unit), role, initial);
}

void BuildContext::drives_position(Slot command, const Axis& axis, double max_speed) {
  CommandLimits limits{
      .joint = name_of_joint(model, axis), .max_speed = max_speed, .start = calc_initial_position(model, axis)};
  const auto set = [&](const auto& stops) {
    limits.lower = stops.lower.value_or(limits.lower);
    limits.upper = stops.upper.value_or(limits.upper);
  };
  if (const auto* joint = std::get_if<JointId>(&axis)) set(model.joint(*joint));
  if (const auto* tendon = std::get_if<TendonId>(&axis)) set(model.tendon(*tendon));
  signals.set_limits(command, std::move(limits));
}

void BuildContext::drives(Slot command, const Axis& axis, double largest) {
  signals.set_limits(command, {.joint = name_of_joint(model, axis), .lower = -largest, .upper = largest});
}

bool BuildContext::claim_joint(JointId id) {
  const JointModel& joint = model.joint(id);
  if (joint.detachable) {
    error_at("joint", "joint '{}' is detachable; a drive needs one that is not", joint.name);
    return false;
  }
  for (const CouplingModel& coupling : model.couplings) {
    if (coupling.joint != id) continue;
    error_at("joint", "joint '{}' follows joint '{}'; drive that one", joint.name,
             model.joint(coupling.follows).name);
    return false;
  }
  LOCKSTEP_CHECK(services.drives != nullptr);
  const auto [claimed, is_first] = services.drives->emplace(id, name_);
  if (!is_first) error_at("joint", "joint '{}' is driven by '{}' already", joint.name, claimed->second);
  return is_first;
}

std::vector<std::uint8_t> BuildContext::load_file(const std::string& src) const {
  return services.assets.load(src, place_of("src"), subject());
}

std::optional<std::filesystem::path> BuildContext::claim_output(const std::string& given) {
  const std::string name = normal_path(given);
  if (!stays_below(name) || name.ends_with('/')) {
    error_at("file", "file '{}' is not a file name below the output folder", shown_text(given));
    return std::nullopt;
  }
  if (!services.outputs.taken.insert(name).second) {
    error_at("file", "file '{}' is written by another observer already", shown_text(given));
    return std::nullopt;
  }
  const std::filesystem::path path = services.outputs.folder.value_or(".") / name;
  std::error_code error;
  if (std::filesystem::equivalent(path, element_->place.file, error)) {
    error_at("file", "file '{}' is the scenario itself", shown_text(given));
    return std::nullopt;
  }
  return path;
}

bool BuildContext::require_one(const std::string& a, const char* name_a, const std::string& b,
                               const char* name_b) {
  if (a.empty() != b.empty()) return true;
  if (a.empty()) {
    error_at("", "needs a '{}' or a '{}'", name_a, name_b);
  } else {
    error_at("", "has both '{}' and '{}'; expected one of them", name_a, name_b);
  }
  return false;
}

bool BuildContext::require_units(std::initializer_list<std::pair<const char*, const char*>> wanted) {
  bool fits = true;
  for (const auto& [attribute, unit] : wanted) fits = require_unit(attribute, unit) && fits;
  return fits;
}

bool BuildContext::require_unit(const Element& element, std::string_view attribute, std::string_view unit) {
  const Attribute* found = element.find_attribute(attribute);
  if (found == nullptr) return true;
  const Result<std::vector<double>> parsed = parse_numbers(found->value, unit);
  if (parsed) return true;
  diagnostics.error(found->place, "{}: {}: {}", subject(), attribute, parsed.error());
  return false;
}

bool BuildContext::require_unit_in(const Element& child, std::string_view attribute, const SignalInfo& signal) {
  const Attribute* found = child.find_attribute(attribute);
  if (found == nullptr) return true;
  const Result<std::vector<double>> parsed = parse_numbers(found->value, signal.unit);
  if (parsed) return true;
  error_in(child, attribute, "{} of '{}': {}", attribute, signal.name, parsed.error());
  return false;
}

}  // namespace lockstep
