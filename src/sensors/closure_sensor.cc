#include "sensors/closure_sensor.h"

#include <algorithm>

#include "device/context.h"

namespace lockstep {

void ClosureSensor::sense(const World& world, const Instant&, Row row) {
  double largest = 0.0;
  for (const auto& [a, b] : loops_) {
    largest = std::max(largest, (site_pose(world, a).p - site_pose(world, b).p).norm());
  }
  row[gap_] = largest;
}

std::unique_ptr<Sensor> make_closure_sensor(const ClosureSensorConfig&, BuildContext& context) {
  const std::string prefix = context.scope.empty() ? "" : context.scope + "/";
  std::vector<std::pair<SiteId, SiteId>> loops;
  for (const LoopModel& loop : context.model.loops) {
    if (loop.name.starts_with(prefix)) loops.emplace_back(loop.a, loop.b);
  }
  if (loops.empty()) {
    context.error_at("", "there is no <loop> in the {}; expected at least one",
                     context.scope.empty() ? "scenario" : "robot");
    return nullptr;
  }
  const auto gap = context.add_signal("gap", "m", SignalRole::kMeasurement);
  if (!gap) return nullptr;
  return std::make_unique<ClosureSensor>(std::move(loops), *gap);
}

}  // namespace lockstep
