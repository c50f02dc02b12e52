#include "sensors/camera.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <thread>

#include "assemble/simulation_testing.h"
#include "sensors/channel_file.h"

namespace lockstep {
namespace {

constexpr int kWidth = 320;
constexpr int kHeight = 240;
constexpr double kAngle = 60.0 * std::numbers::pi / 180.0;
const double kFocal = kWidth / 2.0 / std::tan(kAngle / 2.0);  // pixels
constexpr double kOnePixel = 1.0;

constexpr const char* kChannels = R"(
  <channel hue_from="165" hue_to="15" saturation_from="127" value_from="100"/>
  <channel hue_from="45" hue_to="75" saturation_from="127" value_from="100"/>
  <channel hue_from="105" hue_to="135" saturation_from="127" value_from="100"/>)";

/// A camera at the origin that looks along x, and objects around it.
std::string seen_by(const std::string& objects, const std::string& attributes = "",
                    const std::string& mount = "") {
  return fmt::format(R"({}<robot name="r"><link name="base"><site name="eye" {}/></link>
    <sensors><camera name="camera" site="eye" period="10 ms" width="{}" height="{}" field_of_view="60 deg" {}>{}
    </camera></sensors></robot>)",
                     objects, mount, kWidth, kHeight, attributes, kChannels);
}

std::string ball(const std::string& name, const Vec3& at, double radius, const std::string& color) {
  return fmt::format(
      "<object name='{}' static='true' position='{} {} {}'><sphere radius='{}' color='{}'/></object>", name,
      at.x(), at.y(), at.z(), radius, color);
}

double read_blob(const Simulation& simulation, int channel, int blob, const char* quantity) {
  return read_signal(simulation, fmt::format("r/camera/channel{}/blob{}/{}", channel, blob, quantity));
}

/// Centre of the ellipse that is the image of a ball, and its area, in pixels. The cone that touches the ball meets the
/// image plane at tan(a ± b) on the axis of the ellipse that points to the centre, with a = angle to the ball and
/// sin b = radius / distance.
struct Projected {
  double x = 0.0;
  double y = 0.0;
  double area = 0.0;
};
Projected project_ball(const Vec3& at, double radius) {
  const double distance = at.norm(), b = std::asin(radius / distance);
  const double off_axis = std::hypot(at.y(), at.z());
  const double a = std::atan2(off_axis, at.x());
  const double near = std::tan(a - b), far = std::tan(a + b);
  const double centre = (near + far) / 2.0, major = (far - near) / 2.0;
  const double minor = std::sin(b) / std::sqrt(std::cos(a + b) * std::cos(a - b));
  const double right = off_axis > 0.0 ? -at.y() / off_axis : 0.0, up = off_axis > 0.0 ? at.z() / off_axis : 0.0;
  return {.x = kWidth / 2.0 + kFocal * centre * right,
          .y = kHeight / 2.0 - kFocal * centre * up,
          .area = std::numbers::pi * major * minor * kFocal * kFocal};
}

TEST(Camera, SeesBallsWhereThePinholeProjectionPutsThem) {
  const std::vector<std::pair<Vec3, std::string>> balls = {
      {{1.0, 0.3, 0.2}, "#e01010"}, {{1.5, -0.6, -0.3}, "#10c010"}, {{0.8, 0.0, -0.2}, "#1010e0"}};
  std::string objects;
  for (std::size_t i = 0; i < balls.size(); ++i)
    objects += ball(fmt::format("ball{}", i), balls[i].first, 0.1, balls[i].second);
  Simulation simulation = simulate(seen_by(objects));
  run_to(simulation, 0.0);
  for (int i = 0; i < 3; ++i) {
    const Projected expected = project_ball(balls[static_cast<std::size_t>(i)].first, 0.1);
    EXPECT_EQ(read_signal(simulation, fmt::format("r/camera/channel{}/count", i)), 1.0) << i;
    EXPECT_NEAR(read_blob(simulation, i, 0, "x"), expected.x, kOnePixel) << i;
    EXPECT_NEAR(read_blob(simulation, i, 0, "y"), expected.y, kOnePixel) << i;
    EXPECT_NEAR(read_blob(simulation, i, 0, "area"), expected.area, 0.02 * expected.area) << i;
  }
  // The axes of the third ellipse are those of the image, so it fills pi / 4 of its box.
  EXPECT_NEAR(read_blob(simulation, 2, 0, "confidence"), std::numbers::pi / 4.0, 0.03);
}

TEST(Camera, SeesTheFaceOfABoxWithinAPixelOnEachSide) {
  // The face towards the camera is 1 m away, 0.4 m wide and 0.2 m high, and hides the rest.
  Simulation simulation =
      simulate(seen_by("<object name='box' static='true' position='1.05 0 0'><box size='0.1 0.4 0.2' "
                       "color='#10c010'/></object>"));
  run_to(simulation, 0.0);
  EXPECT_NEAR(read_blob(simulation, 1, 0, "left"), kWidth / 2.0 - 0.2 * kFocal, kOnePixel);
  EXPECT_NEAR(read_blob(simulation, 1, 0, "top"), kHeight / 2.0 - 0.1 * kFocal, kOnePixel);
  EXPECT_NEAR(read_blob(simulation, 1, 0, "width"), 0.4 * kFocal, kOnePixel);
  EXPECT_NEAR(read_blob(simulation, 1, 0, "height"), 0.2 * kFocal, kOnePixel);
  EXPECT_NEAR(read_blob(simulation, 1, 0, "area"), 0.08 * kFocal * kFocal, 0.02 * 0.08 * kFocal * kFocal);
  EXPECT_EQ(read_blob(simulation, 1, 0, "confidence"), 1.0);
}

TEST(Camera, LooksAlongTheSite) {
  // Turned left by 90 degrees and down by 45: the ball is in the middle.
  Simulation simulation =
      simulate(seen_by(ball("ball", {0.0, 1.0, -1.0}, 0.1, "#e01010"), "", "rpy='0 45 90 deg'"));
  run_to(simulation, 0.0);
  EXPECT_NEAR(read_blob(simulation, 0, 0, "x"), kWidth / 2.0, kOnePixel);
  EXPECT_NEAR(read_blob(simulation, 0, 0, "y"), kHeight / 2.0, kOnePixel);
}

TEST(Camera, OrdersBlobsByAreaAndCountsThoseWithoutSignals) {
  std::string objects;
  for (int i = 0; i < 3; ++i)
    objects += ball(fmt::format("ball{}", i), {1.0, 0.3 * (i - 1), 0.0}, 0.05 + 0.02 * i, "#e01010");
  Simulation simulation = simulate(seen_by(objects, "blobs='2'"));
  run_to(simulation, 0.0);
  EXPECT_EQ(read_signal(simulation, "r/camera/channel0/count"), 3.0);
  EXPECT_NEAR(read_blob(simulation, 0, 0, "x"), project_ball({1.0, 0.3, 0.0}, 0.09).x, kOnePixel);
  EXPECT_NEAR(read_blob(simulation, 0, 1, "x"), project_ball({1.0, 0.0, 0.0}, 0.07).x, kOnePixel);
}

TEST(Camera, AnObjectBehindAnotherIsHidden) {
  Simulation simulation = simulate(
      seen_by(ball("near", {1.0, 0.0, 0.0}, 0.2, "#808080") + ball("far", {2.0, 0.0, 0.0}, 0.2, "#e01010")));
  run_to(simulation, 0.0);
  EXPECT_EQ(read_signal(simulation, "r/camera/channel0/count"), 0.0);
  EXPECT_EQ(read_blob(simulation, 0, 0, "area"), 0.0);
}

TEST(Camera, TakesAnImageEveryPeriod) {
  Simulation simulation = simulate(seen_by(ball("ball", {1.0, 0.0, 0.0}, 0.1, "#e01010")));
  run_to(simulation, 0.0);
  EXPECT_EQ(read_signal(simulation, "r/camera/frame"), 1.0);
  run_to(simulation, 0.009);
  EXPECT_EQ(read_signal(simulation, "r/camera/frame"), 1.0);
  run_to(simulation, 0.050);
  EXPECT_EQ(read_signal(simulation, "r/camera/frame"), 6.0);
  ASSERT_EQ(simulation.images().size(), 1u);
  EXPECT_EQ(simulation.images()[0].first, "r/camera");
  EXPECT_EQ(simulation.images()[0].second.rgb.size(), std::size_t{3 * kWidth * kHeight});
}

TEST(Camera, TakesImagesOnlyWhileItIsEnabled) {
  Simulation simulation = simulate(seen_by(ball("ball", {1.0, 0.0, 0.0}, 0.1, "#e01010"), "enabled='false'"));
  run_to(simulation, 0.015);
  EXPECT_EQ(read_signal(simulation, "r/camera/frame"), 0.0);
  EXPECT_TRUE(simulation.images().empty());
  const auto enabled = simulation.signals().find("r/camera/enabled");
  ASSERT_TRUE(simulation.post({simulation.now().step, 0, SetSignal{*enabled, 1.0}}).ok());
  run_to(simulation, 0.030);
  EXPECT_EQ(read_signal(simulation, "r/camera/frame"), 2.0);  // at 20 and 30 ms
}

TEST(Camera, ChannelsFollowTheirCommands) {
  Simulation simulation = simulate(seen_by(ball("ball", {1.0, 0.0, 0.0}, 0.1, "#e01010")));
  run_to(simulation, 0.0);
  EXPECT_EQ(read_signal(simulation, "r/camera/channel1/count"), 0.0);
  for (const auto& [bound, value] : {std::pair{"hue_from", 165.0}, std::pair{"hue_to", 15.0}}) {
    const auto slot = simulation.signals().find(fmt::format("r/camera/channel1/{}", bound));
    ASSERT_TRUE(slot.has_value());
    ASSERT_TRUE(simulation.post({simulation.now().step, 0, SetSignal{*slot, value}}).ok());
  }
  run_to(simulation, 0.02);
  EXPECT_EQ(read_signal(simulation, "r/camera/channel1/count"), 1.0);
}

std::string falling_and_noisy() {
  return seen_by("<object name='ball' position='1 0 0.1'><sphere radius='0.1' color='#e01010'/></object>",
                 "noise='12'");
}

TEST(Camera, ContinuesFromASnapshotBitForBit) {
  Simulation whole = simulate(falling_and_noisy());
  run_to(whole, 0.035);
  StateWriter writer;
  whole.save(writer);
  const std::vector<std::uint8_t> state(writer.bytes().begin(), writer.bytes().end());
  run_to(whole, 0.1);
  Simulation rest = simulate(falling_and_noisy());
  rest.restore(state);
  EXPECT_TRUE(rest.images().empty());
  run_to(rest, 0.1);
  EXPECT_EQ(rest.hash(), whole.hash());
}

TEST(Camera, NoiseHasItsStandardDeviation) {
  const auto bytes_with = [](const std::string& noise) {
    Simulation simulation = simulate(seen_by(ball("wall", {5.0, 0.0, 0.0}, 4.0, "#808080"), noise));
    run_to(simulation, 0.0);
    const std::span<const std::uint8_t> rgb = simulation.images()[0].second.rgb;
    return std::vector<std::uint8_t>(rgb.begin(), rgb.end());
  };
  const std::vector<std::uint8_t> clean = bytes_with(""), noisy = bytes_with("noise='5'");
  double squares = 0.0;
  for (std::size_t i = 0; i < clean.size(); ++i) {
    const double difference = static_cast<double>(noisy[i]) - clean[i];
    squares += difference * difference;
  }
  // Rounding adds 1/12; 230,400 samples have a standard error of 0.15 %.
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(clean.size())), std::sqrt(25.0 + 1.0 / 12.0), 0.05);
}

TEST(CameraThreads, GivesTheSameStateInOtherThreads) {
  std::array<std::uint64_t, 3> hashes{};
  const auto run = [](std::uint64_t& hash) {
    Simulation simulation = simulate(falling_and_noisy());
    EXPECT_TRUE(simulation.run(60).ok());
    hash = simulation.hash();
  };
  run(hashes[0]);
  std::thread one(run, std::ref(hashes[1])), other(run, std::ref(hashes[2]));
  one.join();
  other.join();
  EXPECT_EQ(hashes[1], hashes[0]);
  EXPECT_EQ(hashes[2], hashes[0]);
}

TEST(CameraThreads, IsAssembledInOneThreadAndStepsInAnother) {
  Simulation simulation = simulate(falling_and_noisy());
  std::thread([&] { EXPECT_TRUE(simulation.run(30).ok()); }).join();
  EXPECT_TRUE(simulation.run(30).ok());
  EXPECT_EQ(read_signal(simulation, "r/camera/frame"), 6.0);
}

TEST(Camera, NeedsAPeriodAndAPlace) {
  EXPECT_EQ(errors_of_text("<scenario name='s'>\n<robot name='r'><link name='l'/><sensors>\n"
                           "<camera name='c' body='l'/></sensors></robot></scenario>"),
            "s.xml:3:1: error: <camera> 'r/c': has no period; expected the time between two images, such as "
            "period=\"66 ms\"\n");
  EXPECT_EQ(errors_of_text("<scenario name='s' step='1 ms'>\n<sensors>\n"
                           "<camera name='c' period='1 s'/></sensors></scenario>"),
            "s.xml:3:1: error: <camera> 'c': needs a 'site' or a 'body'\n");
}

TEST(ChannelFile, HasRangesOfEachChannel) {
  const std::vector<HsvRange> channels = read_channel_file(
      "camera/num_channels: 2\r\ncamera/channel_0/type: hsv\ncamera/channel_0/th: 15\ncamera/channel_0/bh: "
      "165\n"
      "camera/channel_0/bs: 127\n\nother: 3\ncamera/channel_1/type: hsv\ncamera/channel_1/tv: 200\n",
      "game.conf");
  ASSERT_EQ(channels.size(), 2u);
  EXPECT_EQ(channels[0].hue_from, 165.0);
  EXPECT_EQ(channels[0].hue_to, 15.0);
  EXPECT_EQ(channels[0].saturation_from, 127.0);
  EXPECT_EQ(channels[1].value_to, 200.0);
}

TEST(ChannelFile, ErrorsHaveTheirLine) {
  const auto error_of = [](const char* text) -> std::string {
    try {
      (void)read_channel_file(text, "game.conf");
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of("camera/num_channels: 1\ncamera/channel_0/th: 180\n"),
            "game.conf:2:1: error: channel configuration: '180' is not a number from 0 to 179\n");
  EXPECT_EQ(error_of("camera/num_channels: 99\n"),
            "game.conf:1:1: error: channel configuration: '99' is not a number from 0 to 16\n");
  EXPECT_EQ(error_of("camera/num_channels: 1\ncamera/channel_0/type: qr\n"),
            "game.conf:2:1: error: channel configuration: channel 0 has the type 'qr'; expected hsv\n");
  EXPECT_EQ(error_of("camera/num_channels: nan\n"),
            "game.conf:1:1: error: channel configuration: 'nan' is not a number from 0 to 16\n");
  EXPECT_NE(error_of(""), "");
}

}  // namespace
}  // namespace lockstep
