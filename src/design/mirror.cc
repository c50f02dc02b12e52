#include "design/mirror.h"

#include <map>

#include "design/bodies.h"

namespace lockstep {
namespace {

/// Mirrors points, frames and shapes at a plane of the assembly.
class Mirror {
 public:
  Mirror(const Vec3& normal, const Vec3& point)
      : flip_(Mat3::Identity() - 2.0 * normal.normalized() * normal.normalized().transpose()),
        shift_(point - flip_ * point) {}

  Vec3 point(const Vec3& p) const { return flip_ * p + shift_; }
  Vec3 direction(const Vec3& v) const { return flip_ * v; }

  /// A mirror image has left-handed axes. Mirroring it again, at the same plane through its own origin,
  /// makes them right-handed: shape() does the same to the content of the frame.
  Pose frame(const Pose& X) const {
    return {point(X.p), Quat(flip_ * X.q.toRotationMatrix() * flip_).normalized()};
  }

  PartShape shape(PartShape shape) const {
    for (Vec3& vertex : shape.mesh.vertices) vertex = flip_ * vertex;
    for (auto& face : shape.mesh.faces) std::swap(face[1], face[2]);
    if (shape.exact) {
      shape.exact->center = flip_ * shape.exact->center;
      shape.exact->inertia = flip_ * shape.exact->inertia * flip_;
    }
    for (Feature& feature : shape.features) {
      feature.point = flip_ * feature.point;
      feature.direction = flip_ * feature.direction;
    }
    return shape;
  }

  Mat3 inertia(const Mat3& I) const { return flip_ * I * flip_; }

 private:
  Mat3 flip_;
  Vec3 shift_;
};

GivenMass mirrored_mass(const Mirror& mirror, GivenMass mass) {
  if (mass.center) mass.center = mirror.point(*mass.center);
  if (mass.diagonal) {
    const Vec3& d = *mass.diagonal;
    const Vec3& o = mass.products;
    Mat3 I;
    I << d.x(), o.x(), o.y(), o.x(), d.y(), o.z(), o.y(), o.z(), d.z();
    I = mirror.inertia(I);
    mass.diagonal = I.diagonal();
    mass.products = {I(0, 1), I(0, 2), I(1, 2)};
  }
  return mass;
}

/// Makes the mirror images of one branch.
class BranchMirror {
 public:
  BranchMirror(const Design& design, const MirrorLink& operation, const Place& place)
      : design_(design),
        assembly_(std::make_shared<Assembly>(*design.assembly)),
        operation_(operation),
        place_(place),
        mirror_(operation.normal, operation.point) {}

  Design run() {
    const std::vector<DesignBody> links = design_.links;
    for (const DesignBody& link : links) {
      if (is_descendant(design_, link, operation_.link)) add_image(link);
    }
    design_.assembly = std::move(assembly_);
    return std::move(design_);
  }

 private:
  std::string image_name(const std::string& name) const {
    std::string image = name;
    const std::size_t at = image.find(operation_.find);
    if (at == std::string::npos) {
      throw_user_error(place_, "<mirror>: '{}' does not contain '{}'; its image would have the same name", name,
                       operation_.find);
    }
    return image.replace(at, operation_.find.size(), operation_.replace);
  }

  void add_image(const DesignBody& link) {
    DesignBody image = link;
    image.place = place_;
    image.name = image_name(link.name);
    require_new_body(design_, image.name, place_, "<mirror>");
    if (link.name != operation_.link) image.parent = image_name(link.parent);
    image.origin = mirror_.point(link.origin);
    if (link.joint) add_image(link, *image.joint);
    if (image.mass) image.mass = mirrored_mass(mirror_, *image.mass);
    for (Site& site : image.sites) {
      site.name = image_name(site.name);
      require_new_site(design_, site.name, place_);
      site.pose = mirror_.frame(site.pose);
    }
    for (int& part : image.parts) part = add_part(part);
    design_.links.push_back(std::move(image));
  }

  void add_image(const DesignBody&, Joint& joint) {
    joint.name = image_name(joint.name);
    require_new_joint(design_, joint.name, place_);
    joint.position = mirror_.point(joint.position);
    joint.axis = mirror_.direction(joint.axis);
    // Mirroring reverses the sense of rotation.
    if (joint.type == JointType::kHinge) joint.axis = -joint.axis;
  }

  int add_part(int index) {
    Part part = assembly_->parts[static_cast<std::size_t>(index)];
    part.pose = mirror_.frame(calc_pose(*assembly_, index));
    part.parent = -1;
    part.label += "-mirrored";
    part.name += "-mirrored";
    for (const Part& other : assembly_->parts) {
      if (other.name == part.name) throw_user_error(place_, "<mirror>: part '{}' already exists", part.name);
    }
    const auto [known, is_new] = shapes_.emplace(part.shape, static_cast<int>(assembly_->shapes.size()));
    if (is_new)
      assembly_->shapes.push_back(mirror_.shape(assembly_->shapes[static_cast<std::size_t>(part.shape)]));
    part.shape = known->second;
    assembly_->parts.push_back(std::move(part));
    return static_cast<int>(assembly_->parts.size()) - 1;
  }

  Design design_;
  std::shared_ptr<Assembly> assembly_;
  const MirrorLink& operation_;
  const Place& place_;
  Mirror mirror_;
  std::map<int, int> shapes_;  // the image of each shape
};

}  // namespace

Design mirrored(const Design& design, const MirrorLink& operation, const Place& place) {
  if (find_link(design, operation.link, place, "<mirror>").parent.empty())
    throw_user_error(place, "<mirror>: '{}' is the root; expected a link with a parent", operation.link);
  return BranchMirror(design, operation, place).run();
}

}  // namespace lockstep
