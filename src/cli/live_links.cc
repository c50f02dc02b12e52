#include "cli/live_links.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdio>

namespace lockstep {
namespace {

constexpr const char* kAddressVariable = "LOCKSTEP_ADDRESS";

std::string variable_of(const std::string& link) {
  std::string name = fmt::format("{}_{}", kAddressVariable, link);
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    c = std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return name;
}

std::string shown(Duration time) {
  const double seconds = to_seconds(time);
  return seconds < 1e-3 ? fmt::format("{:.3g} us", 1e6 * seconds) : fmt::format("{:.3g} ms", 1e3 * seconds);
}

}  // namespace

LiveLinks::LiveLinks(Simulation& simulation, const std::vector<std::string>& controllers)
    : simulation_(simulation) {
  if (simulation.links().empty() && !controllers.empty()) {
    throw_user_error({"--controller", 0, 0}, "the scenario has no link that it could connect to");
  }
  std::vector<std::pair<std::string, std::string>> environment;
  for (const auto& link : simulation.links()) {
    if (const std::string fault = link.part->open(); !fault.empty()) {
      throw_user_error({simulation.model().name, 0, 0}, "link '{}': {}", link.name, fault);
    }
    const std::string address = link.part->address();
    fmt::print(stderr, "link '{}': waits at {}\n", link.name, address);
    if (environment.empty()) environment.emplace_back(kAddressVariable, address);
    environment.emplace_back(variable_of(link.name), address);
  }
  std::fflush(stderr);
  controllers_.reserve(controllers.size());
  for (const std::string& command : controllers) controllers_.emplace_back(command, environment);
}

void LiveLinks::close() {
  if (!is_open_) return;
  is_open_ = false;
  for (const auto& link : simulation_.links()) link.part->close();
  for (ControllerProcess& controller : controllers_) {
    controller.end();
    fmt::print(stderr, "controller '{}': {}\n", controller.command(), controller.result());
  }
}

void print_links(const Simulation& simulation) {
  for (const auto& link : simulation.links()) {
    const LinkReport report = link.part->report();
    const LinkCounts& counts = report.counts;
    fmt::print("link '{}': {} exchanges, {} late, {} missed, {} lost, {} duplicate, {} bad, {} reconnects\n",
               link.name, report.exchanges, counts.late, counts.missed, counts.lost, counts.duplicate,
               counts.bad, counts.reconnects);
    fmt::print("link '{}': round trip {} in the median, {} at the 99th percentile, {} at worst\n", link.name,
               shown(report.round_trip_median), shown(report.round_trip_p99), shown(report.round_trip_worst));
    if (!report.problem.empty()) fmt::print("link '{}': {}\n", link.name, report.problem);
  }
}

void add_links(nlohmann::ordered_json& json, const Simulation& simulation, const LiveLinks& live) {
  for (const auto& link : simulation.links()) {
    const LinkReport report = link.part->report();
    json["links"].push_back({{"name", link.name},
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
  for (const ControllerProcess& controller : live.controllers()) {
    json["controllers"].push_back({{"command", controller.command()}, {"result", controller.result()}});
  }
}

}  // namespace lockstep
