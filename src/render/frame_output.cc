#include "render/frame_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "render/film.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFramePrefix = "frame-";

/// Writes a file whole or not at all.
std::string write_png(const fs::path& path, const Picture& picture) {
  const std::string bytes = encode_png(picture);
  const fs::path part = path.string() + ".part";
  std::FILE* const file = std::fopen(part.c_str(), "wb");
  bool is_good = file != nullptr;
  if (is_good) {
    is_good = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    is_good = std::fclose(file) == 0 && is_good;
  }
  std::string error = is_good ? "" : std::strerror(errno);
  std::error_code failure;
  if (is_good) fs::rename(part, path, failure);
  if (failure) error = failure.message();
  if (!error.empty()) {
    fs::remove(part, failure);
    return fmt::format("'{}' cannot be written: {}", path.string(), error);
  }
  return "";
}

class PictureOutput final : public FrameOutput {
 public:
  explicit PictureOutput(fs::path path) : path_(std::move(path)) {}
  std::string write(const Picture& picture) override {
    picture_ = picture;
    return "";
  }
  std::string finish() override { return write_png(path_, picture_); }

 private:
  fs::path path_;
  Picture picture_;
};

/// frame-000000.png and so on.
class FolderOutput final : public FrameOutput {
 public:
  explicit FolderOutput(fs::path folder) : folder_(std::move(folder)) {
    const Place place{"--output", 0, 0};
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) throw_user_error(place, "folder '{}' cannot be made: {}", folder_.string(), error.message());
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
      if (!entry.path().filename().string().starts_with(kFramePrefix)) continue;
      throw_user_error(place, "folder '{}' holds pictures already ({}); expected a new or an empty one",
                       folder_.string(), entry.path().filename().string());
    }
    if (error) throw_user_error(place, "folder '{}' cannot be read: {}", folder_.string(), error.message());
  }
  std::string write(const Picture& picture) override {
    return write_png(folder_ / fmt::format("{}{:06}.png", kFramePrefix, count_++), picture);
  }
  std::string finish() override { return ""; }

 private:
  fs::path folder_;
  std::int64_t count_ = 0;
};

}  // namespace

OutputKind find_output_kind(const std::string& path) {
  const std::string ending = fs::path(path).extension().string();
  if (ending == ".mp4") return OutputKind::kFilm;
  if (ending == ".png") return OutputKind::kPicture;
  std::error_code ignored;
  if (path.empty() || (!ending.empty() && !path.ends_with('/') && !fs::is_directory(path, ignored))) {
    throw_user_error({"--output", 0, 0},
                     "'{}' has an unknown ending; expected '.mp4' for a film, '.png' for a picture or a folder "
                     "for pictures",
                     path);
  }
  return OutputKind::kFolder;
}

std::unique_ptr<FrameOutput> open_output(const std::string& path, const FrameFormat& format) {
  switch (find_output_kind(path)) {
    case OutputKind::kFilm:
      return std::make_unique<Film>(path, format);
    case OutputKind::kPicture:
      return std::make_unique<PictureOutput>(path);
    case OutputKind::kFolder:
      break;
  }
  return std::make_unique<FolderOutput>(path);
}

}  // namespace lockstep
