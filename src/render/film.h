#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "render/frame_output.h"

namespace lockstep {

/// A film that ffmpeg makes, H.264 in MP4. Pictures go to it through a socket; it writes "film.mp4.part", which
/// gets its name at the end.
class Film final : public FrameOutput {
 public:
  /// Throws MachineError if ffmpeg cannot be started, UserError if the file cannot be written.
  Film(std::filesystem::path path, const FrameFormat& format);
  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;
  ~Film() override;

  std::string write(const Picture& picture) override;
  std::string finish() override;

 private:
  void start(const FrameFormat& format);
  int wait();  ///< closes the socket; how it ended
  std::string complaint();

  std::filesystem::path path_;
  std::filesystem::path part_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> errors_;  // what ffmpeg says
  pid_t pid_ = 0;                                           // 0: it has ended
  int socket_ = -1;
};

}  // namespace lockstep
