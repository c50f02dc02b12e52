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

Video::Video(std::filesystem::path path, const FrameFormat& format)
    : path_(std::move(path)), file_(path_), errors_(std::tmpfile(), &std::fclose) {
  if (!errors_) throw MachineError(fmt::format("no temporary file can be made: {}", std::strerror(errno)));
  if (!std::ofstream(file_.path())) {
    throw_user_error({"--output", 0, 0}, "'{}' cannot be written: {}", path_.string(), std::strerror(errno));
  }
  start(format);
}

Video::~Video() {
  if (socket_ >= 0) close(socket_);
}

void Video::start(const FrameFormat& format) {
  // A socket because writing to it raises no signal when ffmpeg has gone.
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw MachineError(fmt::format("no socket can be made: {}", std::strerror(errno)));
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
      return Failure{complaint()};
    } else if (interrupted) {
      return Failure{"interrupted"};
    }
  }
  return {};
}

Result<void> Video::finish() {
  if (!wait().is_success()) return Failure{complaint()};
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

std::string Video::complaint() {
  std::string said(kMaxComplaint, '\0');
  std::rewind(errors_.get());
  said.resize(std::fread(said.data(), 1, said.size(), errors_.get()));
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (said.empty()) said = "it said nothing";
  return fmt::format("ffmpeg failed to write '{}': {}", path_.string(), said);
}

}  // namespace lockstep
