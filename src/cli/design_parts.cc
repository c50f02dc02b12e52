#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/units.h"
#include "cli/design.h"
#include "cli/exit_code.h"
#include "design/body_mass.h"
#include "design/parts.h"
#include "design/where.h"
#include "geometry/assembly_reader.h"
#include "geometry/mass.h"

namespace lockstep {
namespace {

std::optional<double> read_unit(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const Result<std::vector<double>> read = parse_numbers(*text, "m");
  if (!read) throw_user_error({"--unit"}, "{}", read.error());
  if (read->size() != 1 || read->front() <= 0.0)
    throw_user_error({"--unit"}, "'{}' is not a unit; expected a length above 0, such as '1 mm'", *text);
  return read->front();
}

bool is_script(const std::string& file) {
  return file.ends_with(".xml");
}

/// The parts of a file; for a script, the parts after its operations.
Assembly read_parts(const PartsSource& source) {
  if (is_script(source.file)) return *carry_out(source, Document::read_file(source.file)).design.assembly;
  return read_assembly(source.file, {.unit_length = read_unit(source.unit)});
}

nlohmann::ordered_json numbers(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

std::string text_of(const Vec3& v) {
  return fmt::format("{:.6g} {:.6g} {:.6g}", v.x(), v.y(), v.z());
}

nlohmann::ordered_json describe_part(const Assembly& assembly, int index) {
  const Part& part = assembly.parts[static_cast<std::size_t>(index)];
  const PartShape& shape = assembly.shapes[static_cast<std::size_t>(part.shape)];
  const Eigen::AlignedBox3d box = calc_bounds(assembly, std::span(&index, 1));
  const PartVolume volume = calc_volume(shape);
  nlohmann::ordered_json row = {{"name", part.name},
                                {"shape", part.shape},
                                {"lower", numbers(box.min())},
                                {"upper", numbers(box.max())},
                                {"triangles", shape.mesh.faces.size()},
                                {"features", shape.features.size()},
                                {"exact", shape.exact.has_value()}};
  if (volume.unit) {
    const MassProperties placed = transformed(*volume.unit, calc_pose(assembly, index));
    row["volume"] = placed.mass;
    row["center"] = numbers(placed.center);
  } else {
    row["defect"] = volume.defect;
  }
  if (!volume.repair.empty()) row["fixed"] = volume.repair;
  if (!part.material.empty()) row["material"] = part.material;
  return row;
}

}  // namespace

CarriedOut carry_out(const PartsSource& source, const Document& document) {
  CarriedOut done;
  done.script = read_script(document);
  done.folder = document.root_folder();
  const ReadOptions options{.unit_length = source.unit ? read_unit(source.unit) : done.script.unit};
  Assembly assembly;
  if (source.source) {
    assembly = read_assembly(*source.source, options);
  } else {
    const std::string& src = done.script.src;
    if (src.empty())
      throw_user_error(done.script.place, "the script names no file of parts; give a 'src' or --source");
    const Result<FileContent> file = read_file_below(done.folder, src, Assets::kMaxFileBytes);
    if (!file) throw_user_error(done.script.place, "src {}", file.error());
    assembly = read_assembly(file->bytes, src, file->path.parent_path(), options);
  }
  done.notes = assembly.notes;
  done.design = run_script(done.script, std::move(assembly), {.read_file = files_beside(done.folder)});
  return done;
}

int design_parts(const DesignPartsCommand& command) {
  const Assembly assembly = read_parts(command.source);
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    if (assembly.parts[i].shape >= 0) rows.push_back(describe_part(assembly, static_cast<int>(i)));
  }
  if (command.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"parts", rows}}.dump(2, ' ', false,
                                                                    nlohmann::json::error_handler_t::replace));
    return kExitDone;
  }
  for (const auto& row : rows) {
    const auto lower = row["lower"], upper = row["upper"];
    fmt::print("{}\n  {:.4g} x {:.4g} x {:.4g} mm at {:.4g} {:.4g} {:.4g} m; {}; {} features\n",
               row["name"].get<std::string>(), 1e3 * (upper[0].get<double>() - lower[0].get<double>()),
               1e3 * (upper[1].get<double>() - lower[1].get<double>()),
               1e3 * (upper[2].get<double>() - lower[2].get<double>()),
               0.5 * (upper[0].get<double>() + lower[0].get<double>()),
               0.5 * (upper[1].get<double>() + lower[1].get<double>()),
               0.5 * (upper[2].get<double>() + lower[2].get<double>()),
               row.contains("volume") ? fmt::format("{:.6g} cm^3", 1e6 * row["volume"].get<double>())
                                      : "no volume: " + row["defect"].get<std::string>(),
               row["features"].get<std::size_t>());
  }
  return kExitDone;
}

int design_features(const DesignFeaturesCommand& command) {
  const Assembly assembly = read_parts(command.source);
  const std::vector<int> parts = find_parts(assembly, command.part, {command.source.file}, "features");
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const PlacedFeature& placed : list_features(assembly, parts)) {
    const Feature& feature = placed.feature;
    const std::string& part = assembly.parts[static_cast<std::size_t>(placed.part)].name;
    if (command.json) {
      rows.push_back({{"part", part},
                      {"kind", std::string(name(feature.kind))},
                      {"point", numbers(feature.point)},
                      {"direction", numbers(feature.direction)},
                      {"radius", feature.radius},
                      {"size", feature.size}});
      continue;
    }
    const std::string radius =
        feature.radius > 0.0 ? fmt::format(" radius {:.4g} mm", 1e3 * feature.radius) : "";
    fmt::print("{:<8}{} at {} along {}  ({})\n", name(feature.kind), radius, text_of(feature.point),
               text_of(feature.direction), part);
  }
  if (command.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"features", rows}}.dump(
                           2, ' ', false, nlohmann::json::error_handler_t::replace));
  return kExitDone;
}

}  // namespace lockstep
