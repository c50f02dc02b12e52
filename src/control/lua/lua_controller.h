#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "device/kinds.h"
#include "lockstep/device.h"
#include "lockstep/error.h"
#include "lockstep/fields.h"
#include "lockstep/state.h"

namespace lockstep {

/// How much a script may take. A script that takes more is stopped.
struct LuaLimits {
  std::int64_t instructions = 100'000;  ///< per call; work inside of library functions counts as well
  std::int64_t memory = 4 << 20;        ///< bytes, of all that it holds at one time
  std::int64_t state = 64 << 10;        ///< bytes of its table `state` as it is saved
};

struct LuaConfig {
  std::string src;
  std::string text;
  LuaLimits limits;
};

template <class V>
void describe(V& v, LuaConfig& c) {
  v.text("src", c.src, {.doc = "File with the script. The script may also be inside the element."});
  v.content(c.text, {.doc = "The script."});
  v.integer(
      "instructions", c.limits.instructions,
      {.min = 1000.0, .max = 1e9, .doc = "Work that one call may take; a script that takes more is stopped."});
  v.integer("memory", c.limits.memory,
            {.min = 65536.0, .max = 268435456.0, .doc = "Bytes that the script may hold at one time."});
  v.integer(
      "state_size", c.limits.state,
      {.min = 0.0, .max = 16777216.0, .doc = "Bytes that the script's table 'state' may take in a snapshot."});
  v.check(c.src.empty() != c.text.empty(), "src", "needs either 'src' or the script inside the element");
}

/// What a script may ask for while it is loaded.
struct LuaHost {
  std::function<Result<Slot>(const std::string& name)> find_signal;
  std::function<Result<Slot>(const std::string& name)> find_command;
  std::function<Result<Slot>(const std::string& quantity, const std::string& unit, SignalRole role,
                             double initial)>
      add_signal;
};

/// What is wrong with a script, at a line of it (from 1; 0 if it is not known).
class LuaError : public std::runtime_error {
 public:
  LuaError(int line, const std::string& text) : std::runtime_error(text), line_(line) {}
  int line() const { return line_; }

 private:
  int line_;
};

class LuaSandbox;

/// A controller written in Lua 5.4 (docs/scripts.md). The script is run once, when it is loaded; from then on
/// its function `step(time)` is called, and all that it remembers is in its table `state`. It sees signals
/// and nothing else: no files, no clock, no addresses, and the same numbers in every run.
class LuaController final : public Controller {
 public:
  /// `text` is called `name` in messages of the run: "gait.lua:12: …". Throws LuaError if it cannot be used.
  LuaController(const std::string& text, std::string name, const LuaLimits& limits, const LuaHost& host,
                double period, const Random& random);
  ~LuaController() override;

  Status decide(const Instant& now, Row row) override;
  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  std::string name_;
  std::unique_ptr<LuaSandbox> sandbox_;
};

std::unique_ptr<Controller> make_lua(const LuaConfig& config, BuildContext& context);

/// Adds <lua>, the only kind of script.
void add_scripts(Kinds<Controller>& controllers);

}  // namespace lockstep
