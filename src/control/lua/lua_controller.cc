#include "control/lua/lua_controller.h"

#include "control/lua/sandbox_internal.h"

namespace lockstep {

LuaController::LuaController(const std::string& text, std::string name, const LuaLimits& limits,
                             const LuaHost& host, double period, const Random& random)
    : name_(std::move(name)), sandbox_(std::make_unique<LuaSandbox>(limits, random)) {
  sandbox_->load(text, host, period);
}

LuaController::~LuaController() = default;

Status LuaController::decide(const Instant& now, Row row) {
  try {
    sandbox_->step(now.seconds, row);
    return {};
  } catch (const LuaError& error) {
    const std::string place = error.line() > 0 ? fmt::format("{}:{}", name_, error.line()) : name_;
    return {Outcome::kControllerFailed, 0, "", fmt::format("{}: {}", place, error.what())};
  }
}

void LuaController::save(StateWriter& writer) const {
  sandbox_->save(writer);
}

void LuaController::restore(StateReader& reader) {
  sandbox_->restore(reader);
}

}  // namespace lockstep
