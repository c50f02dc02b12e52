#include "physics/mujoco/joined_shapes.h"

#include <algorithm>

#include "model/kinematics.h"
#include "physics/initial_state.h"

namespace lockstep {
namespace {

/// Faces this close form one face, m; also the tolerance for rotations, rad.
constexpr double kSameFace = 1e-9;

/// A box in the frame of its group of welded bodies.
struct PlacedBox {
  std::size_t group = 0;  // the first of the bodies that are welded to each other
  Pose X_GS;
  Vec3 half_size = Vec3::Zero();
};

/// Pose of every body in the first body of its group.
struct Groups {
  std::vector<std::size_t> of_body;
  std::vector<Pose> X_GB;
};

Groups find_groups(const Model& model) {
  Groups groups;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyModel& body = model.bodies[i];
    const bool is_first = i == 0 || !is_welded(model, body);
    groups.of_body.push_back(is_first ? i : groups.of_body[index(body.parent)]);
    groups.X_GB.push_back(is_first ? Pose{} : groups.X_GB[index(body.parent)] * body.X_PB);
  }
  return groups;
}

/// Half the size of `other` along the axes of `box`, if their axes are parallel.
std::optional<Vec3> find_size_along(const PlacedBox& box, const PlacedBox& other) {
  const Mat3 R = (box.X_GS.q.conjugate() * other.X_GS.q).toRotationMatrix();
  const Mat3 axes = R.cwiseAbs().array().round();
  if ((R.cwiseAbs() - axes).cwiseAbs().maxCoeff() > kSameFace) return std::nullopt;
  return axes * other.half_size;
}

/// The box that is the union of both, in the axes of the first; none if the union is not a box.
std::optional<PlacedBox> find_union(const PlacedBox& box, const PlacedBox& other) {
  if (box.group != other.group) return std::nullopt;
  const std::optional<Vec3> half_size = find_size_along(box, other);
  if (!half_size) return std::nullopt;
  const Vec3 center = box.X_GS.q.conjugate() * (other.X_GS.p - box.X_GS.p);
  const Vec3 lower = center - *half_size, upper = center + *half_size;
  const Eigen::Array3d below = lower.array() + box.half_size.array(),
                       above = upper.array() - box.half_size.array();
  const bool is_inside = (below >= -kSameFace).all() && (above <= kSameFace).all();
  const bool is_around = (below <= kSameFace).all() && (above >= -kSameFace).all();
  const auto differing = (below.abs() > kSameFace || above.abs() > kSameFace).count();
  const bool touches = (lower.array() <= box.half_size.array() + kSameFace).all() &&
                       (upper.array() >= -box.half_size.array() - kSameFace).all();
  if (!is_inside && !is_around && !(differing == 1 && touches)) return std::nullopt;
  const Vec3 from = lower.cwiseMin(-box.half_size), to = upper.cwiseMax(box.half_size);
  return PlacedBox{.group = box.group,
                   .X_GS = {box.X_GS * Vec3(0.5 * (from + to)), box.X_GS.q},
                   .half_size = 0.5 * (to - from)};
}

/// Boxes that may be joined, by shape: they move, and collide with the same bodies as the rest of their group.
std::vector<std::optional<PlacedBox>> find_boxes(const Model& model) {
  const Groups groups = find_groups(model);
  const std::vector<bool> moves = find_moving_bodies(model);
  std::vector<bool> is_excluded(model.bodies.size(), false);
  for (const auto& [a, b] : model.excluded) is_excluded[index(a)] = is_excluded[index(b)] = true;
  std::vector<std::optional<PlacedBox>> boxes;
  for (const ShapeModel& shape : model.shapes) {
    const auto* box = std::get_if<Box>(&shape.geometry);
    const std::size_t body = index(shape.body);
    boxes.emplace_back();
    if (box == nullptr || !shape.collide || !moves[body] || is_excluded[body]) continue;
    boxes.back() = PlacedBox{
        .group = groups.of_body[body], .X_GS = groups.X_GB[body] * shape.X_BS, .half_size = box->size / 2.0};
  }
  return boxes;
}

/// Shapes that form one box.
struct Joined {
  PlacedBox box;
  std::vector<std::size_t> shapes;
};

/// Joins a shape to others of its group, and the result to further ones.
void add_box(const Model& model, std::size_t shape, const PlacedBox& box, std::vector<Joined>& group) {
  Joined added{box, {shape}};
  for (std::size_t i = 0; i < group.size();) {
    const bool is_same = model.shapes[group[i].shapes[0]].material == model.shapes[shape].material;
    const std::optional<PlacedBox> both = is_same ? find_union(group[i].box, added.box) : std::nullopt;
    if (!both) {
      ++i;
      continue;
    }
    added.shapes.insert(added.shapes.begin(), group[i].shapes.begin(), group[i].shapes.end());
    added.box = *both;
    group.erase(group.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;
  }
  group.push_back(std::move(added));
}

CollisionShape make_shape(const Model& model, const Joined& joined,
                          const std::vector<std::optional<PlacedBox>>& boxes) {
  const std::size_t first = *std::min_element(joined.shapes.begin(), joined.shapes.end());
  const ShapeModel& shape = model.shapes[first];
  CollisionShape made{ShapeId{static_cast<int>(first)}, shape.X_BS, shape.geometry, {}};
  if (joined.shapes.size() == 1) return made;
  const Pose X_SG = joined.box.X_GS.inverse();
  made.X_BS = shape.X_BS * boxes[first]->X_GS.inverse() * joined.box.X_GS;
  made.geometry = Box{2.0 * joined.box.half_size};
  for (const std::size_t i : joined.shapes)
    made.parts.push_back(
        {ShapeId{static_cast<int>(i)}, X_SG * boxes[i]->X_GS.p, *find_size_along(joined.box, *boxes[i])});
  return made;
}

}  // namespace

std::vector<CollisionShape> join_shapes(const Model& model, const MujocoOptions& options) {
  std::vector<std::optional<PlacedBox>> boxes(model.shapes.size());
  if (options.level_sliding) boxes = find_boxes(model);
  std::vector<std::vector<Joined>> groups(model.bodies.size());
  std::vector<CollisionShape> shapes;
  for (std::size_t i = 0; i < model.shapes.size(); ++i) {
    if (boxes[i]) add_box(model, i, *boxes[i], groups[boxes[i]->group]);
    if (!boxes[i] && model.shapes[i].collide)
      shapes.push_back({ShapeId{static_cast<int>(i)}, model.shapes[i].X_BS, model.shapes[i].geometry, {}});
  }
  for (const std::vector<Joined>& group : groups) {
    for (const Joined& joined : group) shapes.push_back(make_shape(model, joined, boxes));
  }
  std::sort(shapes.begin(), shapes.end(),
            [](const CollisionShape& a, const CollisionShape& b) { return a.shape < b.shape; });
  return shapes;
}

ShapeId find_nearest_part(const std::vector<ShapePart>& parts, const Vec3& point) {
  const auto distance = [&](const ShapePart& part) {
    return ((point - part.center).cwiseAbs() - part.half_size).cwiseMax(0.0).squaredNorm();
  };
  return std::min_element(parts.begin(), parts.end(),
                          [&](const ShapePart& a, const ShapePart& b) { return distance(a) < distance(b); })
      ->shape;
}

}  // namespace lockstep
