#include "sensors/camera.h"

#include <algorithm>
#include <cmath>

#include "device/context.h"
#include "sensors/channel_file.h"

namespace lockstep {
namespace {

constexpr std::array<const char*, 6> kBoundNames = {"hue_from",      "hue_to",     "saturation_from",
                                                    "saturation_to", "value_from", "value_to"};

std::array<double, 6> bounds_of(const HsvRange& range) {
  return {range.hue_from,      range.hue_to,     range.saturation_from,
          range.saturation_to, range.value_from, range.value_to};
}

/// The signals of one channel.
class ChannelSignals {
 public:
  ChannelSignals(std::size_t channel, BuildContext& context)
      : prefix_(fmt::format("channel{}/", channel)), context_(context) {}

  std::optional<Camera::Channel> add(const HsvRange& range, std::int64_t blobs) {
    Camera::Channel made;
    const std::array<double, 6> initial = bounds_of(range);
    for (std::size_t i = 0; i < initial.size(); ++i)
      made.bounds[i] = add(kBoundNames[i], SignalRole::kCommand, initial[i]);
    made.count = add("count");
    for (std::int64_t i = 0; i < blobs; ++i) {
      const auto of_blob = [&](const char* quantity) { return add(fmt::format("blob{}/{}", i, quantity)); };
      made.blobs.push_back({.left = of_blob("left"),
                            .top = of_blob("top"),
                            .width = of_blob("width"),
                            .height = of_blob("height"),
                            .x = of_blob("x"),
                            .y = of_blob("y"),
                            .area = of_blob("area"),
                            .confidence = of_blob("confidence")});
    }
    if (has_failed_) return std::nullopt;
    return made;
  }

 private:
  Slot add(const std::string& quantity, SignalRole role = SignalRole::kMeasurement, double initial = 0.0) {
    const auto slot = context_.add_signal(prefix_ + quantity, "", role, initial);
    has_failed_ |= !slot;
    return slot.value_or(Slot{});
  }

  std::string prefix_;
  BuildContext& context_;
  bool has_failed_ = false;
};

std::vector<HsvRange> find_channels(const CameraConfig& config, BuildContext& context) {
  std::vector<HsvRange> channels;
  for (const ChannelConfig& channel : config.channels) channels.push_back(channel.range);
  if (!config.src.empty()) {
    const std::vector<std::uint8_t> bytes = context.load_file(config.src);
    channels = read_channel_file({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, config.src);
  }
  return channels;
}

bool check(const CameraConfig& config, BuildContext& context) {
  if (context.element().find_attribute("period") == nullptr) {
    context.error_at("period", "has no period; expected the time between two images, such as period=\"66 ms\"");
    return false;
  }
  if (!config.src.empty() && !config.channels.empty()) {
    context.error_at("src", "channels come from the file or from <channel> elements; remove one of them");
    return false;
  }
  if (config.channels.size() > kMaxChannels) {
    context.error_at("name", "has {} channels; expected at most {}", config.channels.size(), kMaxChannels);
    return false;
  }
  return true;
}

}  // namespace

void Camera::sense(const World& world, const Instant&, Row row) {
  if (row[settings_.enabled] < 0.5) return;  // an image takes longer than many steps
  view_->draw(world, mount_.pose(world), rgb_);
  if (settings_.noise > 0.0) add_noise();
  row[settings_.frame] = static_cast<double>(++frames_);
  if (settings_.channels.empty()) return;
  finder_.look_at({settings_.optics.width, settings_.optics.height, rgb_});
  for (const Channel& channel : settings_.channels) {
    const auto bound = [&](std::size_t i) { return row[channel.bounds[i]]; };
    const std::vector<Blob> found = finder_.find({.hue_from = bound(0),
                                                  .hue_to = bound(1),
                                                  .saturation_from = bound(2),
                                                  .saturation_to = bound(3),
                                                  .value_from = bound(4),
                                                  .value_to = bound(5)});
    row[channel.count] = static_cast<double>(found.size());
    for (std::size_t i = 0; i < channel.blobs.size(); ++i) {
      const bool is_there = i < found.size();
      const Blob blob = is_there ? found[i] : Blob{};
      const BlobSlots& slots = channel.blobs[i];
      row[slots.left] = blob.left;
      row[slots.top] = blob.top;
      row[slots.width] = blob.width;
      row[slots.height] = blob.height;
      row[slots.x] = blob.x;
      row[slots.y] = blob.y;
      row[slots.area] = blob.area;
      row[slots.confidence] = is_there ? blob.confidence() : 0.0;
    }
  }
}

void Camera::add_noise() {
  for (std::uint8_t& byte : rgb_) {
    const double noisy = std::round(byte + settings_.noise * random_.normal());
    byte = static_cast<std::uint8_t>(std::clamp(noisy, 0.0, 255.0));
  }
}

std::optional<SensorImage> Camera::image() const {
  if (rgb_.empty()) return std::nullopt;
  return SensorImage{settings_.optics.width, settings_.optics.height, rgb_};
}

void Camera::save(StateWriter& writer) const {
  writer.write(frames_);
  if (settings_.noise > 0.0) random_.save(writer);
}

void Camera::restore(StateReader& reader) {
  frames_ = reader.read<std::int64_t>();
  if (settings_.noise > 0.0) random_.restore(reader);
  rgb_.clear();  // it is of another instant
}

std::unique_ptr<Sensor> make_camera(const CameraConfig& config, BuildContext& context) {
  const auto mount = find_mount(config.mount, context);
  if (!mount || !check(config, context)) return nullptr;
  Camera::Settings settings{.optics = {.width = static_cast<int>(config.width),
                                       .height = static_cast<int>(config.height),
                                       .field_of_view = config.field_of_view},
                            .noise = config.noise};
  const auto frame = context.add_signal("frame", "", SignalRole::kMeasurement);
  const auto width =
      context.add_signal("width", "", SignalRole::kMeasurement, static_cast<double>(config.width));
  const auto height =
      context.add_signal("height", "", SignalRole::kMeasurement, static_cast<double>(config.height));
  const auto enabled = context.add_signal("enabled", "", SignalRole::kCommand, config.enabled ? 1.0 : 0.0);
  if (!frame || !width || !height || !enabled) return nullptr;
  settings.frame = *frame;
  settings.enabled = *enabled;
  for (const HsvRange& range : find_channels(config, context)) {
    auto channel = ChannelSignals(settings.channels.size(), context).add(range, config.blobs);
    if (!channel) return nullptr;
    settings.channels.push_back(std::move(*channel));
  }
  // A model with errors cannot be drawn.
  if (context.diagnostics.has_errors()) return nullptr;
  LOCKSTEP_CHECK(context.services.camera_views != nullptr);
  Result<std::unique_ptr<CameraView>> view =
      context.services.camera_views->open(context.model, settings.optics);
  if (!view) {
    context.error_at("name", "this machine cannot render: {}", view.error());
    return nullptr;
  }
  return std::make_unique<Camera>(*mount, *std::move(view), std::move(settings),
                                  Random(context.seed(), context.name()));
}

}  // namespace lockstep
