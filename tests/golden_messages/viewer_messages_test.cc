#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "serve/state_message.h"

/// State messages of the viewer protocol: the server writes the golden bytes from their meaning. The page reads them in
/// web/src/state_message.test.ts.
namespace lockstep::serve {
namespace {

using Json = nlohmann::json;

std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<float> floats(const Json& numbers) {
  return numbers.is_null() ? std::vector<float>{} : numbers.get<std::vector<float>>();
}

std::string encode(const Json& meaning) {
  ViewState state;
  state.scene = meaning["scene"];
  state.step = meaning["step"];
  state.time = meaning["time"];
  state.poses = floats(meaning["poses"]);
  state.joints = floats(meaning["joints"]);
  state.contacts = floats(meaning["contacts"]);
  state.rays = floats(meaning["rays"]);
  std::vector<double> rows;
  for (const Json& row : meaning["rows"]) rows.insert(rows.end(), row.begin(), row.end());
  StateContent content;
  content.poses = !meaning["poses"].is_null();
  content.contacts = !meaning["contacts"].is_null();
  content.rays = !meaning["rays"].is_null();
  content.signals = meaning["signals"];
  content.rows = rows;
  content.has_lost_rows = meaning["rows_lost"];
  return encode_state_message(state, content);
}

TEST(ViewerMessages, StatesAreTheGoldenBytes) {
  int count = 0;
  const std::filesystem::path folder = LOCKSTEP_SOURCE_DIR "/tests/golden_messages/viewer";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bin") continue;
    std::filesystem::path meaning = entry.path();
    meaning.replace_extension(".json");
    EXPECT_EQ(encode(Json::parse(read_bytes(meaning))), read_bytes(entry.path())) << meaning;
    ++count;
  }
  EXPECT_GE(count, 6);
}

}  // namespace
}  // namespace lockstep::serve
