#include "physics/mujoco/capacity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/initial_state.h"
#include "physics/mujoco/collision_groups.h"

namespace lockstep {
namespace {

/// Contacts of one shape in a heap of many.
constexpr double kContactsPerShape = 16.0;
constexpr double kContactsPerShapeOnTerrain = 64.0;
/// Maximum number of contacts between two shapes in MuJoCo.
constexpr double kContactsPerPair = 50.0;
/// Growth of the capacity. Memory grows with its square.
constexpr double kGrowth = 1.25;
/// The capacity at the start is limited to this much memory.
constexpr double kDefaultBytes = 200e6;

template <typename T>
bool is(const ShapeModel& shape) {
  return std::holds_alternative<T>(shape.geometry);
}

/// Maximum number of contacts between two shapes of these kinds in MuJoCo 2.2.
double contacts_between(const ShapeModel& a, const ShapeModel& b) {
  if (is<HeightmapGeometry>(a) || is<HeightmapGeometry>(b)) return kContactsPerPair;
  if (is<Sphere>(a) || is<Sphere>(b)) return 1.0;
  if (is<Box>(a) && is<Box>(b)) return 8.0;
  return 5.0;
}

double count_contacts(const Model& model) {
  std::vector<const ShapeModel*> moving, standing;
  const std::vector<bool> moves = find_moving_bodies(model);
  bool has_terrain = false;
  for (const ShapeModel& shape : model.shapes) {
    if (!shape.collide) continue;
    (moves[index(shape.body)] ? moving : standing).push_back(&shape);
    has_terrain |= is<HeightmapGeometry>(shape);
  }
  const double in_a_heap =
      static_cast<double>(moving.size()) * (has_terrain ? kContactsPerShapeOnTerrain : kContactsPerShape);
  // Count pairs only while that can give a smaller number.
  double in_pairs = 0.0;
  for (std::size_t i = 0; i < moving.size() && in_pairs < in_a_heap; ++i) {
    for (const ShapeModel* other : standing) in_pairs += contacts_between(*moving[i], *other);
    for (std::size_t j = i + 1; j < moving.size() && in_pairs < in_a_heap; ++j) {
      if (moving[j]->body != moving[i]->body) in_pairs += contacts_between(*moving[i], *moving[j]);
    }
  }
  return std::min(in_pairs, in_a_heap);
}

/// Constraint rows of one contact, at most.
double rows_per_contact(const Model& model, const MujocoOptions& options) {
  double dimension = 3.0;
  for (const ContactModel& contact : model.contacts) {
    if (contact.torsional_friction > 0.0) dimension = std::max(dimension, 4.0);
    if (contact.rolling_friction > 0.0) dimension = 6.0;
  }
  return options.cone == FrictionCone::kPyramidal ? 2.0 * (dimension - 1.0) : dimension;
}

double count_rows_without_contacts(const Model& model, const Closures& closures) {
  auto rows = static_cast<double>(model.couplings.size());
  for (const Closure& closure : closures.all) rows += closure.kind == ClosureKind::kFrame ? 6.0 : 3.0;
  for (const JointModel& joint : model.joints) {
    if (joint.lower || joint.upper) rows += 2.0;
    if (joint.friction > 0.0) rows += static_cast<double>(velocity_count(joint.type));
  }
  for (const TendonModel& tendon : model.tendons)
    rows += (tendon.lower ? 2.0 : 0.0) + (tendon.held ? 1.0 : 0.0);
  return rows;
}

/// Bytes of mjData's buffer that grow with the rows: A of the dual solvers, the Jacobian and its transpose.
double calc_bytes(double rows, double freedom) {
  return 12.0 * rows * rows + 24.0 * rows * freedom + 120.0 * rows;
}

double calc_rows_that_fit(double bytes, double freedom) {
  const double b = 24.0 * freedom + 120.0;
  return (-b + std::sqrt(b * b + 48.0 * bytes)) / 24.0;
}

/// MuJoCo's own rule, plus what the implicit integrator needs, which it omits, and a margin for small models.
double calc_stack(const Model& model, const Closures& closures, double rows, double freedom) {
  constexpr double kAtLeast = 20'000.0;
  const double square = rows + static_cast<double>(closures.all.size() + model.couplings.size()) + freedom;
  const auto bodies = static_cast<double>(model.bodies.size());
  const auto others = static_cast<double>(model.shapes.size() + model.joints.size() + model.springs.size() +
                                          model.tendons.size());
  double stack = kAtLeast + 5.0 * square * square + 40.0 * (bodies + freedom + others);
  if (model.engine.integrator == Integrator::kImplicit) stack += (24.0 * bodies + 12.0 * freedom) * freedom;
  return stack;
}

/// The inputs of calc_capacity(), as doubles, because they may exceed MuJoCo's int.
struct Demand {
  double freedom = 0.0;
  double contacts = 0.0;
  double other_rows = 0.0;
  double rows = 0.0;
  double stack = 0.0;
};

/// By default for all contacts the shapes can make, at most for `max_contacts` and for what fits into this
/// memory.
Demand calc_demand(const Model& model, const MujocoOptions& options, const Closures& closures,
                   double max_bytes = kDefaultBytes,
                   double max_contacts = std::numeric_limits<double>::infinity()) {
  Demand demand;
  demand.freedom = static_cast<double>(count_degrees_of_freedom(model));
  const double per_contact = rows_per_contact(model, options);
  demand.other_rows = count_rows_without_contacts(model, closures);
  if (options.max_contacts) {
    demand.contacts = static_cast<double>(*options.max_contacts);
  } else {
    const double fitting = (calc_rows_that_fit(max_bytes, demand.freedom) - demand.other_rows) / per_contact;
    demand.contacts = std::min({count_contacts(model), max_contacts, std::max(1.0, std::floor(fitting))});
  }
  demand.rows = demand.other_rows + demand.contacts * per_contact;
  demand.stack = calc_stack(model, closures, demand.rows, demand.freedom);
  return demand;
}

/// Number of links from the root of its tree to each body.
std::vector<std::size_t> calc_depths(const TreeLayout& layout) {
  std::vector<std::size_t> depths(layout.nodes.size(), 0);
  std::vector<std::size_t> path;
  for (std::size_t i = 1; i < depths.size(); ++i) {
    for (std::size_t at = i; at != 0 && depths[at] == 0; at = index(layout.nodes[at].parent))
      path.push_back(at);
    for (; !path.empty(); path.pop_back())
      depths[path.back()] = depths[index(layout.nodes[path.back()].parent)] + 1;
  }
  return depths;
}

void check_size(const Model& model, const TreeLayout& layout, Diagnostics& diagnostics) {
  const auto check = [&](const char* what, std::size_t found, std::size_t limit) {
    if (found > limit) {
      diagnostics.error(model.engine.place, "engine: the model has {} {}; mujoco takes at most {}", found, what,
                        limit);
    }
  };
  check("bodies", model.bodies.size(), kMaxMujocoBodies);
  check("meshes", model.meshes.size(), kMaxMeshFiles);
  check("degrees of freedom", count_degrees_of_freedom(model), kMaxDegreesOfFreedom);
  const std::vector<std::size_t> depth = calc_depths(layout);
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const BodyModel& body = model.bodies[i];
    // Report only the first link that is too deep.
    if (depth[i] == kMaxDepth + 1) {
      diagnostics.error(body.place, "body '{}': a chain of {} links; mujoco takes at most {}", body.name,
                        depth[i], kMaxDepth);
    }
  }
}

SolverCapacity to_capacity(const Demand& demand) {
  // MuJoCo treats zero as "not given".
  return {std::max(1, static_cast<int>(demand.contacts)), std::max(1, static_cast<int>(demand.rows)),
          static_cast<int>(demand.stack)};
}

}  // namespace

SolverCapacity calc_capacity(const Model& model, const MujocoOptions& options, const Closures& closures) {
  return to_capacity(calc_demand(model, options, closures));
}

SolverCapacity calc_larger_capacity(const Model& model, const MujocoOptions& options, const Closures& closures,
                                    int contacts) {
  return to_capacity(calc_demand(model, options, closures, kMaxWorldBytes, std::ceil(kGrowth * contacts)));
}

void check_limits(const Model& model, const MujocoOptions& options, const Closures& closures,
                  const TreeLayout& layout, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.error_count();
  check_size(model, layout, diagnostics);
  if (const std::size_t groups = make_collision_groups(model).count; groups > kMaxCollisionGroups) {
    diagnostics.error(model.engine.place, "engine: materials form {} collision groups; mujoco takes at most {}",
                      groups, kMaxCollisionGroups);
  }
  if (diagnostics.error_count() > errors) return;  // avoid follow-up errors
  const Demand demand = calc_demand(model, options, closures);
  if (const double bytes = calc_bytes(demand.rows, demand.freedom); bytes > kMaxWorldBytes) {
    diagnostics.error(
        model.engine.place,
        "engine: {} contacts and {} other constraint rows need {:.1f} GB of memory; the limit is {:.1f} GB, "
        "use a smaller max_contacts or fewer loops and limits",
        demand.contacts, demand.other_rows, bytes * 1e-9, kMaxWorldBytes * 1e-9);
  } else if (8.0 * demand.stack > kMaxStackBytes) {
    diagnostics.error(
        model.engine.place,
        "engine: {} constraint rows and {} degrees of freedom are more than mujoco can solve; use a smaller "
        "max_contacts, fewer bodies or another integrator",
        demand.rows, demand.freedom);
  }
}

}  // namespace lockstep
