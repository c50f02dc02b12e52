#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/child_process.h"
#include "base/files.h"
#include "render/frame_output.h"

namespace lockstep {

/// A video encoded by an ffmpeg child process, H.264 in MP4. Images are sent through a socket; the file gets
/// its name when it is complete.
class Video final : public FrameOutput {
 public:
  /// Throws MachineError if ffmpeg cannot be started, UserError if the file cannot be written.
  Video(std::filesystem::path path, const FrameFormat& format);
  Video(const Video&) = delete;
  Video& operator=(const Video&) = delete;
  ~Video() override;

  Result<void> write(const Image& image) override;
  Result<void> finish() override;

 private:
  void start(const FrameFormat& format);
  ProcessEnd wait();  ///< closes the socket and waits for ffmpeg
  std::string read_error();

  std::filesystem::path path_;
  FileReplacement file_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> errors_;  // standard error of ffmpeg
  std::optional<ChildProcess> ffmpeg_;                      // none: it has exited
  int socket_ = -1;
};

}  // namespace lockstep
