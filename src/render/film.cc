#include "render/film.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "base/interrupt_guard.h"

namespace lockstep {
namespace {

/// What is kept of ffmpeg's complaints, bytes.
constexpr std::size_t kMaxComplaint = 1000;

std::vector<std::string> make_arguments(const std::string& file, const FrameFormat& format) {
  return {"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y",
          // In: raw frames on the standard input.
          "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size",
          fmt::format("{}x{}", format.width, format.height), "-framerate", format_number(format.rate_hz), "-i",
          "pipe:0",
          // Out: what every browser and player shows, with the beginning of the file ready for streaming.
          "-an", "-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags",
          "+faststart", "-f", "mp4", "file:" + file};
}

}  // namespace

Film::Film(std::filesystem::path path, const FrameFormat& format)
    : path_(std::move(path)), part_(path_.string() + ".part"), errors_(std::tmpfile(), &std::fclose) {
  if (!errors_) throw MachineError(fmt::format("no temporary file can be made: {}", std::strerror(errno)));
  if (!std::ofstream(part_)) {
    throw_user_error({"--output", 0, 0}, "'{}' cannot be written: {}", path_.string(), std::strerror(errno));
  }
  try {
    start(format);
  } catch (const MachineError&) {
    std::error_code error;
    std::filesystem::remove(part_, error);
    throw;
  }
}

Film::~Film() {
  if (pid_ != 0) {
    kill(pid_, SIGKILL);
    wait();
  }
  std::error_code error;
  std::filesystem::remove(part_, error);
}

void Film::start(const FrameFormat& format) {
  // A socket because writing to it raises no signal when ffmpeg has gone.
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw MachineError(fmt::format("no socket can be made: {}", std::strerror(errno)));
  }
  socket_ = ends[0];
  std::vector<std::string> arguments = make_arguments(part_.string(), format);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(errors_.get()), STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(errors_.get()), STDOUT_FILENO);
  // In a group of its own Ctrl-C does not reach it; it ends when the socket closes.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error = posix_spawnp(&pid_, "ffmpeg", &files, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  if (error == 0) return;
  pid_ = 0;
  close(socket_);
  throw MachineError(
      fmt::format("a film needs ffmpeg, which cannot be started: {}; install the package ffmpeg, "
                  "or give a folder for pictures",
                  std::strerror(error)));
}

std::string Film::write(const Picture& picture) {
  const std::uint8_t* next = picture.rgb.data();
  const std::uint8_t* const end = next + picture.rgb.size();
  while (next < end) {
    const ssize_t sent = send(socket_, next, static_cast<std::size_t>(end - next), MSG_NOSIGNAL);
    if (sent > 0) {
      next += sent;
    } else if (errno != EINTR) {
      wait();
      return complaint();
    } else if (interrupted) {
      return "interrupted";
    }
  }
  return "";
}

std::string Film::finish() {
  if (wait() != 0) return complaint();
  std::error_code error;
  std::filesystem::rename(part_, path_, error);
  return error ? fmt::format("'{}' cannot be written: {}", path_.string(), error.message()) : "";
}

int Film::wait() {
  close(socket_);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  pid_ = 0;
  return status;
}

std::string Film::complaint() {
  std::string said(kMaxComplaint, '\0');
  std::rewind(errors_.get());
  said.resize(std::fread(said.data(), 1, said.size(), errors_.get()));
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (said.empty()) said = "it said nothing";
  return fmt::format("ffmpeg failed to write '{}': {}", path_.string(), said);
}

}  // namespace lockstep
