#pragma once

#include <memory>

#include "lockstep/device.h"
#include "lockstep/fields.h"

namespace lockstep {

class BuildContext;

struct PanelConfig {};

template <class V>
void describe(V&, PanelConfig&) {}

/// What an operator and a program show each other, as signals of 0 or 1: the buttons a, b, c, x, y, z, side, left,
/// right, up and down and the start light `start`, which events or a user set, and `running`, which the program
/// sets while it runs. It exerts nothing.
class Panel final : public Actuator {
 public:
  void actuate(const Instant&, Row, World&) override {}
};

std::unique_ptr<Actuator> make_panel(const PanelConfig& config, BuildContext& context);

}  // namespace lockstep
