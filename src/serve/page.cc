#include "serve/page.h"

#include <algorithm>

namespace lockstep::serve {

const PageFile* find_page_file(std::string_view path) {
  const std::span<const PageFile> files = page_files();
  const std::string_view wanted = path == "/" ? "/index.html" : path;
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const PageFile& each) { return each.path == wanted; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace lockstep::serve
