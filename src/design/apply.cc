#include "design/apply.h"

#include <algorithm>

#include "design/bodies.h"
#include "design/mirror.h"
#include "design/name_rules.h"
#include "geometry/mass.h"
#include "geometry/repair.h"

namespace lockstep {
namespace {

/// Applies one operation to a copy of a design.
class Operator {
 public:
  Operator(const Design& design, const Place& place, const OperationContext& context)
      : design_(design), place_(place), context_(context) {}

  Design take() { return std::move(design_); }

  void operator()(const MakeLink& o) {
    const std::string subject = fmt::format("link '{}'", o.name);
    require_new_body(design_, o.name, place_, subject);
    if (o.parent.empty() && !design_.links.empty()) {
      throw_user_error(place_, "{}: has no parent, but '{}' is the root already; name a parent", subject,
                       design_.links.front().name);
    }
    DesignBody link{.place = place_, .name = o.name, .parent = o.parent};
    if (!o.parent.empty()) link.origin = find_link(design_, o.parent, place_, subject).origin;
    link.parts = find_free_parts(design_, o.parts, place_, subject);
    link.material = known_material(o.material, subject);
    put_joint(link, o.joint);
    design_.links.push_back(std::move(link));
  }

  void operator()(const ChangeJoint& o) {
    DesignBody& link = find_link(design_, o.link, place_, "<set_joint>");
    link.joint.reset();
    put_joint(link, o.joint);
  }

  void operator()(const MoveEnd& o) {
    const std::string subject = fmt::format("end '{}'", o.name);
    if (!o.position && !o.at)
      throw_user_error(place_, "{}: no position is given; add a 'position' or an <at>", subject);
    const Vec3 origin = o.position ? *o.position : find_line(*design_.assembly, *o.at).point;
    for (DesignBody& link : design_.links) {
      if (link.name != o.name) continue;
      if (!link.parts.empty())
        throw_user_error(place_, "{}: this link has parts; only an empty link can be moved", subject);
      if (!o.parent.empty()) link.parent = find_link(design_, o.parent, place_, subject).name;
      if (is_descendant(design_, find_link(design_, link.parent, place_, subject), o.name))
        throw_user_error(place_, "{}: '{}' is one of its descendants", subject, link.parent);
      link.origin = origin;
      return;
    }
    require_new_body(design_, o.name, place_, subject);
    if (o.parent.empty()) throw_user_error(place_, "{}: is new and needs a 'parent'", subject);
    find_link(design_, o.parent, place_, subject);
    design_.links.push_back({.place = place_, .name = o.name, .parent = o.parent, .origin = origin});
  }

  void operator()(const MergeLink& o) {
    const DesignBody gone = find_link(design_, o.link, place_, "<merge>");
    DesignBody& into = find_link(design_, o.into, place_, "<merge>");
    if (gone.name == into.name) throw_user_error(place_, "<merge>: '{}' is merged into itself", gone.name);
    require_unused(gone.name, "<merge>");
    if (gone.joint) require_unused(gone.joint->name, "<merge>");
    into.parts.insert(into.parts.end(), gone.parts.begin(), gone.parts.end());
    std::sort(into.parts.begin(), into.parts.end());
    into.sites.insert(into.sites.end(), gone.sites.begin(), gone.sites.end());
    // If the parent is removed, its child takes its place and its joint.
    if (is_descendant(design_, into, gone.name)) {
      if (into.parent != gone.name)
        throw_user_error(place_, "<merge>: '{}' and '{}' are not neighbours", gone.name, into.name);
      into.parent = gone.parent;
      into.joint = gone.joint;
      into.origin = gone.origin;
    }
    std::erase_if(design_.links, [&](const DesignBody& link) { return link.name == gone.name; });
    for (DesignBody& link : design_.links) {
      if (link.parent == gone.name) link.parent = o.into;
    }
    sort_root_first();
  }

  void operator()(const SplitLink& o) {
    const std::string subject = fmt::format("link '{}'", o.name);
    require_new_body(design_, o.name, place_, subject);
    DesignBody& from = find_link(design_, o.link, place_, "<split>");
    const std::vector<int> named = find_parts(*design_.assembly, o.parts, place_, subject);
    DesignBody link{
        .place = place_, .name = o.name, .parent = from.name, .origin = from.origin, .material = from.material};
    std::set_intersection(named.begin(), named.end(), from.parts.begin(), from.parts.end(),
                          std::back_inserter(link.parts));
    if (link.parts.empty()) throw_user_error(place_, "{}: '{}' has none of these parts", subject, from.name);
    if (link.parts.size() == from.parts.size())
      throw_user_error(place_, "{}: '{}' would have no parts left", subject, from.name);
    std::erase_if(from.parts,
                  [&](int part) { return std::binary_search(link.parts.begin(), link.parts.end(), part); });
    link.collision = from.collision;
    put_joint(link, o.joint);
    design_.links.push_back(std::move(link));
  }

  void operator()(const SplitPart& o) {
    const std::vector<int> parts = find_free_parts(design_, o.part, place_, "<split_part>");
    auto assembly = std::make_shared<Assembly>(*design_.assembly);
    for (const int index : parts) {
      const Part part = assembly->parts[static_cast<std::size_t>(index)];
      const std::vector<Mesh> pieces =
          connected_pieces(assembly->shapes[static_cast<std::size_t>(part.shape)].mesh);
      if (pieces.size() < 2)
        throw_user_error(place_, "<split_part>: part '{}' is connected; it has one piece", part.name);
      if (assembly->parts.size() + pieces.size() > kMaxParts)
        throw_user_error(place_, "<split_part>: part '{}' has {} pieces; at most {} parts are allowed",
                         part.name, pieces.size(), kMaxParts);
      assembly->parts[static_cast<std::size_t>(index)].shape = -1;
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        Part piece = part;
        piece.label = std::to_string(i + 1);
        piece.name = part.name + "/" + piece.label;
        piece.parent = index;
        piece.pose = {};
        piece.shape = static_cast<int>(assembly->shapes.size());
        assembly->shapes.push_back(
            {.mesh = pieces[i], .exact = {}, .is_closed = find_mesh_defect(pieces[i]).empty(), .features = {}});
        assembly->parts.push_back(std::move(piece));
      }
    }
    design_.assembly = std::move(assembly);
  }

  void operator()(const Rename& o) {
    if (!o.link.empty()) {
      require_new_body(design_, o.to, place_, "<rename>");
      require_unused(o.link, "<rename>");
      find_link(design_, o.link, place_, "<rename>").name = o.to;
      for (DesignBody& link : design_.links) {
        if (link.parent == o.link) link.parent = o.to;
      }
    } else if (!o.joint.empty()) {
      require_new_joint(design_, o.to, place_);
      require_unused(o.joint, "<rename>");
      find_joint(o.joint).name = o.to;
    } else {
      rename_part(o);
    }
  }

  void operator()(const MirrorLink& o) { design_ = mirrored(design_, o, place_); }

  void operator()(const SetMaterial& o) {
    known_material(o.material, "<set_material>");
    for (DesignBody* body : find_bodies(design_, o.links, place_, "<set_material>"))
      body->material = o.material;
  }

  void operator()(const SetMass& o) {
    for (DesignBody* body : find_bodies(design_, o.link, place_, "<set_mass>")) body->mass = o.mass;
  }

  void operator()(const SetCollision& o) {
    for (DesignBody* body : find_bodies(design_, o.links, place_, "<collision>")) body->collision = o.choice;
  }

  void operator()(const AddSite& o) {
    require_new_site(design_, o.name, place_);
    DesignBody& link = find_link(design_, o.link, place_, fmt::format("site '{}'", o.name));
    Site site{.place = place_, .name = o.name, .pose = o.pose};
    if (o.at) {
      const Line line = find_line(*design_.assembly, *o.at);
      site.pose = {line.point, rotation_between(Vec3::Unit(static_cast<int>(o.align)), line.direction)};
    }
    link.sites.push_back(std::move(site));
  }

  void operator()(const CloseLoop& o) {
    const std::string subject = fmt::format("loop '{}'", o.name);
    std::optional<Line> at;
    if (o.at) at = find_line(*design_.assembly, *o.at);
    if (!o.position && !at)
      throw_user_error(place_, "{}: no position is given; add a 'position' or an <at>", subject);
    const Vec3 axis = o.axis ? *o.axis : at ? at->direction : Vec3::UnitZ().eval();
    if (axis.norm() < 1e-9)
      throw_user_error(place_, "{}: axis has no length; expected a direction such as '0 0 1'", subject);
    const Pose frame{o.position ? *o.position : at->point, rotation_between(Vec3::UnitZ(), axis)};
    Loop loop{.place = place_, .name = o.name, .type = o.type, .a = o.name + "_a", .b = o.name + "_b"};
    for (const auto& [link, site] : {std::pair(o.a, loop.a), std::pair(o.b, loop.b)}) {
      require_new_site(design_, site, place_);
      find_link(design_, link, place_, subject).sites.push_back({.place = place_, .name = site, .pose = frame});
    }
    if (o.a == o.b) throw_user_error(place_, "{}: both ends are on '{}'; expected two links", subject, o.a);
    design_.loops.push_back(std::move(loop));
  }

  void operator()(const MakeObject& o) {
    const std::string subject = fmt::format("object '{}'", o.name);
    require_new_body(design_, o.name, place_, subject);
    DesignBody object{.place = place_, .name = o.name, .is_static = o.is_static};
    object.parts = find_free_parts(design_, o.parts, place_, subject);
    object.origin = calc_bounds(*design_.assembly, object.parts).center();
    object.material = known_material(o.material, subject);
    design_.objects.push_back(std::move(object));
  }

  void operator()(const IgnoreParts& o) {
    for (const int part : find_free_parts(design_, o.parts, place_, "<ignore>"))
      design_.ignored.push_back(part);
  }

  void operator()(const AttachDevices& o) {
    const auto append = [](std::vector<Element>& to, const std::vector<Element>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(design_.devices.sensors, o.devices.sensors);
    append(design_.devices.actuators, o.devices.actuators);
    append(design_.devices.controllers, o.devices.controllers);
    append(design_.devices.connections, o.devices.connections);
    append(design_.devices.subsystems, o.devices.subsystems);
    append(design_.devices.observers, o.devices.observers);
  }

  void operator()(const ApplyRules& o) {
    const NameRules rules = o.src.empty() ? read_bundled_rules(o.bundled, place_)
                                          : read_name_rules(context_.read_file(o.src, place_), o.src);
    for (const Material& material : rules.materials) {
      auto& known = design_.environment.materials;
      const bool is_known =
          std::any_of(known.begin(), known.end(), [&](const Material& m) { return m.name == material.name; });
      if (!is_known) known.push_back(material);
    }
    for (const Operation& operation : find_operations(design_, rules, place_))
      design_ = apply(design_, operation, context_);
  }

 private:
  void put_joint(DesignBody& link, const std::optional<JointSetting>& setting) {
    if (!setting) return;
    require_new_joint(design_, setting->joint.name, setting->place);
    link.joint = make_joint(*design_.assembly, *setting);
    if (setting->position || setting->at) link.origin = link.joint->position;
  }

  const std::string& known_material(const std::string& name, std::string_view subject) const {
    if (name.empty() || name == "default") return name;
    std::vector<std::string> names;
    for (const Material& material : design_.environment.materials) names.push_back(material.name);
    if (std::find(names.begin(), names.end(), name) != names.end()) return name;
    throw_user_error(place_, "{}: unknown material '{}'{}", subject, name,
                     names.empty() ? "; give the script a <scenario> with a <material>" : suggest(name, names));
  }

  Joint& find_joint(const std::string& name) {
    std::vector<std::string> names;
    for (DesignBody& link : design_.links) {
      if (!link.joint) continue;
      if (link.joint->name == name) return *link.joint;
      names.push_back(link.joint->name);
    }
    throw_user_error(place_, "<rename>: there is no joint '{}'{}", name, suggest(name, names));
  }

  void rename_part(const Rename& o) {
    auto assembly = std::make_shared<Assembly>(*design_.assembly);
    Part* found = nullptr;
    std::vector<std::string> names;
    for (Part& part : assembly->parts) {
      if (part.name == o.to)
        throw_user_error(place_, "<rename>: part '{}' already exists; expected a new name", o.to);
      if (part.name == o.part) found = &part;
      names.push_back(part.name);
    }
    if (found == nullptr)
      throw_user_error(place_, "<rename>: there is no part '{}'{}", o.part, suggest(o.part, names));
    found->name = found->label = o.to;
    design_.assembly = std::move(assembly);
  }

  /// Devices reference names as text: removing a name would break the reference.
  void require_unused(std::string_view name, std::string_view subject) const {
    const Devices& devices = design_.devices;
    for (const auto* list :
         {&devices.sensors, &devices.actuators, &devices.controllers, &devices.connections}) {
      for (const Element& device : *list) {
        const bool is_named = std::any_of(
            device.attributes.begin(), device.attributes.end(),
            [&](const Attribute& attribute) { return attribute.name != "name" && attribute.value == name; });
        if (is_named) {
          throw_user_error(place_, "{}: <{}> at {} references '{}'; do this before devices are attached",
                           subject, device.name, to_string(device.place), name);
        }
      }
    }
  }

  void sort_root_first() {
    std::stable_partition(design_.links.begin(), design_.links.end(),
                          [](const DesignBody& link) { return link.parent.empty(); });
  }

  Design design_;
  const Place& place_;
  const OperationContext& context_;
};

}  // namespace

Design apply(const Design& design, const Operation& operation, const OperationContext& context) {
  Operator carried_out(design, operation.place, context);
  std::visit(carried_out, operation.what);
  return carried_out.take();
}

}  // namespace lockstep
