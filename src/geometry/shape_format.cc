#include "geometry/shape_format.h"

#include <algorithm>

namespace lockstep {

std::string lower_ending(std::string_view file_name) {
  std::string ending(file_name.substr(std::min(file_name.rfind('.'), file_name.size())));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return ending;
}

std::optional<ShapeFormat> find_shape_format(std::string_view bytes, std::string_view file_name) {
  constexpr std::size_t kBeginning = 1000;  // bytes used to detect the format
  std::string_view text = bytes.substr(0, kBeginning);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.starts_with("ISO-10303-21")) return ShapeFormat::kStep;
  if (bytes.starts_with("glTF")) return ShapeFormat::kGltf;
  if (text.find("<COLLADA") != text.npos) return ShapeFormat::kDae;

  const std::string ending = lower_ending(file_name);
  if (ending == ".step" || ending == ".stp" || ending == ".p21") return ShapeFormat::kStep;
  if (ending == ".obj") return ShapeFormat::kObj;
  if (ending == ".stl") return ShapeFormat::kStl;
  if (ending == ".dae") return ShapeFormat::kDae;
  if (ending == ".gltf" || ending == ".glb") return ShapeFormat::kGltf;
  return std::nullopt;
}

}  // namespace lockstep
