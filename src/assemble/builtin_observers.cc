#include <algorithm>

#include "assemble/builtin_internal.h"
#include "log/log_config.h"
#include "log/log_observer.h"
#include "signals/selection.h"

namespace lockstep {
namespace {

/// Rows kept in memory for a moment that may come.
constexpr double kMostBytesBefore = 1e9;

/// The shapes that a name means: those of a robot, link, object or ground, or those of a material. Nothing,
/// with an error, if it means none.
std::optional<std::vector<std::uint8_t>> find_shapes(std::string_view attribute, const std::string& given,
                                                     BuildContext& context) {
  const Model& model = context.model;
  std::vector<std::uint8_t> found(model.shapes.size());
  const auto mark = [&](const std::string& name) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      const ShapeModel& shape = model.shapes[i];
      if (shape.name == name || shape.name.starts_with(name + "/")) found[i] = 1;
    }
    return std::count(found.begin(), found.end(), 1) > 0;
  };
  const bool is_thing = (!context.scope.empty() && mark(context.scope + "/" + given)) || mark(given);
  bool is_material = false;
  for (std::size_t i = 0; i < model.materials.size(); ++i) {
    if (model.materials[i].name != given) continue;
    is_material = true;
    if (is_thing) continue;
    for (std::size_t s = 0; s < found.size(); ++s) found[s] = index(model.shapes[s].material) == i;
  }
  const Place place = context.find_child("around")->find_attribute(attribute)->place;
  if (is_thing && is_material) {
    context.diagnostics.error(place, "{}: '{}' is a material and something else, too; rename one of them",
                              context.subject(), given);
    return std::nullopt;
  }
  if (is_thing || is_material) return found;
  std::vector<std::string> known = model.body_names();
  for (const Material& material : model.materials) known.push_back(material.name);
  context.diagnostics.error(place, "{}: there is no object or material '{}' that has a shape{}",
                            context.subject(), given, suggest(given, known));
  return std::nullopt;
}

std::optional<Trigger> make_trigger(const AroundConfig& config, BuildContext& context) {
  if (config.signal.empty()) {
    auto a = find_shapes("contact_a", config.contact_a, context);
    auto b = find_shapes("contact_b", config.contact_b, context);
    if (!a || !b) return std::nullopt;
    return Trigger(Touch{*std::move(a), *std::move(b)});
  }
  const std::optional<Slot> signal = context.find_signal(config.signal);
  if (!signal) return std::nullopt;
  const char* side = config.above ? "above" : "below";
  if (!context.require_unit(*context.find_child("around"), side, context.signals.info(*signal).unit)) {
    return std::nullopt;
  }
  return Trigger(Crossing{*signal, config.above ? *config.above : *config.below, config.above.has_value()});
}

std::optional<Around> make_around(const AroundConfig& config, std::size_t columns, BuildContext& context) {
  std::optional<Trigger> trigger = make_trigger(config, context);
  if (!trigger) return std::nullopt;
  const auto steps = [&](Duration time) { return time / context.model.step; };
  if (static_cast<double>(steps(config.before)) * 8.0 * static_cast<double>(columns) > kMostBytesBefore) {
    context.diagnostics.error(config.place, "{}: before {} s there are more than 1 GB of rows; expected less",
                              context.subject(), to_seconds(config.before));
    return std::nullopt;
  }
  return Around{*std::move(trigger), steps(config.before), steps(config.after)};
}

std::unique_ptr<Observer> make_log(LogFormat format, const LogConfig& config, BuildContext& context) {
  LogPlan plan;
  plan.format = format;
  if (find_log_format(config.file) != format) {
    context.error_at("file", "file '{}' has another ending; expected {}", config.file,
                     format == LogFormat::kCsv ? "'.csv'" : "'.h5' or '.hdf5'");
    return nullptr;
  }
  const auto file = context.claim_output(config.file);
  if (!file) return nullptr;
  plan.file = *file;
  const Selection chosen = select_names(config.signals.empty() ? "*" : config.signals, context.signals.names(),
                                        config.signals.empty() ? "" : context.scope);
  if (!chosen) {
    context.error_at("signals", "{}", chosen.error());
    return nullptr;
  }
  for (const std::size_t i : *chosen) plan.signals.push_back(Slot{i});
  plan.every = context.every();
  if (config.around) {
    plan.around = make_around(*config.around, plan.signals.size(), context);
    if (!plan.around) return nullptr;
    context.take_period();
  }
  if (!context.outputs.folder) return nullptr;
  return std::make_unique<LogObserver>(std::move(plan), context.signals, context.model);
}

}  // namespace

void add_builtin_observers(Registry& registry) {
  const auto add = [&](const char* kind, const char* doc, LogFormat format) {
    registry.observers.add<LogConfig>(kind, doc, [format](const LogConfig& config, BuildContext& context) {
      return make_log(format, config, context);
    });
  };
  add("csv", "Log of signals as comma-separated values, for spreadsheets.", LogFormat::kCsv);
  add("hdf5", "Log of signals as arrays of numbers, for Python, Matlab and Julia.", LogFormat::kHdf5);
}

}  // namespace lockstep
