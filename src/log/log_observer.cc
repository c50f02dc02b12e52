#include "log/log_observer.h"

#include <algorithm>

#include "device/context.h"
#include "signals/selection.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxUnflushedRows = 1024;
/// Large enough to be worth a chunk in the index, small enough for a log of very many signals.
constexpr std::size_t kMaxBlockBytes = 1 << 20;
constexpr Duration kMaxUnflushed = std::chrono::seconds(1);

LogHeader make_header(const LogSetup& setup, const SignalTable& signals, const Model& model) {
  const Duration period = model.step * setup.every;
  const auto in_longest = static_cast<std::size_t>(kMaxUnflushed / period);
  const std::size_t most = std::clamp<std::size_t>(in_longest, 1, kMaxUnflushedRows);
  const std::size_t block =
      std::clamp<std::size_t>(kMaxBlockBytes / (sizeof(double) * setup.signals.size()), 1, most);
  LogHeader header{.scenario = model.name,
                   .step = to_seconds(model.step),
                   .period = to_seconds(period),
                   .seed = model.seed,
                   .columns = {},
                   .block_rows = block,
                   .flush_rows = most / block * block};
  for (const Slot slot : setup.signals)
    header.columns.push_back({signals.info(slot).name, signals.info(slot).unit});
  return header;
}

}  // namespace

LogObserver::LogObserver(LogSetup setup, const SignalTable& signals, const Model& model)
    : setup_(std::move(setup)) {
  const Slot time = *signals.find("time");
  std::erase(setup_.signals, time);
  setup_.signals.insert(setup_.signals.begin(), time);
  header_ = make_header(setup_, signals, model);
  if (!setup_.around) return;
  for (std::size_t i = 0; i < setup_.signals.size(); ++i) in_order_.push_back(Slot{i});
  ring_.steps.resize(static_cast<std::size_t>((setup_.around->before + setup_.every - 1) / setup_.every));
  ring_.values.resize(ring_.steps.size() * setup_.signals.size());
}

Result<void> LogObserver::open() {
  OpenedLog opened = open_log_file(setup_.format, setup_.file, header_);
  if (!opened) return Failure{opened.error()};
  file_ = *std::move(opened);
  return {};
}

Status LogObserver::observe(const Observation& seen) {
  if (!file_) {
    if (const Result<void> opened = open(); !opened) return status_of(opened, seen.now.step);
  }
  return status_of(setup_.around ? observe_around(seen) : write(seen.row, setup_.signals), seen.now.step);
}

Result<void> LogObserver::observe_around(const Observation& seen) {
  const std::int64_t step = seen.now.step;
  if (step != last_step_ + 1) {
    setup_.around->trigger.forget();
    ring_.count = 0;
    keep_until_ = -1;
  }
  last_step_ = step;
  if (setup_.around->trigger.begins(seen)) {
    if (Result<void> written = write_ring(step - setup_.around->before); !written) return written;
    keep_until_ = step + setup_.around->after;
  }
  if (step % setup_.every == 0) {
    if (step > keep_until_) {
      keep_in_ring(seen);
    } else if (Result<void> written = write(seen.row, setup_.signals); !written) {
      return written;
    }
  }
  // Flush now: the next trigger may come much later.
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
  double* value = ring_.values.data() + at * setup_.signals.size();
  for (const Slot signal : setup_.signals) *value++ = seen.row[signal];
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
  return {Outcome::kOutputFailed, step, setup_.file.string(), done.error()};
}

namespace {

/// Memory for the rows before a possible trigger, bytes.
constexpr double kMaxBytesBefore = 1e9;

/// The shapes of a robot, link, object, ground or material by its name. Nothing, with an error, if there are
/// none.
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
  const bool is_object = (!context.scope.empty() && mark(context.scope + "/" + given)) || mark(given);
  bool is_material = false;
  for (std::size_t i = 0; i < model.materials.size(); ++i) {
    if (model.materials[i].name != given) continue;
    is_material = true;
    if (is_object) continue;
    for (std::size_t s = 0; s < found.size(); ++s) found[s] = index(model.shapes[s].material) == i;
  }
  const Place place = context.find_child("around")->find_attribute(attribute)->place;
  if (is_object && is_material) {
    context.diagnostics.error(place, "{}: '{}' is both a material and something else; rename one of them",
                              context.subject(), given);
    return std::nullopt;
  }
  if (is_object || is_material) return found;
  std::vector<std::string> known = model.body_names();
  for (const Material& material : model.materials) known.push_back(material.name);
  context.diagnostics.error(place, "{}: there is no object or material '{}' with a shape{}", context.subject(),
                            given, suggest(given, known));
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
    context.diagnostics.error(config.place, "{}: before: {} s of rows take more than 1 GB; expected less",
                              context.subject(), to_seconds(config.before));
    return std::nullopt;
  }
  return Around{*std::move(trigger), steps(config.before), steps(config.after)};
}

}  // namespace

std::unique_ptr<Observer> make_log(LogFormat format, const LogConfig& config, BuildContext& context) {
  LogSetup setup;
  setup.format = format;
  if (find_log_format(config.file) != format) {
    context.error_at("file", "file '{}' has another extension; expected {}", config.file,
                     format == LogFormat::kCsv ? "'.csv'" : "'.h5' or '.hdf5'");
    return nullptr;
  }
  const auto file = context.claim_output(config.file);
  if (!file) return nullptr;
  setup.file = *file;
  const auto chosen = select_names(config.signals.empty() ? "*" : config.signals, context.signals.names(),
                                   config.signals.empty() ? "" : context.scope);
  if (!chosen) {
    context.error_at("signals", "{}", chosen.error());
    return nullptr;
  }
  for (const std::size_t i : *chosen) setup.signals.push_back(Slot{i});
  setup.every = context.every();
  if (config.around) {
    setup.around = make_around(*config.around, setup.signals.size(), context);
    if (!setup.around) return nullptr;
    context.take_period();
  }
  if (!context.services.outputs.folder) return nullptr;
  return std::make_unique<LogObserver>(std::move(setup), context.signals, context.model);
}

}  // namespace lockstep
