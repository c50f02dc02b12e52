#include "geometry/fit_cache.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/files.h"
#include "base/hash.h"
#include "base/overloaded.h"
#include "geometry/mass.h"
#include "geometry/mesh_reader.h"
#include "lockstep/state.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

/// To be increased when choose_shapes() gives other results.
constexpr std::uint32_t kFitVersion = 1;
constexpr std::uint64_t kFirstSeed = 1, kSecondSeed = 2;  // two hashes: 128 bits
constexpr std::size_t kMaxFitBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxFitShapes = 1000, kMaxFitText = 1000;

void require(bool is_right, const char* text) {
  if (!is_right) throw StateError(text);
}

void write_vector(StateWriter& out, const Vec3& value) {
  for (int i = 0; i < 3; ++i) out.write(value(i));
}

void write_mesh(StateWriter& out, const Mesh& mesh) {
  out.write(static_cast<std::uint64_t>(mesh.vertices.size()));
  for (const Vec3& vertex : mesh.vertices) write_vector(out, vertex);
  out.write(static_cast<std::uint64_t>(mesh.faces.size()));
  for (const auto& face : mesh.faces) {
    for (const std::uint32_t corner : face) out.write(corner);
  }
}

double read_finite(StateReader& in) {
  const auto value = in.read<double>();
  require(std::isfinite(value), "a number is not finite");
  return value;
}

double read_size(StateReader& in, bool may_be_zero = false) {
  const double value = read_finite(in);
  require(value > 0.0 || (may_be_zero && value == 0.0), "a size is not above 0");
  return value;
}

Vec3 read_vec3(StateReader& in) {
  const double x = read_finite(in), y = read_finite(in), z = read_finite(in);
  return {x, y, z};
}

Mesh read_hull(StateReader& in) {
  Mesh hull;
  const auto vertices = in.read<std::uint64_t>();
  require(vertices <= kMaxMeshVertices, "too many vertices");
  for (std::uint64_t i = 0; i < vertices; ++i) hull.vertices.push_back(read_vec3(in));
  const auto faces = in.read<std::uint64_t>();
  require(faces <= kMaxMeshFaces, "too many faces");
  for (std::uint64_t i = 0; i < faces; ++i) {
    std::array<std::uint32_t, 3> face{};
    for (std::uint32_t& corner : face) corner = in.read<std::uint32_t>();
    hull.faces.push_back(face);
  }
  require(find_mesh_defect(hull).empty(), "a hull encloses no volume");
  return hull;
}

void write_shape(StateWriter& out, const FittedShape& shape) {
  write_vector(out, shape.pose.p);
  for (int i = 0; i < 4; ++i) out.write(shape.pose.q.coeffs()(i));
  out.write(static_cast<std::uint8_t>(shape.geometry.index()));
  std::visit(Overloaded{[&](const Box& box) { write_vector(out, box.size); },
                        [&](const Sphere& sphere) { out.write(sphere.radius); },
                        [&](const Mesh& hull) { write_mesh(out, hull); },
                        [&](const auto& round) {
                          out.write(round.radius);
                          out.write(round.length);
                        }},
             shape.geometry);
}

FittedShape read_fitted_shape(StateReader& in) {
  constexpr double kUnitTolerance = 1e-6;
  FittedShape shape;
  shape.pose.p = read_vec3(in);
  for (int i = 0; i < 4; ++i) shape.pose.q.coeffs()(i) = read_finite(in);
  require(std::abs(shape.pose.q.norm() - 1.0) < kUnitTolerance, "a rotation is not of unit length");
  switch (in.read<std::uint8_t>()) {
    case 0: {
      const double x = read_size(in), y = read_size(in), z = read_size(in);
      shape.geometry = Box{{x, y, z}};
      break;
    }
    case 1:
      shape.geometry = Sphere{read_size(in)};
      break;
    case 2: {
      const double radius = read_size(in);
      shape.geometry = Capsule{radius, read_size(in, true)};
      break;
    }
    case 3: {
      const double radius = read_size(in);
      shape.geometry = Cylinder{radius, read_size(in)};
      break;
    }
    case 4:
      shape.geometry = read_hull(in);
      break;
    default:
      throw StateError("a shape has an unknown kind");
  }
  return shape;
}

/// The file of a fit: a hash of everything that it depends on.
std::string file_name_of(const Mesh& mesh, const FitOptions& options) {
  StateWriter key;
  key.write(kFitVersion);
  key.write(options.max_error);
  key.write(static_cast<std::uint64_t>(options.max_shapes));
  write_mesh(key, mesh);
  return to_hex(hash_bytes(key.bytes(), kFirstSeed)) + to_hex(hash_bytes(key.bytes(), kSecondSeed)) + ".fit";
}

std::optional<Fit> load(const fs::path& folder, const std::string& name) {
  const Result<FileContent> file = read_file_below(folder, name, kMaxFitBytes);
  constexpr std::size_t kChecksum = sizeof(std::uint64_t);
  if (!file || file->bytes.size() < kChecksum) return std::nullopt;
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(file->bytes.data()), file->bytes.size());
  StateReader checksum(bytes.first(kChecksum));
  // The name takes part, so that a file under another name is not used.
  if (checksum.read<std::uint64_t>() != hash_bytes(bytes.subspan(kChecksum), hash_text(name)))
    return std::nullopt;
  try {
    return fit_from_bytes(bytes.subspan(kChecksum));
  } catch (const StateError&) {
    return std::nullopt;
  }
}

/// Removes the older half if there are too many files.
void tidy(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    std::error_code gone;  // another process may remove it
    const auto time = at->last_write_time(gone);
    if (!gone && at->path().extension() == ".fit") files.emplace_back(time, at->path());
  }
  if (files.size() <= FitCache::kMaxFiles) return;
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i < files.size() / 2; ++i) fs::remove(files[i].second, error);
}

void store(const fs::path& folder, const std::string& name, const Fit& fit) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return;
  const std::vector<std::uint8_t> bytes = fit_to_bytes(fit);
  StateWriter whole;
  whole.write(hash_bytes(bytes, hash_text(name)));
  std::string text(reinterpret_cast<const char*>(whole.bytes().data()), whole.bytes().size());
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  (void)replace_file(folder / name, text);
  tidy(folder);
}

}  // namespace

std::vector<std::uint8_t> fit_to_bytes(const Fit& fit) {
  StateWriter out;
  out.write(static_cast<std::uint64_t>(fit.shapes.size()));
  for (const FittedShape& shape : fit.shapes) write_shape(out, shape);
  for (const double value :
       {fit.error.largest, fit.error.mean, fit.error.outside, fit.error.volume_ratio, fit.cost})
    out.write(value);
  out.write(std::string_view(fit.text));
  return {out.bytes().begin(), out.bytes().end()};
}

Fit fit_from_bytes(std::span<const std::uint8_t> bytes) {
  StateReader in(bytes);
  Fit fit;
  const auto shapes = in.read<std::uint64_t>();
  require(shapes > 0 && shapes <= kMaxFitShapes, "a fit has no shapes, or too many");
  for (std::uint64_t i = 0; i < shapes; ++i) fit.shapes.push_back(read_fitted_shape(in));
  for (double* value :
       {&fit.error.largest, &fit.error.mean, &fit.error.outside, &fit.error.volume_ratio, &fit.cost})
    *value = read_finite(in);
  fit.text = in.read_string(kMaxFitText);
  require(in.at_end(), "there are bytes after the fit");
  return fit;
}

Fit FitCache::choose(const Mesh& mesh, const FitOptions& options) {
  if (!folder_) return choose_shapes(mesh, options);
  const std::string name = file_name_of(mesh, options);
  if (auto known = load(*folder_, name)) {
    ++found_;
    return *std::move(known);
  }
  Fit fit = choose_shapes(mesh, options);
  store(*folder_, name, fit);
  return fit;
}

std::optional<fs::path> find_fit_cache_folder() {
  // The standard says that a relative path is to be ignored.
  const auto absolute = [](const char* name) -> std::optional<fs::path> {
    const char* value = std::getenv(name);
    if (value == nullptr || value[0] != '/') return std::nullopt;
    return value;
  };
  if (const auto cache = absolute("XDG_CACHE_HOME")) return *cache / "lockstep/fits";
  if (const auto home = absolute("HOME")) return *home / ".cache/lockstep/fits";
  return std::nullopt;
}

}  // namespace lockstep
