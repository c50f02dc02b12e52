#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "connection/transports_internal.h"

namespace lockstep {
namespace {

/// One end of two pipes. `guard` is a read end of the outgoing pipe: it prevents SIGPIPE when writing after the
/// other side has closed; the close is detected when reading.
class PipeChannel final : public Channel {
 public:
  PipeChannel(FileDescriptor in, FileDescriptor out, FileDescriptor guard)
      : in_(std::move(in)), out_(std::move(out)), guard_(std::move(guard)) {}

  Result send(std::span<const std::uint8_t> bytes, ConnectionDeadline deadline) override {
    return remainder_.send(out_.get(), bytes, deadline, [this](std::span<const std::uint8_t> part) {
      return ::write(out_.get(), part.data(), part.size());
    });
  }

  Result receive(std::span<std::uint8_t> buffer, std::size_t& count, ConnectionDeadline deadline) override {
    return receive_from_file(in_.get(), buffer, count, deadline);
  }

 private:
  FileDescriptor in_;
  FileDescriptor out_;
  FileDescriptor guard_;
  Remainder remainder_;
};

FileDescriptor open_pipe(const std::string& path, int flags) {
  FileDescriptor pipe(::open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  struct stat found {};
  if (pipe && (fstat(pipe.get(), &found) != 0 || !S_ISFIFO(found.st_mode))) {
    errno = ENOTSUP;
    return FileDescriptor();
  }
  return pipe;
}

/// Removes a pipe at the path that an earlier connection or a killed run has left there.
std::string remove_stale_pipe(const std::string& path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) return "";
  if (!S_ISFIFO(found.st_mode)) return fmt::format("'{}' is not a pipe; expected an unused path", path);
  if (unlink(path.c_str()) != 0) return fmt::format("cannot remove '{}': {}", path, system_error());
  return "";
}

/// The pipes at the path, created again for each controller: otherwise bytes of two controllers could mix, and
/// the previous one would not notice the end of its connection.
struct PipePair {
  std::string path;
  FileDescriptor in;  // open for the next controller; none while one is connected
  OwnFile in_file;
  OwnFile out_file;
  AccessOptions access{};

  /// Creates the pipes. Returns the error; empty on success.
  std::string make() {
    const std::string in_path = path + ".in", out_path = path + ".out";
    in_file = OwnFile();
    out_file = OwnFile();
    for (const std::string& each : {in_path, out_path}) {
      if (const std::string defect = remove_stale_pipe(each); !defect.empty()) return defect;
    }
    if (mkfifo(in_path.c_str(), 0600) != 0)
      return fmt::format("cannot create '{}': {}", in_path, system_error());
    in_file = OwnFile(in_path);
    in = open_pipe(in_path, O_RDONLY);
    if (!in) return fmt::format("cannot open '{}': {}", in_path, system_error());
    if (mkfifo(out_path.c_str(), 0600) != 0)
      return fmt::format("cannot create '{}': {}", out_path, system_error());
    out_file = OwnFile(out_path);
    for (const std::string& each : {in_path, out_path}) {
      if (!permit_group(each, access))
        return fmt::format("cannot permit the group to use '{}': {}", each, system_error());
    }
    return "";
  }
};

/// The simulation's end. On close, new pipes are created before the old ones are closed, so that no controller
/// waits at a pipe that will never be opened.
class ServedPipes final : public Channel {
 public:
  ServedPipes(std::shared_ptr<PipePair> pair, PipeChannel pipes)
      : pair_(std::move(pair)), pipes_(std::move(pipes)) {}
  ~ServedPipes() override {
    if (const auto pair = pair_.lock()) pair->make();
  }
  ServedPipes(const ServedPipes&) = delete;
  ServedPipes& operator=(const ServedPipes&) = delete;

  Result send(std::span<const std::uint8_t> bytes, ConnectionDeadline deadline) override {
    return pipes_.send(bytes, deadline);
  }
  Result receive(std::span<std::uint8_t> buffer, std::size_t& count, ConnectionDeadline deadline) override {
    return pipes_.receive(buffer, count, deadline);
  }

 private:
  std::weak_ptr<PipePair> pair_;  // expired after the listener is destroyed
  PipeChannel pipes_;
};

class PipeListener final : public Listener {
 public:
  PipeListener(Address address, std::shared_ptr<PipePair> pair)
      : address_(std::move(address)), pair_(std::move(pair)) {}

  std::unique_ptr<Channel> accept() override {
    if (!pair_->in) return nullptr;  // the pipes serve one controller, which locks them
    // Succeeds only if a controller has opened it for reading.
    FileDescriptor writing = open_pipe(pair_->path + ".out", O_WRONLY);
    if (!writing) return nullptr;
    PipeChannel pipes(std::move(pair_->in), std::move(writing), open_pipe(pair_->path + ".out", O_RDONLY));
    return std::make_unique<ServedPipes>(pair_, std::move(pipes));
  }
  std::string address() const override { return to_string(address_); }

 private:
  Address address_;
  std::shared_ptr<PipePair> pair_;
};

std::unique_ptr<Listener> listen_pipe(const Address& address, const TransportOptions& options,
                                      std::string& error) {
  // Opening for writing succeeds only if a process reads the pipe.
  const FileDescriptor probe = open_pipe(address.path + ".in", O_WRONLY);
  if (probe) {
    error = fmt::format("{}: another process already listens there", to_string(address));
    return nullptr;
  }
  auto pair = std::make_shared<PipePair>(
      PipePair{address.path, FileDescriptor(), OwnFile(), OwnFile(), options.access});
  if (const std::string defect = pair->make(); !defect.empty()) {
    error = fmt::format("{}: {}", to_string(address), defect);
    return nullptr;
  }
  return std::make_unique<PipeListener>(address, std::move(pair));
}

std::unique_ptr<Channel> connect_pipe(const Address& address, const TransportOptions&, ConnectionDeadline,
                                      std::string& error) {
  const std::string in = address.path + ".in", out = address.path + ".out";
  FileDescriptor writing = open_pipe(in, O_WRONLY);
  if (!writing) {
    error = fmt::format("{}: {}", to_string(address), system_error());
    return nullptr;
  }
  if (flock(writing.get(), LOCK_EX | LOCK_NB) != 0) {
    error = fmt::format("{}: another controller is connected", to_string(address));
    return nullptr;
  }
  FileDescriptor guard = open_pipe(in, O_RDONLY);
  FileDescriptor reading = open_pipe(out, O_RDONLY);
  if (!guard || !reading) {
    error = fmt::format("{}: {}", to_string(address), system_error());
    return nullptr;
  }
  return std::make_unique<PipeChannel>(std::move(reading), std::move(writing), std::move(guard));
}

std::string find_pipe_defect(const Address& address) {
  constexpr std::size_t kMaxPath = 4000;  // of the 4096 of the system; ".out" is added
  return address.path.size() > kMaxPath ? fmt::format("has a path of more than {} bytes", kMaxPath) : "";
}

}  // namespace

Transport make_pipe_transport() {
  return {.name = "pipe",
          .form = AddressForm::kPath,
          .is_plain_stream = true,
          .find_defect = find_pipe_defect,
          .listen = listen_pipe,
          .connect = connect_pipe};
}

}  // namespace lockstep
