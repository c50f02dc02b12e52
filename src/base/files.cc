#include "base/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "base/text.h"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Reads at most one byte more than allowed, so that the size is checked even if the file grows meanwhile.
Result<FileContent> read_bytes(const fs::path& path, std::string_view name, std::size_t max_bytes) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return Failure{
        fmt::format("'{}' cannot be read: {}", shown_text(name), std::generic_category().message(errno))};
  const auto too_large = [&] {
    return Failure{fmt::format("'{}' is too large; at most {} bytes are allowed", shown_text(name), max_bytes)};
  };
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);  // fails for a pipe, which is read to its end
  if (!error && size > max_bytes) return too_large();
  FileContent result{.bytes = {}, .path = path};
  if (!error) result.bytes.reserve(size);
  char block[1 << 16];
  while (const std::size_t count = std::fread(block, 1, sizeof block, file.get())) {
    result.bytes.append(block, count);
    if (result.bytes.size() > max_bytes) return too_large();
  }
  if (std::ferror(file.get()) != 0) {
    return Failure{
        fmt::format("'{}' cannot be read: {}", shown_text(name), std::generic_category().message(errno))};
  }
  return result;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

Result<FileContent> read_file_below(const fs::path& folder, std::string_view name, std::size_t max_bytes,
                                    std::string_view owner) {
  if (name.empty()) return Failure{"'' names no file"};
  const fs::path given(name);
  if (given.is_absolute()) {
    return Failure{
        fmt::format("'{}' is an absolute path; expected one relative to {}", shown_text(name), owner)};
  }
  if (!stays_below(normal_path(name))) {
    return Failure{
        fmt::format("'{}' leaves the folder of {}; expected a file below it", shown_text(name), owner)};
  }
  std::error_code error;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, error);
  if (error)
    return Failure{fmt::format("the folder '{}' cannot be opened: {}", folder.string(), error.message())};
  const fs::path path = fs::canonical(root / given, error);
  if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) {
    return Failure{fmt::format("'{}' does not exist", shown_text(name))};
  }
  if (error) return Failure{fmt::format("'{}' cannot be read: {}", shown_text(name), error.message())};
  if (!is_below(path, root)) {
    return Failure{fmt::format("'{}' is a link that leaves the folder of {}", shown_text(name), owner)};
  }
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status))
    return Failure{fmt::format("'{}' is a folder; expected a file", shown_text(name))};
  // A pipe or a device could block forever.
  if (!fs::is_regular_file(status)) return Failure{fmt::format("'{}' is not a regular file", shown_text(name))};
  return read_bytes(path, name, max_bytes);
}

Result<FileContent> read_any_file(const fs::path& path, std::size_t max_bytes) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const std::string name = path.string();
  if (!fs::exists(status)) return Failure{fmt::format("'{}' does not exist", shown_text(name))};
  if (fs::is_directory(status))
    return Failure{fmt::format("'{}' is a folder; expected a file", shown_text(name))};
  Result<FileContent> result = read_bytes(path, name, max_bytes);
  if (!result) return result;
  const fs::path canonical = fs::canonical(path, error);
  if (!error) result->path = canonical;
  return result;
}

FileReplacement::FileReplacement(const fs::path& target) : target_(target), path_(target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return;
  const fs::path real = fs::weakly_canonical(target, error);
  if (!error) target_ = real;
  path_ = fmt::format("{}.{}.part", target_.string(), ::getpid());
}

FileReplacement::~FileReplacement() {
  std::error_code error;
  if (path_ != target_) fs::remove(path_, error);
}

Result<void> FileReplacement::commit() {
  if (path_ == target_) return {};
  std::error_code error;
  if (const fs::file_status old = fs::status(target_, error); fs::exists(old))
    fs::permissions(path_, old.permissions(), error);  // if the file system supports them
  error.clear();
  fs::rename(path_, target_, error);
  if (error) return Failure{error.message()};
  path_ = target_;
  return {};
}

Result<void> replace_file(const fs::path& target, std::string_view bytes, Durability durability) {
  const auto reason = [] { return Failure{std::generic_category().message(errno)}; };
  FileReplacement replacement(target);
  std::FILE* const file = std::fopen(replacement.path().c_str(), "wb");
  if (file == nullptr) return reason();
  bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fflush(file) == 0;
  if (is_written && durability == Durability::kMachine) is_written = ::fsync(::fileno(file)) == 0;
  const int error = errno;
  const bool is_closed = std::fclose(file) == 0;
  if (!is_written) errno = error;
  if (!is_written || !is_closed) return reason();
  return replacement.commit();
}

std::string normal_path(std::string_view name) {
  return fs::path(name).lexically_normal().generic_string();
}

bool stays_below(std::string_view normal_name) {
  return !normal_name.empty() && normal_name != "." && normal_name != ".." && !normal_name.starts_with("../") &&
         !normal_name.starts_with('/');
}

}  // namespace lockstep
