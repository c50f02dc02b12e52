#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep {

/// Keeps the process alive when another process truncates a file that is mapped here: an access beyond the end
/// raises SIGBUS, which ends a process that does not handle it. While a guard exists, the first such access
/// replaces the whole mapping by private zeros and continues. So all cells read as zero from then on, and
/// nothing that is written reaches the other process.
///
/// The first guard installs a handler of SIGBUS for the rest of the process; any other SIGBUS is passed on to
/// the handler that was there before.
class TruncationGuard {
 public:
  /// Guards a mapping that must outlive this. Check is_active(): the number of guards is limited.
  TruncationGuard(std::uint8_t* bytes, std::size_t size);
  ~TruncationGuard();
  TruncationGuard(const TruncationGuard&) = delete;
  TruncationGuard& operator=(const TruncationGuard&) = delete;

  bool is_active() const { return entry_ != nullptr; }
  /// Whether the mapping was replaced.
  bool has_acted() const;

  struct Entry;

 private:
  Entry* entry_ = nullptr;
};

}  // namespace lockstep
