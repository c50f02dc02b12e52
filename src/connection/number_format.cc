#include "connection/number_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "lockstep/error.h"

namespace lockstep {
namespace {

bool is_signed(NumberType type) {
  return type <= NumberType::kI64;
}

std::int64_t sign_extended(std::uint64_t raw, std::size_t size) {
  const int unused = 64 - 8 * static_cast<int>(size);
  return static_cast<std::int64_t>(raw << unused) >> unused;
}

/// Limits of the integers of a type. Numbers of 64 bits without sign are limited to those with one: both are far
/// beyond what a double can count.
std::pair<std::int64_t, std::int64_t> range_of(NumberType type) {
  if (type == NumberType::kBool) return {0, 1};
  const int bits = 8 * static_cast<int>(size_of(type));
  if (bits == 64) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    return {is_signed(type) ? std::numeric_limits<std::int64_t>::min() : 0, kMax};
  }
  if (!is_signed(type)) return {0, (std::int64_t{1} << bits) - 1};
  return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
}

std::int64_t round_into(double number, std::pair<std::int64_t, std::int64_t> range) {
  if (std::isnan(number)) return 0;
  // The upper limit of 64 bits is not a double; the next one above it is.
  if (number >= static_cast<double>(range.second)) return range.second;
  if (number <= static_cast<double>(range.first)) return range.first;
  return std::llround(number);
}

std::string check_finite(const NumberFormat& format, double number, double& signal) {
  if (!std::isfinite(number)) return "is not a finite number";
  if (std::abs(number) > format.max)
    return fmt::format("is {:g}; expected at most {:g} either way", number, format.max);
  const double value = format.scale * number + format.offset;
  if (!std::isfinite(value)) return fmt::format("is {:g}, which is not finite after its scale", number);
  signal = value;
  return "";
}

}  // namespace

std::size_t size_of(NumberType type) {
  switch (type) {
    case NumberType::kI8:
    case NumberType::kU8:
    case NumberType::kBool:
      return 1;
    case NumberType::kI16:
    case NumberType::kU16:
      return 2;
    case NumberType::kI32:
    case NumberType::kU32:
    case NumberType::kF32:
      return 4;
    case NumberType::kI64:
    case NumberType::kU64:
    case NumberType::kF64:
      return 8;
  }
  LOCKSTEP_CHECK(false);
}

bool is_float(NumberType type) {
  return type == NumberType::kF32 || type == NumberType::kF64;
}

void put_integer(std::uint64_t value, std::size_t size, ByteOrder order, std::uint8_t* bytes) {
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t at = order == ByteOrder::kLittle ? i : size - 1 - i;
    bytes[at] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

std::uint64_t take_integer(std::size_t size, ByteOrder order, const std::uint8_t* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t at = order == ByteOrder::kLittle ? i : size - 1 - i;
    value |= static_cast<std::uint64_t>(bytes[at]) << (8 * i);
  }
  return value;
}

std::int64_t to_integer(const NumberFormat& format, double signal) {
  if (!format.codes.empty()) {
    const auto distance = [&](const NamedCode& code) { return std::abs(code.value - signal); };
    return std::min_element(format.codes.begin(), format.codes.end(),
                            [&](const auto& a, const auto& b) { return distance(a) < distance(b); })
        ->code;
  }
  if (format.type == NumberType::kBool) return signal >= 0.5 ? 1 : 0;
  return round_into((signal - format.offset) / format.scale, range_of(format.type));
}

std::string from_integer(const NumberFormat& format, std::int64_t number, double& signal) {
  if (!format.codes.empty()) {
    for (const NamedCode& code : format.codes) {
      if (code.code != number) continue;
      signal = code.value;
      return "";
    }
    std::vector<std::string> known;
    for (const NamedCode& code : format.codes) known.push_back(fmt::format("{} ({})", code.code, code.name));
    return fmt::format("is {}; expected {}", number, fmt::join(known, ", "));
  }
  if (format.type == NumberType::kBool) {
    if (number > 1) return fmt::format("is {}; expected 0 or 1", number);
    signal = static_cast<double>(number);
    return "";
  }
  return check_finite(format, static_cast<double>(number), signal);
}

void put_number(const NumberFormat& format, double signal, std::span<std::uint8_t> bytes) {
  const std::size_t size = size_of(format.type);
  std::uint64_t raw = 0;
  if (format.type == NumberType::kF64) {
    raw = std::bit_cast<std::uint64_t>((signal - format.offset) / format.scale);
  } else if (format.type == NumberType::kF32) {
    raw = std::bit_cast<std::uint32_t>(static_cast<float>((signal - format.offset) / format.scale));
  } else {
    raw = static_cast<std::uint64_t>(to_integer(format, signal));
  }
  put_integer(raw, size, format.order, bytes.data());
}

std::string take_number(const NumberFormat& format, std::span<const std::uint8_t> bytes, double& signal) {
  const std::size_t size = size_of(format.type);
  const std::uint64_t raw = take_integer(size, format.order, bytes.data());
  if (format.type == NumberType::kF64) return check_finite(format, std::bit_cast<double>(raw), signal);
  if (format.type == NumberType::kF32) {
    return check_finite(format, static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw))),
                        signal);
  }
  if (format.type == NumberType::kU64 && format.codes.empty())
    return check_finite(format, static_cast<double>(raw), signal);
  return from_integer(
      format, is_signed(format.type) ? sign_extended(raw, size) : static_cast<std::int64_t>(raw), signal);
}

}  // namespace lockstep
