#include <assimp/config.h>
#include <assimp/importerdesc.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <Eigen/SVD>
#include <algorithm>
#include <assimp/Importer.hpp>
#include <charconv>
#include <cmath>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <tuple>

#include "base/text.h"
#include "geometry/assembly_builder.h"
#include "geometry/reader/asking_io.h"
#include "geometry/reader/read_job.h"
#include "geometry/shape_format.h"

namespace lockstep {
namespace {

using Affine = Eigen::Affine3d;

/// assimp tries every known format on an unreadable file. Removes all but the expected ones.
void keep_only(Assimp::Importer& importer, const std::set<std::string>& endings) {
  for (std::size_t i = importer.GetImporterCount(); i-- > 0;) {
    const aiImporterDesc* description = importer.GetImporterInfo(i);
    std::string_view words = description->mFileExtensions;
    bool is_wanted = false;
    for (std::string_view word = take_word(words); !word.empty(); word = take_word(words))
      is_wanted = is_wanted || endings.contains(std::string(word));
    if (!is_wanted) importer.UnregisterLoader(importer.GetImporter(i));
  }
}

/// The text between two markers in a DAE; empty if there is none.
std::string_view between(std::string_view text, std::string_view element, std::string_view begin,
                         std::string_view end) {
  const std::size_t at = text.find(element);
  if (at == text.npos) return {};
  const std::size_t tag_end = text.find('>', at);
  const std::size_t from = text.find(begin, at);
  if (from == text.npos || (begin != ">" && from > tag_end)) return {};
  const std::size_t to = text.find(end, from + begin.size());
  return to == text.npos ? std::string_view() : text.substr(from + begin.size(), to - from - begin.size());
}

/// Rotation of the file's frame to z up.
Mat3 up_rotation(std::string_view axis) {
  Mat3 R = Mat3::Identity();
  if (axis == "Y_UP") R << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  if (axis == "X_UP") R << 0, -1, 0, 0, 0, -1, 1, 0, 0;
  return R;
}

/// A transform split into a pose and the rest (scale, shear), which is applied to the shape.
struct Placement {
  Pose pose;
  Mat3 stretch = Mat3::Identity();
};

Placement split(const Affine& X) {
  // Polar decomposition: the nearest rotation; the rest is symmetric, and a mirror if the linear part is.
  const Eigen::JacobiSVD<Mat3> svd(X.linear(), Eigen::ComputeFullU | Eigen::ComputeFullV);
  Mat3 R = svd.matrixU() * svd.matrixV().transpose();
  if (R.determinant() < 0.0) R = -R;
  Placement placement;
  placement.pose = {X.translation(), Quat(R).normalized()};
  placement.stretch = R.transpose() * X.linear();
  // Ignore rounding of single precision, so that shapes stay shared.
  constexpr double kRounding = 1e-5;
  if ((placement.stretch - Mat3::Identity()).cwiseAbs().maxCoeff() < kRounding)
    placement.stretch = Mat3::Identity();
  return placement;
}

class SceneReader {
 public:
  SceneReader(const ReadJob& job, const FindFile& find_file)
      : job_(job),
        place_{job.file_name},
        source_{{}, place_},
        builder_(source_),
        is_gltf_(find_shape_format(job.bytes, job.file_name) == ShapeFormat::kGltf),
        find_file_(find_file) {}

  Assembly read() {
    const bool is_binary = job_.bytes.starts_with("glTF");
    const std::string name = !is_gltf_ ? "file.dae" : is_binary ? "file.glb" : "file.gltf";
    auto* io = new AskingIo(name, job_.bytes, find_file_);  // the importer owns it
    importer_.SetIOHandler(io);
    keep_only(importer_, is_gltf_ ? std::set<std::string>{"gltf", "glb"} : std::set<std::string>{"dae"});
    importer_.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
    importer_.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_USE_COLLADA_NAMES, true);
    importer_.SetPropertyBool(AI_CONFIG_IMPORT_NO_SKELETON_MESHES, true);
    // assimp rejects two cameras or lights of one name, so they are removed before it checks.
    importer_.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS, aiComponent_CAMERAS | aiComponent_LIGHTS);
    const aiScene* scene = importer_.ReadFile(name, aiProcess_RemoveComponent);
    if (scene != nullptr) {
      scene = importer_.ApplyPostProcessing(aiProcess_Triangulate | aiProcess_SortByPType |
                                            aiProcess_ValidateDataStructure);
    }
    if (scene == nullptr || scene->mRootNode == nullptr) {
      if (!io->rejections().empty())
        throw_mesh_error(source_, 0, "it needs a file: " + io->rejections().front());
      fail(importer_.GetErrorString());
    }
    scene_ = scene;
    Affine X_WF = Affine::Identity();
    X_WF.linear() = calc_scale() * calc_up();
    walk(*scene->mRootNode, X_WF, -1, {}, 0);
    if (scene->mNumAnimations > 0)
      builder_.notes().lost.push_back(fmt::format("{} animations", scene->mNumAnimations));
    if (passed_over_ > 0) builder_.notes().lost.push_back(fmt::format("{} lines and points", passed_over_));
    return builder_.finish();
  }

 private:
  /// Throws with the error message of assimp.
  [[noreturn]] void fail(std::string_view text) const {
    if (text.find("bad_alloc") != text.npos) throw std::bad_alloc();
    if (text.starts_with("No suitable reader"))
      throw_mesh_error(source_, 0, fmt::format("it is not a {} file", is_gltf_ ? "glTF" : "DAE"));
    throw_mesh_error(source_, 0, fmt::format("it cannot be read: {}", shown_text(text)));
  }

  Mat3 calc_up() {
    std::string_view axis = "Y_UP";  // the default of both formats
    if (!is_gltf_) {
      if (const auto found = between(job_.bytes, "<up_axis", ">", "<"); !found.empty()) axis = found;
    }
    if (!job_.options.turns_up || axis == "Z_UP") return Mat3::Identity();
    builder_.notes().read.push_back(fmt::format("{} is up in the file; rotated to z up", axis.substr(0, 1)));
    return up_rotation(axis);
  }

  /// assimp has already applied the unit of the file.
  double calc_scale() {
    double unit = 1.0;
    if (!is_gltf_) {
      const std::string_view text = between(job_.bytes, "<unit", "meter=\"", "\"");
      if (!text.empty()) std::from_chars(text.data(), text.data() + text.size(), unit);
      if (!(unit > 0.0) || !std::isfinite(unit))
        throw_mesh_error(source_, 0, "its unit of length is not a length");
      builder_.notes().read.push_back(fmt::format("lengths in units of {} m", unit));
    }
    return job_.options.unit_length ? *job_.options.unit_length / unit : 1.0;
  }

  /// Whether the node or one below it has a mesh.
  bool has_shape(const aiNode& node, int depth) const {
    if (depth > kMaxDepth) throw_mesh_error(source_, 0, "parts are nested too deeply");
    if (node.mNumMeshes > 0) return true;
    return std::any_of(node.mChildren, node.mChildren + node.mNumChildren,
                       [&](const aiNode* child) { return has_shape(*child, depth + 1); });
  }

  void walk(const aiNode& node, const Affine& X_WP, int parent, const Pose& pose_of_parent, int depth) {
    if (!has_shape(node, depth)) return;
    Eigen::Matrix4d local;
    for (unsigned row = 0; row < 4; ++row) {
      for (unsigned column = 0; column < 4; ++column) local(row, column) = node.mTransformation[row][column];
    }
    if (!local.array().isFinite().all())
      throw_mesh_error(source_, 0, fmt::format("the pose of node '{}' is not finite", label(node)));
    const Affine X_WN = X_WP * Affine(local);
    int part = -1;
    Placement placement;
    // The root is the scene itself and has no user-given name.
    if (depth > 0 || node.mNumMeshes > 0) {
      placement = split(X_WN);
      part = builder_.add_part(label(node), stem(job_.file_name), parent,
                               pose_of_parent.inverse() * placement.pose);
      if (node.mNumMeshes > 0) add_shape(part, node, placement.stretch);
    }
    for (unsigned i = 0; i < node.mNumChildren; ++i)
      walk(*node.mChildren[i], X_WN, part, placement.pose, depth + 1);
  }

  static std::string_view label(const aiNode& node) { return {node.mName.C_Str(), node.mName.length}; }

  void add_shape(int part, const aiNode& node, const Mat3& stretch) {
    std::vector<unsigned> meshes;
    for (unsigned i = 0; i < node.mNumMeshes; ++i) {
      if (node.mMeshes[i] >= scene_->mNumMeshes) continue;
      const aiMesh& mesh = *scene_->mMeshes[node.mMeshes[i]];
      if (mesh.mPrimitiveTypes & aiPrimitiveType_TRIANGLE) {
        meshes.push_back(node.mMeshes[i]);
      } else {
        passed_over_ += mesh.mNumFaces;
      }
    }
    if (meshes.empty()) return;
    set_material(builder_.part(part), meshes);
    std::vector<double> key(stretch.data(), stretch.data() + 9);
    const auto [at, is_new] = shapes_.try_emplace({meshes, key}, Made{});
    if (is_new) at->second = make_shape(meshes, stretch, builder_.part(part).name);
    builder_.part(part).shape = at->second.shape;
    builder_.part(part).color = at->second.color;
  }

  /// A shape, and the colour of most of it.
  struct Made {
    int shape = -1;
    std::optional<FaceColor> color;
  };

  Made make_shape(const std::vector<unsigned>& meshes, const Mat3& stretch, const std::string& name) {
    std::vector<Vec3> vertices;
    std::vector<std::array<std::uint32_t, 3>> faces;
    std::vector<FaceColor> colors;
    bool has_colors = false;
    const bool mirrors = stretch.determinant() < 0.0;
    for (const unsigned m : meshes) {
      const aiMesh& mesh = *scene_->mMeshes[m];
      const auto first = static_cast<std::uint32_t>(vertices.size());
      for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
        const aiVector3D& v = mesh.mVertices[i];
        vertices.push_back(stretch * Vec3(v.x, v.y, v.z));
        check_vertex(vertices.back(), source_, 0);
      }
      for (unsigned i = 0; i < mesh.mNumFaces; ++i) {
        const aiFace& face = mesh.mFaces[i];
        if (face.mNumIndices != 3) continue;
        std::array<std::uint32_t, 3> corners{};
        for (unsigned c = 0; c < 3; ++c) {
          if (face.mIndices[c] >= mesh.mNumVertices)
            throw_mesh_error(
                source_, 0,
                fmt::format("a face references vertex {} of {}", face.mIndices[c], mesh.mNumVertices));
          corners[c] = first + face.mIndices[c];
        }
        if (mirrors) std::swap(corners[1], corners[2]);
        faces.push_back(corners);
        const std::optional<FaceColor> color = color_of(mesh, face);
        has_colors = has_colors || color;
        colors.push_back(color.value_or(kUncolored));
      }
    }
    Made made;
    ColoredFaces split;
    if (has_colors && !faces.empty()) {
      split = split_by_color(vertices, faces, colors, source_);
      made.color = split.main;
    }
    made.shape = builder_.add_mesh(finish_mesh(vertices, std::move(faces), source_), name);
    builder_.shape(made.shape).colored = std::move(split.meshes);
    return made;
  }

  struct Look {
    std::optional<FaceColor> color;  ///< of the material, as in a scenario
    std::optional<Texture> texture;
  };

  std::optional<FaceColor> color_of(const aiMesh& mesh, const aiFace& face) {
    const Look& look = find_look(mesh.mMaterialIndex);
    if (!look.texture || !mesh.HasTextureCoords(0)) return look.color;
    double u = 0.0, v = 0.0;
    for (unsigned c = 0; c < 3; ++c) {
      u += mesh.mTextureCoords[0][face.mIndices[c]].x / 3.0;
      v += mesh.mTextureCoords[0][face.mIndices[c]].y / 3.0;
    }
    FaceColor color = look.texture->at(u, v);
    // In DAE a texture replaces the colour; in glTF both are multiplied, as linear values.
    if (!is_gltf_ || !look.color) return color;
    for (std::size_t i = 0; i < 3; ++i)
      color[i] = channel(to_srgb(to_linear(color[i]) * to_linear((*look.color)[i])));
    color[3] = (*look.color)[3];
    return color;
  }

  const Look& find_look(unsigned index) {
    const auto [known, is_new] = looks_.try_emplace(index);
    if (!is_new || index >= scene_->mNumMaterials) return known->second;
    const aiMaterial& material = *scene_->mMaterials[index];
    known->second.color = read_color(material);
    aiString file;
    if (material.GetTexture(aiTextureType_BASE_COLOR, 0, &file) == aiReturn_SUCCESS ||
        material.GetTexture(aiTextureType_DIFFUSE, 0, &file) == aiReturn_SUCCESS)
      known->second.texture = find_texture(
          file.C_Str(), [&](std::string_view name) { return find_image(name); }, builder_.notes());
    return known->second;
  }

  /// An image in the file, "*2", or beside it.
  Result<FileContent> find_image(std::string_view name) const {
    if (!name.starts_with('*')) {
      if (name.starts_with("file://")) name.remove_prefix(7);
      Result<FileContent> file = find_file_(name);
      return !file && name.find('%') != name.npos ? find_file_(decoded_uri(name)) : std::move(file);
    }
    unsigned index = 0;
    std::from_chars(name.data() + 1, name.data() + name.size(), index);
    if (index >= scene_->mNumTextures) return Failure{"the file does not contain it"};
    const aiTexture& texture = *scene_->mTextures[index];
    if (texture.mHeight != 0) return Failure{"it is not compressed"};
    const char* bytes = reinterpret_cast<const char*>(texture.pcData);
    return FileContent{.bytes = std::string(bytes, texture.mWidth), .path = {}};
  }

  /// The name of the material of the mesh with the most faces.
  void set_material(Part& part, const std::vector<unsigned>& meshes) {
    const unsigned most = *std::max_element(meshes.begin(), meshes.end(), [&](unsigned a, unsigned b) {
      return scene_->mMeshes[a]->mNumFaces < scene_->mMeshes[b]->mNumFaces;
    });
    const unsigned index = scene_->mMeshes[most]->mMaterialIndex;
    if (index >= scene_->mNumMaterials) return;
    const aiMaterial& material = *scene_->mMaterials[index];
    aiString name;
    if (material.Get(AI_MATKEY_NAME, name) == aiReturn_SUCCESS) part.material = clean_label(name.C_Str());
  }

  static double channel(double value) { return std::isfinite(value) ? std::clamp(value, 0.0, 1.0) : 0.0; }

  std::optional<FaceColor> read_color(const aiMaterial& material) const {
    aiColor4D color;
    if (material.Get(AI_MATKEY_COLOR_DIFFUSE, color) != aiReturn_SUCCESS) return std::nullopt;
    float opacity = 1.0f;
    if (!is_gltf_) material.Get(AI_MATKEY_OPACITY, opacity);
    // glTF colours are linear, the others sRGB.
    const auto shade = [&](float value) {
      if (!is_gltf_) return channel(value);
      // Most colours were bytes once.
      constexpr double kRounding = 1e-4;
      const double color = channel(to_srgb(channel(value))), byte = std::round(255.0 * color);
      return std::abs(255.0 * color - byte) < kRounding ? byte / 255.0 : color;
    };
    return FaceColor{shade(color.r), shade(color.g), shade(color.b),
                     is_gltf_ ? channel(color.a) : channel(opacity)};
  }

  static constexpr int kMaxDepth = 200;
  static constexpr FaceColor kUncolored = {0.8, 0.8, 0.8, 1.0};

  const ReadJob& job_;
  Place place_;
  MeshSource source_;
  AssemblyBuilder builder_;
  bool is_gltf_;
  const FindFile& find_file_;
  Assimp::Importer importer_;
  const aiScene* scene_ = nullptr;
  std::map<std::pair<std::vector<unsigned>, std::vector<double>>, Made> shapes_;
  std::map<unsigned, Look> looks_;  // by material
  std::size_t passed_over_ = 0;
};

}  // namespace

Assembly read_scene_file(const ReadJob& job, const FindFile& find_file) {
  return SceneReader(job, find_file).read();
}

}  // namespace lockstep
