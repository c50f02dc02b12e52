#include "geometry/assembly_builder.h"

#include <algorithm>
#include <set>

#include "geometry/mass.h"
#include "geometry/mesh_reader.h"
#include "geometry/repair.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxLabel = 200;  // bytes
constexpr std::size_t kMaxPath = 4000;  // bytes of labels from the root
constexpr std::size_t kMaxAllFaces = 5'000'000;

/// Length of the UTF-8 character at the beginning; 0 if it is invalid.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 0 || first > 0xF4 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return 0;
  }
  // Overlong encodings, surrogates, and code points beyond U+10FFFF.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
      (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F)) {
    return 0;
  }
  return length;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::string clean_label(std::string_view text) {
  std::string label;
  while (!text.empty() && label.size() < kMaxLabel) {
    const std::size_t length = character_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0) {  // Latin-1: U+0080 to U+00FF
      label.push_back(static_cast<char>(0xC0u | (first >> 6)));
      label.push_back(static_cast<char>(0x80u | (first & 0x3Fu)));
    } else if (first < ' ' || first == 0x7F || first == '/') {
      label.push_back('_');
    } else {
      label.append(text.substr(0, length));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  const std::size_t begin = std::min(label.find_first_not_of(' '), label.size());
  const std::size_t end = label.find_last_not_of(' ') + 1;
  return begin < end ? label.substr(begin, end - begin) : std::string();
}

std::string_view stem(std::string_view file_name) {
  const std::size_t slash = file_name.rfind('/');
  if (slash != file_name.npos) file_name.remove_prefix(slash + 1);
  const std::size_t dot = file_name.rfind('.');
  return dot == 0 ? file_name : file_name.substr(0, dot);
}

int AssemblyBuilder::add_part(std::string_view label, std::string_view fallback, int parent, const Pose& X_PB) {
  if (assembly_.parts.size() == kMaxParts)
    throw_mesh_error(source_, 0, fmt::format("more than {} parts", kMaxParts));
  if (!X_PB.p.array().isFinite().all() || X_PB.p.cwiseAbs().maxCoeff() > kMaxMeshCoordinate ||
      !X_PB.q.coeffs().array().isFinite().all()) {
    throw_mesh_error(source_, 0, fmt::format("the pose of part '{}' is not finite", clean_label(label)));
  }
  Part added;
  added.label = clean_label(label);
  if (added.label.empty()) added.label = clean_label(fallback);
  added.parent = parent;
  added.pose = {X_PB.p, X_PB.q.normalized()};
  added.name = parent < 0 ? added.label : part(parent).name + "/" + added.label;
  if (added.name.size() > kMaxPath)
    throw_mesh_error(source_, 0, fmt::format("parts are nested too deeply, at '{}'", added.label));
  // "#2" may itself be a label in the file.
  const std::string path = added.name;
  while (taken_.contains(added.name)) added.name = fmt::format("{}#{}", path, ++taken_[path]);
  taken_[added.name] = 1;
  assembly_.parts.push_back(std::move(added));
  return static_cast<int>(assembly_.parts.size()) - 1;
}

int AssemblyBuilder::add_mesh(Mesh mesh, std::string_view label) {
  RepairedMesh repaired = repair_mesh(mesh);
  for (const std::string& done : repaired.done) notes().assumed.push_back(fmt::format("'{}': {}", label, done));
  if (!repaired.defect.empty())
    notes().suspicious.push_back(fmt::format("'{}' encloses no volume: {}", label, repaired.defect));
  PartShape shape;
  shape.mesh = std::move(repaired.mesh);
  shape.is_closed = repaired.defect.empty();
  return add_shape(std::move(shape));
}

int AssemblyBuilder::add_shape(PartShape shape) {
  if (assembly_.shapes.size() == kMaxPartShapes)
    throw_mesh_error(source_, 0, fmt::format("more than {} different shapes", kMaxPartShapes));
  faces_ += shape.mesh.faces.size();
  if (faces_ > kMaxAllFaces || shape.mesh.faces.size() > kMaxMeshFaces ||
      shape.mesh.vertices.size() > kMaxMeshVertices) {
    throw_mesh_error(source_, 0, fmt::format("more than {} triangles in all", kMaxAllFaces));
  }
  assembly_.shapes.push_back(std::move(shape));
  return static_cast<int>(assembly_.shapes.size()) - 1;
}

Assembly AssemblyBuilder::finish() {
  if (assembly_.shapes.empty()) {
    throw_mesh_error(source_, 0,
                     "the file contains no shapes" + (notes().lost.empty() ? "" : "; " + notes().lost.front()));
  }
  const auto with_shape = static_cast<std::size_t>(std::count_if(
      assembly_.parts.begin(), assembly_.parts.end(), [](const Part& part) { return part.shape >= 0; }));
  std::string summary = counted(with_shape, "part");
  if (with_shape != assembly_.shapes.size())
    summary += fmt::format(" of {}", counted(assembly_.shapes.size(), "different shape"));
  if (assembly_.parts.size() > with_shape)
    summary += fmt::format(" in {}", counted(assembly_.parts.size() - with_shape, "group"));
  notes().read.insert(notes().read.begin(), fmt::format("{}, {}", summary, counted(faces_, "triangle")));
  return std::move(assembly_);
}

}  // namespace lockstep
