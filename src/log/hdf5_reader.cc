#include <algorithm>
#include <array>

#include "lockstep/error.h"
#include "log/hdf5_handle_internal.h"
#include "log/log_formats_internal.h"

namespace lockstep {
namespace {

/// Numbers read at once.
constexpr hsize_t kBlockNumbers = 1 << 20;

class Hdf5Source final : public LogSource {
 public:
  explicit Hdf5Source(const std::filesystem::path& path) : name_(path.string()) {
    H5dont_atexit();
    const Hdf5Silence silence;
    file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file_.ok()) fail("cannot be read: " + hdf5_failure());
    time_ = open("time");
    data_ = open("data");
    const std::array<hsize_t, 2> time_size = size_of(time_, 1), data_size = size_of(data_, 2);
    if (data_size[1] > kMaxColumns) fail("there are too many columns");
    require_numbers(time_);
    require_numbers(data_);
    const std::vector<std::string> names = read_texts("names"), units = read_texts("units");
    // A log of the time alone has an empty data array.
    const bool fits = names.size() == data_size[1] || (names.empty() && data_size[0] == 0);
    if (!fits || units.size() != names.size()) fail("'names', 'units' and 'data' differ in length");
    columns_.push_back({"time", "s"});
    for (std::size_t i = 0; i < names.size(); ++i) columns_.push_back({names[i], units[i]});
    rows_ = read_rows();
    if (rows_ > time_size[0] || (!names.empty() && rows_ > data_size[0])) fail("'rows' is too large");
    width_ = names.size();
    block_rows_ = std::max<hsize_t>(1, kBlockNumbers / (width_ + 1));
  }

  const std::vector<LogColumn>& columns() const override { return columns_; }

  bool next(std::vector<double>& row) override {
    if (at_ == rows_) return false;
    if (at_ % block_rows_ == 0) read_block();
    const hsize_t i = at_++ % block_rows_;
    row[0] = time_block_[i];
    std::copy_n(data_block_.begin() + static_cast<std::ptrdiff_t>(i * width_), width_, row.begin() + 1);
    return true;
  }

 private:
  [[noreturn]] void fail(const std::string& text) const { throw_user_error({name_, 0, 0}, "{}", text); }

  Hdf5Handle open(const char* name) const {
    Hdf5Handle data(H5Dopen2(file_.id(), name, H5P_DEFAULT), H5Dclose);
    if (!data.ok()) fail(fmt::format("is not a log: it has no array '{}'", name));
    return data;
  }

  std::array<hsize_t, 2> size_of(const Hdf5Handle& data, int rank) const {
    const Hdf5Handle space(H5Dget_space(data.id()), H5Sclose);
    std::array<hsize_t, 2> size = {0, 1};
    if (H5Sget_simple_extent_ndims(space.id()) != rank ||
        H5Sget_simple_extent_dims(space.id(), size.data(), nullptr) != rank) {
      fail("is not a log: an array has the wrong number of dimensions");
    }
    return size;
  }

  void require_numbers(const Hdf5Handle& data) const {
    const Hdf5Handle type(H5Dget_type(data.id()), H5Tclose);
    if (H5Tget_class(type.id()) != H5T_FLOAT) fail("is not a log: an array does not hold numbers");
  }

  std::vector<std::string> read_texts(const char* name) const {
    const Hdf5Handle data = open(name);
    const hsize_t count = size_of(data, 1)[0];
    const Hdf5Handle type(H5Dget_type(data.id()), H5Tclose);
    const std::size_t length = H5Tget_size(type.id());
    const bool is_text = H5Tget_class(type.id()) == H5T_STRING && H5Tis_variable_str(type.id()) == 0;
    if (!is_text || length == 0 || length > kMaxColumnName || count > kMaxColumns) {
      fail(fmt::format("is not a log: '{}' is not a list of short strings", name));
    }
    std::string bytes(count * length, '\0');
    if (count > 0 && H5Dread(data.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0) {
      fail(fmt::format("'{}' cannot be read: {}", name, hdf5_failure()));
    }
    std::vector<std::string> texts;
    for (hsize_t i = 0; i < count; ++i) {
      const std::string text = bytes.substr(i * length, length);
      texts.push_back(text.substr(0, text.find('\0')));
    }
    return texts;
  }

  hsize_t read_rows() const {
    const Hdf5Handle attribute(H5Aopen(file_.id(), "rows", H5P_DEFAULT), H5Aclose);
    const Hdf5Handle space(H5Aget_space(attribute.id()), H5Sclose);
    const Hdf5Handle type(H5Aget_type(attribute.id()), H5Tclose);
    hsize_t rows = 0;
    const bool is_number = attribute.ok() && H5Sget_simple_extent_npoints(space.id()) == 1 &&
                           H5Tget_class(type.id()) == H5T_INTEGER;
    if (!is_number || H5Aread(attribute.id(), H5T_NATIVE_HSIZE, &rows) < 0) {
      fail("is not a log: it has no attribute 'rows'");
    }
    return rows;
  }

  void read_block() {
    const Hdf5Silence silence;
    const hsize_t count = std::min(block_rows_, rows_ - at_);
    time_block_.resize(count);
    data_block_.resize(count * width_);
    if (!read(time_, 1, count, time_block_) || (width_ > 0 && !read(data_, 2, count, data_block_))) {
      fail("cannot be read: " + hdf5_failure());
    }
  }

  bool read(const Hdf5Handle& data, int rank, hsize_t count, std::vector<double>& into) const {
    const std::array<hsize_t, 2> start = {at_, 0}, size = {count, width_};
    const Hdf5Handle file_space(H5Dget_space(data.id()), H5Sclose);
    const Hdf5Handle memory_space(H5Screate_simple(rank, size.data(), nullptr), H5Sclose);
    return H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) >=
               0 &&
           H5Dread(data.id(), H5T_NATIVE_DOUBLE, memory_space.id(), file_space.id(), H5P_DEFAULT,
                   into.data()) >= 0;
  }

  std::string name_;
  Hdf5Handle file_;
  Hdf5Handle time_;
  Hdf5Handle data_;
  std::vector<LogColumn> columns_;
  hsize_t rows_ = 0;
  hsize_t width_ = 0;
  hsize_t block_rows_ = 1;
  hsize_t at_ = 0;
  std::vector<double> time_block_;
  std::vector<double> data_block_;
};

}  // namespace

std::unique_ptr<LogSource> open_hdf5_source(const std::filesystem::path& path) {
  return std::make_unique<Hdf5Source>(path);
}

}  // namespace lockstep
