#include "connection/handshake.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/hash.h"
#include "connection/message.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

static_assert(std::endian::native == std::endian::little, "the protocol is little-endian");

constexpr std::size_t kMaxCount = std::numeric_limits<std::uint16_t>::max();
/// Maximum number of differences listed in an error text; the rest is counted.
constexpr std::size_t kMaxDifferences = 5;

class PayloadWriter {
 public:
  template <typename T>
  void write(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  void write_text(std::string_view text) {
    std::size_t size = std::min(text.size(), kMaxCount);
    while (size < text.size() && size > 0 && (text[size] & 0xC0) == 0x80)
      --size;  // keep whole UTF-8 characters
    write(static_cast<std::uint16_t>(size));
    bytes_.insert(bytes_.end(), text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size));
  }
  void write_count(std::size_t count) {
    LOCKSTEP_CHECK(count <= kMaxCount);
    write(static_cast<std::uint16_t>(count));
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }
  std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// Valid UTF-8 (RFC 3629) without control characters.
bool is_clean_text(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const std::uint8_t first = byte(i);
    if (first < 0x20 || first == 0x7F) return false;
    const std::size_t more = first < 0x80 ? 0 : first < 0xC2 ? 9 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    if (more == 9 || first > 0xF4 || i + more >= text.size()) return false;
    for (std::size_t k = 1; k <= more; ++k) {
      if ((byte(i + k) & 0xC0) != 0x80) return false;
    }
    // Overlong, a surrogate, or beyond U+10FFFF.
    if (first == 0xE0 && byte(i + 1) < 0xA0) return false;
    if (first == 0xED && byte(i + 1) > 0x9F) return false;
    if (first == 0xF0 && byte(i + 1) < 0x90) return false;
    if (first == 0xF4 && byte(i + 1) > 0x8F) return false;
    if (first == 0xC2 && byte(i + 1) < 0xA0) return false;  // the other control characters
    i += more + 1;
  }
  return true;
}

/// Reads fields until one is invalid; after that every field is zero or empty.
class PayloadReader {
 public:
  explicit PayloadReader(std::span<const std::uint8_t> bytes) : left_(bytes) {}

  template <typename T>
  T read() {
    T value{};
    if (const auto bytes = take(sizeof(T)); !bytes.empty()) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  std::string read_text() {
    const auto bytes = take(read<std::uint16_t>());
    std::string text(bytes.begin(), bytes.end());
    if (!is_clean_text(text)) is_good_ = false;
    return text;
  }
  /// Calls `read_entry` for each entry, as long as there are bytes.
  template <typename Entry, typename ReadEntry>
  std::vector<Entry> read_list(ReadEntry read_entry) {
    std::vector<Entry> entries;
    const auto count = read<std::uint16_t>();
    for (std::size_t i = 0; i < count && is_good_; ++i) entries.push_back(read_entry());
    return entries;
  }
  bool is_good() const { return is_good_; }
  bool ended_well() const { return is_good_ && left_.empty(); }

 private:
  std::span<const std::uint8_t> take(std::size_t size) {
    if (!is_good_ || size > left_.size()) {
      is_good_ = false;
      return {};
    }
    const auto bytes = left_.first(size);
    left_ = left_.subspan(size);
    return bytes;
  }
  std::span<const std::uint8_t> left_;
  bool is_good_ = true;
};

void write_signals(PayloadWriter& writer, const std::vector<WireSignal>& signals) {
  writer.write_count(signals.size());
  for (const WireSignal& signal : signals) {
    writer.write_text(signal.name);
    writer.write_text(signal.unit);
  }
}

std::vector<WireSignal> read_signals(PayloadReader& reader) {
  return reader.read_list<WireSignal>([&] {
    WireSignal signal;
    signal.name = reader.read_text();
    signal.unit = reader.read_text();
    return signal;
  });
}

void write_rhythm(PayloadWriter& writer, const ConnectionSchema& schema) {
  writer.write(static_cast<std::int64_t>(schema.period.count()));
  writer.write(static_cast<std::int64_t>(schema.step.count()));
  writer.write(static_cast<std::uint16_t>(schema.mode));
}

void write_lists(PayloadWriter& writer, const ConnectionSchema& schema) {
  write_signals(writer, schema.reads);
  writer.write_count(schema.writes.size());
  for (const WireCommand& command : schema.writes) {
    writer.write_text(command.name);
    writer.write_text(command.unit);
    writer.write(command.initial);
    writer.write(command.lower);
    writer.write(command.upper);
  }
}

std::string in_milliseconds(Duration period) {
  return fmt::format("{} ms", static_cast<double>(period.count()) / 1e6);
}

/// Signals in `asked` that the connection does not have, or has in another unit. `verb` is "read" or "written".
template <typename Signal>
void find_differences(const std::vector<WireSignal>& asked, const std::vector<Signal>& there,
                      std::string_view verb, std::vector<std::string>& differences) {
  std::vector<std::string> names;
  for (const Signal& signal : there) names.push_back(signal.name);
  for (const WireSignal& signal : asked) {
    const auto at = std::find(names.begin(), names.end(), signal.name);
    if (at == names.end()) {
      differences.push_back(
          fmt::format("signal '{}' cannot be {}{}", signal.name, verb, suggest(signal.name, names)));
      continue;
    }
    const std::string& unit = there[static_cast<std::size_t>(at - names.begin())].unit;
    if (unit != signal.unit) {
      differences.push_back(
          fmt::format("signal '{}' is in '{}' here, not in '{}'", signal.name, unit, signal.unit));
    }
  }
}

}  // namespace

std::uint64_t calc_schema_hash(const ConnectionSchema& schema) {
  PayloadWriter writer;
  write_rhythm(writer, schema);
  write_lists(writer, schema);
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const std::uint8_t byte : writer.bytes()) hash = (hash ^ byte) * 0x100000001B3ULL;
  return hash;
}

std::vector<std::uint8_t> encode_hello(const Hello& hello) {
  PayloadWriter writer;
  writer.write(hello.version);
  writer.write(hello.hash);
  writer.write(static_cast<std::int64_t>(hello.period.count()));
  writer.write_text(hello.name);
  write_signals(writer, hello.reads);
  write_signals(writer, hello.writes);
  if (!hello.token.empty()) writer.write_text(hello.token);
  return writer.take();
}

std::vector<std::uint8_t> encode_welcome(const ConnectionSchema& schema) {
  PayloadWriter writer;
  writer.write(kProtocolVersion);
  writer.write(calc_schema_hash(schema));
  write_rhythm(writer, schema);
  writer.write_text(schema.scenario);
  writer.write_text(schema.connection);
  write_lists(writer, schema);
  return writer.take();
}

std::vector<std::uint8_t> encode_notice(const Notice& notice) {
  PayloadWriter writer;
  writer.write(static_cast<std::uint16_t>(notice.code));
  writer.write_text(notice.sentence);
  return writer.take();
}

std::optional<Hello> decode_hello(std::span<const std::uint8_t> payload) {
  PayloadReader reader(payload);
  Hello hello;
  hello.version = reader.read<std::uint32_t>();
  // The rest of the layout is known for version 1 only.
  if (reader.is_good() && hello.version != kProtocolVersion) return hello;
  hello.hash = reader.read<std::uint64_t>();
  hello.period = Duration(reader.read<std::int64_t>());
  hello.name = reader.read_text();
  hello.reads = read_signals(reader);
  hello.writes = read_signals(reader);
  if (reader.is_good() && !reader.ended_well()) hello.token = reader.read_text();
  if (!reader.ended_well()) return std::nullopt;
  return hello;
}

std::optional<Welcome> decode_welcome(std::span<const std::uint8_t> payload) {
  PayloadReader reader(payload);
  Welcome welcome;
  ConnectionSchema& schema = welcome.schema;
  welcome.version = reader.read<std::uint32_t>();
  if (reader.is_good() && welcome.version != kProtocolVersion) return welcome;
  welcome.hash = reader.read<std::uint64_t>();
  schema.period = Duration(reader.read<std::int64_t>());
  schema.step = Duration(reader.read<std::int64_t>());
  const auto mode = reader.read<std::uint16_t>();
  schema.mode = static_cast<ConnectionMode>(mode);
  schema.scenario = reader.read_text();
  schema.connection = reader.read_text();
  schema.reads = read_signals(reader);
  schema.writes = reader.read_list<WireCommand>([&] {
    WireCommand command;
    command.name = reader.read_text();
    command.unit = reader.read_text();
    command.initial = reader.read<double>();
    command.lower = reader.read<double>();
    command.upper = reader.read<double>();
    return command;
  });
  if (!reader.ended_well() || mode > static_cast<std::uint16_t>(ConnectionMode::kRealTime)) return std::nullopt;
  return welcome;
}

std::optional<Notice> decode_notice(std::span<const std::uint8_t> payload) {
  PayloadReader reader(payload);
  Notice notice;
  notice.code = static_cast<NoticeCode>(reader.read<std::uint16_t>());
  notice.sentence = reader.read_text();
  if (!reader.ended_well()) return std::nullopt;
  return notice;
}

/// Takes the same time wherever the texts differ, so that a token cannot be guessed byte by byte.
static bool is_same_secret(std::string_view a, std::string_view b) {
  std::size_t difference = a.size() ^ b.size();
  for (std::size_t i = 0; i < a.size(); ++i)
    difference |= static_cast<std::size_t>(a[i] ^ b[b.empty() ? 0 : i % b.size()]);
  return difference == 0;
}

std::optional<Notice> find_mismatch(const Hello& hello, const ConnectionSchema& schema,
                                    std::string_view token) {
  if (hello.version != kProtocolVersion) {
    return Notice{NoticeCode::kVersion, fmt::format("protocol version {} is not supported; expected version {}",
                                                    hello.version, kProtocolVersion)};
  }
  if (!token.empty() && !is_same_secret(token, hello.token)) {
    return Notice{NoticeCode::kToken,
                  hello.token.empty() ? "the connection needs a token" : "the token is wrong"};
  }
  std::vector<std::string> differences;
  if (hello.period != Duration(0) && hello.period != schema.period) {
    differences.push_back(fmt::format("requested period {}, but the connection exchanges every {}",
                                      in_milliseconds(hello.period), in_milliseconds(schema.period)));
  }
  find_differences(hello.reads, schema.reads, "read", differences);
  find_differences(hello.writes, schema.writes, "written", differences);
  const std::uint64_t hash = calc_schema_hash(schema);
  if (differences.empty() && hello.hash != 0 && hello.hash != hash) {
    differences.push_back(
        fmt::format("requested schema hash {}, but here it is {}: signals, units, limits, period, step or mode "
                    "have changed",
                    to_hex(hello.hash), to_hex(hash)));
  }
  if (differences.empty()) return std::nullopt;
  std::string sentence =
      fmt::format("connection '{}': {}", schema.connection,
                  fmt::join(std::span(differences).first(std::min(differences.size(), kMaxDifferences)), "; "));
  if (differences.size() > kMaxDifferences)
    sentence += fmt::format("; and {} more", differences.size() - kMaxDifferences);
  return Notice{NoticeCode::kDiffers, std::move(sentence)};
}

std::string find_schema_defect(const ConnectionSchema& schema, std::size_t max_message) {
  if (schema.reads.size() > kMaxCount || schema.writes.size() > kMaxCount) {
    return fmt::format("{} signals read and {} written; at most {} of each fit", schema.reads.size(),
                       schema.writes.size(), kMaxCount);
  }
  const std::size_t longest =
      std::max({encode_welcome(schema).size(), 8 * schema.reads.size(), 8 * schema.writes.size()});
  if (longest + kMessageOverhead <= max_message) return "";
  return fmt::format("{} signals read and {} written need a message of {} bytes; at most {} are possible",
                     schema.reads.size(), schema.writes.size(), longest + kMessageOverhead, max_message);
}

}  // namespace lockstep
