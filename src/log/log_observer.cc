#include "log/log_observer.h"

#include <algorithm>

#include "device/context.h"
#include "signals/selection.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxUnflushedRows = 1024;
/// Large enough to be worth an entry in an index, small enough for a log of very many signals.
constexpr std::size_t kMaxBlockBytes = 1 << 20;
constexpr Duration kMaxUnflushed = std::chrono::seconds(1);

LogHeader make_header(const LogPlan& plan, const SignalTable& signals, const Model& model) {
  const Duration period = model.step * plan.every;
  const auto in_longest = static_cast<std::size_t>(kMaxUnflushed / period);
  const std::size_t most = std::clamp<std::size_t>(in_longest, 1, kMaxUnflushedRows);
  const std::size_t block =
      std::clamp<std::size_t>(kMaxBlockBytes / (sizeof(double) * plan.signals.size()), 1, most);
  LogHeader header{.scenario = model.name,
                   .step = to_seconds(model.step),
                   .period = to_seconds(period),
                   .seed = model.seed,
                   .columns = {},
                   .block_rows = block,
                   .flush_rows = most / block * block};
  for (const Slot slot : plan.signals)
    header.columns.push_back({signals.info(slot).name, signals.info(slot).unit});
  return header;
}

}  // namespace

LogObserver::LogObserver(LogPlan plan, const SignalTable& signals, const Model& model)
    : plan_(std::move(plan)) {
  const Slot time = *signals.find("time");
  std::erase(plan_.signals, time);
  plan_.signals.insert(plan_.signals.begin(), time);
  header_ = make_header(plan_, signals, model);
  if (!plan_.around) return;
  for (std::size_t i = 0; i < plan_.signals.size(); ++i) in_order_.push_back(Slot{i});
  ring_.steps.resize(static_cast<std::size_t>((plan_.around->before + plan_.every - 1) / plan_.every));
  ring_.values.resize(ring_.steps.size() * plan_.signals.size());
}

Result<void> LogObserver::open() {
  OpenedLog opened = open_log_file(plan_.format, plan_.file, header_);
  if (!opened) return Failure{opened.error()};
  file_ = *std::move(opened);
  return {};
}

Status LogObserver::observe(const Observation& seen) {
  if (!file_) {
    if (const Result<void> opened = open(); !opened) return status_of(opened, seen.now.step);
  }
  return status_of(plan_.around ? observe_around(seen) : write(seen.row, plan_.signals), seen.now.step);
}

Result<void> LogObserver::observe_around(const Observation& seen) {
  const std::int64_t step = seen.now.step;
  if (step != last_step_ + 1) {
    plan_.around->trigger.forget();
    ring_.count = 0;
    keep_until_ = -1;
  }
  last_step_ = step;
  if (plan_.around->trigger.begins(seen)) {
    if (Result<void> written = write_ring(step - plan_.around->before); !written) return written;
    keep_until_ = step + plan_.around->after;
  }
  if (step % plan_.every == 0) {
    if (step > keep_until_) {
      keep_in_ring(seen);
    } else if (Result<void> written = write(seen.row, plan_.signals); !written) {
      return written;
    }
  }
  // The next moment may be long in coming.
  if (step != keep_until_ || unflushed_ == 0) return {};
  unflushed_ = 0;
  return file_->flush();
}

Result<void> LogObserver::write_ring(std::int64_t first_step) {
  for (; ring_.count > 0; --ring_.count, ring_.first = (ring_.first + 1) % ring_.steps.size()) {
    if (ring_.steps[ring_.first] < first_step) continue;
    const auto row = std::span(ring_.values).subspan(ring_.first * in_order_.size(), in_order_.size());
    if (Result<void> written = write(ConstRow(row), in_order_); !written) return written;
  }
  return {};
}

void LogObserver::keep_in_ring(const Observation& seen) {
  if (ring_.steps.empty()) return;
  const std::size_t at = (ring_.first + ring_.count) % ring_.steps.size();
  ring_.steps[at] = seen.now.step;
  double* value = ring_.values.data() + at * plan_.signals.size();
  for (const Slot signal : plan_.signals) *value++ = seen.row[signal];
  if (ring_.count < ring_.steps.size()) {
    ++ring_.count;
  } else {
    ring_.first = (ring_.first + 1) % ring_.steps.size();
  }
}

Result<void> LogObserver::write(ConstRow row, std::span<const Slot> columns) {
  if (Result<void> added = file_->add(row, columns); !added) return added;
  if (++unflushed_ < header_.flush_rows) return {};
  unflushed_ = 0;
  return file_->flush();
}

Status LogObserver::finish() {
  Result<void> done = file_ ? Result<void>() : open();
  if (done) done = file_->close();
  file_.reset();
  return status_of(done, std::max<std::int64_t>(last_step_, 0));
}

Status LogObserver::status_of(const Result<void>& done, std::int64_t step) const {
  if (done) return {};
  return {Outcome::kOutputFailed, step, plan_.file.string(), done.error()};
}

namespace {

/// Rows kept in memory for a moment that may come.
constexpr double kMaxBytesBefore = 1e9;

/// The shapes that a name means: those of a robot, link, object or ground, or those of a material. Nothing,
/// with an error, if it means none.
std::optional<std::vector<std::uint8_t>> find_touching(std::string_view attribute, const std::string& given,
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
    auto a = find_touching("contact_a", config.contact_a, context);
    auto b = find_touching("contact_b", config.contact_b, context);
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
  if (static_cast<double>(steps(config.before)) * 8.0 * static_cast<double>(columns) > kMaxBytesBefore) {
    context.diagnostics.error(config.place, "{}: before {} s there are more than 1 GB of rows; expected less",
                              context.subject(), to_seconds(config.before));
    return std::nullopt;
  }
  return Around{*std::move(trigger), steps(config.before), steps(config.after)};
}

}  // namespace

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
  const auto chosen = select_names(config.signals.empty() ? "*" : config.signals, context.signals.names(),
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
  if (!context.services.outputs.folder) return nullptr;
  return std::make_unique<LogObserver>(std::move(plan), context.signals, context.model);
}

}  // namespace lockstep
