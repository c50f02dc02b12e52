#include "sensors/channel_file.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/text.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

struct Bound {
  std::string_view key;
  double HsvRange::*member;
  double max;
};
constexpr std::array<Bound, 6> kBounds = {{{"bh", &HsvRange::hue_from, 179.0},
                                           {"th", &HsvRange::hue_to, 179.0},
                                           {"bs", &HsvRange::saturation_from, 255.0},
                                           {"ts", &HsvRange::saturation_to, 255.0},
                                           {"bv", &HsvRange::value_from, 255.0},
                                           {"tv", &HsvRange::value_to, 255.0}}};

class ChannelFileReader {
 public:
  explicit ChannelFileReader(const std::string& file) : place_{file, 0, 1} {}

  std::vector<HsvRange> read(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      ++place_.line;
      read_line(text.substr(at, end - at));
      at = end + 1;
    }
    place_.line = 0;
    if (!count_) fail("has no line 'camera/num_channels: COUNT'");
    std::vector<HsvRange> channels;
    for (std::size_t i = 0; i < *count_; ++i) {
      if (!is_hsv_[i]) fail("has no line 'camera/channel_{}/type: hsv'", i);
      channels.push_back(ranges_[i]);
    }
    return channels;
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw_user_error(place_, "channel configuration: {}", fmt::format(format, std::forward<Args>(args)...));
  }

  static std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
  }

  double number(std::string_view text, double max) const {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= 0.0 && value <= max) return value;
    fail("'{}' is not a number from 0 to {}", shown_text(text), max);
  }

  void read_line(std::string_view line) {
    line = trimmed(line);
    if (line.empty()) return;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) fail("'{}'; expected 'key: value'", shown_text(line));
    const std::string_view key = trimmed(line.substr(0, colon)), value = trimmed(line.substr(colon + 1));
    constexpr std::string_view kChannel = "camera/channel_";
    if (key == "camera/num_channels") {
      count_ = static_cast<std::size_t>(number(value, static_cast<double>(kMaxChannels)));
    } else if (key.starts_with(kChannel)) {
      const std::string_view rest = key.substr(kChannel.size());
      const std::size_t slash = std::min(rest.find('/'), rest.size());
      const auto channel =
          static_cast<std::size_t>(number(rest.substr(0, slash), static_cast<double>(kMaxChannels - 1)));
      read_bound(channel, rest.substr(std::min(slash + 1, rest.size())), value);
    }
  }

  void read_bound(std::size_t channel, std::string_view key, std::string_view value) {
    if (key == "type") {
      if (value != "hsv") fail("channel {} has the type '{}'; expected hsv", channel, shown_text(value));
      is_hsv_[channel] = true;
    }
    for (const Bound& bound : kBounds) {
      if (key == bound.key) ranges_[channel].*bound.member = number(value, bound.max);
    }
  }

  Place place_;
  std::optional<std::size_t> count_;
  std::array<HsvRange, kMaxChannels> ranges_;
  std::array<bool, kMaxChannels> is_hsv_{};
};

}  // namespace

std::vector<HsvRange> read_channel_file(std::string_view text, const std::string& file) {
  return ChannelFileReader(file).read(text);
}

}  // namespace lockstep
