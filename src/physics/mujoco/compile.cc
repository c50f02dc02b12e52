#include "physics/mujoco/compile.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string>

#include "geometry/hull.h"
#include "model/kinematics.h"
#include "physics/initial_state.h"
#include "physics/mujoco/capacity.h"
#include "physics/mujoco/eigen_view.h"
#include "physics/mujoco/load.h"
#include "physics/mujoco/mjcf_writer.h"

namespace lockstep {
namespace {

/// MuJoCo's binary mesh: four counts (vertices, normals, texture coordinates, faces), then the arrays.
std::string write_msh(const Mesh& mesh) {
  std::string bytes;
  const auto append = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  const std::array<int, 4> counts = {static_cast<int>(mesh.vertices.size()), 0, 0,
                                     static_cast<int>(mesh.faces.size())};
  append(counts);
  for (const Vec3& vertex : mesh.vertices) append(Eigen::Vector3f(vertex.cast<float>()));
  for (const auto& face : mesh.faces) append(face);
  return bytes;
}

/// The number in a name such as "b12".
std::size_t index_in_name(const mjModel& m, mjtObj type, int id) {
  const char* name = mj_id2name(&m, type, id);
  LOCKSTEP_CHECK(name != nullptr && name[0] != '\0');
  std::size_t value = 0;
  std::from_chars(name + 1, name + std::strlen(name), value);
  return value;
}

/// MuJoCo's error, with our name and place for the element that it calls "b12" or "j3".
[[noreturn]] void throw_rejection(const Model& model, std::string message) {
  Place place = model.engine.place;
  std::string subject = "engine";
  constexpr std::string_view kMarker = "name = ";
  if (const std::size_t at = message.find(kMarker); at != std::string::npos) {
    const std::string name =
        message.substr(at + kMarker.size(), message.find_first_of(",\n", at) - at - kMarker.size());
    std::size_t i = 0;
    if (name.size() > 1) std::from_chars(name.data() + 1, name.data() + name.size(), i);
    const auto set = [&](const char* kind, const std::string& full_name, const Place& where) {
      subject = fmt::format("{} '{}'", kind, full_name);
      place = where;
    };
    switch (name.empty() ? '\0' : name[0]) {
      case 'b':
        if (i < model.bodies.size()) set("body", model.bodies[i].name, model.bodies[i].place);
        break;
      case 'j':
        if (i < model.joints.size()) set("joint", model.joints[i].name, model.joints[i].place);
        break;
      case 'g':
        if (i < model.shapes.size()) set("shape", model.shapes[i].name, model.body(model.shapes[i].body).place);
        break;
      case 'm': {
        for (const ShapeModel& shape : model.shapes) {
          const auto* mesh = std::get_if<MeshGeometry>(&shape.geometry);
          if (mesh && index(mesh->mesh) == i) set("mesh of shape", shape.name, model.body(shape.body).place);
        }
        break;
      }
      default:
        break;
    }
    message.resize(std::min(message.find("\nObject"), message.size()));
  }
  if (message.starts_with("Error: ")) message.erase(0, 7);
  throw_user_error(place, "{}: mujoco rejects it: {}", subject, message);
}

/// MuJoCo has no hull of a flat mesh: it collides as a thin plate.
Mesh as_solid(const Mesh& mesh) {
  constexpr std::size_t kCornersOfTetrahedron = 4;
  const bool is_solid = mesh.vertices.size() >= kCornersOfTetrahedron && !is_flat(mesh.vertices);
  return is_solid ? mesh : convex_hull(mesh.vertices);
}

MjModelPtr load(const Model& model, std::vector<MjcfFile> files) {
  for (const std::size_t i : find_used_meshes(model)) {
    files.push_back({fmt::format("m{}.msh", i), write_msh(as_solid(model.meshes[i]))});
  }
  try {
    return load_mjcf(files);
  } catch (const MujocoError& failure) {
    throw_rejection(model, failure.what());
  }
}

void fill_heightmaps(const Model& model, mjModel& m) {
  for (int geom = 0; geom < m.ngeom; ++geom) {
    if (m.geom_type[geom] != mjGEOM_HFIELD) continue;
    const auto& geometry =
        std::get<HeightmapGeometry>(model.shapes[index_in_name(m, mjOBJ_GEOM, geom)].geometry);
    const Heightmap& map = model.heightmaps[index(geometry.heightmap)];
    std::copy(map.heights.begin(), map.heights.end(), m.hfield_data + m.hfield_adr[m.geom_dataid[geom]]);
  }
}

/// MuJoCo takes the frames of closures from its reference configuration, where loops may be open.
void set_closure_frames(const Closures& closures, mjModel& m) {
  for (std::size_t i = 0; i < closures.all.size(); ++i) {
    const Closure& closure = closures.all[i];
    double* data = m.eq_data + mjNEQDATA * i;
    std::fill(data, data + mjNEQDATA, 0.0);
    if (closure.kind == ClosureKind::kPoint) {
      // Anchor in the first body, anchor in the second.
      vec3(data) = closure.X_AE.p;
      vec3(data + 3) = closure.X_BE.p;
    } else {
      // Anchor in the second body, anchor in the first, quaternion of the second in the first, torque scale.
      vec3(data) = closure.X_BE.p;
      vec3(data + 3) = closure.X_AE.p;
      set_quat(data + 6, closure.X_AE.q * closure.X_BE.q.conjugate());
      data[10] = 1.0;
    }
  }
}

/// The ballast of a driven joint as a multiple of what it carries: it moves by less than rounding errors, also under
/// the forces of much heavier bodies.
constexpr double kBallast = 1e13;
/// The least that a joint counts as carrying, kg or kg m^2.
constexpr double kMinCarried = 1e-3;

/// Mass, or moment of inertia about the anchor, of everything that MuJoCo's joint carries.
double calc_carried(const mjModel& m, const mjData& d, int joint) {
  const int carrier = m.jnt_bodyid[joint];
  double carried = 0.0;
  for (int body = carrier; body < m.nbody; ++body) {
    int ancestor = body;
    while (ancestor > carrier) ancestor = m.body_parentid[ancestor];
    if (ancestor != carrier) continue;
    if (m.jnt_type[joint] == mjJNT_SLIDE) {
      carried += m.body_mass[body];
    } else {
      carried += vec3(m.body_inertia + 3 * body).maxCoeff() +
                 m.body_mass[body] * (vec3(d.xipos + 3 * body) - vec3(d.xanchor + 3 * joint)).squaredNorm();
    }
  }
  return std::max(carried, kMinCarried);
}

/// Gives the driven joints their ballast; `d` is in the reference configuration.
void add_ballast(const Model& model, const mjData& d, CompiledModel& compiled) {
  mjModel& m = *compiled.mujoco;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    if (!model.joints[i].driven) continue;
    const int joint = compiled.joints[i];
    const DrivenDof driven{.joint = JointId{static_cast<int>(i)},
                           .dof = m.jnt_dofadr[joint],
                           .coordinate = m.jnt_qposadr[joint],
                           .armature = m.dof_armature[m.jnt_dofadr[joint]],
                           .ballast = kBallast * calc_carried(m, d, joint)};
    m.dof_armature[driven.dof] = driven.armature + driven.ballast;
    compiled.driven.push_back(driven);
  }
}

/// MuJoCo rejects bodies without mass when it reads them, but simulates them exactly if their children have one.
void remove_placeholder_masses(const Model& model, CompiledModel& compiled) {
  mjModel& m = *compiled.mujoco;
  bool has_any = false;
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    if (!model.bodies[i].massless) continue;
    has_any = true;
    const int body = compiled.bodies[i];
    m.body_mass[body] = 0.0;
    vec3(m.body_inertia + 3 * body).setZero();
  }
  if (!has_any) return;
  const MjDataPtr data(mj_makeData(&m));
  mj_setConst(&m, data.get());
}

/// MuJoCo scales constraints by the inverse inertia of the bodies in its reference configuration, where every
/// joint is at zero. This computes it again with the joints at their references and with the ballast of driven
/// joints. It changes the frames of closures.
void scale_constraints(const Model& model, const std::vector<MujocoJointOptions>& options,
                       CompiledModel& compiled) {
  mjModel& m = *compiled.mujoco;
  const auto has_reference = [](const MujocoJointOptions& joint) { return joint.reference != 0.0; };
  const bool any_driven = std::any_of(model.joints.begin(), model.joints.end(),
                                      [](const JointModel& joint) { return joint.driven; });
  if (std::none_of(options.begin(), options.end(), has_reference) && !any_driven) return;
  const std::vector<double> positions(m.body_pos, m.body_pos + 3 * m.nbody);
  const std::vector<double> quaternions(m.body_quat, m.body_quat + 4 * m.nbody);
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    if (!has_reference(options[i])) continue;
    const JointModel& joint = model.joints[i];
    const Pose X = model.body(joint.body).X_PB * joint_motion(joint, {{options[i].reference}});
    const int body = compiled.bodies[index(joint.body)];
    vec3(m.body_pos + 3 * body) = X.p;
    set_quat(m.body_quat + 4 * body, X.q);
  }
  const MjDataPtr data(mj_makeData(&m));
  mj_setConst(&m, data.get());
  if (any_driven) {
    // The tolerance of the solver is relative to the mean inertia, where the ballast does not count.
    const double mean_inertia = m.stat.meaninertia;
    add_ballast(model, *data, compiled);
    mj_setConst(&m, data.get());
    m.stat.meaninertia = mean_inertia;
  }
  std::copy(positions.begin(), positions.end(), m.body_pos);
  std::copy(quaternions.begin(), quaternions.end(), m.body_quat);
}

void map_ids(const Model& model, const std::vector<CollisionShape>& shapes, CompiledModel& compiled) {
  const mjModel& m = *compiled.mujoco;
  compiled.bodies.assign(model.bodies.size(), 0);
  compiled.joints.assign(model.joints.size(), -1);
  compiled.body_ids.assign(static_cast<std::size_t>(m.nbody), kWorldBody);
  for (int i = 1; i < m.nbody; ++i) {
    const std::size_t ours = index_in_name(m, mjOBJ_BODY, i);
    compiled.bodies[ours] = i;
    compiled.body_ids[static_cast<std::size_t>(i)] = BodyId{static_cast<int>(ours)};
  }
  for (int i = 0; i < m.njnt; ++i) compiled.joints[index_in_name(m, mjOBJ_JOINT, i)] = i;
  std::vector<MaterialId> materials;
  for (int i = 0; i < m.ngeom; ++i) {
    compiled.shape_ids.push_back(ShapeId{static_cast<int>(index_in_name(m, mjOBJ_GEOM, i))});
    materials.push_back(model.shapes[index(compiled.shape_ids.back())].material);
  }
  compiled.parts.resize(static_cast<std::size_t>(m.ngeom));
  for (std::size_t i = 0; i < compiled.parts.size(); ++i) {
    const auto found =
        std::lower_bound(shapes.begin(), shapes.end(), compiled.shape_ids[i],
                         [](const CollisionShape& shape, ShapeId id) { return shape.shape < id; });
    compiled.parts[i] = found->parts;
  }
  for (int i = 0; i < m.nu; ++i) compiled.ropes.push_back(index_in_name(m, mjOBJ_ACTUATOR, i));
  for (std::size_t i = 0; i < model.tendons.size(); ++i)
    compiled.tendons.push_back(mj_name2id(&m, mjOBJ_TENDON, fmt::format("f{}", i).c_str()));
  compiled.rules.assign(std::move(materials));
}

void calc_initial_state(const Model& model, CompiledModel& compiled) {
  const mjModel& m = *compiled.mujoco;
  compiled.initial_qpos.assign(m.qpos0, m.qpos0 + m.nq);
  compiled.initial_qvel.assign(static_cast<std::size_t>(m.nv), 0.0);
  const std::vector<Pose> poses = calc_initial_poses(model);
  const std::vector<Twist> velocities = calc_initial_velocities(model, poses);
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const int id = compiled.joints[i];
    if (id < 0) continue;
    const JointModel& joint = model.joints[i];
    double* qpos = compiled.initial_qpos.data() + m.jnt_qposadr[id];
    double* qvel = compiled.initial_qvel.data() + m.jnt_dofadr[id];
    const auto moved = std::find_if(compiled.moved_roots.begin(), compiled.moved_roots.end(),
                                    [&](const MovedRoot& root) { return index(root.base) == i; });
    const bool is_moved = moved != compiled.moved_roots.end();
    if (joint.detachable || is_moved) {
      const std::size_t body = index(is_moved ? moved->root : joint.body);
      const Pose& X_WB = poses[body];
      const Twist& velocity = velocities[body];
      vec3(qpos) = X_WB.p;
      set_quat(qpos + 3, X_WB.q);
      vec3(qvel) = velocity.linear;
      vec3(qvel + 3) = X_WB.q.conjugate() * velocity.angular;
    } else {
      LOCKSTEP_CHECK(joint.initial_position.size() == position_count(joint.type));
      LOCKSTEP_CHECK(joint.initial_velocity.size() == velocity_count(joint.type));
      std::copy(joint.initial_position.begin(), joint.initial_position.end(), qpos);
      std::copy(joint.initial_velocity.begin(), joint.initial_velocity.end(), qvel);
    }
  }
}

}  // namespace

MujocoModelOptions check_for_mujoco(const Model& model, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.error_count();
  MujocoModelOptions options = read_model_options(model, diagnostics);
  if (diagnostics.error_count() == errors)
    check_limits(model, options.all, make_closures(model, options), make_tree_layout(model, options),
                 diagnostics);
  return options;
}

CompiledModel compile(const Model& model) {
  install_mujoco_handlers();
  Diagnostics diagnostics;
  const MujocoModelOptions options = check_for_mujoco(model, diagnostics);
  diagnostics.throw_if_errors();
  CompiledModel compiled{.mujoco = nullptr,
                         .rules = ContactRules(model, options),
                         .closures = make_closures(model, options),
                         .moved_roots = {},
                         .bodies = {},
                         .joints = {},
                         .body_ids = {},
                         .shape_ids = {},
                         .parts = {},
                         .ropes = {},
                         .driven = {},
                         .tendons = {},
                         .steady_spin = options.all.steady_spin,
                         .initial_qpos = {},
                         .initial_qvel = {}};
  TreeLayout layout = make_tree_layout(model, options);
  compiled.moved_roots = std::move(layout.moved_roots);
  const std::vector<CollisionShape> shapes = join_shapes(model, options.all);
  const SolverCapacity capacity = calc_capacity(model, options.all, compiled.closures);
  compiled.mujoco =
      load(model, write_mjcf(model, options, compiled.rules, compiled.closures, layout, shapes, capacity));
  fill_heightmaps(model, *compiled.mujoco);
  const auto held_tendons = std::count_if(model.tendons.begin(), model.tendons.end(),
                                          [](const TendonModel& tendon) { return tendon.held.has_value(); });
  LOCKSTEP_CHECK(static_cast<std::size_t>(compiled.mujoco->neq) == compiled.closures.all.size() +
                                                                       model.couplings.size() +
                                                                       static_cast<std::size_t>(held_tendons));
  map_ids(model, shapes, compiled);
  remove_placeholder_masses(model, compiled);
  scale_constraints(model, options.joints, compiled);
  set_closure_frames(compiled.closures, *compiled.mujoco);
  calc_initial_state(model, compiled);
  return compiled;
}

bool grow_capacity(const Model& model, CompiledModel& compiled) {
  mjModel& m = *compiled.mujoco;
  Diagnostics diagnostics;
  const MujocoModelOptions options = read_model_options(model, diagnostics);
  const SolverCapacity capacity = calc_larger_capacity(model, options.all, compiled.closures, m.nconmax);
  if (capacity.contacts <= m.nconmax) return false;
  set_capacity(capacity, m);
  return true;
}

ShapeId find_shape(const CompiledModel& compiled, const mjData& d, int geom, const Vec3& point) {
  const auto i = static_cast<std::size_t>(geom);
  if (compiled.parts[i].empty()) return compiled.shape_ids[i];
  return find_nearest_part(compiled.parts[i],
                           mat3(d.geom_xmat + 9 * geom).transpose() * (point - vec3(d.geom_xpos + 3 * geom)));
}

SolverCapacity capacity_of(const mjModel& m) {
  return {m.nconmax, m.njmax, m.nstack};
}

void set_capacity(const SolverCapacity& capacity, mjModel& m) {
  m.nconmax = capacity.contacts;
  m.njmax = capacity.rows;
  m.nstack = capacity.stack;
}

void set_initial_state(const CompiledModel& compiled, mjData& d) {
  std::copy(compiled.initial_qpos.begin(), compiled.initial_qpos.end(), d.qpos);
  std::copy(compiled.initial_qvel.begin(), compiled.initial_qvel.end(), d.qvel);
}

}  // namespace lockstep
