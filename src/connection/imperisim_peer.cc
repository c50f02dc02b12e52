#include "connection/imperisim_peer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Duration kLookAgain = std::chrono::microseconds(200);  // for a program to connect
constexpr Duration kLastWords = std::chrono::milliseconds(100);  // for the packet that ends the program
constexpr std::uint8_t kDamage = 0xA5;                           // turns any flag into an invalid value

std::int16_t to_short(double value) {
  if (std::isnan(value)) return 0;
  return static_cast<std::int16_t>(std::clamp(std::floor(value + 0.5), -32768.0, 32767.0));
}

}  // namespace

ImperisimPeer::ImperisimPeer(Settings settings, Listen listen)
    : settings_(std::move(settings)),
      listen_(std::move(listen)),
      last_measured_(settings_.sensors.size(), 0.0) {}

std::string ImperisimPeer::open() {
  std::string why;
  listener_ = listen_(why);
  return listener_ ? "" : why;
}

void ImperisimPeer::close() {
  if (channel_ && owes_sensors_) {
    ImperisimSensors sensors = make_sensors(last_measured_);
    sensors.terminate = true;
    std::array<std::uint8_t, kImperisimSensorsBytes> bytes;
    encode_imperisim(sensors, bytes);
    channel_->send(bytes, Clock::now() + kLastWords);
  }
  disconnect();
  listener_.reset();
}

void ImperisimPeer::disconnect() {
  channel_.reset();
  owes_sensors_ = false;
  received_ = 0;
}

PeerReply ImperisimPeer::exchange(const PeerRequest& request, std::span<double> commands) {
  const ConnectionDeadline start = Clock::now();
  const ConnectionDeadline deadline = start + request.wait;
  PeerReply reply;
  if (request.outgoing == MessageFault::kDisconnect || request.incoming == MessageFault::kDisconnect) {
    disconnect();
  } else if (request.outgoing != MessageFault::kFreeze && request.incoming != MessageFault::kFreeze) {
    // A program that disconnects, or another one, may connect again until the deadline.
    while (connect(request, deadline, reply)) {
      answer(request, deadline, reply);
      if (channel_) receive(request, deadline, reply, commands);
      if (channel_) break;
    }
  }
  reply.is_connected = channel_ != nullptr;
  reply.waited = std::chrono::duration_cast<Duration>(Clock::now() - start);
  return reply;
}

bool ImperisimPeer::connect(const PeerRequest& request, ConnectionDeadline deadline, PeerReply& reply) {
  if (channel_) return true;
  if (!listener_) return false;
  while (!(channel_ = listener_->accept())) {
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLookAgain);
  }
  if (was_connected_) ++reply.counts.reconnects;
  was_connected_ = true;
  std::copy(request.measured.begin(), request.measured.end(), last_measured_.begin());
  return true;
}

ImperisimSensors ImperisimPeer::make_sensors(std::span<const double> measured) const {
  ImperisimSensors made;
  for (std::size_t i = 0; i < settings_.sensors.size(); ++i) {
    const Sensor& sensor = settings_.sensors[i];
    const double value = sensor.scale * measured[i] + sensor.offset;
    const double change = sensor.scale * (measured[i] - last_measured_[i]);
    switch (sensor.field) {
      case Field::kAnalog:
        made.analogs[sensor.port] = to_short(value);
        break;
      case Field::kDigital:
        made.digitals[sensor.port] = measured[i] >= 0.5 ? 1 : 0;
        break;
      case Field::kCameraX:
        made.camera_x = to_short(value);
        break;
      case Field::kDeltaX:
        made.delta[0] = change;
        break;
      case Field::kDeltaY:
        made.delta[1] = change;
        break;
      case Field::kDeltaTheta:
        made.delta[2] = change;
        break;
    }
  }
  return made;
}

void ImperisimPeer::answer(const PeerRequest& request, ConnectionDeadline deadline, PeerReply& reply) {
  if (!owes_sensors_) return;
  drop_leftovers(reply);
  if (!channel_) return;
  if (request.outgoing == MessageFault::kDrop) return;  // sent with the next exchange
  std::array<std::uint8_t, kImperisimSensorsBytes> bytes;
  encode_imperisim(make_sensors(request.measured), bytes);
  if (request.outgoing == MessageFault::kCorrupt) bytes[request.sequence % bytes.size()] ^= kDamage;
  Channel::Result result = channel_->send(bytes, deadline);
  if (result == Channel::Result::kDone && request.outgoing == MessageFault::kDuplicate)
    result = channel_->send(bytes, deadline);
  owes_sensors_ = false;
  std::copy(request.measured.begin(), request.measured.end(), last_measured_.begin());
  if (result == Channel::Result::kDone) return;
  // Part of a packet may be sent: the program could not find the start of the next one.
  ++reply.counts.lost;
  problem_ = result == Channel::Result::kClosed ? "the program has closed the connection"
                                                : "the program does not read its sensor packets";
  disconnect();
}

/// The program waits for its sensors now, so bytes received here do not belong to a packet.
void ImperisimPeer::drop_leftovers(PeerReply& reply) {
  std::array<std::uint8_t, 1024> rest;
  constexpr std::size_t kMaxReads = 64;  // endless input must not block the run
  std::size_t total = 0;
  for (std::size_t i = 0; i < kMaxReads; ++i) {
    std::size_t count = 0;
    const Channel::Result result = channel_->receive(rest, count, Clock::now());
    if (result == Channel::Result::kClosed) {
      problem_ = "the program has closed the connection";
      disconnect();
    }
    if (result != Channel::Result::kDone) break;
    total += count;
  }
  if (total == 0) return;
  ++reply.counts.bad;
  problem_ = fmt::format("{} extra bytes after a motor packet of {} bytes", total, kImperisimMotorsBytes);
}

void ImperisimPeer::receive(const PeerRequest& request, ConnectionDeadline deadline, PeerReply& reply,
                            std::span<double> commands) {
  while (received_ < motors_.size()) {
    std::size_t count = 0;
    const Channel::Result result = channel_->receive(std::span(motors_).subspan(received_), count, deadline);
    if (result == Channel::Result::kDone) {
      if (received_ == 0) began_ = Clock::now();
      received_ += count;
      continue;
    }
    if (result == Channel::Result::kClosed) {
      problem_ = "the program has closed the connection";
      if (received_ > 0) {
        ++reply.counts.bad;
        problem_ += fmt::format(" after {} of the {} bytes of a motor packet", received_, motors_.size());
      }
      disconnect();
    } else if (received_ > 0 && Clock::now() - began_ >= settings_.timeout) {
      ++reply.counts.bad;
      problem_ = fmt::format("received {} of the {} bytes of a motor packet, and no more within {} s",
                             received_, motors_.size(), to_seconds(settings_.timeout));
      received_ = 0;
      owes_sensors_ = true;
    }
    return;
  }
  received_ = 0;
  owes_sensors_ = true;
  take(request, reply, commands);
}

void ImperisimPeer::take(const PeerRequest& request, PeerReply& reply, std::span<double> commands) {
  if (request.incoming == MessageFault::kDrop) {
    ++reply.counts.lost;
    return;
  }
  if (request.incoming == MessageFault::kCorrupt) motors_[0] ^= kDamage;
  if (request.incoming == MessageFault::kDuplicate) ++reply.counts.duplicate;
  ImperisimMotors motors;
  if (const std::string error = decode_imperisim(motors_, motors); !error.empty()) {
    ++reply.counts.bad;
    problem_ = "not a valid motor packet: " + error;
    return;
  }
  if (motors.terminate) {
    problem_ = "the program has ended the simulation";
    disconnect();
    return;
  }
  for (std::size_t i = 0; i < settings_.motors.size(); ++i) {
    const Motor& motor = settings_.motors[i];
    const ImperisimMotor& wanted = motors.motors[motor.port];
    commands[3 * i] = motor.scale * wanted.velocity;
    if (motor.velocity) commands[3 * i] = wanted.has_goal ? *motor.velocity : 0.0;
    commands[3 * i + 1] = motor.scale * wanted.goal + motor.offset;
    commands[3 * i + 2] = wanted.has_goal ? 1.0 : 0.0;
  }
  reply.is_fresh = true;
}

}  // namespace lockstep
