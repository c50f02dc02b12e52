#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "connection/transport.h"

namespace lockstep {

/// The least that two processes must do to ask and answer: one sends so many bytes, the other receives them and
/// sends some back. Nothing is framed, checked, counted or bounded in time.
///
/// Sockets and pipes use blocking calls. In shared memory each side copies its bytes into a place of its own,
/// counts them in, and wakes the other by a futex if it sleeps; a side that waits looks for a while first if it
/// spins, and sleeps on the other's count then.
class RawWire {
 public:
  struct Plan {
    const Transport* transport = nullptr;  ///< one that is_known()
    std::size_t question = 0;              ///< bytes
    std::size_t answer = 0;                ///< bytes
    bool spins = false;                    ///< if the transport can
    std::optional<int> answers_on{};       ///< core of the other process
  };

  /// Whether there is a raw wire to compare that transport with.
  static bool is_known(const Transport& transport);

  /// Starts the other process. Throws UserError if it cannot.
  static std::unique_ptr<RawWire> make(const Plan& plan);
  virtual ~RawWire() = default;

  /// So many questions, each with its answer.
  virtual void exchange(std::int64_t count) = 0;
};

}  // namespace lockstep
