#include <lockstep_client.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assemble/assemble.h"
#include "bench/bench.h"
#include "bench/forked_child.h"
#include "bench/measure.h"
#include "bench/models.h"
#include "bench/raw_wire.h"
#include "connection/message.h"

namespace lockstep {
namespace {

/// Real time for one side of one pair: hundreds of exchanges, but short compared with the time between two
/// interruptions by the system, so that most pairs have none.
constexpr double kConnectionBlockSeconds = 0.004;
constexpr double kConnectionSeconds = 6.0;
constexpr double kConnectionThoroughSeconds = 60.0;
/// A pendulum of six joints, like an arm: angles and speeds are read, torques written.
constexpr int kConnectionJoints = 6;
/// Spin time before sleeping; it is the default of the controller's end.
constexpr const char* kSpin = "50 us";
constexpr double kSpinSeconds = 50e-6;

struct Case {
  std::string name;
  const Transport* transport;
  bool spins = false;
  bool is_packet = false;  ///< plain structs instead of the wire protocol
};

/// Each transport, and again with both ends spinning if it can; and packets over UDP.
std::vector<Case> make_cases() {
  std::vector<Case> cases;
  for (const Transport& each : transports()) {
    if (!RawWire::is_known(each)) continue;
    cases.push_back({std::string(each.name), &each});
    if (each.can_spin) cases.push_back({fmt::format("{}-spin", each.name), &each, true});
  }
  cases.push_back({"packet", find_transport("udp"), false, true});
  return cases;
}

/// Cores for the two ends. Pins this process to its core, and restores the affinity at the end.
class Placement {
 public:
  explicit Placement(bool apart) {
    CPU_ZERO(&before_);
    std::vector<int> cores;
    sched_getaffinity(0, sizeof(before_), &before_);
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(static_cast<std::size_t>(core), &before_)) cores.push_back(core);
    }
    if (cores.empty()) return;
    are_apart_ = apart && cores.size() > 1;
    other_ = cores.back();
    stay_on(are_apart_ ? cores.front() : cores.back());
  }
  ~Placement() { sched_setaffinity(0, sizeof(before_), &before_); }
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  std::optional<int> other() const { return other_; }
  const char* text() const { return !other_ ? "any core" : are_apart_ ? "a core each" : "one core"; }

 private:
  cpu_set_t before_{};
  bool are_apart_ = false;
  std::optional<int> other_;
};

Element make_field(const std::string& type, const char* attribute, const std::string& value) {
  Element field;
  field.name = "field";
  field.attributes = {{"type", type, {}}, {attribute, value, {}}};
  return field;
}

/// A struct: a counter or its echo, then one double per signal.
Element make_side(const char* name, const char* counter, std::initializer_list<const char*> quantities) {
  Element side;
  side.name = name;
  side.children.push_back(make_field("u32", "content", counter));
  for (const char* quantity : quantities) {
    for (int joint = 1; joint <= kConnectionJoints; ++joint)
      side.children.push_back(make_field("f64", "signal", fmt::format("joint{}/{}", joint, quantity)));
  }
  return side;
}

Simulation make_simulation(const Case& which, const Registry& registry) {
  Scenario scenario = make_pendulum_scenario(kConnectionJoints);
  Element connection;
  connection.name = which.is_packet ? "packet" : "wire";
  const auto set = [&](const char* name, const std::string& value) {
    connection.attributes.push_back({name, value, {}});
  };
  set("name", "controller");
  set("address", to_string(make_local_address(*which.transport, std::filesystem::temp_directory_path(),
                                              fmt::format("lockstep-bench-{}", getpid()))));
  if (which.is_packet) {
    connection.children = {make_side("send", "counter", {"angle", "speed"}),
                           make_side("receive", "echo", {"torque"})};
  } else {
    set("reads", "*/angle */speed");
    set("writes", "*/torque");
  }
  if (which.spins) set("spin", kSpin);
  scenario.robots.front().devices.connections.push_back(connection);
  Diagnostics diagnostics;
  return assemble(scenario, Assets(scenario, "."), registry, diagnostics, {.connections = {.live = true}});
}

/// The controller: viscous friction for each joint, as a user would write it.
void control(const std::string& address, bool spins) {
  lockstep_client* client = lockstep_connect(address.c_str(), "bench", 10.0, nullptr, 0);
  if (client == nullptr) return;
  lockstep_set_spin(client, spins ? kSpinSeconds : 0.0);
  std::array<int, kConnectionJoints> speeds{}, torques{};
  for (std::size_t i = 0; i < kConnectionJoints; ++i) {
    speeds[i] = lockstep_find_read(client, fmt::format("pendulum/joint{}/speed", i + 1).c_str());
    torques[i] = lockstep_find_write(client, fmt::format("pendulum/joint{}/torque", i + 1).c_str());
  }
  while (lockstep_step(client) == 1) {
    for (std::size_t i = 0; i < kConnectionJoints; ++i)
      lockstep_write(client, torques[i], -0.01 * lockstep_read(client, speeds[i]));
  }
  lockstep_close(client);
}

/// The same with two structs over UDP, without any library.
void control_by_packets(const std::string& address) {
  struct [[gnu::packed]] Measurement {
    std::uint32_t count;
    double angles[kConnectionJoints], speeds[kConnectionJoints];
  } in;
  struct [[gnu::packed]] Order {
    std::uint32_t count;
    double torques[kConnectionJoints];
  } out;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int wire = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (connect(wire, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) != 0) return;
  ssize_t sent = send(wire, "?", 1, 0);
  while (sent > 0 && recv(wire, &in, sizeof(in), 0) == static_cast<ssize_t>(sizeof(in))) {
    out.count = in.count;
    for (std::size_t i = 0; i < kConnectionJoints; ++i) out.torques[i] = -0.01 * in.speeds[i];
    sent = send(wire, &out, sizeof(out), 0);
  }
  close(wire);
}

/// The connection of a simulation with its controller.
class Live {
 public:
  Live(const Case& which, const Registry& registry, std::optional<int> core)
      : simulation_(make_simulation(which, registry)),
        row_(simulation_.row().values().begin(), simulation_.row().values().end()),
        address_(open()),
        controller_(core,
                    [&] { which.is_packet ? control_by_packets(address_) : control(address_, which.spins); }) {
    exchange(1);  // waits for the controller
  }
  ~Live() { connection().close(); }
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  /// As Simulation::step() does it.
  void exchange(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Status status = connection().exchange(now_, Row(row_));
      if (!status.ok()) throw_user_error({"bench", 0, 0}, "{}", to_string(status));
      ++now_.step;
      now_.time += simulation_.step_size();
    }
  }
  ConnectionReport report() const { return connection().report(); }

 private:
  Connection& connection() const { return *simulation_.connections().front().device; }
  std::string open() {
    if (const std::string error = connection().open(); !error.empty())
      throw_user_error({"bench", 0, 0}, "{}", error);
    return connection().address();
  }

  Simulation simulation_;
  Instant now_;
  std::vector<double> row_;
  std::string address_;
  ForkedChild controller_;
};

nlohmann::ordered_json measure(const Case& which, const Registry& registry, double seconds) {
  const Placement placement(which.spins);
  const std::size_t overhead = which.is_packet ? sizeof(std::uint32_t) : kMessageOverhead;
  const std::size_t question = overhead + 2 * kConnectionJoints * sizeof(double);
  const std::size_t answer = overhead + kConnectionJoints * sizeof(double);
  const auto raw = RawWire::make({.transport = which.transport,
                                  .question = question,
                                  .answer = answer,
                                  .spins = which.spins,
                                  .answers_on = placement.other()});
  Live live(which, registry, placement.other());

  const auto time_of = [](const auto& block) {
    const double before = wall_seconds();
    block();
    return wall_seconds() - before;
  };
  std::int64_t count = 100;
  while (time_of([&] { raw->exchange(count); }) < kConnectionBlockSeconds) count *= 2;

  std::vector<double> ratios, ours, theirs;
  const double end = wall_seconds() + seconds;
  while (wall_seconds() < end || ratios.size() < 5) {
    const double raw_time = time_of([&] { raw->exchange(count); });
    const double our_time = time_of([&] { live.exchange(count); });
    ratios.push_back(raw_time / our_time);
    ours.push_back(static_cast<double>(count) / our_time);
    theirs.push_back(static_cast<double>(count) / raw_time);
  }
  return {{"case", which.name},
          {"ratio", median(ratios)},
          {"exchanges_per_second", median(ours)},
          {"raw_exchanges_per_second", median(theirs)},
          {"bytes", {{"measurement", question}, {"command", answer}}},
          {"placement", placement.text()},
          {"pairs", ratios.size()},
          {"lost", live.report().counts.lost}};
}

}  // namespace

nlohmann::ordered_json bench_connection(const BenchCommand& command, const Registry& registry) {
  const double seconds =
      command.seconds.value_or(command.thorough ? kConnectionThoroughSeconds : kConnectionSeconds);
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  std::vector<std::string> names;
  for (const Case& each : make_cases()) {
    names.push_back(each.name);
    if (command.only.empty() || command.only == each.name) cases.push_back(measure(each, registry, seconds));
  }
  if (cases.empty()) {
    throw_user_error({"bench", 0, 0}, "unknown case '{}'; expected {}", command.only, fmt::join(names, ", "));
  }
  return {{"bench", "connection"}, {"cases", cases}};
}

}  // namespace lockstep
