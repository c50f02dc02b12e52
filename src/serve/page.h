#pragma once

#include <span>
#include <string>
#include <string_view>

/// The web page, embedded in the program.
namespace lockstep::serve {

struct PageFile {
  std::string_view path;  ///< "/index.html"
  std::string_view content_type;
  std::string_view etag;   ///< with its quotes
  bool is_hashed = false;  ///< the name contains a hash of the content: may be cached permanently
  std::string_view gzip;   ///< compressed
};

std::span<const PageFile> page_files();

/// The file at a URL path ("/" is the page); null if there is none.
const PageFile* find_page_file(std::string_view path);

}  // namespace lockstep::serve
