// Snapshots of a small simulation with a detachable joint, contacts, a servo, waiting events and a push.
// Whatever the bytes, restoring ends in a UserError or a StateError, or in a simulation that steps on with a
// status.

#include <cstdint>
#include <cstring>
#include <vector>

#include "assemble/assemble.h"
#include "base/hash.h"
#include "scenario/read.h"
#include "simulation/snapshot.h"

namespace {

using namespace lockstep;

constexpr const char* kScenario = R"(
<scenario name="fuzz" step="1 ms" duration="1 s">
  <ground/>
  <robot name="r" position="0 0 0.1">
    <link name="a"><joint name="base" type="free"/><box size="0.2 0.2 0.2" mass="1"/></link>
    <link name="b" parent="a" position="0.2 0 0"><joint name="j" axis="0 1 0"/><box size="0.1 0.1 0.1" mass="1"/></link>
    <link name="c" parent="b" position="0.2 0 0"><joint name="lock" type="fixed" detachable="true"/>
      <sphere radius="0.05" mass="0.1"/></link>
    <sensors><joint_state name="j" joint="j"/></sensors>
    <actuators><servo name="j" joint="j" max_speed="1"/></actuators>
  </robot>
  <event at="5 ms" action="detach" target="r/lock"/>
  <event at="1 ms" action="push" target="r/a" force="1 0 0" length="20 ms"/>
</scenario>)";

constexpr std::size_t kFingerprintAt = 12;
constexpr std::size_t kLengthAt = 28;
constexpr std::size_t kHeader = 36;

/// Corrects the header and checksum, so that changes reach the content.
std::vector<std::uint8_t> with_envelope_fixed(std::vector<std::uint8_t> bytes, std::uint64_t fingerprint) {
  if (bytes.size() < kHeader + 8) return bytes;
  const std::uint64_t length = bytes.size() - kHeader - 8;
  std::memcpy(bytes.data() + kFingerprintAt, &fingerprint, 8);
  std::memcpy(bytes.data() + kLengthAt, &length, 8);
  const std::uint64_t checksum = hash_bytes({bytes.data(), bytes.size() - 8});
  std::memcpy(bytes.data() + bytes.size() - 8, &checksum, 8);
  return bytes;
}

Simulation make_simulation() {
  const Scenario scenario = read_scenario(Document::read_text(kScenario, "fuzz", "."));
  Diagnostics diagnostics;
  return assemble(scenario, Assets(scenario, "."), default_registry(), diagnostics);
}

void try_restore(Simulation& simulation, std::span<const std::uint8_t> bytes) {
  try {
    restore_snapshot(simulation, bytes, "fuzz.snap");
  } catch (const UserError&) {
    return;
  }
  (void)simulation.run(3);
  (void)simulation.hash();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Simulation simulation = make_simulation();
  const std::vector<std::uint8_t> bytes(data, data + size);
  try_restore(simulation, bytes);
  try_restore(simulation, with_envelope_fixed(bytes, simulation.fingerprint()));
  return 0;
}
