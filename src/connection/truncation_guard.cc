#include "connection/truncation_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>

namespace lockstep {

/// A guarded mapping. The handler reads it at any time, so `begin` is stored last and cleared first.
struct TruncationGuard::Entry {
  std::atomic<bool> is_taken = false;
  std::atomic<std::uintptr_t> begin = 0;
  std::atomic<std::size_t> size = 0;
  std::atomic<bool> has_acted = false;
};

namespace {

/// More shared memory connections than one process has.
constexpr std::size_t kMaxGuards = 256;

std::array<TruncationGuard::Entry, kMaxGuards> entries;
struct sigaction previous;

/// Only async-signal-safe operations: atomics and a plain system call.
void handle_bus_error(int, siginfo_t* info, void*) {
  const int saved_errno = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (TruncationGuard::Entry& entry : entries) {
    const std::uintptr_t begin = entry.begin.load();
    if (begin == 0 || address < begin || address - begin >= entry.size.load()) continue;
    // Not mmap(): sanitizers intercept it, which is not safe here.
    const long mapped = syscall(SYS_mmap, begin, entry.size.load(), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L);
    if (mapped == -1) break;
    entry.has_acted.store(true);
    errno = saved_errno;
    return;
  }
  // Not ours: the access is repeated and raises the signal for the previous handler.
  sigaction(SIGBUS, &previous, nullptr);
}

void install_handler() {
  struct sigaction action {};
  action.sa_sigaction = handle_bus_error;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &previous);
}

}  // namespace

TruncationGuard::TruncationGuard(std::uint8_t* bytes, std::size_t size) {
  static std::once_flag installed;
  std::call_once(installed, install_handler);
  for (Entry& entry : entries) {
    if (entry.is_taken.exchange(true)) continue;
    entry.has_acted.store(false);
    entry.size.store(size);
    entry.begin.store(reinterpret_cast<std::uintptr_t>(bytes));
    entry_ = &entry;
    return;
  }
}

TruncationGuard::~TruncationGuard() {
  if (entry_ == nullptr) return;
  entry_->begin.store(0);
  entry_->is_taken.store(false);
}

bool TruncationGuard::has_acted() const {
  return entry_ != nullptr && entry_->has_acted.load();
}

}  // namespace lockstep
