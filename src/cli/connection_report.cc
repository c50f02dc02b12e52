#include "cli/connection_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace lockstep {
namespace {

std::string shown(Duration time) {
  const double seconds = to_seconds(time);
  return seconds < 1e-3 ? fmt::format("{:.3g} us", 1e6 * seconds) : fmt::format("{:.3g} ms", 1e3 * seconds);
}

nlohmann::ordered_json to_json(const std::optional<Duration>& time) {
  return time ? nlohmann::ordered_json(to_seconds(*time)) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json to_json(const TimeStatistics& times) {
  nlohmann::ordered_json histogram = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < times.histogram.size(); ++i) {
    const bool is_last = i == kTimeBounds.size();
    histogram.push_back({{"up_to", to_json(is_last ? std::nullopt : std::optional(kTimeBounds[i]))},
                         {"exchanges", times.histogram[i]}});
  }
  return {{"median", to_seconds(times.median)},
          {"p99", to_seconds(times.p99)},
          {"worst", to_seconds(times.worst)},
          {"worst_at", to_seconds(times.worst_at)},
          {"histogram", histogram}};
}

nlohmann::ordered_json to_json(const std::vector<ConnectionEvent>& events) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ConnectionEvent& event : events) {
    list.push_back({{"step", event.step},
                    {"time", to_seconds(event.time)},
                    {"event", name(event.kind)},
                    {"text", event.text}});
  }
  return list;
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
               shown(report.round_trip.median), shown(report.round_trip.p99), shown(report.round_trip.worst));
    if (!report.controller.empty())
      fmt::print("connection '{}': controller '{}'\n", connection.name, shown_text(report.controller));
    if (!report.problem.empty())
      fmt::print("connection '{}': last problem: {}\n", connection.name, report.problem);
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
                                   {"controller", report.controller},
                                   {"problem", report.problem},
                                   {"events", to_json(report.events)},
                                   {"command_age", to_json(report.command_age)},
                                   {"command_wall_age", to_json(report.command_wall_age)},
                                   {"round_trip", to_json(report.round_trip)},
                                   {"jitter", to_json(report.jitter)}});
  }
  for (const ControllerProcess& controller : controllers.processes()) {
    json["controllers"].push_back({{"command", controller.command()}, {"result", controller.result()}});
  }
}

}  // namespace lockstep
