#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/units.h"
#include "connection/connection_faults.h"
#include "lockstep/fields.h"
#include "lockstep/time.h"

namespace lockstep {

enum class FaultKind { kStick, kBias, kCut, kDelay, kDrop, kDuplicate, kCorrupt, kFreeze, kDisconnect };
inline constexpr std::array<std::pair<std::string_view, FaultKind>, 9> kFaultKinds = {{
    {"stick", FaultKind::kStick},
    {"bias", FaultKind::kBias},
    {"cut", FaultKind::kCut},
    {"delay", FaultKind::kDelay},
    {"drop", FaultKind::kDrop},
    {"duplicate", FaultKind::kDuplicate},
    {"corrupt", FaultKind::kCorrupt},
    {"freeze", FaultKind::kFreeze},
    {"disconnect", FaultKind::kDisconnect},
}};
inline constexpr std::array<std::pair<std::string_view, ConnectionDirection>, 2> kConnectionDirections = {{
    {"measurements", ConnectionDirection::kMeasurements},
    {"commands", ConnectionDirection::kCommands},
}};

/// <fault>: a defect that can be injected.
struct FaultConfig {
  std::string name;
  FaultKind kind = FaultKind::kStick;
  std::string device;
  std::string signal;
  std::optional<double> value;
  std::string connection;
  ConnectionDirection direction = ConnectionDirection::kMeasurements;
  Duration delay{0};
  std::optional<Duration> at;
  Duration length{0};
  double chance = 1.0;
};

template <class V>
void describe(V& v, FaultConfig& c) {
  v.name("name", c.name, {.doc = "Name of the fault; its signals are called faults/name/….", .required = true});
  const bool is_kind_known = v.choice("kind", c.kind, kFaultKinds,
                                      {.doc = "Of a sensor or an actuator: stick, bias, cut. Of a connection: "
                                              "delay, drop, duplicate, corrupt, freeze, "
                                              "disconnect.",
                                       .required = true});
  const std::string holder =
      "the kind '" + std::string(kFaultKinds[static_cast<std::size_t>(c.kind)].first) + "'";
  // The schema lists the attributes of all kinds. An unknown kind is one error, not one per attribute.
  const bool takes_all = V::kIsSchema || !is_kind_known;
  const bool is_of_device = c.kind <= FaultKind::kCut;
  if (takes_all || is_of_device) {
    v.text("device", c.device,
           {.doc = "Sensor or actuator by full name, such as 'arm/elbow' (stick, bias, cut).",
            .required = !takes_all});
    v.text("signal", c.signal,
           {.doc = "Quantities that the fault affects, such as 'angle' or 'x y z'; default: all (stick, "
                   "bias, cut)."});
  } else {
    v.no_meaning("device", holder);
    v.no_meaning("signal", holder);
  }
  if (takes_all || c.kind == FaultKind::kBias || c.kind == FaultKind::kCut) {
    v.number("value", c.value,
             {.unit = kAnyUnit,
              .doc = "Value added (bias), or used instead, default 0 (cut); in the unit of the "
                     "signal.",
              .required = !takes_all && c.kind == FaultKind::kBias});
  } else {
    v.no_meaning("value", holder);
  }
  if (takes_all || !is_of_device) {
    v.text("connection", c.connection,
           {.doc = "Name of the connection (delay, drop, duplicate, corrupt, freeze, disconnect).",
            .required = !takes_all});
    v.choice("direction", c.direction, kConnectionDirections,
             {.doc = "Whether it affects outgoing measurements or incoming commands (faults "
                     "of connections)."});
  } else {
    v.no_meaning("connection", holder);
    v.no_meaning("direction", holder);
  }
  if (takes_all || c.kind == FaultKind::kDelay) {
    v.time("delay", c.delay,
           {.min = 0.0,
            .above_min = true,
            .doc = "Delay in simulated time, a multiple of the step (delay).",
            .required = !takes_all});
  } else {
    v.no_meaning("delay", holder);
  }
  v.time("at", c.at, {.min = 0.0, .doc = "When it begins. Default: only by an event."});
  v.time("length", c.length, {.min = 0.0, .doc = "Duration; 0 means permanently."});
  v.number("chance", c.chance,
           {.min = 0.0,
            .max = 1.0,
            .doc = "Probability per call of the device or exchange of the connection, while the fault is on."});
  v.check(c.at || c.length == Duration{0}, "length",
          "has a length but no 'at'; expected both, or the length in the event that begins it");
}

}  // namespace lockstep
