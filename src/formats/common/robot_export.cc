#include "formats/common/robot_export.h"

#include "base/units.h"
#include "geometry/stl_writer.h"
#include "model/build.h"
#include "scenario/field_format.h"

namespace lockstep {

Model build_for_export(const ExportSource& source) {
  Diagnostics diagnostics;
  const auto model = build_model(source.scenario, source.assets, diagnostics);
  diagnostics.throw_if_errors();
  return *model;
}

std::string MeshWriter::path_of(MeshId mesh) {
  const auto [known, is_new] = paths_.emplace(mesh, "");
  if (is_new) {
    known->second = fmt::format("{}/mesh{}.stl", folder_, paths_.size());
    files_.push_back({known->second, write_stl(model_.meshes[index(mesh)], 1.0, "metres")});
  }
  return known->second;
}

std::optional<double> read_device_number(const Element& device, std::string_view attribute,
                                         std::string_view si_unit) {
  const Attribute* found = device.find_attribute(attribute);
  if (found == nullptr) return std::nullopt;
  const Result<std::vector<double>> read = parse_numbers(found->value, si_unit);
  if (!read || read->size() != 1) return std::nullopt;
  return read->front();
}

void report_environment(const Scenario& scenario, FormatReport& report) {
  const auto lose = [&](std::size_t count, std::string_view what) {
    if (count > 0) report.lost.push_back(fmt::format("{} {}", count, what));
  };
  std::size_t controllers = scenario.devices.controllers.size();
  std::size_t connections = scenario.devices.connections.size();
  for (const Robot& robot : scenario.robots) {
    controllers += robot.devices.controllers.size();
    connections += robot.devices.connections.size();
  }
  lose(controllers, "controllers");
  lose(connections, "connections to controllers");
  lose(scenario.events.size(), "events");
  lose(scenario.faults.size(), "faults");
  lose(scenario.studies.size(), "studies");
  lose(scenario.devices.subsystems.size(), "subsystems");
}

std::string numbers_text(const Vec3& v) {
  return format_vector(v);
}

std::string numbers_text(const Quat& q) {
  return format_quaternion(q);
}

Element make_xml(std::string_view name,
                 std::initializer_list<std::pair<std::string_view, std::string>> attributes) {
  Element element{.name = std::string(name), .place = {}, .attributes = {}, .children = {}, .text = {}};
  for (const auto& [attribute, value] : attributes)
    element.attributes.push_back({std::string(attribute), value, {}});
  return element;
}

}  // namespace lockstep
