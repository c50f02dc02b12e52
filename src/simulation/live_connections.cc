#include "simulation/live_connections.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdio>

namespace lockstep {
namespace {

constexpr const char* kAddressVariable = "LOCKSTEP_ADDRESS";

std::string variable_of(const std::string& connection) {
  std::string name = fmt::format("{}_{}", kAddressVariable, connection);
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    c = std::isalnum(byte) != 0 ? static_cast<char>(std::toupper(byte)) : '_';
  }
  return name;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> controller_environment(const Simulation& simulation) {
  std::vector<std::pair<std::string, std::string>> environment;
  for (const auto& connection : simulation.connections()) {
    const std::string address = connection.device->address();
    if (environment.empty()) environment.emplace_back(kAddressVariable, address);
    environment.emplace_back(variable_of(connection.name), address);
  }
  return environment;
}

std::int64_t StartedControllers::count_exchanges() const {
  std::int64_t count = 0;
  for (const auto& connection : simulation_->connections()) count += connection.device->report().exchanges;
  return count;
}

bool StartedControllers::are_lost() {
  if (are_lost_ || simulation_ == nullptr || processes_.empty()) return are_lost_;
  if (count_exchanges() > exchanges_before_) return false;
  for (const auto& connection : simulation_->connections()) {
    if (connection.device->last_answer().is_fresh) return false;
  }
  for (ControllerProcess& process : processes_) {
    if (!process.has_ended()) return false;
  }
  are_lost_ = true;
  return true;
}

Status StartedControllers::explain(Status status) const {
  if (!are_lost_ || status.outcome != Outcome::kInterrupted) return status;
  std::string cause;
  for (const ControllerProcess& process : processes_) {
    cause += fmt::format("{}controller '{}' ended with {} before it answered", cause.empty() ? "" : ", ",
                         process.command(), process.result());
  }
  return {Outcome::kControllerLost, status.step, "", std::move(cause)};
}

LiveConnections::LiveConnections(Simulation& simulation, StartedControllers& controllers)
    : simulation_(simulation), controllers_(controllers) {
  if (simulation.connections().empty() && !controllers.commands_.empty()) {
    throw_user_error({"--controller", 0, 0}, "the scenario has no connection for a controller");
  }
  for (const auto& connection : simulation.connections()) {
    if (const std::string error = connection.device->open(); !error.empty()) {
      throw_user_error({simulation.model().name, 0, 0}, "connection '{}': {}", connection.name, error);
    }
    fmt::print(stderr, "connection '{}': listens on {}\n", connection.name, connection.device->address());
  }
  std::fflush(stderr);
  controllers.simulation_ = &simulation;
  controllers.exchanges_before_ = controllers.count_exchanges();
  for (const std::string& command : controllers.commands_)
    controllers.processes_.emplace_back(command, controller_environment(simulation));
}

void LiveConnections::close() {
  if (!is_open_) return;
  is_open_ = false;
  for (const auto& connection : simulation_.connections()) connection.device->close();
  for (ControllerProcess& process : controllers_.processes_) {
    process.end();
    fmt::print(stderr, "controller '{}': {}\n", process.command(), process.result());
  }
}

}  // namespace lockstep
