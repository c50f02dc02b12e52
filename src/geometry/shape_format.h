#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

enum class ShapeFormat { kStep, kObj, kStl, kDae, kGltf };

/// Which format of shapes a file has: by its contents where they tell, else by the ending of its name.
std::optional<ShapeFormat> find_shape_format(std::string_view bytes, std::string_view file_name);

/// ".stl" of "Part.STL"; empty if the name has no ending.
std::string lower_ending(std::string_view file_name);

inline constexpr std::string_view kNoShapeFormat =
    "the file holds no shapes of a known format; expected STEP, OBJ, STL, DAE, glTF or GLB";

}  // namespace lockstep
