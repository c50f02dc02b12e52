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

constexpr int kMaxNamedFiles = 100;

/// Beside the program in a build, below libexec where it is installed.
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
                   "the program that reads such files, lockstep-reader, is not installed beside this one; "
                   "set LOCKSTEP_READER to where it is");
}

/// The process that reads, with a socket to it. Killed and reaped at the end at the latest.
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
  /// In the new process, which may have been copied from one with threads.
  static int run(const char* program, int socket, const ReadOptions& options) {
    // What the libraries print is not for users.
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

/// Why there is no result, by the way the process ended.
std::string explain_end(const ProcessEnd& end, const ReadOptions& options) {
  if (end.exit_code == ReaderProcess::kNotStarted) return "the reading process cannot be started";
  if (end.signal == SIGALRM || end.signal == SIGXCPU || end.signal == SIGKILL) {
    return fmt::format("reading it takes longer than {} s; it is damaged or far too detailed",
                       options.max_seconds);
  }
  return "the file is damaged: reading it ended in a crash of the reading process";
}

/// Answers the wishes of the reader until it has the result.
ReaderFrame converse(ReaderProcess& process, const ReadJob& job, const fs::path& folder, const Place& place) {
  send_frame(process.socket(), ReaderMessage::kJob, job_to_bytes(job));
  std::size_t bytes_left = kMaxShapeFileBytes;
  for (int wishes = 0; wishes <= kMaxNamedFiles;) {
    std::optional<ReaderFrame> frame = receive_frame(process.socket(), kMaxResultBytes);
    if (!frame) break;
    if (frame->type != ReaderMessage::kWantsFile) return std::move(*frame);
    ++wishes;
    const Result<FileContent> file = read_file_below(folder, frame->text(), bytes_left, "that file");
    if (file) {
      bytes_left -= std::min(bytes_left, file->bytes.size());
      send_frame(process.socket(), ReaderMessage::kFile, file->bytes);
    } else {
      send_frame(process.socket(), ReaderMessage::kNoFile, file.error());
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
  // Said without starting a process for it.
  if (!find_shape_format(bytes, file_name)) throw_user_error(place, "{}", kNoShapeFormat);
  ReaderProcess process(find_reader(place), options, place);
  const ReaderFrame frame = converse(
      process, {.file_name = place.file, .options = options, .bytes = std::string(bytes)}, folder, place);
  try {
    if (frame.type == ReaderMessage::kAssembly) return assembly_from_bytes(frame.bytes);
    if (frame.type == ReaderMessage::kError) {
      const ReadFailure failure = failure_from_bytes(frame.bytes);
      throw_user_error({place.file, failure.line, 1}, "{}", failure.text);
    }
  } catch (const StateError& error) {
    throw_user_error(place, "the reading process gave nonsense: {}", error.what());
  }
  throw_user_error(place, "the reading process gave nonsense");
}

Assembly read_assembly(const fs::path& file, const ReadOptions& options) {
  const Result<FileContent> read = read_any_file(file, kMaxShapeFileBytes);
  if (!read) throw_user_error({}, "the file {}", read.error());
  return read_assembly(read->bytes, file.string(), file.parent_path(), options);
}

}  // namespace lockstep
