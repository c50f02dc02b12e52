#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// How anything with memory is saved and restored: a flat string of little-endian bytes, written and read
/// in the same order. The bytes are also what the state hash is made of.
namespace lockstep {

static_assert(std::endian::native == std::endian::little, "snapshots are little-endian");

template <typename T>
concept StateScalar = (std::is_arithmetic_v<T> || std::is_enum_v<T>)&&!std::is_same_v<T, long double>;

class StateWriter {
 public:
  template <StateScalar T>
  void write(T value) {
    append(&value, sizeof(T));
  }
  template <StateScalar T>
  void write(std::span<const T> values) {
    write(static_cast<std::uint64_t>(values.size()));
    append(values.data(), values.size_bytes());
  }
  /// Bytes that another writer has made, without their number.
  void write_bytes(std::span<const std::uint8_t> bytes) { append(bytes.data(), bytes.size()); }
  void write(std::string_view text) { write(std::span<const char>(text.data(), text.size())); }

  std::span<const std::uint8_t> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }  ///< keeps the memory, so that hashing every step does not allocate

 private:
  void append(const void* data, std::size_t size) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    if (size > 0) std::memcpy(bytes_.data() + at, data, size);
  }
  std::vector<std::uint8_t> bytes_;
};

/// The bytes do not fit what is being restored.
class StateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class StateReader {
 public:
  explicit StateReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  template <StateScalar T>
  T read() {
    if constexpr (std::is_same_v<T, bool>) {
      const auto byte = read<std::uint8_t>();
      if (byte > 1) throw StateError("a truth value is neither 0 nor 1");
      return byte == 1;
    } else {
      T value;
      take(&value, sizeof(T));
      return value;
    }
  }
  /// Fills `values`; the saved length must be the same.
  template <StateScalar T>
  void read_into(std::span<T> values) {
    if (read<std::uint64_t>() != values.size()) throw StateError("an array has another length than was saved");
    take(values.data(), values.size_bytes());
  }
  /// Reads an array of any length up to `max_size`.
  template <StateScalar T>
  std::vector<T> read_vector(std::size_t max_size) {
    const auto size = read<std::uint64_t>();
    if (size > max_size || size > (bytes_.size() - at_) / sizeof(T)) throw StateError("an array is too long");
    return read_array<T>(size);
  }
  /// Reads an array whose length was not saved.
  template <StateScalar T>
  std::vector<T> read_array(std::uint64_t size) {
    if (size > (bytes_.size() - at_) / sizeof(T)) throw StateError("the state ends too early");
    std::vector<T> values(static_cast<std::size_t>(size));
    take(values.data(), values.size() * sizeof(T));
    return values;
  }
  std::string read_string(std::size_t max_size) {
    const auto chars = read_vector<char>(max_size);
    return {chars.begin(), chars.end()};
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  void take(void* data, std::size_t size) {
    if (size > bytes_.size() - at_) throw StateError("the state ends too early");
    if (size > 0) std::memcpy(data, bytes_.data() + at_, size);
    at_ += size;
  }
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

/// Base of every part that may have memory between steps. A part without memory leaves it as it is.
class Stateful {
 public:
  virtual ~Stateful() = default;
  virtual void save(StateWriter&) const {}
  virtual void restore(StateReader&) {}
};

}  // namespace lockstep
