#include "cli/command.h"

namespace lockstep {

// Each command is in the file of its name; import and export are in import_export.cc, design is in
// design_options.cc.
Command add_run_command(CLI::App& app);
Command add_replay_command(CLI::App& app);
Command add_test_command(CLI::App& app);
Command add_render_command(CLI::App& app);
Command add_botball_command(CLI::App& app);
Command add_check_command(CLI::App& app);
Command add_pack_command(CLI::App& app);
Command add_import_command(CLI::App& app);
Command add_export_command(CLI::App& app);
Command add_design_command(CLI::App& app);
Command add_poses_command(CLI::App& app);
Command add_schema_command(CLI::App& app);
Command add_plot_command(CLI::App& app);
Command add_serve_command(CLI::App& app);
Command add_optimize_command(CLI::App& app);
Command add_report_command(CLI::App& app);
Command add_bench_command(CLI::App& app);

void add_commands(CLI::App& app, std::vector<Command>& commands) {
  commands.push_back(add_run_command(app));
  commands.push_back(add_replay_command(app));
  commands.push_back(add_test_command(app));
  commands.push_back(add_render_command(app));
  commands.push_back(add_botball_command(app));
  commands.push_back(add_check_command(app));
  commands.push_back(add_pack_command(app));
  commands.push_back(add_import_command(app));
  commands.push_back(add_export_command(app));
  commands.push_back(add_design_command(app));
  commands.push_back(add_poses_command(app));
  commands.push_back(add_schema_command(app));
  commands.push_back(add_plot_command(app));
  commands.push_back(add_serve_command(app));
  commands.push_back(add_optimize_command(app));
  commands.push_back(add_report_command(app));
  commands.push_back(add_bench_command(app));
}

}  // namespace lockstep
