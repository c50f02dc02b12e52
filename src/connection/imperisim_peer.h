#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connection/imperisim.h"
#include "connection/peer.h"
#include "connection/transport.h"

namespace lockstep {

/// A robot program written for ImperiSim, at the other end of a connection. It speaks first: each exchange
/// sends the sensors that the last motor packet has earned, and waits for the next motor packet.
///
/// The packets have no message, so bytes that are too few are noticed by the timeout, bytes that are too many
/// by standing there before their turn, and others by values that no motor has. Each is counted as bad and told
/// in a sentence; what is left over is thrown away, and the program gets its sensors, so that both sides go on.
///
///     waiting ── a program connects ──► receiving ── a motor packet, or too few bytes ──► owing sensors
///        ▲                                ▲   │                                             │    │
///        │                                └───┼────────── the sensors go out ───────────────┘    │
///        └─ it closes, says terminate, does not read, or a fault disconnects ────────────────────┘
class ImperisimPeer final : public Peer {
 public:
  /// A motor of the packet; it takes three commands: velocity, goal, and whether it has a goal.
  struct Motor {
    std::size_t port = 0;
    double scale = 1.0;              ///< rad or m for one unit of the packet
    double offset = 0.0;             ///< of the goal, rad or m
    std::optional<double> velocity;  ///< towards a goal, instead of the packet's, rad/s or m/s
  };
  enum class Field { kAnalog, kDigital, kCameraX, kDeltaX, kDeltaY, kDeltaTheta };
  /// Where a measured number goes: a number of the packet is scale * measured + offset, a digital one 1 from
  /// 0.5 on, and a delta what `scale * measured` has changed since the packet before.
  struct Sensor {
    Field field = Field::kAnalog;
    std::size_t port = 0;
    double scale = 1.0;
    double offset = 0.0;
  };
  struct Settings {
    std::vector<Motor> motors;
    std::vector<Sensor> sensors;
    Duration timeout = std::chrono::seconds(1);  ///< real time, for a packet that has begun to come
  };
  /// Begins to listen; nothing, with the reason, if it cannot.
  using Listen = std::function<std::unique_ptr<Listener>(std::string& why)>;

  ImperisimPeer(Settings settings, Listen listen);

  std::string open() override;
  void close() override;
  std::string address() const override { return listener_ ? listener_->address() : ""; }
  PeerReply exchange(const PeerRequest& request, std::span<double> commands) override;

  /// What was wrong with the other side last, as a sentence; empty if nothing was.
  std::string problem() const override { return problem_; }

 private:
  bool connect(const PeerRequest& request, ConnectionDeadline deadline, PeerReply& reply);
  void answer(const PeerRequest& request, ConnectionDeadline deadline, PeerReply& reply);
  void receive(const PeerRequest& request, ConnectionDeadline deadline, PeerReply& reply,
               std::span<double> commands);
  void take(const PeerRequest& request, PeerReply& reply, std::span<double> commands);
  void drop_leftovers(PeerReply& reply);
  void disconnect();
  ImperisimSensors make_sensors(std::span<const double> measured) const;

  Settings settings_;
  Listen listen_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Channel> channel_;
  bool was_connected_ = false;
  bool owes_sensors_ = false;          // a motor packet came, and nothing went back yet
  std::vector<double> last_measured_;  // that the last sensors were made of
  std::array<std::uint8_t, kImperisimMotorsBytes> motors_{};
  std::size_t received_ = 0;  // bytes of it
  ConnectionDeadline began_;  // when the first of them came
  std::string problem_;
};

}  // namespace lockstep
