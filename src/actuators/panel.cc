#include "actuators/panel.h"

#include "device/context.h"

namespace lockstep {

std::unique_ptr<Actuator> make_panel(const PanelConfig&, BuildContext& context) {
  for (const char* name :
       {"a", "b", "c", "x", "y", "z", "side", "left", "right", "up", "down", "start", "running"}) {
    if (!context.add_signal(name, "", SignalRole::kCommand)) return nullptr;
  }
  return std::make_unique<Panel>();
}

}  // namespace lockstep
