#include "sensors/imperfect_sensor.h"

#include <algorithm>
#include <cmath>

#include "device/context.h"

namespace lockstep {
namespace {

/// Longest delay in readings: a buffer of 8 MB for each signal.
constexpr std::int64_t kMaxReadingDelay = 1'000'000;

/// Turns the errors of one sensor into imperfections of its signals.
class ErrorBuilder {
 public:
  ErrorBuilder(std::size_t first_signal, BuildContext& context) : context_(context) {
    const std::string prefix = context.name() + "/";
    for (std::size_t i = first_signal; i < context.signals.size(); ++i) {
      const SignalInfo& info = context.signals.info(Slot{i});
      if (info.role != SignalRole::kMeasurement || !info.name.starts_with(prefix)) continue;
      quantities_.push_back(info.name.substr(prefix.size()));
      slots_.push_back(Slot{i});
    }
  }

  void add(const SensorErrorConfig& error, const Element& element) {
    const std::optional<std::size_t> delay = find_delay(error, element);
    if (!delay) return;
    const std::vector<std::string> named = split_words(error.signal);
    for (const std::string& quantity : named.empty() ? quantities_ : named) {
      const auto it = std::find(quantities_.begin(), quantities_.end(), quantity);
      if (it == quantities_.end()) {
        context_.error_in(element, "signal", "there is no signal '{}'{}", quantity,
                          suggest(quantity, quantities_));
        continue;
      }
      const Slot slot = slots_[static_cast<std::size_t>(it - quantities_.begin())];
      if (!taken_.insert(slot).second) {
        context_.error_in(element, "signal", "signal '{}' has an <error> already", quantity);
        continue;
      }
      const SignalInfo& info = context_.signals.info(slot);
      for (const char* attribute : {"bias", "noise", "lower", "upper", "resolution"})
        context_.require_unit_in(element, attribute, info);
      made_.push_back({.slot = slot,
                       .random = Random(context_.seed(), info.name),
                       .bias = error.bias,
                       .noise = error.noise,
                       .lower = error.lower,
                       .upper = error.upper,
                       .resolution = error.resolution,
                       .delay = *delay});
    }
  }

  std::vector<ImperfectSensor::Imperfection> take() { return std::move(made_); }

 private:
  /// In readings.
  std::optional<std::size_t> find_delay(const SensorErrorConfig& error, const Element& element) {
    const Duration period = context_.model.step * context_.every();
    const std::int64_t readings = error.delay / period;
    if (error.delay % period != Duration{0}) {
      context_.error_in(element, "delay", "delay {} s is not a multiple of the sensor's period ({} s)",
                        to_seconds(error.delay), to_seconds(period));
    } else if (readings > kMaxReadingDelay) {
      context_.error_in(element, "delay", "delay {} s is {} readings; expected at most {}",
                        to_seconds(error.delay), readings, kMaxReadingDelay);
    } else {
      return static_cast<std::size_t>(readings);
    }
    return std::nullopt;
  }

  BuildContext& context_;
  std::vector<std::string> quantities_;
  std::vector<Slot> slots_;  // of the same
  std::set<Slot> taken_;
  std::vector<ImperfectSensor::Imperfection> made_;
};

}  // namespace

ImperfectSensor::ImperfectSensor(std::unique_ptr<Sensor> sensor, std::vector<Imperfection> imperfections)
    : sensor_(std::move(sensor)) {
  for (Imperfection& imperfection : imperfections) {
    const std::size_t delay = imperfection.delay;
    channels_.push_back({std::move(imperfection), std::vector<double>(delay, 0.0), 0});
  }
}

double ImperfectSensor::distort(double truth, Imperfection& imperfection) {
  double reading = truth + imperfection.bias;
  if (imperfection.noise > 0.0) reading += imperfection.noise * imperfection.random.normal();
  if (imperfection.lower) reading = std::max(reading, *imperfection.lower);
  if (imperfection.upper) reading = std::min(reading, *imperfection.upper);
  if (imperfection.resolution) {
    // To the nearest, halves upwards, independent of the rounding mode of the processor.
    reading = std::floor(reading / *imperfection.resolution + 0.5) * *imperfection.resolution;
  }
  return reading;
}

void ImperfectSensor::sense(const World& world, const Instant& now, Row row) {
  sensor_->sense(world, now, row);
  for (Channel& channel : channels_) {
    double& value = row[channel.imperfection.slot];
    value = distort(value, channel.imperfection);
    if (channel.late.empty()) continue;
    if (!has_read_) std::fill(channel.late.begin(), channel.late.end(), value);
    std::swap(value, channel.late[channel.next]);
    if (++channel.next == channel.late.size()) channel.next = 0;
  }
  has_read_ = true;
}

void ImperfectSensor::save(StateWriter& writer) const {
  sensor_->save(writer);
  writer.write(has_read_);
  for (const Channel& channel : channels_) {
    channel.imperfection.random.save(writer);
    writer.write(std::span<const double>(channel.late));
    writer.write(static_cast<std::uint64_t>(channel.next));
  }
}

void ImperfectSensor::restore(StateReader& reader) {
  sensor_->restore(reader);
  has_read_ = reader.read<bool>();
  for (Channel& channel : channels_) {
    channel.imperfection.random.restore(reader);
    reader.read_into(std::span<double>(channel.late));
    channel.next = static_cast<std::size_t>(reader.read<std::uint64_t>());
    if (channel.next > 0 && channel.next >= channel.late.size())
      throw StateError("the index of a delayed reading is out of range");
  }
}

std::unique_ptr<Sensor> SensorErrors::complete(std::unique_ptr<Sensor> sensor, std::size_t first_signal,
                                               BuildContext& context) const {
  if (!sensor || errors.empty()) return sensor;
  const std::size_t errors_before = context.diagnostics.error_count();
  ErrorBuilder builder(first_signal, context);
  std::size_t i = 0;
  for (const Element& child : context.element().children) {
    if (child.name == "error") builder.add(errors[i++], child);
  }
  if (context.diagnostics.error_count() > errors_before) return nullptr;
  return std::make_unique<ImperfectSensor>(std::move(sensor), builder.take());
}

}  // namespace lockstep
