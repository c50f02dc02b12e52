#include "geometry/reader/asking_io.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace lockstep {
namespace {

class TextStream final : public Assimp::IOStream {
 public:
  explicit TextStream(const std::string& bytes) : bytes_(bytes) {}

  std::size_t Read(void* buffer, std::size_t size, std::size_t count) override {
    if (size == 0) return 0;
    const std::size_t whole = std::min(count, (bytes_.size() - at_) / size);
    if (whole > 0) std::memcpy(buffer, bytes_.data() + at_, whole * size);
    at_ += whole * size;
    return whole;
  }
  std::size_t Write(const void*, std::size_t, std::size_t) override { return 0; }
  aiReturn Seek(std::size_t offset, aiOrigin origin) override {
    const std::size_t base = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? at_ : bytes_.size();
    if (offset > bytes_.size() - base) return aiReturn_FAILURE;
    at_ = base + offset;
    return aiReturn_SUCCESS;
  }
  std::size_t Tell() const override { return at_; }
  std::size_t FileSize() const override { return bytes_.size(); }
  void Flush() override {}

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::string decoded_uri(std::string_view uri) {
  std::string name;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned value = 0;
    if (uri[i] == '%' && i + 2 < uri.size() &&
        std::from_chars(uri.data() + i + 1, uri.data() + i + 3, value, 16).ptr == uri.data() + i + 3) {
      name.push_back(static_cast<char>(value));
      i += 2;
    } else {
      name.push_back(uri[i]);
    }
  }
  return name;
}

const std::string* AskingIo::find(const std::string& name) const {
  if (name == main_name_) return &main_bytes_;
  if (const auto known = given_.find(name); known != given_.end()) return &known->second;
  Result<FileContent> file = find_file_(name);
  if (!file && name.find('%') != name.npos) file = find_file_(decoded_uri(name));
  if (!file) {
    rejections_.push_back(file.error());
    return nullptr;
  }
  return &given_.emplace(name, std::move(file->bytes)).first->second;
}

Assimp::IOStream* AskingIo::Open(const char* name, const char* /*mode*/) {
  const std::string* bytes = find(name);
  return bytes == nullptr ? nullptr : new TextStream(*bytes);
}

}  // namespace lockstep
