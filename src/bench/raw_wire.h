#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "connection/transport.h"

namespace lockstep {

/// Minimal request and answer between two processes: one sends bytes, the other receives them and sends some
/// back. No headers, checksums, counters or timeouts.
///
/// Sockets and pipes use blocking calls. In shared memory each side copies its bytes into its own ring,
/// increments its counter, and wakes the other with a futex if it sleeps; a waiting side spins for a while if
/// enabled, then sleeps on the other's counter.
class RawWire {
 public:
  struct Setup {
    const Transport* transport = nullptr;  ///< must be is_known()
    std::size_t question = 0;              ///< bytes
    std::size_t answer = 0;                ///< bytes
    bool spins = false;                    ///< if the transport can
    std::optional<int> answers_on{};       ///< core of the other process
  };

  /// Whether there is a raw implementation of that transport.
  static bool is_known(const Transport& transport);

  /// Starts the other process. Throws UserError if it cannot.
  static std::unique_ptr<RawWire> make(const Setup& setup);
  virtual ~RawWire() = default;

  /// Runs this many exchanges.
  virtual void exchange(std::int64_t count) = 0;
};

}  // namespace lockstep
