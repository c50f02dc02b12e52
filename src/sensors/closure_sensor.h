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

/// How far closed loops gape: the largest distance between the two sites of a loop, m. Zero would be perfect;
/// constraints that are solved step by step leave a little.
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
