#include <algorithm>

#include "formats/mjcf/importer_internal.h"
#include "geometry/hull.h"
#include "scenario/write.h"
#include "scenario/xml_text.h"

namespace lockstep {

Imported MjcfImporter::run() {
  scenario_.name = XmlValues::text(source_.root(), "model");
  if (scenario_.name.empty()) scenario_.name = "model";
  scenario_.description = "Imported from MJCF.";
  read_options();
  read_assets();
  bodies_ = read_mjcf_bodies(source_);
  diagnostics_.throw_if_errors();
  read_pairs();
  number_joints();
  choose_start();
  calc_poses();
  add_world();
  add_bodies();
  add_equalities();
  add_contacts();
  add_tendons();
  scale_masses();
  if (!has_contacts_) take_contacts_away();
  materials_.write(scenario_, source_);
  add_mjcf_devices(source_, names_, control_, scenario_);
  report_unread_sections();
  diagnostics_.throw_if_errors();
  write_report();
  return {write_scenario_element(scenario_, Defaults::kLeaveOut), std::move(report_), meshes_.take_files()};
}

void MjcfImporter::read_assets() {
  for (const Element* item : source_.section("asset")) {
    const Element e = source_.resolved(*item, item->name, "");
    std::string name = XmlValues::text(e, "name");
    std::string file = XmlValues::text(e, "file");
    if (source_.compiler().strips_paths) file = std::filesystem::path(file).filename().string();
    if (name.empty()) name = std::filesystem::path(file).stem().string();
    if (item->name == "mesh") {
      if (e.find_attribute("refpos") != nullptr || e.find_attribute("refquat") != nullptr)
        source_.lose("refpos and refquat of mesh '" + name + "'");
      if (file.empty()) {
        add_inline_mesh(e, name);
        continue;
      }
      mesh_assets_[name] = {file, values_.vector(e, "scale", Vec3::Ones()), item->place};
    } else if (item->name == "hfield") {
      hfield_assets_[name] = *item;
    } else if (item->name == "texture" || item->name == "skin") {
      source_.lose("<" + item->name + ">");
    }
  }
}

void MjcfImporter::add_inline_mesh(const Element& e, const std::string& name) {
  constexpr std::size_t kMaxNumbers = 300'000;
  const auto vertices = values_.numbers(e, "vertex", 12, kMaxNumbers);
  if (!vertices || vertices->size() % 3 != 0) {
    diagnostics_.error(e.place,
                       "mesh '{}' has no file, and no 'vertex' with three numbers for each of its points",
                       xml::shown(name));
    return;
  }
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < vertices->size(); i += 3)
    points.emplace_back((*vertices)[i], (*vertices)[i + 1], (*vertices)[i + 2]);
  // Without faces, it is the hull of its points; for collisions it is that anyway.
  if (e.find_attribute("face") != nullptr) source_.lose("face of mesh '" + name + "': its hull is taken");
  mesh_assets_[name] = {"", values_.vector(e, "scale", Vec3::Ones()), e.place};
  (void)meshes_.add(name + ".stl", convex_hull(points));
}

void MjcfImporter::scale_masses() {
  if (!source_.compiler().total_mass) return;
  double total = 0.0;
  std::vector<Inertial*> masses;
  for (Robot& robot : scenario_.robots) {
    for (Link& link : robot.links) {
      if (link.inertial) total += masses.emplace_back(&*link.inertial)->mass;
    }
  }
  if (!(total > 0.0)) return;
  const double factor = *source_.compiler().total_mass / total;
  for (Inertial* each : masses) {
    each->mass *= factor;
    each->diagonal *= factor;
    each->products *= factor;
  }
}

void MjcfImporter::take_contacts_away() {
  for (Robot& robot : scenario_.robots) {
    for (Link& link : robot.links) {
      for (Shape& shape : link.shapes) shape.collide = false;
    }
  }
}

void MjcfImporter::report_unread_sections() {
  constexpr std::array<std::string_view, 14> kRead = {
      "size",    "compiler", "option",   "asset",  "default",  "worldbody", "equality",
      "contact", "tendon",   "actuator", "sensor", "keyframe", "statistic", "visual"};
  for (const Element& child : source_.root().children) {
    if (std::find(kRead.begin(), kRead.end(), child.name) == kRead.end()) source_.lose("<" + child.name + ">");
  }
}

void MjcfImporter::write_report() {
  std::size_t links = 0, joints = 0, shapes = 0;
  for (const Robot& robot : scenario_.robots) {
    links += robot.links.size();
    for (const Link& link : robot.links) {
      joints += link.joint ? 1 : 0;
      shapes += link.shapes.size();
    }
  }
  report_.read.push_back(fmt::format("{} robots with {} links, {} joints and {} shapes",
                                     scenario_.robots.size(), links, joints, shapes));
  if (!scenario_.loops.empty()) report_.read.push_back(fmt::format("{} closed loops", scenario_.loops.size()));
  report_.assumed.push_back(
      "contacts, limits and loops are as soft as MuJoCo makes them, by the time constants of the file");
  report_.assumed.push_back("links next to each other never touch, also where the first of them stands still");
  if (between_count_ > 0)
    report_.assumed.push_back(
        fmt::format("{} links of {} kg stand between the joints of bodies that have several", between_count_,
                    kHardlyAnyMass));
  source_.report_losses();
}

Imported import_mjcf(const ImportSource& source) {
  ExchangeReport report;
  Diagnostics diagnostics;
  return MjcfImporter(source, report, diagnostics).run();
}

}  // namespace lockstep
