#include "physics/mujoco/model_options.h"

#include <algorithm>

namespace lockstep {
namespace {

template <class Constraint>
std::vector<std::optional<Vec3>> read_impedances(const std::vector<Constraint>& constraints,
                                                 Diagnostics& diagnostics) {
  std::vector<std::optional<Vec3>> impedances;
  for (const Constraint& constraint : constraints) {
    impedances.push_back(read_own<MujocoConstraintOptions>(constraint.firmness.own, diagnostics).impedance);
  }
  return impedances;
}

/// The same for the contact matrix, in which a pair of materials appears twice but was given once.
std::vector<MujocoContactOptions> read_contacts(const Model& model, const MujocoOptions& all,
                                                Diagnostics& diagnostics) {
  const bool is_plain =
      !all.level_sliding && std::all_of(model.contacts.begin(), model.contacts.end(),
                                        [](const ContactModel& each) { return each.restitution == 0.0; });
  std::vector<MujocoContactOptions> contacts(model.contacts.size());
  const std::size_t count = model.materials.size();
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a; b < count; ++b) {
      const std::vector<Element>& own = model.contacts[a * count + b].firmness.own;
      contacts[a * count + b] = contacts[b * count + a] = read_own<MujocoContactOptions>(own, diagnostics);
      if (contacts[a * count + b].margin > 0.0 && !is_plain)
        diagnostics.error(
            own.front().place,
            "<mujoco>: margin needs MuJoCo's own contacts: level_sliding=\"false\" in <engine>, and "
            "no restitution of any material");
    }
  }
  return contacts;
}

}  // namespace

MujocoModelOptions read_model_options(const Model& model, Diagnostics& diagnostics) {
  MujocoModelOptions options;
  options.all = read_own<MujocoOptions>(model.engine.own, diagnostics);
  for (const JointModel& joint : model.joints) {
    const MujocoJointOptions& read = options.joints.emplace_back(
        read_own(joint.firmness.own, diagnostics, MujocoJointOptions{.type = joint.type}));
    if (joint.detachable && read.reference != 0.0)
      diagnostics.error(joint.place, "joint '{}': reference does not apply to a detachable joint", joint.name);
  }
  options.contacts = read_contacts(model, options.all, diagnostics);
  options.loop_impedance = read_impedances(model.loops, diagnostics);
  options.coupling_impedance = read_impedances(model.couplings, diagnostics);
  options.tendon_impedance = read_impedances(model.tendons, diagnostics);
  return options;
}

}  // namespace lockstep
