#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "connection/transports_internal.h"
#include "connection/truncation_guard.h"

// Shared memory transport: one file in /dev/shm with a head and two rings, one per direction (layout in
// docs/protocol.md).
//
//     Head: magic, ring size, process ids, entered, epoch, closed; per ring: written, read, sleeper
//     out ring: simulation ──► controller          in ring: controller ──► simulation
//
// Ring: `written` and `read` count bytes modulo 2^32 and each is stored by one side only: the writer stores
// `written` after the bytes (release), the reader stores `read` after copying them. The ring is empty if they
// are equal and full if they differ by its size. Each side checks the other's counter: the other process is not
// trusted.
//
// Sleeping: an idle reader spins for `spin`, then sets `sleeper`, checks `written` once more, and sleeps on it
// with a futex; the writer stores `written`, then checks `sleeper` and wakes it. Both pairs are sequentially
// consistent, so that one of them sees the other. A writer with a full ring polls.
//
// Truncation: a controller may truncate the file. TruncationGuard then replaces the mapping by zeros, which ends
// the connection like any change of the head, and the listener creates the file again.
//
// Connecting: the state diagram is at ShmListener. The lock on the file (flock) shows that the simulation is
// alive.

namespace lockstep {
namespace {

using Cell = std::atomic<std::uint32_t>;
static_assert(sizeof(Cell) == 4 && Cell::is_always_lock_free);

constexpr char kSharedMagic[8] = "LKSSHM1";
constexpr std::size_t kRings = 4096;  // offset of the first ring
constexpr std::size_t kMinRing = 4096;
constexpr std::size_t kMaxRing = 1 << 26;
/// Polls between two readings of the clock while spinning: a reading costs as much as several polls.
constexpr int kPollsPerClock = 128;
/// Maximum bytes to prefetch; more would only evict other data.
constexpr std::size_t kMaxFetched = 1024;
/// A sleeper checks at this period whether the other process is alive.
constexpr Duration kAliveCheck = std::chrono::milliseconds(50);
/// A writer polls a full ring at this period: readers do not wake it.
constexpr Duration kFullCheck = std::chrono::microseconds(100);

/// The head of the file (docs/protocol.md). Each cell used by both sides has its own cache line.
struct Head {
  char magic[8];
  Cell ring_size;
  Cell simulation;
  Cell controller;
  Cell epoch;
  Cell closed;
  Cell entered;
  struct Ring {
    alignas(64) Cell written;
    alignas(64) Cell read;
    alignas(64) Cell sleeper;
  };
  Ring out;
  Ring in;
};
static_assert(offsetof(Head, ring_size) == 8 && offsetof(Head, entered) == 28);
static_assert(offsetof(Head, out) == 64 && offsetof(Head, in) == 256 && sizeof(Head) <= kRings);

/// The mapped file, and on the simulation's side the lock that shows that it is alive.
class Memory {
 public:
  Memory(FileDescriptor file, std::size_t ring_size) : file_(std::move(file)), ring_size_(ring_size) {
    void* mapped = mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    bytes_ = mapped == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(mapped);
    if (bytes_ != nullptr) guard_.emplace(bytes_, size());
  }
  ~Memory() {
    guard_.reset();
    if (bytes_ != nullptr) munmap(bytes_, size());
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  bool is_mapped() const { return guard_ && guard_->is_active(); }
  bool is_replaced() const { return guard_->has_acted(); }  ///< the file was truncated and accessed
  /// Whether the file has still the size that is mapped.
  bool is_whole() const {
    struct stat found {};
    return !is_replaced() && fstat(file_.get(), &found) == 0 &&
           static_cast<std::size_t>(found.st_size) == size();
  }
  std::size_t size() const { return kRings + 2 * ring_size_; }
  std::size_t ring_size() const { return ring_size_; }
  Head& head() const { return *reinterpret_cast<Head*>(bytes_); }
  std::uint8_t* out_ring() const { return bytes_ + kRings; }
  std::uint8_t* in_ring() const { return bytes_ + kRings + ring_size_; }

 private:
  FileDescriptor file_;
  std::size_t ring_size_;
  std::uint8_t* bytes_ = nullptr;
  std::optional<TruncationGuard> guard_;
};

/// Sleeps until the cell is woken or is not `value`, or the deadline passes.
void sleep_on(Cell& cell, std::uint32_t value, ConnectionDeadline deadline) {
  const auto since_start = Duration(deadline.time_since_epoch());  // CLOCK_MONOTONIC, as for the futex
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_start);
  const timespec until{seconds.count(), (since_start - seconds).count()};
  syscall(SYS_futex, &cell, FUTEX_WAIT_BITSET, value, &until, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void wake(Cell& cell) {
  syscall(SYS_futex, &cell, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Whether the process has ended and only waits for its parent to notice. Called while waiting for messages, so
/// it does not allocate.
bool is_zombie(std::uint32_t pid) {
  std::array<char, 32> path{};
  fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/stat", pid);
  const FileDescriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> bytes;
  const ssize_t size = file ? ::read(file.get(), bytes.data(), bytes.size()) : 0;
  if (size <= 0) return false;
  // "PID (NAME) STATE …"; the name may contain anything.
  const std::string_view line(bytes.data(), static_cast<std::size_t>(size));
  const std::size_t end = line.rfind(") ");
  return end != std::string_view::npos && end + 2 < line.size() &&
         (line[end + 2] == 'Z' || line[end + 2] == 'X');
}

bool is_process_alive(std::uint32_t pid) {
  const bool exists = pid != 0 && pid <= INT32_MAX && (kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM);
  return exists && !is_zombie(pid);
}

/// The writing end of a ring. Does not trust the cells of the other side.
class RingWriter {
 public:
  RingWriter(Head::Ring& ring, std::uint8_t* bytes, std::size_t size)
      : ring_(&ring), bytes_(bytes), size_(size), written_(ring.written.load()), read_(ring.read.load()) {}

  /// Writes as many of `bytes` as fit; returns their number, or -1 if the cells are inconsistent.
  std::ptrdiff_t put(std::span<const std::uint8_t> bytes) {
    // Read the other side's cell only if the cached value shows too little space: each access moves the cache
    // line between two cores, and so does the other side's next store.
    if (size_ - (written_ - read_) < bytes.size()) {
      read_ = ring_->read.load(std::memory_order_acquire);
      if (written_ - read_ > size_) return -1;
    }
    const std::size_t count = std::min<std::size_t>(bytes.size(), size_ - (written_ - read_));
    const std::size_t at = written_ & (size_ - 1);
    const std::size_t first = std::min(count, size_ - at);
    std::memcpy(bytes_ + at, bytes.data(), first);
    std::memcpy(bytes_, bytes.data() + first, count - first);
    written_ += static_cast<std::uint32_t>(count);
    if (count > 0) {
      ring_->written.store(written_);
      if (ring_->sleeper.load() != 0) wake(ring_->written);
      prefetch_next(count);
    }
    return static_cast<std::ptrdiff_t>(count);
  }

 private:
  /// Prefetches the memory of the next message, which is probably as long as this one, from the other core's
  /// cache while that core processes this message.
  void prefetch_next(std::size_t count) const {
    constexpr std::size_t kLine = 64;
    for (std::size_t i = 0; i < std::min(count + kLine, kMaxFetched); i += kLine)
      __builtin_prefetch(bytes_ + ((written_ + i) & (size_ - 1)), 1);
  }

  Head::Ring* ring_;
  std::uint8_t* bytes_;
  std::size_t size_;
  std::uint32_t written_;
  std::uint32_t read_;  // cached value of the other side's cell
};

/// The reading end of a ring.
class RingReader {
 public:
  RingReader(Head::Ring& ring, const std::uint8_t* bytes, std::size_t size)
      : ring_(&ring), bytes_(bytes), size_(size), read_(ring.read.load()) {}

  std::ptrdiff_t take(std::span<std::uint8_t> buffer) {
    const std::uint32_t available = ring_->written.load(std::memory_order_acquire) - read_;
    if (available > size_) return -1;
    const std::size_t count = std::min<std::size_t>(buffer.size(), available);
    const std::size_t at = read_ & (size_ - 1);
    const std::size_t first = std::min(count, size_ - at);
    std::memcpy(buffer.data(), bytes_ + at, first);
    std::memcpy(buffer.data() + first, bytes_, count - first);
    read_ += static_cast<std::uint32_t>(count);
    if (count > 0) ring_->read.store(read_, std::memory_order_release);
    return static_cast<std::ptrdiff_t>(count);
  }

  bool is_empty() const { return ring_->written.load() == read_; }

  /// Sleeps until there are bytes or the deadline passes; may return early.
  void sleep(ConnectionDeadline deadline) {
    ring_->sleeper.store(1);
    if (is_empty()) sleep_on(ring_->written, read_, deadline);
    ring_->sleeper.store(0);
  }

 private:
  Head::Ring* ring_;
  const std::uint8_t* bytes_;
  std::size_t size_;
  std::uint32_t read_;
};

enum class Side { kSimulation, kController };

/// Values of the head that identify one connection.
struct Tenancy {
  std::uint32_t controller = 0;  // process id
  std::uint32_t entered = 0;
  std::uint32_t epoch = 0;
};

class ShmChannel final : public Channel {
 public:
  ShmChannel(std::shared_ptr<Memory> memory, Side side, const Tenancy& tenancy, Duration spin,
             std::shared_ptr<bool> use = nullptr)
      : use_(std::move(use)),
        memory_(std::move(memory)),
        side_(side),
        spin_(spin),
        tenancy_(tenancy),
        writer_(side == Side::kSimulation ? RingWriter(head().out, memory_->out_ring(), memory_->ring_size())
                                          : RingWriter(head().in, memory_->in_ring(), memory_->ring_size())),
        reader_(side == Side::kSimulation ? RingReader(head().in, memory_->in_ring(), memory_->ring_size())
                                          : RingReader(head().out, memory_->out_ring(), memory_->ring_size())) {
  }
  ~ShmChannel() override {
    // Either side ends a connection by freeing the slot, unless another controller has it already.
    std::uint32_t mine = tenancy_.controller;
    if (head().entered.load() != tenancy_.entered || !head().controller.compare_exchange_strong(mine, 0))
      return;
    wake(side_ == Side::kSimulation ? head().out.written : head().in.written);
  }
  ShmChannel(const ShmChannel&) = delete;
  ShmChannel& operator=(const ShmChannel&) = delete;

  Result send(std::span<const std::uint8_t> bytes, ConnectionDeadline deadline) override {
    if (!is_open()) return Result::kClosed;
    while (true) {
      const std::ptrdiff_t count = writer_.put(bytes);
      if (count < 0) return Result::kClosed;
      bytes = bytes.subspan(static_cast<std::size_t>(count));
      if (bytes.empty()) return Result::kDone;
      if (time_left(deadline) == Duration(0)) return Result::kTimeout;
      if (!is_open() || !is_other_alive()) return Result::kClosed;
      std::this_thread::sleep_for(kFullCheck);
    }
  }

  Result receive(std::span<std::uint8_t> buffer, std::size_t& count, ConnectionDeadline deadline) override {
    count = 0;
    bool has_spun = spin_ == Duration(0);
    while (true) {
      const bool was_open = is_open();  // before reading, so that no bytes written before the end are missed
      const std::ptrdiff_t taken = reader_.take(buffer);
      if (taken < 0 || memory_->is_replaced()) return Result::kClosed;
      count = static_cast<std::size_t>(taken);
      if (count > 0) return Result::kDone;
      if (!was_open) return Result::kClosed;
      if (deadline == ConnectionDeadline::min()) return Result::kTimeout;
      if (!has_spun) {
        has_spun = true;
        spin(deadline);
        continue;
      }
      const ConnectionDeadline now = std::chrono::steady_clock::now();
      if (now >= next_alive_check_) {
        if (!is_other_alive()) return Result::kClosed;
        next_alive_check_ = now + kAliveCheck;
      }
      if (now >= deadline) return Result::kTimeout;
      reader_.sleep(std::min(deadline, next_alive_check_));
    }
  }

 private:
  Head& head() const { return memory_->head(); }

  void spin(ConnectionDeadline deadline) const {
    ConnectionDeadline end = ConnectionDeadline::max();
    while (true) {
      for (int i = 0; i < kPollsPerClock; ++i) {
        if (!reader_.is_empty()) return;
        pause_briefly();
      }
      const ConnectionDeadline now = std::chrono::steady_clock::now();
      if (end == ConnectionDeadline::max()) end = std::min(deadline, now + spin_);
      if (now >= end) return;
    }
  }

  /// Whether the slot still belongs to this connection. Bytes written before the end can still be read.
  bool is_open() const {
    return head().closed.load(std::memory_order_relaxed) == 0 &&
           head().epoch.load(std::memory_order_relaxed) == tenancy_.epoch &&
           head().controller.load(std::memory_order_relaxed) == tenancy_.controller &&
           head().entered.load(std::memory_order_relaxed) == tenancy_.entered;
  }
  bool is_other_alive() const {
    return is_process_alive(side_ == Side::kSimulation ? tenancy_.controller : head().simulation.load());
  }

  std::shared_ptr<bool> use_;  // marks the rings as in use, on the simulation's side
  std::shared_ptr<Memory> memory_;
  Side side_;
  Duration spin_;
  Tenancy tenancy_;
  RingWriter writer_;
  RingReader reader_;
  ConnectionDeadline next_alive_check_{};
};

std::string path_of(const Address& address) {
  return "/dev/shm/" + address.path;
}

/// Removes the file of a killed run. Returns the error.
std::string remove_stale_memory(const std::string& path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) return "";
  const std::string foreign =
      "the file exists and is not the shared memory of a connection; expected an unused name";
  if (!S_ISREG(found.st_mode)) return foreign;
  const FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return "cannot open the existing file: " + system_error();
  struct {
    char magic[8];
    std::uint32_t ring_size;
    std::uint32_t simulation;
  } head{};
  if (pread(file.get(), &head, sizeof(head), 0) != sizeof(head) ||
      std::memcmp(head.magic, kSharedMagic, sizeof(kSharedMagic)) != 0)
    return foreign;
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return fmt::format("process {} already listens there", head.simulation);
  // Another run may have replaced it since it was opened.
  struct stat opened {};
  if (lstat(path.c_str(), &found) != 0 || fstat(file.get(), &opened) != 0 || found.st_ino != opened.st_ino)
    return "another process has just created it again";
  return unlink(path.c_str()) == 0 ? "" : "cannot remove the file of an earlier run: " + system_error();
}

/// The file of a listener, mapped.
struct SharedFile {
  std::shared_ptr<Memory> memory;  // null on failure
  OwnFile file;
};

SharedFile create_shared_file(const Address& address, std::size_t ring_size, const AccessOptions& access,
                              std::string& error) {
  const auto fail = [&](const std::string& why) {
    error = fmt::format("{}: {}", to_string(address), why);
    return SharedFile{};
  };
  const std::string path = path_of(address);
  if (const std::string defect = remove_stale_memory(path); !defect.empty()) return fail(defect);
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return fail(system_error());
  OwnFile own(path);
  if (!permit_group(path, access)) return fail("cannot permit the group to use it: " + system_error());
  // Allocate everything now: with a full /dev/shm, the first access to a page would fail.
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) return fail(system_error());
  if (const int failure = posix_fallocate(file.get(), 0, static_cast<off_t>(kRings + 2 * ring_size));
      failure != 0)
    return fail(std::strerror(failure));
  auto memory = std::make_shared<Memory>(std::move(file), ring_size);
  if (!memory->is_mapped()) return fail("cannot map the memory");
  Head& head = memory->head();
  head.ring_size.store(static_cast<std::uint32_t>(ring_size));
  head.simulation.store(static_cast<std::uint32_t>(getpid()));
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::memcpy(head.magic, kSharedMagic, sizeof(kSharedMagic));
  return {std::move(memory), std::move(own)};
}

/// The controller slot in the head of the file:
///
///     free ── a controller writes its process id, then `entered` ──► entered ── accept(), `epoch` ──► served
///       ▲                                                                                               │
///       └──────────── either side ends the connection, or accept() finds the process gone ──────────────┘
///
/// When the simulation ends, it sets `closed` permanently. A truncated file is created again.
class ShmListener final : public Listener {
 public:
  ShmListener(SharedFile shared, Address address, Duration spin, AccessOptions access)
      : memory_(std::move(shared.memory)),
        file_(std::move(shared.file)),
        address_(std::move(address)),
        spin_(spin),
        access_(std::move(access)) {}
  ~ShmListener() override {
    memory_->head().closed.store(1);
    wake(memory_->head().out.written);
  }
  ShmListener(const ShmListener&) = delete;
  ShmListener& operator=(const ShmListener&) = delete;

  std::unique_ptr<Channel> accept() override {
    if (!memory_->is_whole()) {
      // First the bytes of the current controller are read.
      if (use_.expired()) replace_memory();
      return nullptr;
    }
    Head& head = memory_->head();
    const std::uint32_t controller = head.controller.load();
    if (controller == 0) return nullptr;
    if (!is_process_alive(controller)) {  // died after entering, or wrote an invalid id
      std::uint32_t expected = controller;
      head.controller.compare_exchange_strong(expected, 0);
      return nullptr;
    }
    const std::uint32_t entered = head.entered.load();
    if (entered == served_) return nullptr;
    // First the bytes of the previous controller are read.
    if (!use_.expired()) return nullptr;
    served_ = entered;
    for (Head::Ring* ring : {&head.out, &head.in}) {
      ring->written.store(0);
      ring->read.store(0);
      ring->sleeper.store(0);
    }
    // Last: the controller waits for the epoch to change before it uses the rings.
    const std::uint32_t epoch = head.epoch.fetch_add(1) + 1;
    wake(head.epoch);
    auto use = std::make_shared<bool>(true);
    use_ = use;
    return std::make_unique<ShmChannel>(memory_, Side::kSimulation, Tenancy{controller, entered, epoch}, spin_,
                                        std::move(use));
  }
  std::string address() const override { return to_string(address_); }

 private:
  /// If it fails, the next accept() tries again.
  void replace_memory() {
    file_ = OwnFile();
    std::string error;
    SharedFile shared = create_shared_file(address_, memory_->ring_size(), access_, error);
    if (!shared.memory) return;
    memory_ = std::move(shared.memory);
    file_ = std::move(shared.file);
    served_ = 0;
  }

  std::shared_ptr<Memory> memory_;
  OwnFile file_;
  Address address_;
  Duration spin_;
  AccessOptions access_;
  std::weak_ptr<bool> use_;   // the current connection's use of the rings
  std::uint32_t served_ = 0;  // the value of `entered` that was accepted last
};

std::unique_ptr<Listener> listen_shm(const Address& address, const TransportOptions& options,
                                     std::string& error) {
  const std::size_t ring_size = std::bit_ceil(std::clamp(options.ring_size, kMinRing, kMaxRing));
  SharedFile shared = create_shared_file(address, ring_size, options.access, error);
  if (!shared.memory) return nullptr;
  return std::make_unique<ShmListener>(std::move(shared), address, options.spin, options.access);
}

std::unique_ptr<Channel> connect_shm(const Address& address, const TransportOptions& options,
                                     ConnectionDeadline deadline, std::string& error) {
  const auto fail = [&](const std::string& why) {
    error = fmt::format("{}: {}", to_string(address), why);
    return nullptr;
  };
  FileDescriptor file(::open(path_of(address).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  struct stat found {};
  if (!file || fstat(file.get(), &found) != 0) return fail(system_error());
  struct {
    char magic[8];
    std::uint32_t ring_size;
  } start{};
  if (pread(file.get(), &start, sizeof(start), 0) != sizeof(start) ||
      std::memcmp(start.magic, kSharedMagic, sizeof(kSharedMagic)) != 0 ||
      !std::has_single_bit(start.ring_size) || start.ring_size < kMinRing || start.ring_size > kMaxRing ||
      static_cast<std::size_t>(found.st_size) != kRings + 2 * std::size_t{start.ring_size})
    return fail("not the shared memory of a connection, or not ready yet");
  auto memory = std::make_shared<Memory>(std::move(file), start.ring_size);
  if (!memory->is_mapped()) return fail(system_error());
  Head& head = memory->head();
  if (head.closed.load() != 0) return fail("the simulation has ended");
  const auto pid = static_cast<std::uint32_t>(getpid());
  std::uint32_t unused = 0;
  if (!head.controller.compare_exchange_strong(unused, pid)) return fail("another controller is connected");
  // The simulation does nothing before `entered` changes, so this is the previous epoch.
  const std::uint32_t epoch = head.epoch.load();
  const std::uint32_t entered = head.entered.fetch_add(1) + 1;
  while (head.epoch.load() == epoch) {
    if (head.closed.load() != 0 || time_left(deadline) == Duration(0)) {
      head.controller.compare_exchange_strong(unused = pid, 0);
      return fail("the simulation does not respond");
    }
    sleep_on(head.epoch, epoch, std::min(deadline, std::chrono::steady_clock::now() + kAliveCheck));
  }
  return std::make_unique<ShmChannel>(std::move(memory), Side::kController, Tenancy{pid, entered, epoch + 1},
                                      options.spin);
}

}  // namespace

Transport make_shm_transport() {
  return {.name = "shm",
          .form = AddressForm::kName,
          .can_spin = true,
          .listen = listen_shm,
          .connect = connect_shm};
}

}  // namespace lockstep
