#include "connection/packet_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "connection/message.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

using Content = PacketField::Content;

std::uint32_t calc_crc16(std::span<const std::uint8_t> bytes, bool is_reflected) {
  std::uint32_t crc = 0xFFFF;
  for (const std::uint8_t byte : bytes) {
    crc ^= is_reflected ? std::uint32_t{byte} : std::uint32_t{byte} << 8;
    for (int bit = 0; bit < 8; ++bit) {
      if (is_reflected) {
        crc = (crc & 1) != 0 ? (crc >> 1) ^ 0xA001 : crc >> 1;
      } else {
        crc = ((crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xFFFF;
      }
    }
  }
  return crc;
}

std::uint64_t reduce(std::uint64_t counter, std::size_t size) {
  return size == 8 ? counter : counter & ((std::uint64_t{1} << (8 * size)) - 1);
}

}  // namespace

std::size_t size_of(ChecksumKind kind) {
  switch (kind) {
    case ChecksumKind::kSum8:
    case ChecksumKind::kXor8:
      return 1;
    case ChecksumKind::kCrc16Modbus:
    case ChecksumKind::kCrc16Ccitt:
      return 2;
    case ChecksumKind::kCrc32:
      return 4;
  }
  LOCKSTEP_CHECK(false);
}

std::uint32_t calc_checksum(ChecksumKind kind, std::span<const std::uint8_t> bytes) {
  std::uint32_t sum = 0;
  switch (kind) {
    case ChecksumKind::kSum8:
      for (const std::uint8_t byte : bytes) sum += byte;
      return sum & 0xFF;
    case ChecksumKind::kXor8:
      for (const std::uint8_t byte : bytes) sum ^= byte;
      return sum;
    case ChecksumKind::kCrc16Modbus:
      return calc_crc16(bytes, true);
    case ChecksumKind::kCrc16Ccitt:
      return calc_crc16(bytes, false);
    case ChecksumKind::kCrc32:
      return calc_crc32(bytes);
  }
  LOCKSTEP_CHECK(false);
}

std::size_t PacketField::size() const {
  switch (content) {
    case Content::kText:
      return text.size();
    case Content::kPadding:
      return padding;
    case Content::kChecksum:
      return size_of(checksum);
    default:
      return size_of(format.type);
  }
}

PacketLayout::PacketLayout(std::vector<PacketField> fields) : fields_(std::move(fields)) {
  bool is_prefix = true;
  for (const PacketField& field : fields_) {
    std::vector<std::uint8_t> bytes(field.size());
    size_ += bytes.size();
    if (field.content == Content::kNumber) value_count_ = std::max(value_count_, field.value + 1);
    for (const PacketField::Bit& bit : field.bits) value_count_ = std::max(value_count_, bit.value + 1);
    is_prefix = is_prefix && (field.content == Content::kConstant || field.content == Content::kText);
    if (!is_prefix) continue;
    if (field.content == Content::kText) {
      std::copy(field.text.begin(), field.text.end(), bytes.begin());
    } else {
      put_integer(field.constant, bytes.size(), field.format.order, bytes.data());
    }
    prefix_.insert(prefix_.end(), bytes.begin(), bytes.end());
  }
}

void PacketLayout::encode(std::span<const double> values, std::uint64_t counter,
                          std::span<std::uint8_t> bytes) const {
  LOCKSTEP_CHECK(bytes.size() == size_);
  std::size_t at = 0;
  for (const PacketField& field : fields_) {
    const std::span<std::uint8_t> place = bytes.subspan(at, field.size());
    const auto put = [&](std::uint64_t value) {
      put_integer(value, place.size(), field.format.order, place.data());
    };
    switch (field.content) {
      case Content::kNumber:
        put_number(field.format, values[field.value], place);
        break;
      case Content::kBits: {
        std::uint64_t word = 0;
        for (const PacketField::Bit& bit : field.bits)
          word |= static_cast<std::uint64_t>(values[bit.value] >= 0.5 ? 1 : 0) << bit.position;
        put(word);
        break;
      }
      case Content::kConstant:
        put(field.constant);
        break;
      case Content::kText:
        std::copy(field.text.begin(), field.text.end(), place.begin());
        break;
      case Content::kPadding:
        std::fill(place.begin(), place.end(), std::uint8_t{0});
        break;
      case Content::kCounter:
      case Content::kEcho:
        put(counter);
        break;
      case Content::kChecksum:
        put(calc_checksum(field.checksum, bytes.first(at)));
        break;
    }
    at += place.size();
  }
}

PacketLayout::Decoded PacketLayout::decode(std::span<const std::uint8_t> bytes, std::uint64_t counter,
                                           std::span<double> values) const {
  LOCKSTEP_CHECK(bytes.size() == size_ && value_count_ <= values.size());
  Decoded result;
  std::size_t at = 0;
  for (const PacketField& field : fields_) {
    const std::span<const std::uint8_t> place = bytes.subspan(at, field.size());
    std::string error = find_error(field, place, bytes.first(at), counter, result.is_stale);
    if (!error.empty()) return {.error = fmt::format("{} {}", field.label, error)};
    at += place.size();
  }
  if (!result.is_stale) take_values(bytes, values);
  return result;
}

std::string PacketLayout::find_error(const PacketField& field, std::span<const std::uint8_t> place,
                                     std::span<const std::uint8_t> before, std::uint64_t counter,
                                     bool& is_stale) const {
  if (field.content == Content::kNumber) {
    double unused = 0.0;
    return take_number(field.format, place, unused);
  }
  if (field.content == Content::kText) {
    const bool is_same = std::equal(place.begin(), place.end(), field.text.begin(),
                                    [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); });
    return is_same ? "" : "is another text";
  }
  const bool is_checked = field.content == Content::kConstant || field.content == Content::kChecksum;
  if (!is_checked && field.content != Content::kEcho) return "";
  const std::uint64_t found = take_integer(place.size(), field.format.order, place.data());
  const std::uint64_t expected = field.content == Content::kConstant   ? reduce(field.constant, place.size())
                                 : field.content == Content::kChecksum ? calc_checksum(field.checksum, before)
                                                                       : reduce(counter, place.size());
  if (found == expected) return "";
  is_stale = is_stale || !is_checked;
  return is_checked ? fmt::format("is {:#x}; expected {:#x}", found, expected) : "";
}

void PacketLayout::take_values(std::span<const std::uint8_t> bytes, std::span<double> values) const {
  std::size_t at = 0;
  for (const PacketField& field : fields_) {
    const std::span<const std::uint8_t> place = bytes.subspan(at, field.size());
    if (field.content == Content::kNumber) {
      (void)take_number(field.format, place, values[field.value]);
    } else if (field.content == Content::kBits) {
      const std::uint64_t word = take_integer(place.size(), field.format.order, place.data());
      for (const PacketField::Bit& bit : field.bits)
        values[bit.value] = (word >> bit.position & 1) != 0 ? 1.0 : 0.0;
    }
    at += place.size();
  }
}

}  // namespace lockstep
