// The mesh reader must answer any bytes with a mesh or a UserError. The first byte chooses the format.

#include <cstddef>
#include <cstdint>
#include <span>

#include "geometry/immersion.h"
#include "geometry/mass.h"
#include "geometry/mesh_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  if (size == 0) return 0;
  const char* name = (data[0] & 1) != 0 ? "part.stl" : "part.obj";
  try {
    const Mesh mesh = read_mesh(std::span(data + 1, size - 1), name, Place{"fuzz.xml", 1, 1});
    LOCKSTEP_CHECK(!mesh.faces.empty());
    for (const auto& face : mesh.faces) {
      for (const std::uint32_t corner : face) LOCKSTEP_CHECK(corner < mesh.vertices.size());
    }
    // As the model does with every mesh.
    if (find_mesh_defect(mesh).empty()) LOCKSTEP_CHECK(unit_mass(mesh).mass > 0.0);
    const Immersion wet = calc_immersion(mesh, Pose{}, mesh.vertices[0].z());
    LOCKSTEP_CHECK(wet.volume >= 0.0 && wet.center.array().isFinite().all());
  } catch (const UserError&) {
  }
  return 0;
}
