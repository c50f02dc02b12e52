#pragma once

#include <memory>
#include <vector>

#include "assemble/build_context.h"
#include "sensors/imperfect_sensor.h"

namespace lockstep {

/// Wraps a sensor so that its readings have the errors of its <error> children, for any kind of sensor: its
/// signals are those that were added since the table had `first_signal` of them. Nothing, with the errors
/// written, if they do not fit. A sensor without errors is returned as it is.
std::unique_ptr<Sensor> with_errors(std::unique_ptr<Sensor> sensor,
                                    const std::vector<SensorErrorConfig>& errors, std::size_t first_signal,
                                    BuildContext& context);

}  // namespace lockstep
