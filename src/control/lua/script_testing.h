#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "control/lua/lua_controller.h"

namespace lockstep {

/// A script with two signals: `measured`, and the command `command`; both are 0 at first.
class Script {
 public:
  explicit Script(const std::string& text, const LuaLimits& limits = {}) {
    measured = signals_.add("measured", "m", SignalRole::kMeasurement, 0.0);
    command = signals_.add("command", "m", SignalRole::kCommand, 0.0);
    const auto find = [this](const std::string& name) -> Result<Slot> {
      const auto slot = signals_.find(name);
      if (!slot) return Failure{"unknown signal '" + name + "'" + suggest(name, signals_.names())};
      return *slot;
    };
    const auto find_command = [this, find](const std::string& name) -> Result<Slot> {
      if (signals_.find(name) == measured) return Failure{"signal 'measured' cannot be written"};
      return find(name);
    };
    const auto add = [this](const std::string& quantity, const std::string& unit, SignalRole role,
                            double initial) -> Result<Slot> {
      return signals_.add("script/" + quantity, unit, role, initial);
    };
    controller = std::make_unique<LuaController>(text, "test.lua", limits, LuaHost{find, find_command, add},
                                                 0.01, Random(1, "script"));
    values.assign(signals_.initial().begin(), signals_.initial().end());
  }

  Status step() {
    const Instant now{steps, steps * Duration(10'000'000), static_cast<double>(steps) * 0.01};
    ++steps;
    return controller->decide(now, Row(values));
  }
  /// Steps to the end; returns the cause if a step fails.
  std::string run(int count) {
    for (int i = 0; i < count; ++i) {
      if (Status status = step(); !status.ok()) return status.cause;
    }
    return "";
  }
  double operator[](Slot slot) const { return values[static_cast<std::size_t>(slot)]; }
  double value(const std::string& name) const { return (*this)[*signals_.find(name)]; }
  std::vector<std::uint8_t> saved() const {
    StateWriter writer;
    controller->save(writer);
    return {writer.bytes().begin(), writer.bytes().end()};
  }
  void restore(const std::vector<std::uint8_t>& bytes) {
    StateReader reader(bytes);
    controller->restore(reader);
  }

  Slot measured{}, command{};
  std::vector<double> values;
  std::unique_ptr<LuaController> controller;
  std::int64_t steps = 0;

 private:
  SignalTable signals_;
};

/// The error of loading a script, as "line: text"; "" if there is none.
inline std::string load_error(const std::string& text, const LuaLimits& limits = {}) {
  try {
    Script script(text, limits);
    return "";
  } catch (const LuaError& error) {
    return std::to_string(error.line()) + ": " + error.what();
  }
}

}  // namespace lockstep
