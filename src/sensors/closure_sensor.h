#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"

namespace lockstep {

class BuildContext;

struct ClosureSensorConfig {};

template <class V>
void describe(V&, ClosureSensorConfig&) {}

/// Loop closure error: the largest distance between the two sites of a loop, over all loops of the robot or the
/// scenario, m.
///
///     gap = max |p_WA - p_WB|,   A and B the sites of one loop
///
/// A perfect solver keeps it at zero; the constraints of the engine are slightly soft and leave a small error.
class ClosureSensor final : public Sensor {
 public:
  ClosureSensor(std::vector<std::pair<SiteId, SiteId>> loops, Slot gap) : loops_(std::move(loops)), gap_(gap) {}

  void sense(const World& world, const Instant&, Row row) override;

 private:
  std::vector<std::pair<SiteId, SiteId>> loops_;
  Slot gap_;
};

std::unique_ptr<Sensor> make_closure_sensor(const ClosureSensorConfig&, BuildContext& context);

}  // namespace lockstep
