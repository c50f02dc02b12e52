#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

enum class ShapeFormat { kStep, kObj, kStl, kDae, kGltf };

/// The shape format of a file: by content, else by extension.
std::optional<ShapeFormat> find_shape_format(std::string_view bytes, std::string_view file_name);

/// ".stl" of "Part.STL"; empty if there is no extension.
std::string lower_ending(std::string_view file_name);

inline constexpr std::string_view kNoShapeFormat =
    "unknown shape format; expected STEP, OBJ, STL, DAE, glTF or GLB";

}  // namespace lockstep
