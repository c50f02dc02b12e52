#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/assembly.h"
#include "geometry/image.h"
#include "geometry/mesh_builder.h"
#include "lockstep/error.h"

/// Colours of the faces of a mesh, by material and texture.
namespace lockstep {

using FaceColor = std::array<double, 4>;  ///< red, green, blue, opacity, each 0…1

/// An image on a surface.
class Texture {
 public:
  /// The reason if the bytes are not a PNG.
  static Result<Texture> read(std::string_view bytes);

  /// The colour at coordinates from the lower left corner, in units of the image, which is repeated.
  FaceColor at(double u, double v) const;

 private:
  explicit Texture(Image image) : image_(std::move(image)) {}
  Image image_;
};

/// Shapes have at most this many colours; other colours become the nearest of them.
inline constexpr std::size_t kMaxFaceColors = 16;

struct ColoredFaces {
  FaceColor main{};                 ///< of the largest area
  std::vector<ColoredMesh> meshes;  ///< the faces of each colour; empty if there is only one
};

/// `colors` is by face.
ColoredFaces split_by_color(const std::vector<Vec3>& vertices,
                            const std::vector<std::array<std::uint32_t, 3>>& faces,
                            const std::vector<FaceColor>& colors, const MeshSource& source);

}  // namespace lockstep
