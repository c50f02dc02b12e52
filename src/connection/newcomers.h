#pragma once

#include <functional>
#include <vector>

#include "connection/wire_channel.h"

namespace lockstep {

/// Accepted connections that have not completed the handshake. Those that send no HELLO in time, something
/// else, or a HELLO that does not match are rejected; the others are passed to admit().
///
///     accepted ──► waiting ── matching HELLO, admit() accepts it ──► a controller
///                     └── closed, no HELLO in time, a mismatch, or admit() returns false ──► rejected
class Newcomers {
 public:
  struct Settings {
    const ConnectionSchema* schema = nullptr;  ///< borrowed, must outlive this
    MessageReader::Mode mode = MessageReader::Mode::kStream;
    std::size_t max_payload = kMaxPayload;
    std::string token{};  ///< that HELLO must have; empty: none
    Duration timeout{0};  ///< of the connection; HELLO must come within half of it
    std::function<void(const std::string& reason)> on_rejected;  ///< not for those that admit() rejects
  };
  /// Takes the channel of a matching controller, or rejects it and returns false.
  using Admit = std::function<bool(WireChannel& channel, const Hello& hello)>;

  Newcomers() = default;
  explicit Newcomers(const Settings& settings);

  /// Polls all of them without waiting. Returns the number of bad messages and rejected connections.
  std::int64_t look(Listener& listener, ConnectionDeadline now, const MessageStamp& stamp, const Admit& admit);

  void clear() { candidates_.clear(); }

 private:
  struct Candidate {
    WireChannel channel;
    ConnectionDeadline deadline;
  };
  enum class Greeting { kWaiting, kWelcomed, kRejected };
  Greeting greet(Candidate& candidate, ConnectionDeadline now, const MessageStamp& stamp,
                 const Admit& admit) const;
  void reject(Candidate& candidate, const Notice& notice, const MessageStamp& stamp) const;

  Settings settings_;
  std::vector<Candidate> candidates_;
};

}  // namespace lockstep
