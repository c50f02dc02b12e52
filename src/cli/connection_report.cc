#include "cli/connection_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace lockstep {
namespace {

std::string shown(Duration time) {
  const double seconds = to_seconds(time);
  return seconds < 1e-3 ? fmt::format("{:.3g} us", 1e6 * seconds) : fmt::format("{:.3g} ms", 1e3 * seconds);
}

}  // namespace

void print_connections(const Simulation& simulation) {
  for (const auto& connection : simulation.connections()) {
    const ConnectionReport report = connection.device->report();
    const ConnectionCounts& counts = report.counts;
    fmt::print(
        "connection '{}': {} exchanges, {} late, {} missed, {} lost, {} duplicate, {} bad, {} reconnects\n",
        connection.name, report.exchanges, counts.late, counts.missed, counts.lost, counts.duplicate,
        counts.bad, counts.reconnects);
    fmt::print("connection '{}': round trip {} median, {} 99th percentile, {} maximum\n", connection.name,
               shown(report.round_trip_median), shown(report.round_trip_p99), shown(report.round_trip_worst));
    if (!report.problem.empty()) fmt::print("connection '{}': {}\n", connection.name, report.problem);
  }
}

void add_connections(nlohmann::ordered_json& json, const Simulation& simulation,
                     const StartedControllers& controllers) {
  for (const auto& connection : simulation.connections()) {
    const ConnectionReport report = connection.device->report();
    json["connections"].push_back({{"name", connection.name},
                                   {"exchanges", report.exchanges},
                                   {"late", report.counts.late},
                                   {"missed", report.counts.missed},
                                   {"lost", report.counts.lost},
                                   {"duplicate", report.counts.duplicate},
                                   {"bad", report.counts.bad},
                                   {"reconnects", report.counts.reconnects},
                                   {"problem", report.problem},
                                   {"round_trip",
                                    {{"median", to_seconds(report.round_trip_median)},
                                     {"p99", to_seconds(report.round_trip_p99)},
                                     {"worst", to_seconds(report.round_trip_worst)}}}});
  }
  for (const ControllerProcess& controller : controllers.processes()) {
    json["controllers"].push_back({{"command", controller.command()}, {"result", controller.result()}});
  }
}

}  // namespace lockstep
