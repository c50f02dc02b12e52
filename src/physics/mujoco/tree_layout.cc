#include "physics/mujoco/tree_layout.h"

#include <algorithm>

#include "physics/initial_state.h"
#include "physics/mujoco/closures.h"

namespace lockstep {
namespace {

/// MuJoCo uses sparse matrices from this number of degrees of freedom on. Dense ones gain nothing from another
/// root.
constexpr std::size_t kSparseFreedom = 60;

/// Another root must leave at most this fraction of the depth: a smaller gain is not worth a change.
constexpr double kWorthwhile = 0.7;

/// Finds better roots for the floating trees of a model. Depths count degrees of freedom.
class RootFinder {
 public:
  RootFinder(const Model& model, const MujocoModelOptions& options)
      : model_(model), options_(options), below_(model.bodies.size(), 0), above_(model.bodies.size(), 0) {
    find_depths();
  }

  /// By body: the better root of the tree that starts there, if it is worthwhile.
  std::vector<std::optional<BodyId>> find() const {
    const std::size_t count = model_.bodies.size();
    std::vector<std::optional<BodyId>> best(count);
    // The body at which the tree starts, if the tree may start at this body instead; parents come before
    // children.
    std::vector<std::optional<std::size_t>> start(count);
    for (std::size_t i = 1; i < count; ++i) {
      const BodyModel& body = model_.bodies[i];
      if (is_movable_base(body)) {
        start[i] = i;
        best[i] = BodyId{static_cast<int>(i)};
      } else if (is_reversible(body)) {
        start[i] = start[index(body.parent)];
      }
      if (start[i] && depth_from(i) < depth_from(index(*best[*start[i]])))
        best[*start[i]] = BodyId{static_cast<int>(i)};
    }
    for (std::size_t i = 1; i < count; ++i) {
      if (best[i] &&
          static_cast<double>(depth_from(index(*best[i]))) > kWorthwhile * static_cast<double>(below_[i]))
        best[i].reset();
    }
    return best;
  }

 private:
  bool starts_tree(const BodyModel& body) const {
    return is_detachable(model_, body) || (body.joint && model_.joint(*body.joint).type == JointType::kFree);
  }

  std::size_t freedom_of(const BodyModel& body) const {
    return body.joint && !starts_tree(body) ? velocity_count(model_.joint(*body.joint).type) : 0;
  }

  /// A free joint with properties of its own has to stay where it is.
  bool is_movable_base(const BodyModel& body) const {
    if (!body.joint) return false;
    const JointModel& joint = model_.joint(*body.joint);
    return joint.type == JointType::kFree && !joint.detachable && joint.damping == 0.0 &&
           joint.friction == 0.0 && joint.armature == 0.0 && joint.stiffness == 0.0;
  }

  bool is_reversible(const BodyModel& body) const {
    if (starts_tree(body)) return false;
    if (!body.joint) return true;
    return model_.joint(*body.joint).type != JointType::kBall &&
           options_.joints[index(*body.joint)].reference == 0.0;
  }

  void find_depths() {
    const std::size_t count = model_.bodies.size();
    for (std::size_t i = count - 1; i > 0; --i) {
      const BodyModel& body = model_.bodies[i];
      if (starts_tree(body)) continue;
      std::size_t& below = below_[index(body.parent)];
      below = std::max(below, below_[i] + freedom_of(body));
    }
    // The two deepest children of every body: from the deepest one, the way up leads down to the other one.
    std::vector<std::size_t> deepest(count, 0), second(count, 0);
    for (std::size_t i = 1; i < count; ++i) {
      const BodyModel& body = model_.bodies[i];
      if (starts_tree(body)) continue;
      const std::size_t parent = index(body.parent), depth = below_[i] + freedom_of(body);
      second[parent] = std::max(second[parent], std::min(depth, deepest[parent]));
      deepest[parent] = std::max(deepest[parent], depth);
    }
    for (std::size_t i = 1; i < count; ++i) {
      const BodyModel& body = model_.bodies[i];
      if (starts_tree(body)) continue;
      const std::size_t parent = index(body.parent), freedom = freedom_of(body);
      const bool is_deepest = below_[i] + freedom == deepest[parent];
      above_[i] = freedom + std::max(above_[parent], is_deepest ? second[parent] : deepest[parent]);
    }
  }

  std::size_t depth_from(std::size_t body) const { return std::max(below_[body], above_[body]); }

  const Model& model_;
  const MujocoModelOptions& options_;
  std::vector<std::size_t> below_;  // depth of the tree below each body
  std::vector<std::size_t> above_;  // the same for everything else in its tree
};

/// Makes `root` the root of the tree that starts at `start`.
void move_root(const Model& model, BodyId start, BodyId root, TreeLayout& layout) {
  for (BodyId child = root; child != start;) {
    const BodyModel& body = model.body(child);
    layout.nodes[index(body.parent)] = {
        .parent = child, .X_PB = body.X_PB.inverse(), .joint = body.joint, .is_reversed = true};
    child = body.parent;
  }
  const JointId base = *model.body(start).joint;
  layout.nodes[index(root)] = {
      .parent = kWorldBody, .X_PB = calc_reference_poses(model)[index(root)], .joint = base, .floats = true};
  layout.moved_roots.push_back({base, root});
}

}  // namespace

std::size_t count_degrees_of_freedom(const Model& model) {
  std::size_t count = 0;
  for (const JointModel& joint : model.joints) count += joint.detachable ? 6 : velocity_count(joint.type);
  return count;
}

TreeLayout make_tree_layout(const Model& model, const MujocoModelOptions& options) {
  TreeLayout layout;
  const std::vector<Pose> reference_poses = calc_reference_poses(model);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyModel& body = model.bodies[i];
    // A detachable child is a free body.
    const bool floats = is_detachable(model, body);
    layout.nodes.push_back({.parent = floats ? kWorldBody : body.parent,
                            .X_PB = floats ? reference_poses[i] : body.X_PB,
                            .joint = body.joint,
                            .floats = floats});
  }
  const bool is_like_mujoco = !options.all.level_sliding || !options.all.steady_spin;
  if (is_like_mujoco || count_degrees_of_freedom(model) < kSparseFreedom) return layout;
  const std::vector<std::optional<BodyId>> roots = RootFinder(model, options).find();
  for (std::size_t i = 1; i < roots.size(); ++i) {
    if (roots[i]) move_root(model, BodyId{static_cast<int>(i)}, *roots[i], layout);
  }
  return layout;
}

}  // namespace lockstep
