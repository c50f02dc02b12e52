// Lockstep decodes and encodes the golden messages. Their meaning is in the JSON files, see README.md.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "connection/handshake.h"
#include "connection/message.h"

namespace lockstep {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kFolder = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "tests/golden_messages";

std::vector<std::uint8_t> read_bytes(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0.0 ? "inf" : "-inf";
  return value;
}

double number(const Json& json) {
  if (!json.is_string()) return json.get<double>();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  return json == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

Json to_json(const std::vector<WireSignal>& signals) {
  Json list = Json::array();
  for (const WireSignal& signal : signals) list.push_back({{"name", signal.name}, {"unit", signal.unit}});
  return list;
}

Json to_json(const std::vector<WireCommand>& commands) {
  Json list = Json::array();
  for (const WireCommand& each : commands) {
    list.push_back({{"name", each.name},
                    {"unit", each.unit},
                    {"initial", number(each.initial)},
                    {"lower", number(each.lower)},
                    {"upper", number(each.upper)}});
  }
  return list;
}

constexpr const char* kTypes[] = {"", "HELLO", "WELCOME", "MEASUREMENT", "COMMAND", "ERROR", "BYE"};

Json payload_to_json(const Message& message) {
  switch (message.type) {
    case MessageType::kHello: {
      const auto hello = decode_hello(message.payload);
      if (!hello) return nullptr;
      return {{"version", hello->version},       {"hash", to_hex(hello->hash)},
              {"period", hello->period.count()}, {"name", hello->name},
              {"reads", to_json(hello->reads)},  {"writes", to_json(hello->writes)}};
    }
    case MessageType::kWelcome: {
      const auto welcome = decode_welcome(message.payload);
      if (!welcome) return nullptr;
      const ConnectionSchema& schema = welcome->schema;
      EXPECT_EQ(welcome->hash, calc_schema_hash(schema));
      return {{"version", welcome->version},           {"hash", to_hex(welcome->hash)},
              {"period", schema.period.count()},       {"step", schema.step.count()},
              {"mode", static_cast<int>(schema.mode)}, {"scenario", schema.scenario},
              {"connection", schema.connection},       {"reads", to_json(schema.reads)},
              {"writes", to_json(schema.writes)}};
    }
    case MessageType::kMeasurement:
    case MessageType::kCommand: {
      if (message.payload.size() % 8 != 0) return nullptr;
      std::vector<double> values(message.payload.size() / 8);
      decode_numbers(message.payload, values);
      Json list = Json::array();
      for (const double value : values) list.push_back(number(value));
      return {{"values", list}};
    }
    case MessageType::kError:
    case MessageType::kBye: {
      const auto notice = decode_notice(message.payload);
      if (!notice) return nullptr;
      return {{"code", static_cast<int>(notice->code)}, {"sentence", notice->sentence}};
    }
  }
  return nullptr;
}

Json to_json(const Message& message) {
  return {{"type", kTypes[static_cast<int>(message.type)]},
          {"session", message.session},
          {"sequence", message.sequence},
          {"time", message.time.count()},
          {"payload", payload_to_json(message)}};
}

std::vector<WireSignal> signals_from(const Json& list) {
  std::vector<WireSignal> signals;
  for (const Json& each : list) signals.push_back({each["name"], each["unit"]});
  return signals;
}

std::vector<std::uint8_t> encode(const Json& message) {
  const Json& said = message["payload"];
  const std::string type = message["type"];
  std::vector<std::uint8_t> payload;
  if (type == "HELLO") {
    payload = encode_hello({.version = said["version"],
                            .hash = std::stoull(said["hash"].get<std::string>(), nullptr, 16),
                            .period = Duration(said["period"].get<std::int64_t>()),
                            .name = said["name"],
                            .reads = signals_from(said["reads"]),
                            .writes = signals_from(said["writes"])});
  } else if (type == "WELCOME") {
    ConnectionSchema schema{.scenario = said["scenario"],
                            .connection = said["connection"],
                            .period = Duration(said["period"].get<std::int64_t>()),
                            .step = Duration(said["step"].get<std::int64_t>()),
                            .mode = static_cast<ConnectionMode>(said["mode"].get<int>()),
                            .reads = signals_from(said["reads"])};
    for (const Json& each : said["writes"])
      schema.writes.push_back(
          {each["name"], each["unit"], number(each["initial"]), number(each["lower"]), number(each["upper"])});
    payload = encode_welcome(schema);
  } else if (type == "MEASUREMENT" || type == "COMMAND") {
    std::vector<double> values;
    for (const Json& each : said["values"]) values.push_back(number(each));
    payload.resize(8 * values.size());
    if (!values.empty()) std::memcpy(payload.data(), values.data(), payload.size());
  } else {
    payload = encode_notice({static_cast<NoticeCode>(said["code"].get<int>()), said["sentence"]});
  }
  const auto number_of = std::find(std::begin(kTypes), std::end(kTypes), type) - std::begin(kTypes);
  std::vector<std::uint8_t> bytes(payload.size() + kMessageOverhead);
  encode_message({.type = static_cast<MessageType>(number_of),
                  .session = message["session"],
                  .sequence = message["sequence"],
                  .time = Duration(message["time"].get<std::int64_t>()),
                  .payload = payload},
                 bytes);
  return bytes;
}

struct Golden {
  std::string name;
  std::vector<std::uint8_t> bytes;
  Json says;
};

std::vector<Golden> all_golden() {
  std::vector<Golden> all;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".bin") continue;
    std::filesystem::path json = entry.path();
    std::ifstream stream(json.replace_extension(".json"));
    all.push_back({entry.path().stem().string(), read_bytes(entry.path()), Json::parse(stream)});
  }
  EXPECT_GE(all.size(), 40u);
  return all;
}

/// Decodes bytes that arrive in pieces of a given size.
void expect_as_said(const Golden& golden, std::size_t piece) {
  MessageReader reader(MessageReader::Mode::kStream);
  Json messages = Json::array();
  for (std::size_t at = 0; at < golden.bytes.size(); at += piece) {
    const std::size_t count = std::min(piece, golden.bytes.size() - at);
    std::memcpy(reader.space().data(), golden.bytes.data() + at, count);
    reader.received(count);
    Message message;
    while (reader.next(message)) messages.push_back(to_json(message));
  }
  Json expected = golden.says["messages"];
  // For another version only the version is decoded.
  for (Json& message : expected) {
    if (message["type"] == "HELLO" && !message["payload"].is_null() && message["payload"]["version"] != 1)
      message["payload"].update({{"hash", to_hex(0)}, {"name", ""}});
  }
  EXPECT_EQ(messages, expected) << golden.name;
  EXPECT_EQ(reader.bad(), golden.says["bad"].get<std::int64_t>()) << golden.name << " in pieces of " << piece;
  EXPECT_EQ(reader.is_incomplete(), golden.says["incomplete"].get<bool>()) << golden.name;
}

TEST(GoldenMessages, AreDecodedFromAStreamInPiecesOfAnySize) {
  for (const Golden& golden : all_golden()) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}})
      expect_as_said(golden, piece);
  }
}

TEST(GoldenMessages, AreGoodOrBadAsADatagram) {
  for (const Golden& golden : all_golden()) {
    MessageReader reader(MessageReader::Mode::kBoundaries);
    std::memcpy(reader.space().data(), golden.bytes.data(), golden.bytes.size());
    reader.received(golden.bytes.size());
    Message message;
    const bool is_good = reader.next(message);
    EXPECT_EQ(is_good ? "good" : "bad", golden.says["message"].get<std::string>()) << golden.name;
    EXPECT_EQ(reader.bad(), is_good ? 0 : 1) << golden.name;
  }
}

TEST(GoldenMessages, AreEncodedToTheSameBytes) {
  int written = 0;
  for (const Golden& golden : all_golden()) {
    const Json& messages = golden.says["messages"];
    if (messages.size() != 1 || messages[0]["payload"].is_null() || golden.says["bad"] != 0) continue;
    EXPECT_EQ(encode(messages[0]), golden.bytes) << golden.name;
    ++written;
  }
  EXPECT_GE(written, 15);
}

}  // namespace
}  // namespace lockstep
