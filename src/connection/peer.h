#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "connection/connection.h"
#include "connection/connection_notes.h"
#include "lockstep/time.h"

namespace lockstep {

/// A fault to apply to the messages of one exchange (docs/faults.md).
enum class MessageFault : std::uint8_t { kNone, kDrop, kDuplicate, kCorrupt, kFreeze, kDisconnect };

struct PeerRequest {
  std::uint32_t sequence = 0;
  Duration time{0};
  std::span<const double> measured;
  Duration wait{0};              ///< real time, for the answer; 0: takes what has arrived and never waits
  bool is_first = false;         ///< also waits for a controller to connect, which then has all of `wait`
  bool ends_at_invalid = false;  ///< an invalid answer ends the wait: the run goes on without a valid one
  MessageFault outgoing = MessageFault::kNone;
  MessageFault incoming = MessageFault::kNone;
};

struct PeerReply {
  bool is_fresh = false;      ///< new commands were received
  bool is_connected = true;   ///< a controller is connected
  bool is_over = false;       ///< the controller ends the run
  ConnectionCounts counts{};  ///< since the last exchange; the connection sets `late` and `missed`
  Duration waited{0};         ///< real time, from sending to the answer
  std::chrono::steady_clock::time_point ended_at{};  ///< when the exchange ended, if the peer knows
};

/// The other side of a connection: a controller reached over a channel, or a recording of one.
class Peer {
 public:
  virtual ~Peer() = default;

  virtual std::string open() = 0;  ///< returns the error; empty on success
  virtual void close() = 0;
  virtual std::string address() const { return ""; }   ///< for the controller, once it is open
  virtual bool is_connected() const { return false; }  ///< now, by its channel
  /// Outside of an exchange, without waiting: accepts a controller, and notices that one has left. Reads no
  /// answers; the next exchange counts what it finds.
  virtual void look() {}

  /// Both are borrowed, and must outlive the peer. `idle` is called again and again while exchange() waits.
  void report_to(ConnectionNotes& notes, const std::function<void()>& idle) {
    notes_ = &notes;
    idle_ = &idle;
  }

  /// Sends the measurements and waits for the answer. `commands` are written only by a complete, finite answer
  /// to this exchange (in real time: to the newest answered exchange).
  virtual PeerReply exchange(const PeerRequest& request, std::span<double> commands) = 0;

 protected:
  void note(ConnectionEventKind kind, std::string_view text) const {
    if (notes_ != nullptr) notes_->note(kind, text);
  }
  void note_bad(std::string_view reason) const {
    if (notes_ != nullptr) notes_->note_bad(reason);
  }
  void note_controller(std::string_view name) const {
    if (notes_ != nullptr) notes_->set_controller(name);
  }
  void idle() const {
    if (idle_ != nullptr && *idle_) (*idle_)();
  }

 private:
  ConnectionNotes* notes_ = nullptr;
  const std::function<void()>* idle_ = nullptr;
};

}  // namespace lockstep
