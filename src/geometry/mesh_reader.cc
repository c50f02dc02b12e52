#include "geometry/mesh_reader.h"

#include "geometry/mesh_builder.h"
#include "geometry/shape_format.h"

namespace lockstep {

Mesh read_mesh(std::span<const std::uint8_t> bytes, std::string_view file_name, const Place& place) {
  const MeshSource source{file_name, place};
  const std::string ending = lower_ending(file_name);
  if (ending == ".obj") return read_obj({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, source);
  if (ending == ".stl") return read_stl(bytes, source);
  throw_mesh_error(source, 0, "unknown file format; expected a name that ends in '.obj' or '.stl'");
}

}  // namespace lockstep
