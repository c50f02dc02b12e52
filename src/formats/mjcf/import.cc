#include <algorithm>
#include <array>

#include "formats/mjcf/importer_internal.h"
#include "scenario/write.h"

namespace lockstep {
namespace {

/// <compiler settotalmass>.
void scale_masses(const MjcfImport& import) {
  if (!import.source.compiler().total_mass) return;
  double total = 0.0;
  std::vector<Inertial*> masses;
  for (Robot& robot : import.scenario.robots) {
    for (Link& link : robot.links) {
      if (link.inertial) total += masses.emplace_back(&*link.inertial)->mass;
    }
  }
  if (!(total > 0.0)) return;
  const double factor = *import.source.compiler().total_mass / total;
  for (Inertial* each : masses) {
    each->mass *= factor;
    each->diagonal *= factor;
    each->products *= factor;
  }
}

void disable_contacts(Scenario& scenario) {
  for (Robot& robot : scenario.robots) {
    for (Link& link : robot.links) {
      for (Shape& shape : link.shapes) shape.collide = false;
    }
  }
}

void report_unread_sections(MjcfSource& source) {
  constexpr std::array<std::string_view, 14> kRead = {
      "size",    "compiler", "option",   "asset",  "default",  "worldbody", "equality",
      "contact", "tendon",   "actuator", "sensor", "keyframe", "statistic", "visual"};
  for (const Element& child : source.root().children) {
    if (std::find(kRead.begin(), kRead.end(), child.name) == kRead.end()) source.lose("<" + child.name + ">");
  }
}

void write_report(const MjcfImport& import, std::size_t between_count) {
  std::size_t links = 0, joints = 0, shapes = 0;
  for (const Robot& robot : import.scenario.robots) {
    links += robot.links.size();
    for (const Link& link : robot.links) {
      joints += link.joint ? 1 : 0;
      shapes += link.shapes.size();
    }
  }
  import.report.read.push_back(fmt::format("{} robots with {} links, {} joints and {} shapes",
                                           import.scenario.robots.size(), links, joints, shapes));
  if (!import.scenario.loops.empty())
    import.report.read.push_back(fmt::format("{} closed loops", import.scenario.loops.size()));
  import.report.assumed.push_back(
      "contacts, limits and loops have the softness of MuJoCo, from the time constants of the file");
  if (between_count > 0)
    import.report.assumed.push_back(
        fmt::format("{} massless links between the joints of bodies with several joints", between_count));
  import.source.report_losses();
}

}  // namespace

Imported import_mjcf(const ImportSource& file) {
  FormatReport report;
  Diagnostics diagnostics;
  MeshCollector meshes(file, report);
  MjcfSource source(file, meshes, report, diagnostics);
  Scenario scenario;
  Names top_names;
  const MjcfImport import{source, meshes, report, diagnostics, scenario, top_names};

  scenario.name = XmlValues::text(source.root(), "model");
  if (scenario.name.empty()) scenario.name = "model";
  scenario.description = "Imported from MJCF.";
  const bool has_contacts = read_mjcf_options(import);
  const MjcfAssets assets(import);
  MjcfLayout layout;
  layout.bodies = read_mjcf_bodies(source);
  diagnostics.throw_if_errors();
  convert_to_local(import, assets, layout.bodies);
  diagnostics.throw_if_errors();

  MjcfMaterials materials;
  read_mjcf_pairs(import, layout.bodies, materials);
  const MjcfStart start(import, layout.bodies, file.options.keyframe);
  MjcfShapes shapes(import, assets, materials);
  MjcfLinks(import, shapes, assets, start, layout).run();
  MjcfLoops loops(import, start, layout);
  loops.add_tendons();
  loops.add_equalities();
  add_mjcf_exclusions(import, layout);
  scale_masses(import);
  if (!has_contacts) disable_contacts(scenario);
  materials.write(scenario, source);
  add_mjcf_devices(source, layout.names, start.control(), scenario);

  report_unread_sections(source);
  diagnostics.throw_if_errors();
  write_report(import, layout.between_count);
  return {write_scenario_element(scenario, Defaults::kOmit), std::move(report), meshes.take_files()};
}

}  // namespace lockstep
