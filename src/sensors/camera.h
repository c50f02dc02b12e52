#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"
#include "physics/camera_view.h"
#include "sensors/mount.h"
#include "vision/blobs.h"

namespace lockstep {

class BuildContext;

/// The colors of a channel at first.
struct ChannelConfig {
  HsvRange range;
};

template <class V>
void describe(V& v, ChannelConfig& c) {
  constexpr double kMaxHue = 179.0, kMaxByte = 255.0;
  v.number(
      "hue_from", c.range.hue_from,
      {.min = 0.0, .max = kMaxHue, .doc = "Lowest hue, in units of 2 degrees: 0 is red, 60 green, 120 blue."});
  v.number("hue_to", c.range.hue_to,
           {.min = 0.0, .max = kMaxHue, .doc = "Highest hue. Below hue_from, the range goes through 0."});
  v.number("saturation_from", c.range.saturation_from, {.min = 0.0, .max = kMaxByte, .doc = "0 is grey."});
  v.number("saturation_to", c.range.saturation_to,
           {.min = 0.0, .max = kMaxByte, .doc = "255 is a pure color."});
  v.number("value_from", c.range.value_from, {.min = 0.0, .max = kMaxByte, .doc = "0 is black."});
  v.number("value_to", c.range.value_to, {.min = 0.0, .max = kMaxByte, .doc = "255 is the brightest."});
}

struct CameraConfig {
  MountConfig mount;
  std::int64_t width = 160;
  std::int64_t height = 120;
  double field_of_view = 0.9773843811168246;  // 56 deg
  double noise = 0.0;
  std::int64_t blobs = 4;
  bool enabled = true;
  std::string src;
  std::vector<ChannelConfig> channels;
};

template <class V>
void describe(V& v, CameraConfig& c) {
  describe(v, c.mount);
  v.integer("width", c.width, {.min = 16, .max = 1920, .doc = "Pixels."});
  v.integer("height", c.height, {.min = 16, .max = 1080, .doc = "Pixels."});
  v.number(
      "field_of_view", c.field_of_view,
      {.unit = "rad", .min = 0.01, .max = 2.8, .doc = "Horizontal angle of the image; pixels are square."});
  v.number("noise", c.noise,
           {.min = 0.0,
            .max = 255.0,
            .doc = "Standard deviation of Gaussian noise in each of the red, green and blue bytes."});
  v.integer("blobs", c.blobs,
            {.min = 1, .max = 16, .doc = "Blobs per channel that have signals, largest first."});
  v.flag("enabled", c.enabled,
         {.doc = "Whether it takes images from the start on; its command 'enabled' switches it on and off."});
  v.text("src", c.src,
         {.doc = "Channel configuration file of a Botball controller, instead of <channel> elements."});
  v.children("channel", c.channels, {.doc = "Colors to track: pixels in this range are grouped into blobs."});
}

/// Camera that looks along +x of its frame, with y to the left and z up (physics/camera_view.h), and tracks blobs of
/// colors: for each channel their number, and box, centroid, area and confidence of the largest.
class Camera final : public Sensor {
 public:
  struct BlobSlots {
    Slot left, top, width, height, x, y, area, confidence;
  };
  struct Channel {
    std::array<Slot, 6> bounds{};  ///< commands, in the order of HsvRange
    Slot count{};
    std::vector<BlobSlots> blobs;
  };
  struct Settings {
    CameraOptics optics;
    double noise = 0.0;
    Slot enabled{};  ///< command
    Slot frame{};
    std::vector<Channel> channels;
  };

  Camera(const Mount& mount, std::unique_ptr<CameraView> view, Settings settings, Random random)
      : mount_(mount), view_(std::move(view)), settings_(std::move(settings)), random_(random) {}

  void sense(const World& world, const Instant&, Row row) override;
  std::optional<SensorImage> image() const override;
  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  void add_noise();

  Mount mount_;
  std::unique_ptr<CameraView> view_;
  Settings settings_;
  Random random_;
  std::int64_t frames_ = 0;
  BlobFinder finder_;
  std::vector<std::uint8_t> rgb_;  // of the last image, for viewers; empty if there is none
};

std::unique_ptr<Sensor> make_camera(const CameraConfig& config, BuildContext& context);

}  // namespace lockstep
