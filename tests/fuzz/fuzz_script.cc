// Any text as a script must be rejected with a LuaError, or step until it ends with a status; what it remembers
// can always be saved and restored, and nothing that is not finite reaches a signal.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "control/lua/lua_controller.h"

namespace {

lockstep::Result<lockstep::Slot> find(const std::string& name) {
  if (name == "a" || name == "b") return lockstep::Slot{name == "a" ? 0u : 1u};
  return lockstep::Failure{"unknown signal"};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  const LuaLimits limits{.instructions = 20'000, .memory = 1 << 20, .state = 4096};
  const auto add = [](const std::string&, const std::string&, SignalRole, double) -> Result<Slot> {
    return Slot{2};
  };
  try {
    LuaController controller({reinterpret_cast<const char*>(data), size}, "fuzz.lua", limits, {find, find, add},
                             0.01, Random(1, "fuzz"));
    double values[3] = {1.0, 2.0, 3.0};
    for (std::int64_t i = 0; i < 3; ++i) {
      const Status status =
          controller.decide({i, i * Duration(10'000'000), 0.01 * static_cast<double>(i)}, Row(values));
      for (const double value : values) LOCKSTEP_CHECK(std::isfinite(value));
      if (!status.ok()) {
        LOCKSTEP_CHECK(!status.cause.empty());
        break;
      }
      StateWriter before, after;
      controller.save(before);
      StateReader reader(before.bytes());
      controller.restore(reader);
      controller.save(after);
      LOCKSTEP_CHECK(before.bytes().size() == after.bytes().size());
    }
  } catch (const LuaError& error) {
    LOCKSTEP_CHECK(error.what()[0] != '\0');
  }
  return 0;
}
