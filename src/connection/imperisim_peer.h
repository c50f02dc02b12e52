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

/// A robot program written for ImperiSim. The program sends first: each exchange sends the sensor packet that
/// answers the last motor packet, and waits for the next motor packet.
///
/// The packets have no header, so too few bytes are detected by the timeout, too many bytes because they arrive
/// before the sensor packet is sent, and misaligned bytes by impossible values. Each is counted as bad and
/// reported in problem(); leftover bytes are discarded, and the program gets its sensors, so that both sides
/// continue.
///
///     waiting ── a program connects ──► receiving ── a motor packet, or too few bytes ──► owing sensors
///        ▲                                ▲   │                                             │    │
///        │                                └───┼────────── the sensors go out ───────────────┘    │
///        └─ it closes, says terminate, does not read, or a fault disconnects ────────────────────┘
class ImperisimPeer final : public Peer {
 public:
  /// A motor of the packet, with three commands: velocity, goal, and whether it has a goal.
  struct Motor {
    std::size_t port = 0;
    double scale = 1.0;              ///< rad or m for one unit of the packet
    double offset = 0.0;             ///< of the goal, rad or m
    std::optional<double> velocity;  ///< towards a goal, instead of the packet's, rad/s or m/s
  };
  enum class Field { kAnalog, kDigital, kCameraX, kDeltaX, kDeltaY, kDeltaTheta };
  /// Maps a measured number to the packet: analog scale * measured + offset; digital 1 if that is at least 0.5;
  /// delta: change of scale * measured since the previous packet.
  struct Sensor {
    Field field = Field::kAnalog;
    std::size_t port = 0;
    double scale = 1.0;
    double offset = 0.0;
  };
  struct Settings {
    std::vector<Motor> motors;
    std::vector<Sensor> sensors;
    Duration timeout = std::chrono::seconds(1);  ///< real time, to complete a packet after its first byte
  };
  /// Starts to listen; null with the error if it cannot.
  using Listen = std::function<std::unique_ptr<Listener>(std::string& why)>;

  ImperisimPeer(Settings settings, Listen listen);

  std::string open() override;
  void close() override;
  std::string address() const override { return listener_ ? listener_->address() : ""; }
  PeerReply exchange(const PeerRequest& request, std::span<double> commands) override;
  bool is_connected() const override { return channel_ != nullptr; }

  /// The last error of the program; empty if none.
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
  bool owes_sensors_ = false;          // a motor packet arrived and is not answered yet
  std::vector<double> last_measured_;  // measurements of the last sensor packet
  std::array<std::uint8_t, kImperisimMotorsBytes> motors_{};
  std::size_t received_ = 0;  // bytes of the packet so far
  ConnectionDeadline began_;  // when the first byte arrived
  std::string problem_;
};

}  // namespace lockstep
