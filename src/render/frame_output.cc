#include "render/frame_output.h"

#include <fmt/format.h>

#include "base/files.h"
#include "lockstep/error.h"
#include "render/video.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFramePrefix = "frame-";

Result<void> write_png(const fs::path& path, const Image& image) {
  const Result<void> written = replace_file(path, encode_png(image));
  if (!written) return Failure{fmt::format("'{}' cannot be written: {}", path.string(), written.error())};
  return {};
}

class ImageOutput final : public FrameOutput {
 public:
  explicit ImageOutput(fs::path path) : path_(std::move(path)) {}
  Result<void> write(const Image& image) override {
    image_ = image;
    return {};
  }
  Result<void> finish() override { return write_png(path_, image_); }

 private:
  fs::path path_;
  Image image_;
};

/// frame-000000.png and so on.
class FolderOutput final : public FrameOutput {
 public:
  explicit FolderOutput(fs::path folder) : folder_(std::move(folder)) {
    const Place place{"--output", 0, 0};
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) throw_user_error(place, "folder '{}' cannot be created: {}", folder_.string(), error.message());
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
      if (!entry.path().filename().string().starts_with(kFramePrefix)) continue;
      throw_user_error(place, "folder '{}' already contains images ({}); expected a new or empty folder",
                       folder_.string(), entry.path().filename().string());
    }
    if (error) throw_user_error(place, "folder '{}' cannot be read: {}", folder_.string(), error.message());
  }
  Result<void> write(const Image& image) override {
    return write_png(folder_ / fmt::format("{}{:06}.png", kFramePrefix, count_++), image);
  }
  Result<void> finish() override { return {}; }

 private:
  fs::path folder_;
  std::int64_t count_ = 0;
};

}  // namespace

OutputKind find_output_kind(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".mp4") return OutputKind::kVideo;
  if (ending == ".png") return OutputKind::kImage;
  std::error_code ignored;
  if (path.empty() || (!ending.empty() && !path.ends_with('/') && !fs::is_directory(path, ignored))) {
    throw_user_error({"--output", 0, 0},
                     "'{}' has an unknown extension; expected '.mp4' for a video, '.png' for an image or "
                     "a folder for images",
                     path);
  }
  return OutputKind::kFolder;
}

std::unique_ptr<FrameOutput> open_output(const std::string& path, const FrameFormat& format) {
  switch (find_output_kind(path)) {
    case OutputKind::kVideo:
      return std::make_unique<Video>(path, format);
    case OutputKind::kImage:
      return std::make_unique<ImageOutput>(path);
    case OutputKind::kFolder:
      break;
  }
  return std::make_unique<FolderOutput>(path);
}

}  // namespace lockstep
