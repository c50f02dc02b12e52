#include "bench/raw_wire.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/forked_child.h"

namespace lockstep {
namespace {

/// Polls before a spinning side sleeps: about 50 us, as the ends of a connection.
constexpr int kLooks = 2000;

[[noreturn]] void fail(const char* what) {
  throw_user_error({"bench", 0, 0}, "the raw connection cannot {}: {}", what, std::strerror(errno));
}

void require(bool is_fine, const char* what) {
  if (!is_fine) fail(what);
}

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) { require(fd >= 0, "open a socket or pipe"); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// An end can put() bytes and take() a given number of bytes; false if the other end is closed.

class SocketEnd {
 public:
  explicit SocketEnd(Descriptor socket) : socket_(std::move(socket)) {}

  bool put(std::vector<std::uint8_t>& bytes) {
    return send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == std::ssize(bytes);
  }
  bool take(std::vector<std::uint8_t>& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t count = recv(socket_.get(), bytes.data() + at, bytes.size() - at, 0);
      if (count <= 0) return false;
      at += static_cast<std::size_t>(count);
    }
    return true;
  }

 private:
  Descriptor socket_;
};

class PipeEnd {
 public:
  PipeEnd(Descriptor in, Descriptor out) : in_(std::move(in)), out_(std::move(out)) {}

  bool put(std::vector<std::uint8_t>& bytes) {
    return write(out_.get(), bytes.data(), bytes.size()) == std::ssize(bytes);
  }
  bool take(std::vector<std::uint8_t>& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t count = read(in_.get(), bytes.data() + at, bytes.size() - at);
      if (count <= 0) return false;
      at += static_cast<std::size_t>(count);
    }
    return true;
  }

 private:
  Descriptor in_, out_;
};

/// One direction of shared memory: a ring of bytes, as large as that of a connection and with its cells.
struct Lane {
  alignas(64) std::atomic<std::uint32_t> written;
  alignas(64) std::atomic<std::uint32_t> read;
  alignas(64) std::atomic<std::uint32_t> sleeper;  // 1 while the reader sleeps on `written`
  alignas(64) std::uint8_t bytes[4096];
};

class MemoryEnd {
 public:
  MemoryEnd(std::shared_ptr<void> memory, Lane& in, Lane& out, bool spins)
      : memory_(std::move(memory)), in_(&in), out_(&out), spins_(spins) {}

  /// There is always space: the other end has taken the previous bytes.
  bool put(std::vector<std::uint8_t>& bytes) {
    const std::size_t at = put_ % kRing, first = std::min(bytes.size(), kRing - at);
    std::memcpy(out_->bytes + at, bytes.data(), first);
    std::memcpy(out_->bytes, bytes.data() + first, bytes.size() - first);
    put_ += static_cast<std::uint32_t>(bytes.size());
    out_->written.store(put_);
    if (out_->sleeper.load() != 0) syscall(SYS_futex, &out_->written, FUTEX_WAKE, 1, nullptr, nullptr, 0);
    return true;
  }
  bool take(std::vector<std::uint8_t>& bytes) {
    if (spins_) spin();
    while (is_empty()) {
      in_->sleeper.store(1);
      syscall(SYS_futex, &in_->written, FUTEX_WAIT, taken_, nullptr, nullptr, 0);
      in_->sleeper.store(0);
    }
    const std::size_t at = taken_ % kRing, first = std::min(bytes.size(), kRing - at);
    std::memcpy(bytes.data(), in_->bytes + at, first);
    std::memcpy(bytes.data() + first, in_->bytes, bytes.size() - first);
    taken_ += static_cast<std::uint32_t>(bytes.size());
    in_->read.store(taken_, std::memory_order_release);
    return true;
  }

 private:
  static constexpr std::size_t kRing = sizeof(Lane::bytes);

  bool is_empty() const { return in_->written.load(std::memory_order_acquire) == taken_; }
  void spin() const {
    for (int i = 0; i < kLooks && is_empty(); ++i) {
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
  }

  std::shared_ptr<void> memory_;
  Lane* in_;
  Lane* out_;
  bool spins_;
  std::uint32_t put_ = 0, taken_ = 0;
};

template <typename End>
class PingPong final : public RawWire {
 public:
  PingPong(const Setup& setup, std::pair<End, End> ends)
      : end_(std::move(ends.first)),
        question_(setup.question),
        answer_(setup.answer),
        child_(setup.answers_on, [&, other = std::make_unique<End>(std::move(ends.second))] {
          while (other->take(question_) && other->put(answer_)) continue;
        }) {}

  void exchange(std::int64_t count) override {
    for (std::int64_t i = 0; i < count; ++i)
      require(end_.put(question_) && end_.take(answer_), "get an answer");
  }

 private:
  End end_;
  std::vector<std::uint8_t> question_, answer_;
  ForkedChild child_;
};

sockaddr_in bind_locally(int fd) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(name);
  require(bind(fd, reinterpret_cast<sockaddr*>(&name), size) == 0, "bind a socket");
  require(getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) == 0, "bind a socket");
  return name;
}

void connect_to(int fd, const sockaddr_in& name) {
  require(::connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0, "connect a socket");
}

std::pair<SocketEnd, SocketEnd> make_tcp(const RawWire::Setup&) {
  const Descriptor listener(socket(AF_INET, SOCK_STREAM, 0));
  const sockaddr_in name = bind_locally(listener.get());
  require(::listen(listener.get(), 1) == 0, "listen");
  Descriptor a(socket(AF_INET, SOCK_STREAM, 0));
  connect_to(a.get(), name);
  Descriptor b(accept(listener.get(), nullptr, nullptr));
  const int on = 1;
  for (const int fd : {a.get(), b.get()}) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return {SocketEnd(std::move(a)), SocketEnd(std::move(b))};
}

std::pair<SocketEnd, SocketEnd> make_udp(const RawWire::Setup&) {
  Descriptor a(socket(AF_INET, SOCK_DGRAM, 0)), b(socket(AF_INET, SOCK_DGRAM, 0));
  const sockaddr_in name_of_a = bind_locally(a.get()), name_of_b = bind_locally(b.get());
  connect_to(a.get(), name_of_b);
  connect_to(b.get(), name_of_a);
  return {SocketEnd(std::move(a)), SocketEnd(std::move(b))};
}

std::pair<SocketEnd, SocketEnd> make_unix(const RawWire::Setup&) {
  std::array<int, 2> fds{};
  require(socketpair(AF_UNIX, SOCK_STREAM, 0, fds.data()) == 0, "open two sockets");
  return {SocketEnd(Descriptor(fds[0])), SocketEnd(Descriptor(fds[1]))};
}

std::pair<PipeEnd, PipeEnd> make_pipes(const RawWire::Setup&) {
  std::array<int, 2> there{}, back{};
  require(pipe(there.data()) == 0 && pipe(back.data()) == 0, "open two pipes");
  return {PipeEnd(Descriptor(back[0]), Descriptor(there[1])),
          PipeEnd(Descriptor(there[0]), Descriptor(back[1]))};
}

std::pair<MemoryEnd, MemoryEnd> make_memory(const RawWire::Setup& setup) {
  constexpr std::size_t kSize = 2 * sizeof(Lane);
  void* mapped = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  require(mapped != MAP_FAILED, "share memory");
  const std::shared_ptr<void> memory(mapped, [](void* at) { munmap(at, kSize); });
  Lane* lanes = static_cast<Lane*>(mapped);  // all zero
  return {MemoryEnd(memory, lanes[0], lanes[1], setup.spins),
          MemoryEnd(memory, lanes[1], lanes[0], setup.spins)};
}

template <auto make_ends>
std::unique_ptr<RawWire> make_ping_pong(const RawWire::Setup& setup) {
  using End = typename decltype(make_ends(setup))::first_type;
  return std::make_unique<PingPong<End>>(setup, make_ends(setup));
}

/// By name of transports().
struct RawTransport {
  std::string_view name;
  std::unique_ptr<RawWire> (*make)(const RawWire::Setup& setup);
};
constexpr RawTransport kRawTransports[] = {{"tcp", make_ping_pong<make_tcp>},
                                           {"udp", make_ping_pong<make_udp>},
                                           {"unix", make_ping_pong<make_unix>},
                                           {"pipe", make_ping_pong<make_pipes>},
                                           {"shm", make_ping_pong<make_memory>}};

const RawTransport* find_raw(const Transport& transport) {
  const auto found = std::find_if(std::begin(kRawTransports), std::end(kRawTransports),
                                  [&](const RawTransport& each) { return each.name == transport.name; });
  return found == std::end(kRawTransports) ? nullptr : found;
}

}  // namespace

bool RawWire::is_known(const Transport& transport) {
  return find_raw(transport) != nullptr;
}

std::unique_ptr<RawWire> RawWire::make(const Setup& setup) {
  LOCKSTEP_CHECK(setup.question <= sizeof(Lane::bytes) && setup.answer <= sizeof(Lane::bytes));
  const RawTransport* raw = find_raw(*setup.transport);
  LOCKSTEP_CHECK(raw != nullptr);
  return raw->make(setup);
}

}  // namespace lockstep
