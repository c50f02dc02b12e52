/// The mass of stand_in_simulation.py with the simulator's own connection.
///
///   wire_server ADDRESS STEPS      prints its address, then position and speed at the end
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <limits>
#include <string>

#include "connection/wire_peer.h"

using namespace lockstep;

namespace {

constexpr Duration kPeriod = std::chrono::milliseconds(1);
constexpr Duration kPatience = std::chrono::seconds(30);

ConnectionSchema make_schema() {
  return {.scenario = "mass",
          .connection = "plc",
          .period = kPeriod,
          .step = kPeriod / 2,
          .reads = {{"mass/x", "m"}, {"mass/v", "m/s"}},
          .writes = {{"mass/force", "N", 0.25, -10.0, std::numeric_limits<double>::infinity()}}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::string error;
  WirePeer peer(
      {.schema = make_schema(), .address = parse_address(argv[1], error).value(), .timeout = kPatience});
  if (const std::string problem = peer.open(); !problem.empty()) {
    fmt::print("{}\n", problem);
    return 1;
  }
  fmt::print("{}\n", peer.address());
  std::fflush(stdout);
  const int steps = std::stoi(argv[2]);
  double state[2] = {1.0, 0.0}, force[1] = {0.25};
  for (int step = 0; step < steps;) {
    const PeerReply reply = peer.exchange({.sequence = static_cast<std::uint32_t>(step),
                                           .time = step * kPeriod,
                                           .measured = state,
                                           .wait = kPatience},
                                          force);
    if (!reply.is_fresh) {
      if (!reply.is_connected) continue;  // the next one may connect
      fmt::print("no answer to {}\n", step);
      return 1;
    }
    state[1] += force[0] * 1e-3;
    state[0] += state[1] * 1e-3;
    ++step;
  }
  peer.close();
  fmt::print("{:a} {:a}\n", state[0], state[1]);
}
