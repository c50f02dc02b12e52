#include "formats/shapes/import.h"

#include <algorithm>
#include <map>

#include "base/overloaded.h"
#include "formats/common/link_mass.h"
#include "formats/common/names.h"
#include "geometry/assembly_reader.h"
#include "geometry/fit_cache.h"
#include "geometry/mass.h"
#include "geometry/mesh_topology.h"
#include "geometry/repair.h"
#include "geometry/shape_format.h"
#include "geometry/stl_writer.h"
#include "scenario/write.h"

namespace lockstep {

namespace {

constexpr double kNoScale = 1.0;                                   // STL in metres, as in a scenario
constexpr double kLightestSolid = 10.0, kDensestSolid = 22'600.0;  // kg/m^3: foam, osmium

class ShapesImporter {
 public:
  ShapesImporter(Assembly assembly, const ImportSource& source)
      : assembly_(std::move(assembly)),
        source_(source),
        shapes_(assembly_.shapes.size()),
        cache_(source.options.cache) {}

  Imported run() {
    const ImportNotes& notes = assembly_.notes;
    report_ = {notes.read, notes.assumed, notes.lost, notes.suspicious, {}};
    const std::string stem = std::filesystem::path(source_.name).stem().string(), name = made_name(stem);
    if (name != stem) renamed_[stem] = name;
    scenario_.name = name;
    scenario_.description = "Imported from a file of shapes.";
    Robot& robot = scenario_.robots.emplace_back();
    robot.name = name;
    Link& link = robot.links.emplace_back();
    link.name = "body";
    if (source_.options.has_free_base) {
      link.joint.emplace().type = JointType::kFree;
      link.joint->name = "base";
    }
    for (std::size_t i = 0; i < assembly_.parts.size(); ++i) {
      if (assembly_.parts[i].shape >= 0)
        add_part(link, assembly_.parts[i], calc_pose(assembly_, static_cast<int>(i)));
    }
    add_mass(link);
    if (far_off_ > 0) {
      report_.suspicious.push_back(fmt::format(
          "the collision shapes of {} parts are off by more than a tenth of their size, of '{}' by {:.3g} mm",
          far_off_, farthest_off_.second, 1e3 * farthest_off_.first));
    }
    for (const auto& [label, made] : renamed_)
      report_.assumed.push_back(
          fmt::format("'{}' is named '{}': names are letters, digits, _ - .", label, made));
    scenario_.grounds.emplace_back().height = lowest_;
    report_.assumed.push_back(
        "the assembly is one rigid link; `lockstep design` adds joints between its parts");
    return {write_scenario_element(scenario_, Defaults::kOmit), std::move(report_), std::move(files_)};
  }

 private:
  /// Mesh and collision shapes of a shape, made on first use.
  struct Made {
    std::string src;                                     ///< of its mesh; empty until made
    std::vector<std::pair<std::string, Color>> colored;  ///< meshes of its colours, if it has several
    std::vector<Shape> collision;
  };

  const Made& made(int index) {
    Made& made = shapes_[static_cast<std::size_t>(index)];
    if (!made.src.empty()) return made;
    const PartShape& shape = assembly_.shapes[static_cast<std::size_t>(index)];
    const std::string& label = label_of(index);
    for (const ColoredMesh& each : shape.colored)
      made.colored.emplace_back(keep(label + "-color", each.mesh), each.color);
    made.src = made.colored.empty() ? keep(label, shape.mesh) : made.colored.front().first;
    for (const FittedShape& each : collision_shapes(shape.mesh, label)) {
      Shape& collision = made.collision.emplace_back();
      collision.pose = each.pose;
      collision.visible = false;
      collision.geometry = std::visit(
          Overloaded{[&](const Mesh& hull) -> Geometry { return MeshFile{.src = keep(label + "-hull", hull)}; },
                     [](const auto& primitive) -> Geometry { return primitive; }},
          each.geometry);
    }
    return made;
  }

  std::vector<FittedShape> collision_shapes(const Mesh& mesh, const std::string& label) {
    if (source_.options.collision == CollisionShapes::kNone) return {};
    if (source_.options.progress) {
      source_.options.progress(
          fmt::format("collision shapes {} of {}: '{}'", ++fitted_, assembly_.shapes.size(), label));
    }
    FitOptions options;
    options.max_shapes = shapes_per_part();
    Fit fit;
    switch (source_.options.collision) {
      case CollisionShapes::kHull:
        fit = make_fit(mesh, {fit_hull(mesh)});
        break;
      case CollisionShapes::kBox:
        fit = make_fit(mesh, {fit_box(mesh)});
        break;
      default:
        fit = cache_.choose(mesh, options);
    }
    report_.read.push_back(fmt::format("'{}' collides as {}", label, fit.text));
    // Twice the bound, which thin or hollow parts miss even with many shapes.
    constexpr double kFarOff = 2.0;
    if (source_.options.collision == CollisionShapes::kFitted &&
        fit.error.largest > kFarOff * options.max_error * calc_size(mesh)) {
      ++far_off_;
      if (fit.error.largest > farthest_off_.first) farthest_off_ = {fit.error.largest, label};
    }
    return std::move(fit.shapes);
  }

  /// Name of the first part with this shape.
  const std::string& label_of(int shape) const {
    return std::find_if(assembly_.parts.begin(), assembly_.parts.end(),
                        [&](const Part& part) { return part.shape == shape; })
        ->label;
  }

  /// Fewer shapes per part if there are many parts: collision cost grows with their number.
  std::size_t shapes_per_part() const {
    constexpr std::size_t kInAll = 64, kMax = 8;
    const auto parts = static_cast<std::size_t>(std::count_if(
        assembly_.parts.begin(), assembly_.parts.end(), [](const Part& part) { return part.shape >= 0; }));
    return std::clamp<std::size_t>(kInAll / parts, 1, kMax);
  }

  std::string keep(const std::string& label, const Mesh& mesh) {
    const std::string name = names_.make(label);
    if (made_name(label) != label) renamed_[label] = name;
    std::string path = source_.asset_folder + "/" + name + ".stl";
    files_.push_back({path, write_stl(mesh, kNoScale, label)});
    return path;
  }

  void add_part(Link& link, const Part& part, const Pose& pose) {
    const Made& shape = made(part.shape);
    const auto show = [&](const std::string& src, const std::optional<Color>& color) {
      Shape& seen = link.shapes.emplace_back();
      seen.geometry = MeshFile{.src = src};
      seen.pose = pose;
      seen.collide = false;
      seen.color = color;
    };
    if (shape.colored.empty()) show(shape.src, part.color);
    for (const auto& [src, color] : shape.colored) show(src, color);
    for (Shape collision : shape.collision) {
      collision.pose = pose * collision.pose;
      link.shapes.push_back(std::move(collision));
    }
    const PartShape& geometry = assembly_.shapes[static_cast<std::size_t>(part.shape)];
    for (const Vec3& vertex : geometry.mesh.vertices) lowest_ = std::min(lowest_, (pose * vertex).z());
    const std::optional<MassProperties> found = find_unit_mass(geometry, part);
    if (!found) {
      ++without_mass_;
      return;
    }
    MassProperties body = *found;
    if (!part.density) ++without_density_;
    const double density = part.density.value_or(source_.options.density);
    if (density < kLightestSolid || density > kDensestSolid) ++with_odd_density_[density];
    body.mass *= density;
    body.inertia *= density;
    mass_ = combined(mass_, transformed(body, pose));
  }

  /// Mass properties of a part at density 1. Holes of an open mesh are closed; an open shell of a STEP file is meant
  /// to be a surface, because the format has solids.
  std::optional<MassProperties> find_unit_mass(const PartShape& shape, const Part& part) {
    if (shape.exact) return shape.exact;
    if (shape.is_closed) return unit_mass(shape.mesh);
    if (find_shape_format(source_.bytes, source_.name) == ShapeFormat::kStep) return std::nullopt;
    const auto closed = close_mesh(shape.mesh);
    if (!closed) return std::nullopt;
    report_.assumed.push_back(
        fmt::format("'{}': its mass is that of its open mesh with {} holes closed", part.label, closed->holes));
    return unit_mass(closed->mesh);
  }

  void add_mass(Link& link) {
    if (without_density_ > 0) {
      report_.assumed.push_back(
          fmt::format("{} parts have the default density {} kg/m^3; set it with --density", without_density_,
                      source_.options.density));
    }
    if (without_mass_ > 0) {
      report_.suspicious.push_back(
          fmt::format("{} parts enclose no volume and do not contribute to the mass", without_mass_));
    }
    for (const auto& [density, parts] : with_odd_density_) {
      report_.suspicious.push_back(
          fmt::format("{} parts have a density of {:.4g} kg/m^3; no solid material has", parts, density));
    }
    if (mass_.mass == 0.0 && source_.options.has_free_base)
      throw_user_error({source_.name},
                       "no part encloses a volume, so the link has no mass and cannot move freely");
    if (mass_.mass == 0.0) return;
    link.inertial = to_inertial(mass_);
    report_.read.push_back(fmt::format("mass {:.6g} kg, centre {:.6g} {:.6g} {:.6g} m", mass_.mass,
                                       mass_.center.x(), mass_.center.y(), mass_.center.z()));
  }

  Assembly assembly_;
  const ImportSource& source_;
  std::vector<Made> shapes_;
  FitCache cache_;
  std::size_t fitted_ = 0;   // shapes with collision shapes so far
  std::size_t far_off_ = 0;  // shapes with bad collision shapes, and the worst of them: m, label
  std::pair<double, std::string> farthest_off_;
  Scenario scenario_;
  FormatReport report_;
  std::vector<ExportedFile> files_;
  Names names_;
  std::map<std::string, std::string> renamed_;  // names that a scenario cannot have, and what they became
  MassProperties mass_;
  double lowest_ = 0.0;  // z, m
  std::size_t without_density_ = 0, without_mass_ = 0;
  std::map<double, std::size_t> with_odd_density_;  // number of parts by density
};

}  // namespace

bool is_shapes(const ImportSource& source) {
  return find_shape_format(source.bytes, source.name).has_value();
}

Imported import_shapes(const ImportSource& source) {
  ReadOptions options;
  options.unit_length = source.unit_length;
  if (source.options.progress) source.options.progress("reading the shapes");
  Assembly assembly = read_assembly(source.bytes, source.name, source.path.parent_path(), options);
  return ShapesImporter(std::move(assembly), source).run();
}

}  // namespace lockstep
