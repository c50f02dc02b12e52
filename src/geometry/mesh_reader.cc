#include "geometry/mesh_reader.h"

#include <algorithm>
#include <string>

#include "geometry/mesh_builder.h"

namespace lockstep {

Mesh read_mesh(std::span<const std::uint8_t> bytes, std::string_view file_name, const Place& place) {
  const MeshSource source{file_name, place};
  std::string ending(file_name.substr(std::min(file_name.rfind('.'), file_name.size())));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (ending == ".obj") return read_obj({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, source);
  if (ending == ".stl") return read_stl(bytes, source);
  throw_mesh_error(source, 0, "unknown file format; expected a name that ends in '.obj' or '.stl'");
}

}  // namespace lockstep
