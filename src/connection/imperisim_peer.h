#pragma once

#include <optional>
#include <vector>

#include "connection/imperisim.h"
#include "connection/packet_peer.h"

namespace lockstep {

/// A robot program written for ImperiSim: packets of a fixed layout, and the program sends first. Each exchange sends
/// the sensor packet that answers the last motor packet, and waits for the next motor packet.
class ImperisimPeer final : public PacketPeer {
 public:
  /// A motor of the packet, with three commands: velocity, goal, and whether it has a goal.
  struct Motor {
    std::size_t port = 0;
    double scale = 1.0;              ///< rad or m for one unit of the packet
    double offset = 0.0;             ///< of the goal, rad or m
    std::optional<double> velocity;  ///< towards a goal, instead of the packet's, rad/s or m/s
  };
  enum class Field { kAnalog, kDigital, kCameraX, kDeltaX, kDeltaY, kDeltaTheta, kHeading };
  /// Maps a measured number to the packet: analog scale * measured + offset; digital 1 if that is at least 0.5;
  /// delta: change of scale * measured since the previous packet. kHeading: the first of the four measured numbers
  /// qw, qx, qy, qz of an orientation, whose change about z is the delta of theta; the deltas of x and y are then
  /// along the axes that the robot had at the previous packet, else along those of the world.
  struct Sensor {
    Field field = Field::kAnalog;
    std::size_t port = 0;
    double scale = 1.0;
    double offset = 0.0;
    std::size_t first = 0;  ///< index of its measured number
  };
  struct Settings {
    std::vector<Motor> motors;
    std::vector<Sensor> sensors;
    Duration timeout = std::chrono::seconds(1);  ///< real time, to complete a packet after its first byte
    std::function<bool()> cancelled{};
  };

  ImperisimPeer(Settings settings, Listen listen);
};

}  // namespace lockstep
