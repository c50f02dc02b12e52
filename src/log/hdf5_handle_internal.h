#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

/// HDF5 helpers that writer and reader share.
namespace lockstep {

/// Owns an HDF5 object and closes it.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    if (this == &other) return *this;
    (void)close();
    id_ = std::exchange(other.id_, -1);
    close_ = other.close_;
    return *this;
  }
  ~Hdf5Handle() { (void)close(); }

  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }
  /// Leaves the object open: closing it would write.
  void abandon() { id_ = -1; }
  hid_t id() const { return id_; }
  bool ok() const { return id_ >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Suppresses the library's error output while it lives. Per thread, like the error stack of the library.
class Hdf5Silence {
 public:
  Hdf5Silence() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Silence() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Why the last call failed: the system error if there is one, else the library's.
inline std::string hdf5_failure() {
  std::string cause;
  const auto look = [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
    std::string& text = *static_cast<std::string*>(out);
    const std::string found = error->desc != nullptr ? error->desc : "";
    constexpr std::string_view kBefore = "error message = '";
    const std::size_t at = found.find(kBefore);
    if (at == std::string::npos) {
      if (text.empty()) text = found;
      return 0;
    }
    const std::size_t begin = at + kBefore.size();
    text = found.substr(begin, found.find('\'', begin) - begin);
    return 1;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &cause);
  return cause.empty() ? "the HDF5 library failed" : cause;
}

}  // namespace lockstep
