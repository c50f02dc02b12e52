#pragma once

#include <span>
#include <string>
#include <string_view>

/// The page, as part of the program.
namespace lockstep::serve {

struct PageFile {
  std::string_view path;  ///< "/index.html"
  std::string_view content_type;
  std::string_view etag;   ///< with its quotes
  bool is_hashed = false;  ///< its name changes with its content, so that it can be kept for ever
  std::string_view gzip;   ///< compressed
};

std::span<const PageFile> page_files();

/// The file behind the path of a URL ("/" is the page); nothing if there is none.
const PageFile* find_page_file(std::string_view path);

std::string decompress(const PageFile& file);  ///< for the few who do not understand gzip

}  // namespace lockstep::serve
