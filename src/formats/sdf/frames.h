#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/sdf/values.h"
#include "lockstep/math.h"

namespace lockstep {

/// The frames of a model or world: its links, joints, frames and nested models, each with a pose relative to another.
/// Frames of nested models are "model::name".
class SdfScope {
 public:
  /// `prefix` is that of names in the outermost model: "" or "hand::finger::".
  SdfScope(const Element& element, std::string prefix, SdfValues& values, int depth = 0);

  /// Pose of a frame in that of the model or world. Throws UserError at `place` if there is no such frame, or if its
  /// pose depends on itself.
  Pose pose_of(const std::string& name, const Place& place, int depth = 0);
  /// The same of a child element, whose name may also be that of another one.
  Pose pose_of(const Element& child);
  /// The link that a frame is attached to, with its prefix; empty for the world.
  std::string link_of(const std::string& name, const Place& place, int depth = 0);

  const Element& element() const { return element_; }
  const std::string& prefix() const { return prefix_; }
  SdfScope& model(const std::string& name) { return *models_.at(name); }

 private:
  struct Entry {
    const Element* element = nullptr;
    Pose raw;
    std::string relative_to;  // "__model__" is this scope
    std::string attached_to;  // of joints and frames
    bool is_in_use = false;
    std::optional<Pose> pose;
  };
  static std::string key_of(const Element& element);
  void add(const Element& child, SdfValues& values, int depth);
  /// The entry, and the rest of the path in a nested model.
  std::pair<Entry*, std::string> find(const std::string& name, const Place& place);

  const Element& element_;
  std::string prefix_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::unique_ptr<SdfScope>> models_;
  std::string first_link_;
};

}  // namespace lockstep
