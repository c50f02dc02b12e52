#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "geometry/image.h"
#include "lockstep/error.h"

namespace lockstep {

/// Where images go, one after the other. Unless finish() was called, nothing stays under the final name of a
/// video or an image.
class FrameOutput {
 public:
  virtual ~FrameOutput() = default;
  virtual Result<void> write(const Image& image) = 0;
  virtual Result<void> finish() = 0;
};

struct FrameFormat {
  int width = 1280;
  int height = 720;
  double rate_hz = 30.0;
};

enum class OutputKind { kVideo, kImage, kFolder };

/// By the ending: .mp4 is a video, .png an image, anything else a folder. Throws UserError for an ending that
/// seems to be of some other format.
OutputKind find_output_kind(const std::string& path);

/// Opens an output. Throws UserError if the path cannot be used, and MachineError if the machine lacks what it
/// takes.
std::unique_ptr<FrameOutput> open_output(const std::string& path, const FrameFormat& format);

/// The machine cannot do it, though the user asked rightly.
class MachineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::int64_t kMaxFrames = 1'000'000;  ///< as many names as a folder has

}  // namespace lockstep
