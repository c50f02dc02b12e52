#include "control/lua/lua_controller.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
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
    if (sandbox_->is_cancelled())
      return {Outcome::kInterrupted, now.step, "", "the run was interrupted during a script"};
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

namespace {

constexpr std::size_t kMaxScript = 256u << 10;

class LuaBuilder {
 public:
  LuaBuilder(const LuaConfig& config, BuildContext& context) : config_(config), context_(context) {}

  std::unique_ptr<Controller> build() {
    std::string text = config_.text;
    if (!config_.src.empty() && !read(text)) return nullptr;
    if (text.size() > kMaxScript) {
      context_.error_at("src", "the script has {} bytes; at most {} are allowed", text.size(), kMaxScript);
      return nullptr;
    }
    const std::optional<Restrictions>& limits = context_.services.restrictions;
    if (limits && config_.limits.instructions > limits->max_instructions &&
        !limits->trusted.contains(std::to_string(config_.limits.instructions))) {
      context_.error_at("instructions",
                        "a scenario from a viewer may have at most {} instructions per call, not {}",
                        limits->max_instructions, config_.limits.instructions);
      return nullptr;
    }
    const double period = static_cast<double>(context_.every()) * to_seconds(context_.model.step);
    try {
      return std::make_unique<LuaController>(text, config_.src.empty() ? "script" : config_.src, config_.limits,
                                             make_host(), period, Random(context_.seed(), context_.name()));
    } catch (const LuaError& error) {
      report(error);
      return nullptr;
    }
  }

 private:
  bool read(std::string& text) try {
    const std::vector<std::uint8_t> bytes = context_.load_file(config_.src);
    text.assign(bytes.begin(), bytes.end());
    return true;
  } catch (const UserError& error) {
    for (const Diagnostic& diagnostic : error.diagnostics().list()) context_.diagnostics.add(diagnostic);
    return false;
  }

  void report(const LuaError& error) {
    if (!config_.src.empty()) {
      context_.diagnostics.error({config_.src, error.line(), error.line() > 0 ? 1 : 0}, "{}: {}",
                                 context_.subject(), error.what());
    } else if (error.line() > 0) {
      context_.diagnostics.error(context_.element().place, "{}: line {} of the script: {}", context_.subject(),
                                 error.line(), error.what());
    } else {
      context_.diagnostics.error(context_.element().place, "{}: {}", context_.subject(), error.what());
    }
  }

  LuaHost make_host() {
    return {.find_signal = [this](const std::string& name) { return find(name, context_.signals.names()); },
            .find_command = [this](const std::string& name) { return find_command(name); },
            .add_signal = [this](const std::string& quantity, const std::string& unit, SignalRole role,
                                 double initial) { return add(quantity, unit, role, initial); },
            .cancelled = context_.services.script_cancelled};
  }

  /// Like BuildContext, but the error belongs to a line of the script.
  Result<Slot> find(const std::string& name, const std::vector<std::string>& known) {
    const SignalTable& signals = context_.signals;
    auto slot = context_.scope.empty() ? std::nullopt : signals.find(context_.scope + "/" + name);
    if (!slot) slot = signals.find(name);
    if (slot) return *slot;
    return Failure{
        fmt::format("unknown signal '{}'{}", shown_text(name), suggest(name, context_.short_names(known)))};
  }

  Result<Slot> find_command(const std::string& name) {
    Result<Slot> found = find(name, command_names(context_.signals));
    if (found && context_.signals.info(*found).role != SignalRole::kCommand) {
      return Failure{fmt::format("signal '{}' is measured, not commanded; it cannot be written", name)};
    }
    return found;
  }

  Result<Slot> add(const std::string& quantity, const std::string& unit, SignalRole role, double initial) {
    const auto is_allowed = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    if (quantity.empty() || quantity.size() > kMaxQuantity ||
        !std::all_of(quantity.begin(), quantity.end(), is_allowed)) {
      return Failure{fmt::format("'{}' is not a signal name; expected up to {} letters, digits, '_' and '-'",
                                 shown_text(quantity), kMaxQuantity)};
    }
    const std::optional<Unit> parsed = unit.empty() ? Unit{} : find_unit(unit);
    if (!parsed || parsed->factor != 1.0) {
      return Failure{fmt::format("'{}' is not an SI unit, such as 'm/s'", shown_text(unit))};
    }
    const std::string full = fmt::format("{}/{}", context_.name(), quantity);
    if (context_.signals.find(full)) return Failure{fmt::format("signal '{}' already exists", full)};
    if (++added_ > kMaxSignals) return Failure{fmt::format("a script adds at most {} signals", kMaxSignals)};
    return *context_.add_signal(quantity, unit, role, initial);  // the name is free, see above
  }

  static constexpr std::size_t kMaxQuantity = 64;
  static constexpr int kMaxSignals = 1000;

  const LuaConfig& config_;
  BuildContext& context_;
  int added_ = 0;
};

}  // namespace

std::unique_ptr<Controller> make_lua(const LuaConfig& config, BuildContext& context) {
  return LuaBuilder(config, context).build();
}

void add_scripts(Kinds<Controller>& controllers) {
  controllers.add<LuaConfig>("lua", "A script in Lua 5.4: its function step(time) reads and writes signals.",
                             make_lua);
}

}  // namespace lockstep
