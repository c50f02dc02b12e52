#include <array>
#include <limits>

#include "base/files.h"
#include "log/hdf5_handle_internal.h"
#include "log/log_formats_internal.h"

namespace lockstep {
namespace {

/// Half the entries of a node in the chunk index (a B-tree). Only splitting a full node could leave the file
/// unreadable if the process is killed in the middle: with this, once in 256 chunks.
constexpr unsigned kIndexNode = 128;

/// An array that grows row by row.
class GrowingArray {
 public:
  /// `width` is 0 for a list of numbers.
  GrowingArray(hid_t file, const char* name, std::size_t width, std::size_t chunk)
      : width_(width), chunk_(chunk) {
    const int rank = width > 0 ? 2 : 1;
    const std::array<hsize_t, 2> none = {0, width}, most = {H5S_UNLIMITED, width}, block = {chunk, width};
    const Hdf5Handle space(H5Screate_simple(rank, none.data(), most.data()), H5Sclose);
    const Hdf5Handle create(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const double missing = std::numeric_limits<double>::quiet_NaN();
    H5Pset_chunk(create.id(), rank, block.data());
    H5Pset_fill_value(create.id(), H5T_NATIVE_DOUBLE, &missing);
    // Without a chunk cache rows are written at once, before the metadata that refer to them.
    const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    H5Pset_chunk_cache(access.id(), 1, 0, 1.0);
    data_ = Hdf5Handle(
        H5Dcreate2(file, name, H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, create.id(), access.id()), H5Dclose);
  }

  bool ok() const { return data_.ok(); }
  hid_t id() const { return data_.id(); }

  /// Reads the error at once: closing an object clears it.
  Result<void> append(hsize_t at, hsize_t rows, const double* values) {
    const int rank = width_ > 0 ? 2 : 1;
    const std::array<hsize_t, 2> size = {at + rows, width_}, start = {at, 0}, count = {rows, width_};
    if (H5Dset_extent(data_.id(), size.data()) < 0) return Failure{hdf5_failure()};
    if (rows == chunk_ && at % chunk_ == 0) {  // a whole chunk needs no selection
      const std::size_t bytes = rows * std::max<hsize_t>(width_, 1) * sizeof(double);
      const bool written = H5Dwrite_chunk(data_.id(), H5P_DEFAULT, 0, start.data(), bytes, values) >= 0;
      if (!written) return Failure{hdf5_failure()};
      return {};
    }
    const Hdf5Handle file_space(H5Screate_simple(rank, size.data(), nullptr), H5Sclose);
    const Hdf5Handle memory_space(H5Screate_simple(rank, count.data(), nullptr), H5Sclose);
    const bool written =
        H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) >=
            0 &&
        H5Dwrite(data_.id(), H5T_NATIVE_DOUBLE, memory_space.id(), file_space.id(), H5P_DEFAULT, values) >= 0;
    if (!written) return Failure{hdf5_failure()};
    return {};
  }

  bool close() { return data_.close(); }
  void abandon() { data_.abandon(); }

 private:
  hsize_t width_;
  hsize_t chunk_;
  Hdf5Handle data_;
};

Hdf5Handle make_text_type(std::size_t length) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), length);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

bool write_attribute(hid_t owner, const char* name, hid_t file_type, hid_t memory_type, const void* value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(H5Acreate2(owner, name, file_type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
  return attribute.ok() && H5Awrite(attribute.id(), memory_type, value) >= 0;
}

bool write_text(hid_t owner, const char* name, const std::string& text) {
  const Hdf5Handle type = make_text_type(H5T_VARIABLE);
  const char* start = text.c_str();
  return write_attribute(owner, name, type.id(), type.id(), &start);
}

bool write_number(hid_t owner, const char* name, double value) {
  return write_attribute(owner, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

bool write_count(hid_t owner, const char* name, std::uint64_t value) {
  return write_attribute(owner, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

/// A list of strings, all padded to the longest, which every HDF5 program can read.
bool write_texts(hid_t file, const char* name, const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size() + 1);
  std::string bytes;
  for (const std::string& text : texts) bytes.append(text).append(length - text.size(), '\0');
  const hsize_t count = texts.size();
  const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Handle type = make_text_type(length);
  const Hdf5Handle data(H5Dcreate2(file, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                        H5Dclose);
  return data.ok() &&
         (texts.empty() || H5Dwrite(data.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0);
}

class Hdf5File final : public LogFile {
 public:
  Hdf5File(Hdf5Handle file, const LogHeader& header)
      : file_(std::move(file)),
        width_(header.columns.size() - 1),
        time_(file_.id(), "time", 0, header.block_rows),
        // An array without columns cannot be chunked: a log of the time alone has one column without rows.
        data_(file_.id(), "data", std::max<std::size_t>(width_, 1), header.block_rows),
        time_block_(header.block_rows),
        data_block_(header.block_rows * width_) {}
  ~Hdf5File() override {
    const Hdf5Silence silence;
    rows_attribute_ = {};
    time_.close();
    data_.close();
    file_.close();
  }

  Result<void> write_header(const LogHeader& header) {
    std::vector<std::string> names, units;
    for (std::size_t i = 1; i < header.columns.size(); ++i) {
      names.push_back(header.columns[i].name);
      units.push_back(header.columns[i].unit);
    }
    const hid_t root = file_.id();
    const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose);
    rows_attribute_ =
        Hdf5Handle(H5Acreate2(root, "rows", H5T_STD_U64LE, scalar.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const bool written =
        time_.ok() && data_.ok() && rows_attribute_.ok() && write_rows() &&
        write_text(time_.id(), "unit", header.columns[0].unit) && write_texts(root, "names", names) &&
        write_texts(root, "units", units) && write_text(root, "lockstep", LOCKSTEP_VERSION) &&
        write_text(root, "scenario", header.scenario) && write_number(root, "step", header.step) &&
        write_number(root, "period", header.period) && write_count(root, "seed", header.seed) &&
        write_count(root, "flush_rows", header.flush_rows) && H5Fflush(file_.id(), H5F_SCOPE_LOCAL) >= 0;
    if (!written) return Failure{hdf5_failure()};
    return {};
  }

  Result<void> add(ConstRow values, std::span<const Slot> columns) override {
    time_block_[in_block_] = values[columns[0]];
    double* at = data_block_.data() + in_block_ * width_;
    for (const Slot column : columns.subspan(1)) *at++ = values[column];
    if (++in_block_ < time_block_.size()) return {};
    return write_block();
  }

  Result<void> flush() override {
    if (const Result<void> written = write_block(); !written) return written;
    const Hdf5Silence silence;
    // First the arrays, then the number of complete rows.
    if (H5Fflush(file_.id(), H5F_SCOPE_LOCAL) < 0 || !write_rows() ||
        H5Fflush(file_.id(), H5F_SCOPE_LOCAL) < 0) {
      return give_up(hdf5_failure());
    }
    return {};
  }

  Result<void> close() override {
    const Result<void> flushed = flush();
    if (!flushed || has_failed_) return flushed;
    const Hdf5Silence silence;
    const bool closed = rows_attribute_.close() && time_.close() && data_.close() && file_.close();
    if (!closed) return give_up(hdf5_failure());
    return {};
  }

 private:
  Result<void> write_block() {
    if (has_failed_) return Failure{"an earlier write failed"};
    if (in_block_ == 0) return {};
    const Hdf5Silence silence;
    Result<void> written = time_.append(rows_, in_block_, time_block_.data());
    if (written && width_ > 0) written = data_.append(rows_, in_block_, data_block_.data());
    if (!written) return give_up(written.error());
    rows_ += in_block_;
    in_block_ = 0;
    return {};
  }

  bool write_rows() { return H5Awrite(rows_attribute_.id(), H5T_NATIVE_HSIZE, &rows_) >= 0; }

  /// The library would still write the rest of the failed flush, including addresses of lost rows. Leaves the
  /// file as of the last complete flush.
  Failure<std::string> give_up(std::string cause) {
    has_failed_ = true;
    rows_attribute_.abandon();
    time_.abandon();
    data_.abandon();
    file_.abandon();
    return Failure{std::move(cause)};
  }

  Hdf5Handle file_;
  std::size_t width_;
  GrowingArray time_;
  GrowingArray data_;
  Hdf5Handle rows_attribute_;
  hsize_t rows_ = 0;  ///< rows in the arrays
  std::vector<double> time_block_;
  std::vector<double> data_block_;
  std::size_t in_block_ = 0;  ///< rows in the blocks
  bool has_failed_ = false;
};

}  // namespace

OpenedLog open_hdf5_file(const std::filesystem::path& path, const LogHeader& header) {
  // At exit the library would close open objects, which writes; see give_up().
  H5dont_atexit();
  const Hdf5Silence silence;
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return Failure{"it is not a regular file"};
  }
  const Hdf5Handle create(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  H5Pset_istore_k(create.id(), kIndexNode);
  // The file gets its name once its header is complete.
  FileReplacement replacement(path);
  Hdf5Handle file(H5Fcreate(replacement.path().c_str(), H5F_ACC_TRUNC, create.id(), H5P_DEFAULT), H5Fclose);
  if (!file.ok()) return Failure{hdf5_failure()};
  auto log = std::make_unique<Hdf5File>(std::move(file), header);
  if (const Result<void> written = log->write_header(header); !written) return Failure{written.error()};
  if (const Result<void> done = replacement.commit(); !done) return Failure{done.error()};
  return log;
}

}  // namespace lockstep
