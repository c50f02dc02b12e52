#pragma once

#include <string>
#include <vector>

#include "design/design.h"

namespace lockstep {

/// Mass properties of a part in the frame of its shape at density 1, from its solid or else its mesh,
/// repaired if necessary.
struct PartVolume {
  std::optional<MassProperties> unit;
  std::string repair;  ///< "closed 2 holes", if the mesh was repaired
  std::string defect;  ///< why there is none
};
PartVolume calc_volume(const PartShape& shape);

/// Mass properties of bodies, each shape measured once.
class MassCalculator {
 public:
  explicit MassCalculator(const Design& design);

  /// In A. Errors go into `diagnostics`, assumptions into `assumed`.
  MassProperties calc(const DesignBody& body, Diagnostics& diagnostics, std::vector<std::string>& assumed);

 private:
  double density_of(const DesignBody& body, const Part& part, std::vector<std::string>& assumed);
  const PartVolume& volume_of(int shape);

  const Design& design_;
  std::vector<std::optional<PartVolume>> volumes_;  // of each shape
  bool has_solids_ = false;  // whether there are exact solids; then parts without one are surfaces
  bool has_said_default_ = false;
};

}  // namespace lockstep
