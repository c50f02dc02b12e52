#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "connection/connection.h"
#include "lockstep/time.h"

namespace lockstep {

/// A fault to commit on the messages of one exchange (docs/faults.md).
enum class MessageFault : std::uint8_t { kNone, kDrop, kDuplicate, kCorrupt, kFreeze, kDisconnect };

struct PeerRequest {
  std::uint32_t sequence = 0;
  Duration time{0};
  std::span<const double> measured;
  Duration wait{0};  ///< real time, for the answer; nothing: takes what is there and never waits
  MessageFault outgoing = MessageFault::kNone;
  MessageFault incoming = MessageFault::kNone;
};

struct PeerReply {
  bool is_fresh = false;     ///< the commands came
  bool is_connected = true;  ///< somebody is there
  ConnectionCounts
      counts;          ///< what was noticed since the last exchange; `late` and `missed` are the connection's
  Duration waited{0};  ///< real time, from sending to the answer
};

/// The other side as the connection sees it: the wire with a controller at its end, or a recording of one.
class Peer {
 public:
  virtual ~Peer() = default;

  virtual std::string open() = 0;  ///< why it cannot; empty if it can
  virtual void close() = 0;
  virtual std::string address() const { return ""; }  ///< where a controller finds it, once it is open
  /// What was wrong with the other side last, as a sentence; empty if nothing was.
  virtual std::string problem() const { return ""; }

  /// Sends what was measured and waits for the answer; `commands` are only touched by an answer that is whole,
  /// finite and for this exchange (in real time: for the newest exchange that was answered).
  virtual PeerReply exchange(const PeerRequest& request, std::span<double> commands) = 0;
};

}  // namespace lockstep
