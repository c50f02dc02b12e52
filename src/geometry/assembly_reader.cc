#include "geometry/assembly_reader.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/child_process.h"
#include "base/files.h"
#include "geometry/reader_protocol.h"
#include "geometry/shape_format.h"
#include "lockstep/error.h"
#include "lockstep/state.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxNamedFiles = 1100;  // the parts of a large assembly

/// Beside the program in a build, below libexec in an installation.
fs::path find_reader(const Place& place) {
  if (const char* given = std::getenv("LOCKSTEP_READER")) return given;
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& path :
       {folder / "lockstep-reader", folder.parent_path() / LOCKSTEP_LIBEXEC / "lockstep-reader",
        fs::path(LOCKSTEP_BUILD_BIN) / "lockstep-reader"}) {
    if (fs::exists(path, error)) return path;
  }
  throw_user_error(place,
                   "lockstep-reader, which reads such files, is not installed beside this program; "
                   "set LOCKSTEP_READER to its path");
}

/// The reader process, with a socket to it. The destructor kills and reaps it.
class ReaderProcess {
 public:
  ReaderProcess(const fs::path& program, const ReadOptions& options, const Place& place) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw_user_error(place, "no socket for a reading process: {}", std::strerror(errno));
    const std::string path = program.string();
    socket_ = ends[0];
    Result<ChildProcess> started = ChildProcess::fork([&] { return run(path.c_str(), ends[1], options); });
    close(ends[1]);
    if (!started) {
      close(socket_);
      throw_user_error(place, "the reading process cannot be started: {}", started.error());
    }
    process_.emplace(*std::move(started));
  }
  ~ReaderProcess() { close(socket_); }
  ReaderProcess(const ReaderProcess&) = delete;
  ReaderProcess& operator=(const ReaderProcess&) = delete;

  int socket() const { return socket_; }
  ProcessEnd wait() { return process_->wait(); }

  static constexpr int kNotStarted = 127;

 private:
  /// Runs in the child after fork(), possibly of a process with threads.
  static int run(const char* program, int socket, const ReadOptions& options) {
    // Suppress the output of the libraries.
    const int nowhere = open("/dev/null", O_RDWR);
    if (nowhere < 0 || dup2(socket, 0) < 0 || dup2(nowhere, 1) < 0 || dup2(nowhere, 2) < 0) return kNotStarted;
    if (nowhere > 2) close(nowhere);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const auto seconds = static_cast<unsigned>(options.max_seconds);
    set_limits({.seconds = seconds, .cpu_seconds = seconds, .memory = options.max_memory});
    const rlimit no_files{0, 0};
    setrlimit(RLIMIT_FSIZE, &no_files);
    execl(program, program, static_cast<char*>(nullptr));
    return kNotStarted;
  }

  std::optional<ChildProcess> process_;
  int socket_ = -1;
};

/// The error if there is no result, from the exit status of the process.
std::string explain_end(const ProcessEnd& end, const ReadOptions& options) {
  if (end.exit_code == ReaderProcess::kNotStarted) return "the reading process cannot be started";
  if (end.signal == SIGALRM || end.signal == SIGXCPU || end.signal == SIGKILL) {
    return fmt::format("reading it takes longer than {} s; it is damaged or far too detailed",
                       options.max_seconds);
  }
  return "the file is damaged: reading it ended in a crash of the reading process";
}

/// Answers file requests of the reader until it sends the result.
ReaderMessage answer_requests(ReaderProcess& process, const ReadJob& job, const fs::path& folder,
                              const Place& place) {
  send_message(process.socket(), ReaderMessageType::kJob, job_to_bytes(job));
  std::size_t bytes_left = kMaxShapeFileBytes;
  for (int requests = 0; requests <= kMaxNamedFiles;) {
    std::optional<ReaderMessage> message = receive_message(process.socket(), kMaxResultBytes);
    if (!message) break;
    if (message->type != ReaderMessageType::kWantsFile) return std::move(*message);
    ++requests;
    const Result<FileContent> file = read_file_below(folder, message->text(), bytes_left, "that file");
    if (file) {
      bytes_left -= std::min(bytes_left, file->bytes.size());
      send_message(process.socket(), ReaderMessageType::kFile, file->bytes);
    } else {
      send_message(process.socket(), ReaderMessageType::kNoFile, file.error());
    }
  }
  throw_user_error(place, "{}", explain_end(process.wait(), job.options));
}

void check_options(const ReadOptions& options, const Place& place) {
  const auto check = [&](const std::optional<double>& value, const char* what) {
    if (value && !(std::isfinite(*value) && *value > 0.0))
      throw_user_error(place, "{} of {} m; expected more than 0", what, *value);
  };
  check(options.unit_length, "a unit of length");
  check(options.deviation, "a deviation");
  LOCKSTEP_CHECK(options.max_seconds > 0);
}

}  // namespace

Assembly read_assembly(std::string_view bytes, std::string_view file_name, const fs::path& folder,
                       const ReadOptions& options) {
  const Place place{std::string(file_name)};
  check_options(options, place);
  if (bytes.size() > kMaxShapeFileBytes)
    throw_user_error(place, "the file is too large; at most {} bytes are allowed", kMaxShapeFileBytes);
  // Checked before starting a process.
  if (!find_shape_format(bytes, file_name)) throw_user_error(place, "{}", kNoShapeFormat);
  ReaderProcess process(find_reader(place), options, place);
  const ReaderMessage message = answer_requests(
      process, {.file_name = place.file, .options = options, .bytes = std::string(bytes)}, folder, place);
  try {
    if (message.type == ReaderMessageType::kAssembly) return assembly_from_bytes(message.bytes);
    if (message.type == ReaderMessageType::kError) {
      const ReadFailure failure = failure_from_bytes(message.bytes);
      throw_user_error({place.file, failure.line, 1}, "{}", failure.text);
    }
  } catch (const StateError& error) {
    throw_user_error(place, "invalid data from the reading process: {}", error.what());
  }
  throw_user_error(place, "invalid data from the reading process");
}

Assembly read_assembly(const fs::path& file, const ReadOptions& options) {
  const Result<FileContent> read = read_any_file(file, kMaxShapeFileBytes);
  if (!read) throw_user_error({}, "the file {}", read.error());
  return read_assembly(read->bytes, file.string(), file.parent_path(), options);
}

}  // namespace lockstep
