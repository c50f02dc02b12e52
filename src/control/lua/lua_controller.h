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

/// Resource limits of a script. A script that exceeds one is stopped.
struct LuaLimits {
  std::int64_t instructions = 100'000;  ///< per call; work inside library functions counts as well
  std::int64_t memory = 4 << 20;        ///< bytes in use at any time
  std::int64_t state = 64 << 10;        ///< bytes of its table `state` in a snapshot
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
  v.integer("instructions", c.limits.instructions,
            {.min = 1000.0, .max = 1e9, .doc = "Limit per call; a script that exceeds it is stopped."});
  v.integer("memory", c.limits.memory,
            {.min = 65536.0, .max = 268435456.0, .doc = "Limit of the memory of the script, bytes."});
  v.integer(
      "state_size", c.limits.state,
      {.min = 0.0, .max = 16777216.0, .doc = "Limit of the script's table 'state' in a snapshot, bytes."});
  v.check(c.src.empty() != c.text.empty(), "src", "needs either 'src' or the script inside the element");
}

/// What a script may use of the simulation while it is loaded. Errors are texts for the user.
struct LuaHost {
  std::function<Result<Slot>(const std::string& name)> find_signal;
  std::function<Result<Slot>(const std::string& name)> find_command;
  std::function<Result<Slot>(const std::string& quantity, const std::string& unit, SignalRole role,
                             double initial)>
      add_signal;
  std::function<bool()> cancelled{};  ///< asked during long calls of step(), also after loading; may be empty
};

/// An error in a script, with its line (from 1; 0 if unknown).
class LuaError : public std::runtime_error {
 public:
  LuaError(int line, const std::string& text) : std::runtime_error(text), line_(line) {}
  int line() const { return line_; }

 private:
  int line_;
};

class LuaSandbox;

/// A controller written in Lua 5.4 (docs/scripts.md). The script runs once, when it is loaded; from then on its
/// function `step(time)` is called, and its table `state` is its only state. It has access to signals only: no
/// files, no clock, no addresses, so that every run gives the same numbers.
class LuaController final : public Controller {
 public:
  /// `name` identifies the script in errors of the run: "gait.lua:12: …". Throws LuaError if it cannot be used.
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

/// Registers <lua>, the only kind of script.
void add_scripts(Kinds<Controller>& controllers);

}  // namespace lockstep
