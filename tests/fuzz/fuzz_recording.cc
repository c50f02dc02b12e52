// Recordings of a small simulation with a servo, a controller outside and events. Whatever the bytes, reading
// and replaying ends in a UserError or in a report.

#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>

#include "assemble/assemble.h"
#include "base/hash.h"
#include "scenario/read.h"
#include "simulation/replay.h"

namespace {

using namespace lockstep;

constexpr const char* kScenario = R"(
<scenario name="fuzz" step="1 ms" duration="1 s">
  <robot name="r">
    <link name="a"><joint name="j" axis="0 1 0"/><box size="0.1 0.1 0.1" mass="1"/></link>
    <sensors><joint_state name="j" joint="j"/></sensors>
    <actuators><servo name="j" joint="j" max_speed="1"/></actuators>
    <connections><wire name="l" address="tcp:127.0.0.1:0" silence="hold" reads="j/angle" writes="j/target"/></connections>
  </robot>
</scenario>)";

/// Corrects the checksums of all chunks, so that changes reach the content.
std::string with_checksums_fixed(std::string bytes) {
  constexpr std::size_t kHeader = 20, kCheck = 8;
  const auto check = [&](std::size_t at, std::size_t length) {
    return hash_bytes({reinterpret_cast<const std::uint8_t*>(bytes.data()) + at, length});
  };
  std::size_t at = 8;
  while (at + kHeader <= bytes.size()) {
    const std::uint64_t header_check = check(at, 12);
    std::memcpy(bytes.data() + at + 12, &header_check, 8);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at + 4, 8);
    if (length > bytes.size() || at + kHeader + length + kCheck > bytes.size()) break;
    const std::uint64_t payload_check = check(at + kHeader, length);
    std::memcpy(bytes.data() + at + kHeader + length, &payload_check, 8);
    at += kHeader + length + kCheck;
  }
  return bytes;
}

void try_replay(const std::string& bytes) {
  static const Scenario scenario = read_scenario(Document::read_text(kScenario, "fuzz", "."));
  static const Registry registry = default_registry();
  try {
    RecordingReader reader(std::make_unique<std::istringstream>(bytes), "fuzz.rec");
    Diagnostics diagnostics;
    Simulation simulation = assemble(scenario, Assets(scenario, "."), registry, diagnostics);
    (void)replay(simulation, reader);
  } catch (const UserError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try_replay(bytes);
  try_replay(with_checksums_fixed(bytes));
  return 0;
}
