#pragma once

#include <functional>
#include <vector>

#include "connection/wire_channel.h"

namespace lockstep {

/// Connections that have not said a good HELLO yet. Who says nothing, something else, or asks for what the
/// connection does not have is sent away; who fits is handed on.
///
///     accepted ──► waiting ── HELLO that fits, admit() takes it ──► a controller
///                     └── closed, no HELLO in time, one that does not fit, or admit() declines ──► rejected
class Newcomers {
 public:
  struct Settings {
    const ConnectionSchema* schema = nullptr;  ///< lives longer than this
    MessageReader::Mode mode = MessageReader::Mode::kStream;
    std::size_t max_payload = kMaxPayload;
    Duration timeout{0};  ///< of the connection; a HELLO has half of it
  };
  /// Takes the channel of a controller that fits, or rejects it and returns false.
  using Admit = std::function<bool(WireChannel& channel, const Hello& hello)>;

  Newcomers() = default;
  explicit Newcomers(const Settings& settings);

  /// Looks at all of them, without waiting. Returns how many bad messages and rejected connections there were.
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

  Settings settings_;
  std::vector<Candidate> candidates_;
};

}  // namespace lockstep
