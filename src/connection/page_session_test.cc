// The session of docs/protocol.md, byte by byte: what the page says the controller sends is sent, and what it says
// the simulation sends must arrive.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "connection/remote_controller.h"
#include "connection/wire_peer_testing.h"

namespace lockstep {
namespace {

struct PageMessage {
  std::string name;  ///< of the golden message
  std::vector<std::uint8_t> bytes;
};

/// The code blocks of the example: lines of bytes, two blanks or more, and what they are.
std::vector<PageMessage> read_page() {
  std::ifstream stream(std::string(LOCKSTEP_SOURCE_DIR) + "/docs/protocol.md");
  std::vector<PageMessage> messages;
  bool is_example = false, is_block = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("## ")) is_example = line == "## Example";
    if (!is_example) continue;
    if (const auto end = line.find(".bin`)"); end != std::string::npos) {
      const auto begin = line.rfind('`', end);
      messages.push_back({line.substr(begin + 1, end - begin - 1), {}});
    } else if (line.starts_with("```")) {
      is_block = !is_block;
    } else if (is_block) {
      std::istringstream digits(line.substr(0, line.find("  ")));
      for (std::string digit; digits >> digit;)
        messages.back().bytes.push_back(static_cast<std::uint8_t>(std::stoi(digit, nullptr, 16)));
    }
  }
  return messages;
}

class PageSession : public WirePeerTest {};

TEST_P(PageSession, HasTheBytesOfThePage) {
  const std::vector<PageMessage> page = read_page();
  ASSERT_EQ(page.size(), 7u);
  Message first;
  ASSERT_EQ(decode_message(page[1].bytes, first), MessageVerdict::kGood);
  const auto welcome = decode_welcome(first.payload);
  ASSERT_TRUE(welcome);
  WirePeerConfig config{.schema = welcome->schema, .address = address(), .timeout = std::chrono::seconds(30)};
  config.first_session = first.session;
  RemoteController::Signals signals{
      .reads = {Slot{0}, Slot{1}}, .writes = {Slot{2}}, .initial = {0.0}, .ranges = {}, .health = {}};
  for (std::size_t i = 0; i < signals.health.size(); ++i) signals.health[i] = Slot{3 + i};
  RemoteController controller("arm/plc", signals,
                              {.timing = {.timeout = config.timeout, .connect_timeout = config.timeout},
                               .every = config.schema.period / config.schema.step,
                               .step = config.schema.step,
                               .cancelled = {}},
                              std::make_unique<WirePeer>(config));
  ASSERT_EQ(controller.open(), "");

  std::jthread other([&, address = controller.address()] {
    WireClient client(address);
    ASSERT_TRUE(client.connect()) << client.error();
    const auto expect = [&](const PageMessage& said) {
      Message message;
      while (!client.reader().next(message)) {
        std::size_t count = 0;
        const auto deadline = std::chrono::steady_clock::now() + WireClient::kPatience;
        ASSERT_EQ(client.channel().receive(client.reader().space(), count, deadline), Channel::Result::kDone);
        client.reader().received(count);
      }
      EXPECT_EQ(std::vector<std::uint8_t>(message.bytes.begin(), message.bytes.end()), said.bytes) << said.name;
    };
    for (const PageMessage& said : page) {
      const bool is_ours = said.name.starts_with("hello") || said.name.starts_with("command");
      if (is_ours) {
        client.say_bytes(said.bytes);
      } else {
        expect(said);
      }
    }
  });
  std::vector<double> row(3 + signals.health.size());
  // The signals and the commands that the page names.
  const std::vector<std::array<double, 3>> exchanges = {{0.25, -1.5, -0.75},
                                                        {0.2470703125, -1.4375, -0.7412109375}};
  for (std::int64_t i = 0; i < 2; ++i) {
    const auto& [angle, speed, torque] = exchanges[static_cast<std::size_t>(i)];
    row[0] = angle;
    row[1] = speed;
    const std::int64_t step = i * (config.schema.period / config.schema.step);
    EXPECT_TRUE(controller.exchange({step, config.schema.period * i, 0.0}, Row(row)).ok());
    EXPECT_EQ(row[2], torque);
  }
  controller.close();
}

INSTANTIATE_TEST_SUITE_P(Transports, PageSession, all_transports(), transport_name);

}  // namespace
}  // namespace lockstep
