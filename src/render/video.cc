#include "render/video.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/interrupt_guard.h"
#include "base/units.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

/// Limit of ffmpeg's error output in an error text, bytes.
constexpr std::size_t kMaxErrorBytes = 1000;

std::vector<std::string> make_arguments(const std::string& file, const FrameFormat& format) {
  return {"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y",
          // In: raw frames on the standard input.
          "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size",
          fmt::format("{}x{}", format.width, format.height), "-framerate", format_number(format.rate_hz), "-i",
          "pipe:0",
          // Out: a format for every browser and player, with the index first for streaming.
          "-an", "-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags",
          "+faststart", "-f", "mp4", "file:" + file};
}

}  // namespace

Video::Video(std::filesystem::path path, const FrameFormat& format)
    : path_(std::move(path)), file_(path_), errors_(std::tmpfile(), &std::fclose) {
  if (!errors_) throw MachineError(fmt::format("a temporary file cannot be created: {}", std::strerror(errno)));
  if (!std::ofstream(file_.path())) {
    throw_user_error({"--output", 0, 0}, "'{}' cannot be written: {}", path_.string(), std::strerror(errno));
  }
  start(format);
}

Video::~Video() {
  if (socket_ >= 0) close(socket_);
}

void Video::start(const FrameFormat& format) {
  // A socket, because writing to it raises no signal when ffmpeg has exited.
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw MachineError(fmt::format("a socket cannot be created: {}", std::strerror(errno)));
  }
  socket_ = ends[0];
  // It ends when the socket closes, and not by Ctrl-C.
  Result<ChildProcess> started =
      ChildProcess::start({.arguments = make_arguments(file_.path().string(), format),
                           .input = ends[1],
                           .output = fileno(errors_.get()),
                           .errors = fileno(errors_.get())});
  close(ends[1]);
  if (!started) {
    close(socket_);
    throw MachineError(
        fmt::format("a video needs ffmpeg, which cannot be started: {}; install the package ffmpeg, "
                    "or give a folder for images",
                    started.error()));
  }
  ffmpeg_.emplace(*std::move(started));
}

Result<void> Video::write(const Image& image) {
  const std::uint8_t* next = image.rgb.data();
  const std::uint8_t* const end = next + image.rgb.size();
  while (next < end) {
    const ssize_t sent = send(socket_, next, static_cast<std::size_t>(end - next), MSG_NOSIGNAL);
    if (sent > 0) {
      next += sent;
    } else if (errno != EINTR) {
      wait();
      return Failure{read_error()};
    } else if (interrupted) {
      return Failure{"interrupted"};
    }
  }
  return {};
}

Result<void> Video::finish() {
  if (!wait().is_success()) return Failure{read_error()};
  const Result<void> done = file_.commit();
  if (!done) return Failure{fmt::format("'{}' cannot be written: {}", path_.string(), done.error())};
  return {};
}

ProcessEnd Video::wait() {
  close(std::exchange(socket_, -1));
  const ProcessEnd end = ffmpeg_->wait();
  ffmpeg_.reset();
  return end;
}

std::string Video::read_error() {
  std::string output(kMaxErrorBytes, '\0');
  std::rewind(errors_.get());
  output.resize(std::fread(output.data(), 1, output.size(), errors_.get()));
  while (!output.empty() && output.back() == '\n') output.pop_back();
  if (output.empty()) output = "no error output";
  return fmt::format("ffmpeg failed to write '{}': {}", path_.string(), output);
}

}  // namespace lockstep
