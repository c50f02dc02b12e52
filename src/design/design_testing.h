#pragma once

#include <string>
#include <string_view>

#include "design/script.h"
#include "geometry/mass.h"
#include "geometry/tessellate.h"
#include "scenario/scenario_testing.h"

/// Small assemblies for the tests of this folder.
namespace lockstep {

/// Adds parts one by one. All shapes are closed meshes without exact solids, like those of an OBJ file.
class SmallAssembly {
 public:
  int add_group(std::string label, int parent = -1) { return add(std::move(label), parent, {}, -1); }

  int add_box(std::string label, const Vec3& size, const Vec3& center, int parent = -1) {
    return add_mesh(std::move(label), tessellated(Box{size}), {center, Quat::Identity()}, parent);
  }

  /// A wheel about y with the cylinder feature of a CAD file.
  int add_wheel(std::string label, double radius, const Vec3& center, int parent = -1) {
    const int part = add_mesh(std::move(label), tessellated(Cylinder{radius, 0.02}, 1e-4),
                              {center, rotation_between(Vec3::UnitZ(), Vec3::UnitY())}, parent);
    assembly.shapes.back().features = {{FeatureKind::kCylinder, Vec3::Zero(), Vec3::UnitZ(), radius, 0.02}};
    return part;
  }

  int add_mesh(std::string label, const Mesh& mesh, const Pose& pose, int parent = -1) {
    assembly.shapes.push_back({.mesh = mesh, .exact = {}, .is_closed = true, .features = {}});
    return add(std::move(label), parent, pose, static_cast<int>(assembly.shapes.size()) - 1);
  }

  Assembly assembly;

 private:
  int add(std::string label, int parent, const Pose& pose, int shape) {
    const std::string name =
        parent < 0 ? label : assembly.parts[static_cast<std::size_t>(parent)].name + "/" + label;
    assembly.parts.push_back(
        {.name = name, .label = std::move(label), .parent = parent, .pose = pose, .shape = shape});
    return static_cast<int>(assembly.parts.size()) - 1;
  }
};

/// Three boxes along x, 1 m each, and a small one at the end.
inline Assembly make_bars() {
  SmallAssembly made;
  const int arm = made.add_group("arm");
  made.add_box("bar1", {1.0, 0.1, 0.1}, {0.5, 0.0, 0.0}, arm);
  made.add_box("bar2", {1.0, 0.1, 0.1}, {1.5, 0.0, 0.0}, arm);
  made.add_box("bar3", {1.0, 0.1, 0.1}, {2.5, 0.0, 0.0}, arm);
  made.add_box("knob", {0.1, 0.1, 0.1}, {2.5, 0.0, 0.1}, arm);
  return made.assembly;
}

inline OperationContext without_files() {
  return {.read_file = [](const std::string& src, const Place& place) -> std::string {
    throw_user_error(place, "there is no file '{}'", src);
  }};
}

inline DesignScript script_of(std::string_view operations) {
  return read_script(document_of(fmt::format("<design robot='arm'>{}</design>", operations)));
}

/// The design after these operations, as XML, on an assembly.
inline Design design_of(std::string_view operations, Assembly assembly = make_bars()) {
  return run_script(script_of(operations), std::move(assembly), without_files());
}

inline std::string design_error(std::string_view operations, Assembly assembly = make_bars()) {
  return error_of([&] { design_of(operations, std::move(assembly)); });
}

inline constexpr std::string_view kTwoLinks =
    "<make_link name='base' parts='bar1'/>"
    "<make_link name='upper' parent='base' parts='bar2'>"
    "<joint name='elbow' axis='0 1 0' position='1 0 0'/></make_link>";

}  // namespace lockstep
