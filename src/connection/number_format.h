#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// How a signal is a number in the bytes of another program: integers, floats, flags, single bits, enumerations, with
/// scale and offset. Packets map signals with it; so can registers of a PLC.
///
///     signal = scale * number + offset,   number = (signal - offset) / scale
namespace lockstep {

enum class NumberType : std::uint8_t { kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kF32, kF64, kBool };

inline constexpr std::array<std::pair<std::string_view, NumberType>, 11> kNumberTypes = {
    {{"i8", NumberType::kI8},
     {"i16", NumberType::kI16},
     {"i32", NumberType::kI32},
     {"i64", NumberType::kI64},
     {"u8", NumberType::kU8},
     {"u16", NumberType::kU16},
     {"u32", NumberType::kU32},
     {"u64", NumberType::kU64},
     {"f32", NumberType::kF32},
     {"f64", NumberType::kF64},
     {"bool", NumberType::kBool}}};

enum class ByteOrder : std::uint8_t { kLittle, kBig };

std::size_t size_of(NumberType type);  ///< bytes
bool is_float(NumberType type);

/// A code of an enumeration and the value of the signal that it means.
struct NamedCode {
  std::string name;
  std::int64_t code = 0;
  double value = 0.0;
};

struct NumberFormat {
  NumberType type = NumberType::kF64;
  ByteOrder order = ByteOrder::kLittle;
  double scale = 1.0;  ///< not 0
  double offset = 0.0;
  std::vector<NamedCode> codes{};  ///< an enumeration, of an integer; scale and offset do not apply
  double max = std::numeric_limits<double>::infinity();  ///< larger received numbers, either way, are rejected
};

/// The integer that stands for a signal: rounded half away from zero and limited to the range of the type; of an
/// enumeration the code with the nearest value. NaN gives 0.
std::int64_t to_integer(const NumberFormat& format, double signal);
/// The same for a code, or an integer, that was received; the error, empty on success.
std::string from_integer(const NumberFormat& format, std::int64_t number, double& signal);

/// Writes a signal as size_of(format.type) bytes.
void put_number(const NumberFormat& format, double signal, std::span<std::uint8_t> bytes);
/// Reads it. Returns the error as the end of "FIELD …", such as "is 3; expected 0 or 1"; empty on success. The signal
/// is always finite.
std::string take_number(const NumberFormat& format, std::span<const std::uint8_t> bytes, double& signal);

/// Integers of any size, for constants, counters, bits and checksums.
void put_integer(std::uint64_t value, std::size_t size, ByteOrder order, std::uint8_t* bytes);
std::uint64_t take_integer(std::size_t size, ByteOrder order, const std::uint8_t* bytes);

}  // namespace lockstep
