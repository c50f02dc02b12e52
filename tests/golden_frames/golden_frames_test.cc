// The golden frames as Lockstep reads and writes them. Their meaning is in the JSON files; README.md says how.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "connection/frame.h"
#include "connection/handshake.h"

namespace lockstep {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kFolder = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "tests/golden_frames";

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

Json payload_to_json(const Frame& frame) {
  switch (frame.type) {
    case FrameType::kHello: {
      const auto hello = decode_hello(frame.payload);
      if (!hello) return nullptr;
      return {{"version", hello->version},       {"hash", to_hex(hello->hash)},
              {"period", hello->period.count()}, {"name", hello->name},
              {"reads", to_json(hello->reads)},  {"writes", to_json(hello->writes)}};
    }
    case FrameType::kWelcome: {
      const auto welcome = decode_welcome(frame.payload);
      if (!welcome) return nullptr;
      const LinkSchema& schema = welcome->schema;
      EXPECT_EQ(welcome->hash, calc_schema_hash(schema));
      return {{"version", welcome->version},
              {"hash", to_hex(welcome->hash)},
              {"period", schema.period.count()},
              {"step", schema.step.count()},
              {"mode", static_cast<int>(schema.mode)},
              {"scenario", schema.scenario},
              {"link", schema.link},
              {"reads", to_json(schema.reads)},
              {"writes", to_json(schema.writes)}};
    }
    case FrameType::kMeasurement:
    case FrameType::kCommand: {
      if (frame.payload.size() % 8 != 0) return nullptr;
      std::vector<double> values(frame.payload.size() / 8);
      decode_numbers(frame.payload, values);
      Json list = Json::array();
      for (const double value : values) list.push_back(number(value));
      return {{"values", list}};
    }
    case FrameType::kError:
    case FrameType::kBye: {
      const auto notice = decode_notice(frame.payload);
      if (!notice) return nullptr;
      return {{"code", static_cast<int>(notice->code)}, {"sentence", notice->sentence}};
    }
  }
  return nullptr;
}

Json to_json(const Frame& frame) {
  return {{"type", kTypes[static_cast<int>(frame.type)]},
          {"sequence", frame.sequence},
          {"time", frame.time.count()},
          {"payload", payload_to_json(frame)}};
}

std::vector<WireSignal> signals_from(const Json& list) {
  std::vector<WireSignal> signals;
  for (const Json& each : list) signals.push_back({each["name"], each["unit"]});
  return signals;
}

std::vector<std::uint8_t> encode(const Json& frame) {
  const Json& said = frame["payload"];
  const std::string type = frame["type"];
  std::vector<std::uint8_t> payload;
  if (type == "HELLO") {
    payload = encode_hello({.version = said["version"],
                            .hash = std::stoull(said["hash"].get<std::string>(), nullptr, 16),
                            .period = Duration(said["period"].get<std::int64_t>()),
                            .name = said["name"],
                            .reads = signals_from(said["reads"]),
                            .writes = signals_from(said["writes"])});
  } else if (type == "WELCOME") {
    LinkSchema schema{.scenario = said["scenario"],
                      .link = said["link"],
                      .period = Duration(said["period"].get<std::int64_t>()),
                      .step = Duration(said["step"].get<std::int64_t>()),
                      .mode = static_cast<LinkMode>(said["mode"].get<int>()),
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
  std::vector<std::uint8_t> bytes(payload.size() + kFrameOverhead);
  encode_frame({.type = static_cast<FrameType>(number_of),
                .sequence = frame["sequence"],
                .time = Duration(frame["time"].get<std::int64_t>()),
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

/// What a reader makes of bytes that come in pieces of a size.
void expect_as_said(const Golden& golden, std::size_t piece) {
  FrameReader reader(FrameReader::Mode::kStream);
  Json frames = Json::array();
  for (std::size_t at = 0; at < golden.bytes.size(); at += piece) {
    const std::size_t count = std::min(piece, golden.bytes.size() - at);
    std::memcpy(reader.space().data(), golden.bytes.data() + at, count);
    reader.received(count);
    Frame frame;
    while (reader.next(frame)) frames.push_back(to_json(frame));
  }
  Json expected = golden.says["frames"];
  // Of another version than ours only the version is read.
  for (Json& frame : expected) {
    if (frame["type"] == "HELLO" && !frame["payload"].is_null() && frame["payload"]["version"] != 1)
      frame["payload"].update({{"hash", to_hex(0)}, {"name", ""}});
  }
  EXPECT_EQ(frames, expected) << golden.name;
  EXPECT_EQ(reader.bad(), golden.says["bad"].get<std::int64_t>()) << golden.name << " in pieces of " << piece;
  EXPECT_EQ(reader.is_incomplete(), golden.says["incomplete"].get<bool>()) << golden.name;
}

TEST(GoldenFrames, MeanOnAStreamWhatIsSaidInWhateverPieces) {
  for (const Golden& golden : all_golden()) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}})
      expect_as_said(golden, piece);
  }
}

TEST(GoldenFrames, AreGoodOrBadAsADatagramAsIsSaid) {
  for (const Golden& golden : all_golden()) {
    FrameReader reader(FrameReader::Mode::kMessages);
    std::memcpy(reader.space().data(), golden.bytes.data(), golden.bytes.size());
    reader.received(golden.bytes.size());
    Frame frame;
    const bool is_good = reader.next(frame);
    EXPECT_EQ(is_good ? "good" : "bad", golden.says["message"].get<std::string>()) << golden.name;
    EXPECT_EQ(reader.bad(), is_good ? 0 : 1) << golden.name;
  }
}

TEST(GoldenFrames, AreWrittenToTheSameBytes) {
  int written = 0;
  for (const Golden& golden : all_golden()) {
    const Json& frames = golden.says["frames"];
    if (frames.size() != 1 || frames[0]["payload"].is_null() || golden.says["bad"] != 0) continue;
    EXPECT_EQ(encode(frames[0]), golden.bytes) << golden.name;
    ++written;
  }
  EXPECT_GE(written, 15);
}

}  // namespace
}  // namespace lockstep
