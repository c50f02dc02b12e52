#include "sensors/energy_sensor.h"

#include <algorithm>
#include <numeric>

#include "device/context.h"

namespace lockstep {

void EnergySensor::sense(const World& world, const Instant&, Row row) {
  const WorldReport report = world.report({.energy = true, .work = true});
  const Work& work = report.work;
  row[slots_.kinetic] = report.energy.kinetic;
  row[slots_.potential] = report.energy.potential;
  row[slots_.work] = std::accumulate(work.by_source.begin(), work.by_source.end(), 0.0);
  row[slots_.damping] = work.damping;
  row[slots_.friction] = work.friction;
  row[slots_.contacts] = work.contacts;
  row[slots_.unexplained] = work.unexplained;
}

std::unique_ptr<Sensor> make_energy_sensor(const EnergySensorConfig&, BuildContext& context) {
  const auto add = [&](std::string_view quantity) {
    return context.add_signal(quantity, "J", SignalRole::kMeasurement);
  };
  const auto kinetic = add("kinetic"), potential = add("potential"), work = add("work"),
             damping = add("damping"), friction = add("friction"), contacts = add("contacts"),
             unexplained = add("unexplained");
  if (!kinetic || !potential || !work || !damping || !friction || !contacts || !unexplained) return nullptr;
  return std::make_unique<EnergySensor>(
      EnergySensor::Slots{*kinetic, *potential, *work, *damping, *friction, *contacts, *unexplained});
}

void WorkSensor::sense(const World& world, const Instant&, Row row) {
  const std::span<const double> by_source = world.report({.work = true}).work.by_source;
  row[work_] = source_ < by_source.size() ? by_source[source_] : 0.0;
}

std::unique_ptr<Sensor> make_work_sensor(const WorkSensorConfig& config, BuildContext& context) {
  const std::vector<std::string>& names = context.services.actuators;
  const auto find = [&](const std::string& name) { return std::find(names.begin(), names.end(), name); };
  auto found = context.scope.empty() ? names.end() : find(context.scope + "/" + config.actuator);
  if (found == names.end()) found = find(config.actuator);
  if (found == names.end()) {
    context.error_at("actuator", "unknown actuator '{}'{}", config.actuator,
                     suggest(config.actuator, context.short_names(names)));
    return nullptr;
  }
  const auto work = context.add_signal("work", "J", SignalRole::kMeasurement);
  if (!work) return nullptr;
  return std::make_unique<WorkSensor>(kFirstActuatorSource + static_cast<std::size_t>(found - names.begin()),
                                      *work);
}

}  // namespace lockstep
