#include "serve/gzip.h"

#include <zlib.h>

#include <array>
#include <limits>

#include "lockstep/error.h"

namespace lockstep::serve {
namespace {

constexpr int kGzip = 16;  // added to the window bits

z_stream stream_over(std::string_view bytes) {
  LOCKSTEP_CHECK(bytes.size() <= std::numeric_limits<uInt>::max());
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  return stream;
}

/// Calls `advance`, deflate or inflate, until it has written everything.
template <typename Advance>
std::string run(z_stream& stream, Advance advance) {
  std::string bytes;
  std::array<char, 1 << 14> block{};
  int result = Z_OK;
  while (result == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    result = advance(&stream);
    bytes.append(block.data(), block.size() - stream.avail_out);
  }
  LOCKSTEP_CHECK(result == Z_STREAM_END);
  return bytes;
}

}  // namespace

std::string compress(std::string_view bytes) {
  z_stream stream = stream_over(bytes);
  constexpr int kMemory = 8;  // zlib's default
  LOCKSTEP_CHECK(
      deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + kGzip, kMemory, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string gzip = run(stream, [](z_stream* each) { return deflate(each, Z_FINISH); });
  deflateEnd(&stream);
  return gzip;
}

std::string decompress(std::string_view gzip) {
  z_stream stream = stream_over(gzip);
  LOCKSTEP_CHECK(inflateInit2(&stream, MAX_WBITS + kGzip) == Z_OK);
  std::string bytes = run(stream, [](z_stream* each) { return inflate(each, Z_NO_FLUSH); });
  inflateEnd(&stream);
  return bytes;
}

}  // namespace lockstep::serve
