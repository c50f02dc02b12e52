#include "serve/page.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "lockstep/error.h"

namespace lockstep::serve {

const PageFile* find_page_file(std::string_view path) {
  const std::span<const PageFile> files = page_files();
  const std::string_view wanted = path == "/" ? "/index.html" : path;
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const PageFile& each) { return each.path == wanted; });
  return found == files.end() ? nullptr : &*found;
}

std::string decompress(const PageFile& file) {
  z_stream stream{};
  constexpr int kGzip = 16;
  LOCKSTEP_CHECK(inflateInit2(&stream, MAX_WBITS + kGzip) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(file.gzip.data()));
  stream.avail_in = static_cast<uInt>(file.gzip.size());
  std::string bytes;
  std::array<char, 1 << 14> block{};
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    result = inflate(&stream, Z_NO_FLUSH);
    bytes.append(block.data(), block.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  LOCKSTEP_CHECK(result == Z_STREAM_END);
  return bytes;
}

}  // namespace lockstep::serve
