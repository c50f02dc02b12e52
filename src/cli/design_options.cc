#include "cli/command.h"
#include "cli/design.h"

namespace lockstep {
namespace {

void add_source_options(CLI::App* app, PartsSource& source, const char* name, const char* doc) {
  app->add_option(name, source.file, doc)->required();
  app->add_option("--source", source.source, "File of parts, overrides the one named in the script")
      ->type_name("FILE");
  app->add_option("--unit", source.unit, "Length unit of the file of parts, such as '1 mm'")
      ->type_name("LENGTH");
}

/// The options of `lockstep design` and their values.
class DesignOptions {
 public:
  explicit DesignOptions(CLI::App& app);

  CLI::App* app() const { return app_; }
  int run(const Registry& registry) const;

 private:
  CLI::App* add(const char* name, const char* doc) { return app_->add_subcommand(name, doc); }
  bool is(const char* name) const { return app_->got_subcommand(name); }

  CLI::App* app_;
  DesignRunCommand run_;
  DesignPartsCommand parts_;
  DesignFeaturesCommand features_;
  DesignCheckCommand check_;
  DesignNewCommand new_;
  DesignApplyCommand apply_;
  DesignUndoCommand undo_;
};

DesignOptions::DesignOptions(CLI::App& app)
    : app_(app.add_subcommand("design", "Make a robot out of the parts of a CAD or mesh file, and check it")) {
  app_->footer(
      "Examples:\n"
      R"(  lockstep design parts scenarios/parts/seven-segments.obj)"
      "\n"
      R"(  lockstep design run scenarios/parts/seven-segments.xml -o arm.xml)"
      "\n"
      R"(  lockstep design check arm.xml)");
  app_->require_subcommand(1);
  CLI::App* run = add("run", "Run a design script and write the scenario");
  add_source_options(run, run_.script, "script", "Design script");
  run->add_option("-o,--output", run_.output, "Scenario to write; meshes go to a folder beside it")
      ->required()
      ->type_name("FILE.xml");
  run->add_flag("--embed", run_.embed, "Embed the meshes in the scenario");

  CLI::App* parts = add("parts", "List the parts of a file");
  add_source_options(parts, parts_.source, "file", "STEP, OBJ, STL, DAE, glTF, or a design script");
  parts->add_flag("--json", parts_.json, "Print the result as one JSON object");

  CLI::App* features = add("features", "List holes, cylinders, circles, flat faces and edges of parts");
  add_source_options(features, features_.source, "file", "STEP, OBJ, STL, DAE, glTF, or a design script");
  features->add_option("part", features_.part, "Patterns of part names, separated by ';'")->required();
  features->add_flag("--json", features_.json, "Print the result as one JSON object");

  CLI::App* check = add("check", "Check a designed robot: kinematics, masses, limits, loops, energy");
  add_source_options(check, check_.script, "file", "Scenario or design script");
  check
      ->add_option("--expect", check_.expectations,
                   "File of <expectations>, in addition to those of the script")
      ->type_name("FILE.xml");
  check->add_option("--images", check_.images, "Draw each link into this folder")->type_name("FOLDER");
  check->add_flag("--json", check_.json, "Print the result as one JSON object");

  CLI::App* fresh = add("new", "Create a design script");
  fresh->add_option("file", new_.file, "File of parts")->required();
  fresh->add_option("-o,--output", new_.output, "Script to write")->required()->type_name("FILE.xml");
  fresh->add_option("--robot", new_.robot, "Name of the robot")->capture_default_str()->type_name("NAME");
  fresh->add_option("--unit", new_.unit, "Length unit of the file of parts, such as '1 mm'")
      ->type_name("LENGTH");

  CLI::App* apply = add("apply", "Append an operation to a script, if it succeeds");
  add_source_options(apply, apply_.script, "script", "Design script");
  apply->add_option("operation", apply_.operation, "Name of the operation, such as link")->required();
  apply->add_option("settings", apply_.settings, "NAME=VALUE, such as parent=base or joint/at/from=hole");

  CLI::App* undo = add("undo", "Undo the last operation of a script");
  undo->add_option("script", undo_.script, "Design script")->required();

  add("reference", "Print the reference of design scripts as Markdown");
}

int DesignOptions::run(const Registry& registry) const {
  if (is("run")) return design_run(run_, registry);
  if (is("parts")) return design_parts(parts_);
  if (is("features")) return design_features(features_);
  if (is("check")) return design_check(check_, registry);
  if (is("new")) return design_new(new_);
  if (is("apply")) return design_apply(apply_);
  if (is("undo")) return design_undo(undo_);
  return print_design_reference(registry);
}

}  // namespace

Command add_design_command(CLI::App& app) {
  auto options = std::make_shared<DesignOptions>(app);
  return {options->app(), [options](const Registry& registry) { return options->run(registry); }};
}

}  // namespace lockstep
