#pragma once

#include <optional>

#include "formats/common/mesh_collector.h"
#include "formats/urdf/urdf.h"

namespace lockstep {

/// Masses of the links of a URDF, corrected if they are impossible, with a line in the report for each correction.
class UrdfMasses {
 public:
  UrdfMasses(MeshCollector& meshes, FormatReport& report, double density)
      : meshes_(meshes), report_(report), density_(density) {}

  /// The mass in the file; none if it has none.
  std::optional<MassProperties> calc_given(const UrdfLink& link);
  /// For a moving link without a mass in the file: computed from its shapes.
  MassProperties calc_assumed(const UrdfLink& link);

 private:
  std::optional<MassProperties> of_shapes(const UrdfLink& link);
  void check_reach(const UrdfLink& link, const MassProperties& mass);
  const MeshCollector::Item* find_mesh(const UrdfShape& shape, const UrdfLink& owner);

  MeshCollector& meshes_;
  FormatReport& report_;
  double density_;  // kg/m^3
};

}  // namespace lockstep
