#include "simulation/live_links.h"

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

}  // namespace lockstep
