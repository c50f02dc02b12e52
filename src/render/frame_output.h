#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "geometry/image.h"
#include "lockstep/error.h"

namespace lockstep {

/// Sink for rendered images: a video, a single image or a folder of images. Without finish() there is no file
/// under the final name of a video or an image.
class FrameOutput {
 public:
  virtual ~FrameOutput() = default;
  virtual Result<void> write(const Image& image) = 0;
  virtual Result<void> finish() = 0;
};

struct FrameFormat {
  int width = 1280;  ///< pixels
  int height = 720;  ///< pixels
  double rate_hz = 30.0;
};

enum class OutputKind { kVideo, kImage, kFolder };

/// By the file extension: .mp4 is a video, .png an image, none a folder. Throws UserError for any other
/// extension, unless it is an existing folder.
OutputKind find_output_kind(const std::string& path);

/// Opens an output. Throws UserError if the path cannot be used, and MachineError if the machine lacks a
/// required program.
std::unique_ptr<FrameOutput> open_output(const std::string& path, const FrameFormat& format);

/// The request is valid, but this machine cannot fulfil it.
class MachineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::int64_t kMaxFrames = 1'000'000;  ///< file names have six digits

}  // namespace lockstep
