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

/// A connection that comes and goes must not fill a terminal.
constexpr int kMaxSaid = 20;

/// Becoming silent, pausing and returning are said as they happen; the rest is in the summary.
void say(const std::string& connection, const ConnectionEvent& event, int& said) {
  const bool is_said = event.kind == ConnectionEventKind::kSilent ||
                       event.kind == ConnectionEventKind::kPaused ||
                       event.kind == ConnectionEventKind::kReturned;
  if (!is_said || said > kMaxSaid) return;
  if (said++ == kMaxSaid) {
    fmt::print(stderr, "connection '{}': further changes are not printed\n", connection);
  } else {
    fmt::print(stderr, "connection '{}': {} at {} s: {}\n", connection, name(event.kind),
               to_seconds(event.time), event.text);
  }
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
  note_ended();
  for (ControllerProcess& process : processes_) {
    if (!process.has_ended()) return false;
  }
  have_answered_ = count_exchanges() > exchanges_before_;
  bool all_stop = true;
  for (const auto& connection : simulation_->connections()) {
    have_answered_ = have_answered_ || connection.device->last_answer().is_fresh;
    all_stop = all_stop && connection.device->stops_when_silent();
  }
  are_lost_ = !have_answered_ || all_stop;
  return are_lost_;
}

void StartedControllers::note_ended() {
  if (is_closing_) return;
  are_noted_.resize(processes_.size());
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (are_noted_[i] || !processes_[i].has_ended()) continue;
    are_noted_[i] = true;
    fmt::print(stderr, "controller '{}': ended with {} at {} s\n", processes_[i].command(),
               processes_[i].result(), simulation_->now().seconds);
  }
}

Status StartedControllers::explain(Status status) const {
  if (!are_lost_ || status.outcome != Outcome::kInterrupted) return status;
  std::string cause;
  for (const ControllerProcess& process : processes_) {
    cause += fmt::format("{}controller '{}' ended with {}{}", cause.empty() ? "" : ", ", process.command(),
                         process.result(), have_answered_ ? "" : " before it answered");
  }
  return {Outcome::kControllerLost, status.step, status.subject, std::move(cause)};
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
    connection.device->set_listener(
        [name = connection.name, said = 0](const ConnectionEvent& event) mutable { say(name, event, said); });
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
  controllers_.note_ended();
  controllers_.is_closing_ = true;
  for (const auto& connection : simulation_.connections()) connection.device->close();
  for (ControllerProcess& process : controllers_.processes_) {
    process.end();
    fmt::print(stderr, "controller '{}': {}\n", process.command(), process.result());
  }
}

}  // namespace lockstep
