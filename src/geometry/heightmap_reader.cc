#include "geometry/heightmap_reader.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <memory>
#include <string>

namespace lockstep {
namespace {

/// Input of libpng, and its last error message.
struct PngInput {
  const std::uint8_t* data = nullptr;
  std::size_t left = 0;
  std::array<char, 120> error{};
};

void read_bytes(png_structp png, png_bytep to, std::size_t size) {
  auto* input = static_cast<PngInput*>(png_get_io_ptr(png));
  if (size > input->left) png_error(png, "the file ends too early");
  std::memcpy(to, input->data, size);
  input->data += size;
  input->left -= size;
}

[[noreturn]] void keep_error(png_structp png, png_const_charp text) {
  auto* input = static_cast<PngInput*>(png_get_error_ptr(png));
  std::strncpy(input->error.data(), text, input->error.size() - 1);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

/// libpng's two structures, freed together.
class Png {
 public:
  explicit Png(PngInput& input)
      : png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &input, keep_error, ignore_warning)) {
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, nullptr, nullptr);
      throw std::bad_alloc();
    }
    png_set_read_fn(png_, &input, read_bytes);
  }
  ~Png() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;

  png_structp png() const { return png_; }
  png_infop info() const { return info_; }

 private:
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

struct Size {
  std::uint32_t columns = 0;
  std::uint32_t rows = 0;
};

/// Rows as libpng delivers them: one sample (grey) or three (colour) of one or two bytes.
struct RowFormat {
  std::size_t row_bytes = 0;
  unsigned channels = 0;
  unsigned sample_bytes = 0;
  bool interlaced = false;
};

constexpr std::size_t kHeaderEnd = 33;  // signature, and the IHDR chunk with its checksum

std::uint32_t load_big_endian(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

/// Checks the header before libpng allocates memory.
Size read_size(std::span<const std::uint8_t> png, const Place& place) {
  constexpr std::array<std::uint8_t, 8> kSignature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  if (png.size() < kHeaderEnd || !std::equal(kSignature.begin(), kSignature.end(), png.begin())) {
    throw_user_error(place, "heightmap: the file is not a PNG image");
  }
  const Size size{load_big_endian(png.data() + 16), load_big_endian(png.data() + 20)};
  if (size.columns < 2 || size.rows < 2) {
    throw_user_error(place, "heightmap: the image has {} x {} pixels; expected at least 2 x 2", size.columns,
                     size.rows);
  }
  if (std::uint64_t{size.columns} * size.rows > kMaxHeightmapCells) {
    throw_user_error(place, "heightmap: the image has {} x {} pixels; expected at most {} in all", size.columns,
                     size.rows, kMaxHeightmapCells);
  }
  // The header is untrusted: deflate compresses at most 1032 to 1, and a row has at least one bit per pixel.
  constexpr std::uint64_t kMaxDeflateRatio = 1032;
  if ((std::uint64_t{size.columns} + 7) / 8 * size.rows > kMaxDeflateRatio * png.size()) {
    throw_user_error(place,
                     "heightmap: the image has {} x {} pixels, but the file only {} bytes: it is truncated",
                     size.columns, size.rows, png.size());
  }
  return size;
}

// In the two functions below, libpng may longjmp() to setjmp(). They have no objects with a destructor, so the
// jump skips none.

bool start_decoding(png_structp png, png_infop info, RowFormat* format) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_user_limits(png, kMaxHeightmapCells / 2, kMaxHeightmapCells / 2);
  png_set_chunk_malloc_max(png, 1 << 20);
  // Never decompress texts, profiles and times: they could be decompression bombs.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_benign_errors(png, 0);  // damaged pixels are always an error in a terrain
  png_read_info(png, info);

  png_set_palette_to_rgb(png);
  png_set_expand_gray_1_2_4_to_8(png);
  png_set_strip_alpha(png);
  format->interlaced = png_get_interlace_type(png, info) == PNG_INTERLACE_ADAM7;
  png_read_update_info(png, info);
  format->row_bytes = png_get_rowbytes(png, info);
  format->channels = png_get_channels(png, info);
  format->sample_bytes = png_get_bit_depth(png, info) / 8u;
  return true;
}

/// The height of one pixel. In integers, so that white is exactly 1 and grey is the same with one channel or
/// three.
float calc_height(const std::uint8_t* pixel, const RowFormat& format) {
  constexpr std::array<std::uint32_t, 3> kWeights{2126, 7152, 722};
  constexpr std::uint32_t kWeightSum = 10000;
  const auto sample = [&](std::size_t i) -> std::uint32_t {
    if (format.sample_bytes == 1) return pixel[i];
    return std::uint32_t{pixel[2 * i]} << 8 | pixel[2 * i + 1];
  };
  const double white = format.sample_bytes == 1 ? 255.0 : 65535.0;
  if (format.channels == 1) return static_cast<float>(sample(0) / white);
  const std::uint32_t sum = kWeights[0] * sample(0) + kWeights[1] * sample(1) + kWeights[2] * sample(2);
  return static_cast<float>(sum / (kWeightSum * white));
}

/// Decodes into `heights`, the first row of the image last. Interlaced images consist of seven
/// smaller ones, whose pixels are written to their final position, so that one row of memory is enough.
bool decode_rows(png_structp png, const RowFormat& format, Size size, std::uint8_t* row, float* heights) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  const std::size_t pixel_bytes = format.channels * format.sample_bytes;
  const int passes = format.interlaced ? PNG_INTERLACE_ADAM7_PASSES : 1;
  for (int pass = 0; pass < passes; ++pass) {
    const std::uint32_t columns = format.interlaced ? PNG_PASS_COLS(size.columns, pass) : size.columns;
    const std::uint32_t rows = format.interlaced ? PNG_PASS_ROWS(size.rows, pass) : size.rows;
    if (columns == 0) continue;
    for (std::uint32_t i = 0; i < rows; ++i) {
      png_read_row(png, row, nullptr);
      const std::size_t image_row = format.interlaced ? PNG_ROW_FROM_PASS_ROW(i, pass) : i;
      float* out = heights + (size.rows - 1 - image_row) * size.columns;
      for (std::uint32_t j = 0; j < columns; ++j) {
        out[format.interlaced ? PNG_COL_FROM_PASS_COL(j, pass) : j] =
            calc_height(row + j * pixel_bytes, format);
      }
    }
  }
  png_read_end(png, nullptr);
  return true;
}

}  // namespace

Heightmap read_heightmap(std::span<const std::uint8_t> png, const Place& place) {
  const Size size = read_size(png, place);
  PngInput input{.data = png.data(), .left = png.size()};
  const Png decoder(input);
  const auto fail = [&] {
    throw_user_error(place, "heightmap: the PNG image is damaged: {}", input.error.data());
  };

  RowFormat format;
  if (!start_decoding(decoder.png(), decoder.info(), &format)) fail();
  LOCKSTEP_CHECK((format.channels == 1 || format.channels == 3) &&
                 (format.sample_bytes == 1 || format.sample_bytes == 2));

  Heightmap heightmap{size.rows, size.columns, std::vector<float>(std::size_t{size.rows} * size.columns)};
  std::vector<std::uint8_t> row(format.row_bytes);
  if (!decode_rows(decoder.png(), format, size, row.data(), heightmap.heights.data())) fail();
  return heightmap;
}

}  // namespace lockstep
