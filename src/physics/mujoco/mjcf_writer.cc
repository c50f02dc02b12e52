#include "physics/mujoco/mjcf_writer.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/overloaded.h"
#include "model/kinematics.h"
#include "physics/initial_state.h"
#include "physics/mujoco/collision_groups.h"

namespace lockstep {
namespace {

/// Largest pull of a rope, N; MuJoCo needs a bound.
constexpr double kMaxPull = 1e9;
/// An open end of a joint's range, rad or m.
constexpr double kOpenEnd = 1e9;
/// Nesting depth of bodies in one file; MuJoCo's XML reader stops at 100 elements.
constexpr int kMaxNesting = 80;
/// Thickness of a heightmap below its lowest point, as a fraction of its smaller extent.
constexpr double kBaseOfExtent = 0.1;

std::string numbers(std::span<const double> values) {
  std::string text;
  for (const double value : values) {
    if (!std::isfinite(value)) throw_user_error({}, "engine: the model has a number that is not finite");
    if (!text.empty()) text += ' ';
    fmt::format_to(std::back_inserter(text), "{}", value);
  }
  return text;
}
std::string numbers(std::initializer_list<double> values) {
  return numbers(std::span(values.begin(), values.size()));
}
std::string numbers(const Vec3& v) {
  return numbers({v.x(), v.y(), v.z()});
}

std::string pose(const Pose& X) {
  return fmt::format("pos=\"{}\" quat=\"{}\"", numbers(X.p), numbers({X.q.w(), X.q.x(), X.q.y(), X.q.z()}));
}

/// Thin plates and rods have A + B = C, where rounding of the given digits may leave A + B < C. MuJoCo rejects that,
/// so the same small value is added to all moments.
Mat3 with_exact_inequality(const Mat3& inertia) {
  constexpr double kGivenDigits = 2e-5;   // of C, at most; more is a mistake and stays
  constexpr double kDiagonalise = 1e-11;  // of C, the precision of MuJoCo's principal moments
  const bool is_diagonal = inertia(0, 1) == 0.0 && inertia(0, 2) == 0.0 && inertia(1, 2) == 0.0;
  Vec3 moments = inertia.diagonal();
  if (!is_diagonal)
    moments = Eigen::SelfAdjointEigenSolver<Mat3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  const double largest = moments.maxCoeff();
  const double missing = 2.0 * largest - moments.sum();
  if (missing <= (is_diagonal ? 0.0 : -kDiagonalise * largest) || missing > kGivenDigits * largest)
    return inertia;
  return inertia + (missing + 10.0 * kDiagonalise * largest) * Mat3::Identity();
}

std::string body_name(BodyId id) {
  return id == kWorldBody ? "world" : fmt::format("b{}", index(id));
}

class MjcfWriter {
 public:
  MjcfWriter(const Model& model, const MujocoModelOptions& options, const ContactRules& rules,
             const Closures& closures, const TreeLayout& layout, const std::vector<CollisionShape>& shapes,
             const SolverCapacity& capacity)
      : model_(model),
        options_(options),
        rules_(rules),
        closures_(closures),
        layout_(layout),
        collision_shapes_(shapes),
        capacity_(capacity),
        groups_(make_collision_groups(model)) {}

  std::vector<MjcfFile> write() {
    sort_by_body();
    add("<mujoco>\n");
    write_options();
    write_assets();
    add("<worldbody>\n");
    write_inside_of(kWorldBody);
    add("</worldbody>\n");
    write_excluded_pairs();
    write_closures();
    write_springs();
    add("</mujoco>\n");
    files_.push_back({"model.xml", std::move(text_)});
    return std::move(files_);
  }

 private:
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  /// Children, shapes and sites of every body.
  void sort_by_body() {
    children_.resize(model_.bodies.size());
    shapes_.resize(model_.bodies.size());
    sites_.resize(model_.bodies.size());
    for (std::size_t i = 1; i < model_.bodies.size(); ++i)
      children_[index(layout_.nodes[i].parent)].push_back(i);
    for (std::size_t i = 0; i < collision_shapes_.size(); ++i)
      shapes_[index(model_.shapes[index(collision_shapes_[i].shape)].body)].push_back(i);
    // MuJoCo needs only the sites of springs.
    std::vector<bool> held(model_.sites.size(), false);
    for (const SpringModel& spring : model_.springs) held[index(spring.a)] = held[index(spring.b)] = true;
    for (std::size_t i = 0; i < model_.sites.size(); ++i) {
      if (held[i]) sites_[index(model_.sites[i].body)].push_back(i);
    }
  }

  void write_options() {
    const EngineOptions& options = model_.engine;
    const char* integrator = options.integrator == Integrator::kRk4        ? "RK4"
                             : options.integrator == Integrator::kImplicit ? "implicit"
                                                                           : "Euler";
    const char* solver = options_.all.solver == Solver::kCg    ? "CG"
                         : options_.all.solver == Solver::kPgs ? "PGS"
                                                               : "Newton";
    const char* cone = options_.all.cone == FrictionCone::kPyramidal ? "pyramidal" : "elliptic";
    add("<compiler angle=\"radian\" coordinate=\"local\" autolimits=\"true\" inertiafromgeom=\"false\" "
        "exactmeshinertia=\"true\" boundmass=\"0\" boundinertia=\"0\"/>\n");
    add("<size njmax=\"{}\" nconmax=\"{}\" nstack=\"{}\"/>\n", capacity_.rows, capacity_.contacts,
        capacity_.stack);
    add("<option timestep=\"{}\" gravity=\"{}\" integrator=\"{}\" solver=\"{}\" cone=\"{}\" iterations=\"{}\" "
        "tolerance=\"{}\" impratio=\"{}\"/>\n",
        to_seconds(model_.step), numbers(model_.gravity), integrator, solver, cone, options.iterations,
        options.tolerance, options_.all.friction_impedance_ratio);
  }

  /// solref… and solimp… of everything that is not a contact.
  std::string constraint(const char* what, const Firmness& firmness,
                         const std::optional<Vec3>& impedance) const {
    const EngineOptions& options = model_.engine;
    const double fallback = options.constraint_time_constant.value_or(2.0 * to_seconds(model_.step));
    const std::vector<double>& i = options_.all.constraint_impedance;
    return fmt::format("solref{0}=\"{1}\" solimp{0}=\"{2} 0.5 2\"", what,
                       numbers({firmness.time_constant.value_or(fallback),
                                firmness.damping_ratio.value_or(options.constraint_damping_ratio)}),
                       numbers(impedance.value_or(Vec3(i[0], i[1], i[2]))));
  }

  void write_assets() {
    add("<asset>\n");
    for (const std::size_t i : find_used_meshes(model_)) add("<mesh name=\"m{0}\" file=\"m{0}.msh\"/>\n", i);
    for (const ShapeModel& shape : model_.shapes) {
      const auto* geometry = std::get_if<HeightmapGeometry>(&shape.geometry);
      if (!geometry || !shape.collide) continue;
      const Heightmap& map = model_.heightmaps[index(geometry->heightmap)];
      const Vec3& size = geometry->size;
      add("<hfield name=\"h{}\" nrow=\"{}\" ncol=\"{}\" size=\"{}\"/>\n", &shape - model_.shapes.data(),
          map.rows, map.columns,
          numbers({size.x() / 2.0, size.y() / 2.0, size.z(), kBaseOfExtent * std::min(size.x(), size.y())}));
    }
    add("</asset>\n");
  }

  void write_inside_of(BodyId id) {
    for (const std::size_t shape : shapes_[index(id)]) write_shape(collision_shapes_[shape]);
    for (const std::size_t site : sites_[index(id)]) {
      add("<site name=\"s{}\" {}/>\n", site, pose(model_.sites[site].X_BS));
    }
    if (children_[index(id)].empty()) return;
    if (++depth_ % kMaxNesting != 0) {
      write_children(id);
    } else {
      // Deeper bodies go into a separate file, which is included here.
      const std::string file = fmt::format("b{}.xml", index(id));
      std::string around = std::exchange(text_, "<mujocoinclude>\n");
      write_children(id);
      add("</mujocoinclude>\n");
      files_.push_back({file, std::exchange(text_, std::move(around))});
      add("<include file=\"{}\"/>\n", file);
    }
    --depth_;
  }

  void write_children(BodyId id) {
    for (const std::size_t child : children_[index(id)]) write_body(BodyId{static_cast<int>(child)});
  }

  void write_body(BodyId id) {
    const TreeNode& node = layout_.nodes[index(id)];
    add("<body name=\"b{}\" {}>\n", index(id), pose(node.X_PB));
    if (node.floats) {
      add("<joint name=\"j{}\" type=\"free\"/>\n", index(*node.joint));
    } else if (node.joint) {
      write_joint(node);
    }
    const BodyModel& body = model_.body(id);
    if (body.mass.mass > 0.0) write_mass(body.mass);
    // MuJoCo does not accept zero here; compile() sets it.
    if (body.massless) write_mass({1.0, Vec3::Zero(), Mat3::Identity()});
    write_inside_of(id);
    add("</body>\n");
  }

  void write_mass(const MassProperties& mass) {
    const Mat3 I = with_exact_inequality(mass.inertia);
    // A special case because MuJoCo diagonalises a full matrix, which causes rounding.
    const bool diagonal = I(0, 1) == 0.0 && I(0, 2) == 0.0 && I(1, 2) == 0.0;
    add("<inertial pos=\"{}\" mass=\"{}\" ", numbers(mass.center), numbers({mass.mass}));
    if (diagonal) {
      add("diaginertia=\"{}\"/>\n", numbers({I(0, 0), I(1, 1), I(2, 2)}));
    } else {
      add("fullinertia=\"{}\"/>\n", numbers({I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)}));
    }
  }

  void write_joint(const TreeNode& node) {
    const JointId id = *node.joint;
    const JointModel& joint = model_.joint(id);
    // The position of a reversed joint is that of its child in the model; seen from the child, the parent turns
    // the other way.
    const Pose X_PB = node.is_reversed ? node.X_PB.inverse() : Pose{};
    const Vec3 position = node.is_reversed ? X_PB * joint.position : joint.position;
    const Vec3 axis = node.is_reversed ? Vec3(-(X_PB.q * joint.axis)) : joint.axis;
    const char* type = "hinge";
    switch (joint.type) {
      case JointType::kFixed:
        return;
      case JointType::kHinge:
        break;
      case JointType::kSlide:
        type = "slide";
        break;
      case JointType::kBall:
        type = "ball";
        break;
      case JointType::kFree:
        type = "free";
        break;
    }
    add("<joint name=\"j{}\" type=\"{}\"", index(id), type);
    if (joint.type != JointType::kFree) add(" pos=\"{}\"", numbers(position));
    if (joint.type == JointType::kHinge || joint.type == JointType::kSlide) add(" axis=\"{}\"", numbers(axis));
    if (joint.type == JointType::kBall && joint.upper) {
      add(" range=\"{}\"", numbers({0.0, *joint.upper}));
    } else if ((joint.lower || joint.upper) && !joint.driven) {
      add(" range=\"{}\"", numbers({joint.lower.value_or(-kOpenEnd), joint.upper.value_or(kOpenEnd)}));
    }
    add(" damping=\"{}\" frictionloss=\"{}\" armature=\"{}\"", numbers({joint.damping}),
        numbers({joint.friction}), numbers({joint.armature}));
    if (joint.stiffness != 0.0)
      add(" stiffness=\"{}\" springref=\"{}\"", numbers({joint.stiffness}), numbers({joint.rest}));
    const std::optional<Vec3>& impedance = options_.joints[index(id)].impedance;
    add(" {} {}/>\n", constraint("limit", joint.firmness, impedance),
        constraint("friction", joint.firmness, impedance));
  }

  void write_shape(const CollisionShape& collision_shape) {
    const std::size_t i = index(collision_shape.shape);
    const ShapeModel& shape = model_.shapes[i];
    const ContactRule& rule = rules_.rule(shape.material, shape.material);
    const std::string geometry = std::visit(
        Overloaded{
            [](const PlaneGeometry&) { return std::string("type=\"plane\" size=\"0 0 1\""); },
            [](const Box& box) {
              return fmt::format("type=\"box\" size=\"{}\"", numbers(Vec3(box.size / 2.0)));
            },
            [](const Sphere& sphere) {
              return fmt::format("type=\"sphere\" size=\"{}\"", numbers({sphere.radius}));
            },
            [](const Capsule& c) {
              return fmt::format("type=\"capsule\" size=\"{}\"", numbers({c.radius, c.length / 2.0}));
            },
            [](const Cylinder& c) {
              return fmt::format("type=\"cylinder\" size=\"{}\"", numbers({c.radius, c.length / 2.0}));
            },
            [](const MeshGeometry& mesh) {
              return fmt::format("type=\"mesh\" mesh=\"m{}\"", index(mesh.mesh));
            },
            [i](const HeightmapGeometry&) { return fmt::format("type=\"hfield\" hfield=\"h{}\"", i); },
        },
        collision_shape.geometry);
    const std::size_t group = groups_.group_of_material[index(shape.material)];
    add("<geom name=\"g{}\" {} {} contype=\"{}\" conaffinity=\"{}\" condim=\"{}\" friction=\"{}\" "
        "solref=\"{}\" "
        "solimp=\"{}\" margin=\"{}\"/>\n",
        i, geometry, pose(collision_shape.X_BS), 1u << group, groups_.touched[group], rule.dimension,
        numbers({rule.friction[0], rule.friction[2], rule.friction[3]}), numbers(rule.solref),
        numbers(rule.solimp), numbers({rules_.calc_margin(shape.material)}));
  }

  /// The first of the bodies that are welded together with this one.
  BodyId find_weld_root(BodyId id) const {
    while (id != kWorldBody && is_welded(model_, model_.body(id))) id = model_.body(id).parent;
    return id;
  }

  /// Adds every pair of a body that is welded to `a` and one that is welded to `b`.
  void add_rigid_pairs(BodyId a, BodyId b, std::vector<std::pair<BodyId, BodyId>>& pairs) const {
    std::vector<BodyId> with_a, with_b;
    const BodyId root_a = find_weld_root(a), root_b = find_weld_root(b);
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      const BodyId body{static_cast<int>(i)}, root = find_weld_root(body);
      if (root == root_a) with_a.push_back(body);
      if (root == root_b) with_b.push_back(body);
    }
    for (const BodyId first : with_a) {
      for (const BodyId second : with_b) pairs.emplace_back(first, second);
    }
  }

  void write_excluded_pairs() {
    std::vector<std::pair<BodyId, BodyId>> pairs = model_.excluded;
    // MuJoCo itself excludes contacts between parent and child, except with a static parent, but it does not see
    // that massless bodies are only frames.
    const std::vector<bool> moves = find_moving_bodies(model_);
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      const BodyModel& body = model_.bodies[i];
      if (is_welded(model_, body) || is_detachable(model_, body) || body.massless) continue;
      const BodyId child{static_cast<int>(i)};
      BodyId parent = body.parent;
      while (model_.body(parent).massless) parent = model_.body(parent).parent;
      if (moves[index(parent)]) {
        if (parent != body.parent) add_rigid_pairs(parent, child, pairs);
        continue;
      }
      if (options_.all.static_parents_collide) continue;
      for (; parent != kWorldBody; parent = model_.body(parent).parent) pairs.emplace_back(parent, child);
    }
    // No force could separate bodies that drives move from each other, or from fixed ones.
    const std::vector<bool> follows = find_driven_bodies(model_);
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      for (std::size_t j = 0; follows[i] && j < model_.bodies.size(); ++j) {
        if (j != i && (follows[j] || !moves[j]))
          pairs.emplace_back(BodyId{static_cast<int>(i)}, BodyId{static_cast<int>(j)});
      }
    }
    for (auto& [a, b] : pairs) {
      if (a > b) std::swap(a, b);
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    add("<contact>\n");
    for (const auto& [a, b] : pairs) add("<exclude body1=\"{}\" body2=\"{}\"/>\n", body_name(a), body_name(b));
    add("</contact>\n");
  }

  void write_closures() {
    add("<equality>\n");
    for (std::size_t i = 0; i < closures_.all.size(); ++i) {
      const Closure& closure = closures_.all[i];
      const bool frame = closure.kind == ClosureKind::kFrame;
      add("<{} name=\"e{}\" body1=\"{}\" body2=\"{}\" {}{}/>\n", frame ? "weld" : "connect", i,
          body_name(closure.a), body_name(closure.b), frame ? "" : "anchor=\"0 0 0\" ",
          constraint("", closure.firmness, closure.impedance));
    }
    for (std::size_t i = 0; i < model_.couplings.size(); ++i) {
      const CouplingModel& coupling = model_.couplings[i];
      add("<joint name=\"c{}\" joint1=\"j{}\" joint2=\"j{}\" polycoef=\"{} 0 0 0\" {}/>\n", i,
          index(coupling.joint), index(coupling.follows), numbers({coupling.offset, coupling.ratio}),
          constraint("", coupling.firmness, options_.coupling_impedance[i]));
    }
    for (std::size_t i = 0; i < model_.tendons.size(); ++i) {
      const TendonModel& tendon = model_.tendons[i];
      if (!tendon.held) continue;
      add("<tendon name=\"h{0}\" tendon1=\"f{0}\" polycoef=\"{1} 0 0 0 0\" {2}/>\n", i, numbers({*tendon.held}),
          constraint("", tendon.firmness, options_.tendon_impedance[i]));
    }
    add("</equality>\n");
  }

  void write_tendon(std::size_t i) {
    const TendonModel& tendon = model_.tendons[i];
    add("<fixed name=\"f{}\" damping=\"{}\" stiffness=\"{}\" springlength=\"{}\"", i, numbers({tendon.damping}),
        numbers({tendon.stiffness}), numbers({tendon.rest}));
    if (tendon.lower) add(" range=\"{}\"", numbers({*tendon.lower, *tendon.upper}));
    add(" {}>\n", constraint("limit", tendon.firmness, options_.tendon_impedance[i]));
    for (const TendonModel::Pulley& pulley : tendon.pulleys)
      add("<joint joint=\"j{}\" coef=\"{}\"/>\n", index(pulley.joint), numbers({pulley.ratio}));
    add("</fixed>\n");
  }

  void write_springs() {
    add("<tendon>\n");
    for (std::size_t i = 0; i < model_.springs.size(); ++i) {
      const SpringModel& spring = model_.springs[i];
      add("<spatial name=\"t{}\"", i);
      if (!spring.only_pulls) {
        add(" stiffness=\"{}\" damping=\"{}\" springlength=\"{}\"", numbers({spring.stiffness}),
            numbers({spring.damping}), numbers({spring.length}));
      }
      add("><site site=\"s{}\"/><site site=\"s{}\"/></spatial>\n", index(spring.a), index(spring.b));
    }
    for (std::size_t i = 0; i < model_.tendons.size(); ++i) write_tendon(i);
    add("</tendon>\n<actuator>\n");
    // A tendon spring would push; an actuator with an upper force bound of zero does not.
    for (std::size_t i = 0; i < model_.springs.size(); ++i) {
      const SpringModel& rope = model_.springs[i];
      if (!rope.only_pulls) continue;
      add("<general name=\"a{0}\" tendon=\"t{0}\" gaintype=\"fixed\" gainprm=\"0\" biastype=\"affine\" "
          "biasprm=\"{1}\" "
          "forcerange=\"{2} 0\"/>\n",
          i, numbers({rope.stiffness * rope.length, -rope.stiffness, -rope.damping}), -kMaxPull);
    }
    add("</actuator>\n");
  }

  const Model& model_;
  const MujocoModelOptions& options_;
  const ContactRules& rules_;
  const Closures& closures_;
  const TreeLayout& layout_;
  const std::vector<CollisionShape>& collision_shapes_;
  const SolverCapacity& capacity_;
  CollisionGroups groups_;
  std::string text_;
  std::vector<MjcfFile> files_;
  int depth_ = 0;
  std::vector<std::vector<std::size_t>> children_, shapes_, sites_;
};

}  // namespace

std::vector<std::size_t> find_used_meshes(const Model& model) {
  std::vector<std::size_t> used;
  for (const ShapeModel& shape : model.shapes) {
    const auto* geometry = std::get_if<MeshGeometry>(&shape.geometry);
    if (geometry && shape.collide) used.push_back(index(geometry->mesh));
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

std::vector<MjcfFile> write_mjcf(const Model& model, const MujocoModelOptions& options,
                                 const ContactRules& rules, const Closures& closures, const TreeLayout& layout,
                                 const std::vector<CollisionShape>& shapes, const SolverCapacity& capacity) {
  return MjcfWriter(model, options, rules, closures, layout, shapes, capacity).write();
}

}  // namespace lockstep
