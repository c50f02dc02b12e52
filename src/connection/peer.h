#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "connection/connection.h"
#include "lockstep/time.h"

namespace lockstep {

/// A fault to apply to the messages of one exchange (docs/faults.md).
enum class MessageFault : std::uint8_t { kNone, kDrop, kDuplicate, kCorrupt, kFreeze, kDisconnect };

struct PeerRequest {
  std::uint32_t sequence = 0;
  Duration time{0};
  std::span<const double> measured;
  Duration wait{0};              ///< real time, for the answer; 0: takes what has arrived and never waits
  bool ends_at_invalid = false;  ///< an invalid answer ends the wait: the run goes on without a valid one
  MessageFault outgoing = MessageFault::kNone;
  MessageFault incoming = MessageFault::kNone;
};

struct PeerReply {
  bool is_fresh = false;     ///< new commands were received
  bool is_connected = true;  ///< a controller is connected
  ConnectionCounts counts;   ///< since the last exchange; the connection sets `late` and `missed`
  Duration waited{0};        ///< real time, from sending to the answer
};

/// The other side of a connection: a controller reached over a channel, or a recording of one.
class Peer {
 public:
  virtual ~Peer() = default;

  virtual std::string open() = 0;  ///< returns the error; empty on success
  virtual void close() = 0;
  virtual std::string address() const { return ""; }   ///< for the controller, once it is open
  virtual bool is_connected() const { return false; }  ///< now, by its channel
  /// Between exchanges, while the run is paused: accepts a controller, and notices that one has left. Reads no
  /// answers.
  virtual void look() {}
  /// The last error of the other side; empty if none.
  virtual std::string problem() const { return ""; }

  /// Sends the measurements and waits for the answer. `commands` are written only by a complete, finite answer
  /// to this exchange (in real time: to the newest answered exchange).
  virtual PeerReply exchange(const PeerRequest& request, std::span<double> commands) = 0;
};

}  // namespace lockstep
