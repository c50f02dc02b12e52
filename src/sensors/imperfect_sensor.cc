#include "sensors/imperfect_sensor.h"

#include <algorithm>
#include <cmath>

namespace lockstep {

ImperfectSensor::ImperfectSensor(std::unique_ptr<Sensor> sensor, std::vector<Imperfection> imperfections)
    : sensor_(std::move(sensor)) {
  for (Imperfection& imperfection : imperfections) {
    const std::size_t delay = imperfection.delay;
    channels_.push_back({std::move(imperfection), std::vector<double>(delay, 0.0), 0});
  }
}

double ImperfectSensor::spoil(double truth, Imperfection& imperfection) {
  double reading = truth + imperfection.bias;
  if (imperfection.noise > 0.0) reading += imperfection.noise * imperfection.random.normal();
  if (imperfection.lower) reading = std::max(reading, *imperfection.lower);
  if (imperfection.upper) reading = std::min(reading, *imperfection.upper);
  if (imperfection.resolution) {
    // To the nearest, halves upwards, whatever rounding mode the processor is in.
    reading = std::floor(reading / *imperfection.resolution + 0.5) * *imperfection.resolution;
  }
  return reading;
}

void ImperfectSensor::sense(const World& world, const Instant& now, Row row) {
  sensor_->sense(world, now, row);
  for (Channel& channel : channels_) {
    double& value = row[channel.imperfection.slot];
    value = spoil(value, channel.imperfection);
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
      throw StateError("a delayed reading has no place");
  }
}

}  // namespace lockstep
