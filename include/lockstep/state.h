#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// The memory of a device: how it is saved and restored, and the random numbers that are part of it.
///
/// The state of a simulation is a flat string of little-endian bytes. Each device with memory writes it in
/// save() and reads it in restore(), in the same order and with the same types:
///
///     void save(StateWriter& writer) const override { writer.write(integral_); }
///     void restore(StateReader& reader) override { integral_ = reader.read<double>(); }
///
/// Snapshots, branching, studies and the state hash are all made of these bytes, so they must hold everything
/// that the future depends on: save, N steps must equal save, restore, N steps, bit for bit. What can be
/// computed from the model or the row of signals does not belong in them.
///
/// What the future does not depend on, such as counts that the wall clock has a say in, may be kept out of the
/// hash: StateWriter::is_for_hash().
///
/// A device that is changed so that it saves more, or in another order, makes old snapshots unreadable: they
/// are rejected or, worse, read as something else. Saving the length of an array guards against that.
namespace lockstep {

static_assert(std::endian::native == std::endian::little, "snapshots are little-endian");

/// What can be written: integers, enums, bool, float and double. Not long double, whose padding is undefined.
template <typename T>
concept StateScalar = (std::is_arithmetic_v<T> || std::is_enum_v<T>)&&!std::is_same_v<T, long double>;

/// Appends values to a string of bytes. Values have no names and no types in it: what reads them must know the
/// order, which is why save() and restore() of a device are beside each other.
class StateWriter {
 public:
  enum class Purpose {
    kState,  ///< to be restored
    kHash,   ///< only compared: without what must not change the hash of a run
  };

  explicit StateWriter(Purpose purpose = Purpose::kState) : purpose_(purpose) {}

  bool is_for_hash() const { return purpose_ == Purpose::kHash; }

  /// One value: sizeof(T) bytes. Give the type where it is not obvious; an int and an int64 differ in length.
  template <StateScalar T>
  void write(T value) {
    append(&value, sizeof(T));
  }
  /// An array: its length in 8 bytes, then its values. Read by read_into() or read_vector().
  template <StateScalar T>
  void write(std::span<const T> values) {
    write(static_cast<std::uint64_t>(values.size()));
    append(values.data(), values.size_bytes());
  }
  /// A text, as an array of characters. Read by read_string().
  void write(std::string_view text) { write(std::span<const char>(text.data(), text.size())); }
  /// Bytes that another writer has made, without their number.
  void write_bytes(std::span<const std::uint8_t> bytes) { append(bytes.data(), bytes.size()); }

  /// All that was written. Borrowed: valid until the next call.
  std::span<const std::uint8_t> bytes() const { return bytes_; }
  /// Starts again. Keeps the memory, so that hashing every step does not allocate.
  void clear() { bytes_.clear(); }

 private:
  void append(const void* data, std::size_t size) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    if (size > 0) std::memcpy(bytes_.data() + at, data, size);
  }
  Purpose purpose_;
  std::vector<std::uint8_t> bytes_;
};

/// The bytes do not fit what is being restored: they are damaged, or of another scenario. A device whose
/// restore() finds an impossible value throws it as well. What was being restored must not be used further.
class StateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads values in the order in which they were written. Throws StateError where the bytes end too early or do
/// not fit; never reads outside of them and never allocates more than they justify, so that a hostile snapshot
/// does no harm.
class StateReader {
 public:
  /// The bytes are borrowed: they must outlive the reader.
  explicit StateReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  /// One value. An enum is not checked for being one of its enumerators: the caller does that.
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
  /// Fills `values` with an array; its saved length must be the same.
  template <StateScalar T>
  void read_into(std::span<T> values) {
    if (read<std::uint64_t>() != values.size()) throw StateError("an array has another length than was saved");
    take(values.data(), values.size_bytes());
  }
  /// An array of any length up to `max_size`, which is what the device can make sense of. The length is checked
  /// against the bytes that are left before memory is taken for it.
  template <StateScalar T>
  std::vector<T> read_vector(std::size_t max_size) {
    const auto size = read<std::uint64_t>();
    if (size > max_size || size > (bytes_.size() - at_) / sizeof(T)) throw StateError("an array is too long");
    return read_array<T>(size);
  }
  /// An array whose length was not saved, because it is known: values without the 8 bytes before them.
  template <StateScalar T>
  std::vector<T> read_array(std::uint64_t size) {
    if (size > (bytes_.size() - at_) / sizeof(T)) throw StateError("the state ends too early");
    std::vector<T> values(static_cast<std::size_t>(size));
    take(values.data(), values.size() * sizeof(T));
    return values;
  }
  /// A text of at most `max_size` bytes.
  std::string read_string(std::size_t max_size) {
    const auto chars = read_vector<char>(max_size);
    return {chars.begin(), chars.end()};
  }
  /// Whether everything was read. Bytes that are left over mean that restore() does not match save().
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

/// Base of everything that may remember something from one step to the next. A device without memory overrides
/// neither function; one with memory overrides both.
class Stateful {
 public:
  virtual ~Stateful() = default;
  /// Writes the memory. Called between two steps.
  virtual void save(StateWriter&) const {}
  /// Sets the memory to what save() of the same device wrote. Throws StateError.
  virtual void restore(StateReader&) {}
};

/// Seeded random numbers (xoshiro256++, seeded through SplitMix64): the same on every machine.
///
/// A device that needs chance has one of its own, made from the scenario's seed and the device's full name:
/// `Random(context.seed(), context.name())`. So adding a device does not change the numbers of the others, and
/// neither does the order in which they run. The generator is memory: the device saves and restores it.
///
///     row[slot_] = angle + noise_ * random_.normal();               // in sense()
///     void save(StateWriter& writer) const override { random_.save(writer); }
///
/// Other sources, such as rand() or std::random_device, would break determinism.
class Random {
 public:
  /// The same seed and stream give the same numbers; different streams have nothing in common.
  Random(std::uint64_t seed, std::string_view stream);

  std::uint64_t bits();  ///< 64 random bits
  double uniform();      ///< in [0, 1), 53 bits
  double normal();       ///< mean 0, standard deviation 1 (polar method; remembers its second number)

  void save(StateWriter& writer) const;
  void restore(StateReader& reader);

 private:
  std::array<std::uint64_t, 4> state_{};
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace lockstep
