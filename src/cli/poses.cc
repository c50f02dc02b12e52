#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assemble/assemble.h"
#include "base/units.h"
#include "cli/command.h"
#include "model/build.h"
#include "model/kinematics.h"

namespace lockstep {

namespace {

struct PosesCommand {
  std::string scenario;
  std::vector<std::string> edits;
  std::vector<std::string> joints;  ///< "NAME=VALUE"
  bool json = false;
};

/// Sets one joint from text such as "arm/elbow=30deg".
void set_joint(Model& model, const std::string& text) {
  const Place place{"--joint " + text};
  const std::size_t at = text.find('=');
  if (at == std::string::npos) throw_user_error(place, "missing '='; expected NAME=VALUE");
  const std::string name = text.substr(0, at);
  const std::optional<JointId> found = model.find_joint(name);
  if (!found) throw_user_error(place, "unknown joint '{}'{}", name, suggest(name, model.joint_names()));
  JointModel& joint = model.joints[index(*found)];
  const bool slides = joint.type == JointType::kSlide;
  if (joint.type != JointType::kHinge && !slides)
    throw_user_error(place, "'{}' is not a hinge or slide joint; only those have a scalar position", name);
  for (const CouplingModel& coupling : model.couplings) {
    if (coupling.joint == *found)
      throw_user_error(place, "'{}' follows '{}'; set that joint instead", name,
                       model.joint(coupling.follows).name);
  }
  const Result<std::vector<double>> read = parse_numbers(text.substr(at + 1), slides ? "m" : "rad");
  if (!read) throw_user_error(place, "{}", read.error());
  if (read->size() != 1) throw_user_error(place, "expected one number");
  joint.initial_position[0] = read->front();
}

int print_poses(const PosesCommand& command, const Registry& registry) {
  Diagnostics diagnostics;
  const LoadedScenario loaded = load_scenario(command.scenario, registry, command.edits, diagnostics);
  const auto built = build_model(loaded.scenario, loaded.assets, diagnostics);
  diagnostics.throw_if_errors();
  Model model = *built;
  for (const std::string& joint : command.joints) set_joint(model, joint);
  follow_couplings(model);
  const std::vector<Pose> poses = calc_initial_poses(model);

  nlohmann::ordered_json json;
  for (std::size_t i = 1; i < poses.size(); ++i) {
    const auto& [p, q] = poses[i];
    if (command.json) {
      json[model.bodies[i].name] = {{"position", {p.x(), p.y(), p.z()}},
                                    {"orientation", {q.w(), q.x(), q.y(), q.z()}}};
    } else {
      fmt::print("{:<32} position {:.6f} {:.6f} {:.6f} m, orientation {:.6f} {:.6f} {:.6f} {:.6f}\n",
                 model.bodies[i].name, p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z());
    }
  }
  if (command.json) fmt::print("{}\n", json.dump(2));
  return kExitDone;
}

}  // namespace

Command add_poses_command(CLI::App& app) {
  auto options = std::make_shared<PosesCommand>();
  CLI::App* command = app.add_subcommand(
      "poses", "Print the pose of every link for given joint positions (forward kinematics)");
  command->footer(
      "Examples:\n"
      R"(  lockstep poses scenarios/arms/irmss-arm.xml --joint arm/joint3=30deg)");
  add_scenario_options(command, options->scenario, options->edits);
  command
      ->add_option("--joint", options->joints,
                   "Position of a hinge or slide joint, such as arm/elbow=30deg; default: its initial position")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "Print the result as one JSON object");
  return {command, [options](const Registry& registry) { return print_poses(*options, registry); },
          &options->edits};
}

}  // namespace lockstep
