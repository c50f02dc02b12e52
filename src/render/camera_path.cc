#include "render/camera_path.h"

#include <algorithm>
#include <numbers>
#include <sstream>

#include "base/units.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

const Place kPlace{"--camera", 0, 0};

/// Limit of the view, relative to the start: shapes that fly further away leave the image.
constexpr double kMaxGrowth = 10.0;

/// The numbers of "key=1,2,3m".
std::vector<double> read_numbers(const std::string& key, std::string text, std::string_view unit,
                                 std::size_t count) {
  std::replace(text.begin(), text.end(), ',', ' ');
  Result<std::vector<double>> parsed = parse_numbers(text, unit);
  if (!parsed) throw_user_error(kPlace, "{}: {}", key, parsed.error());
  if (parsed->size() != count) {
    throw_user_error(kPlace, "{}: '{}' has {} numbers; expected {}", key, text, parsed->size(), count);
  }
  return *std::move(parsed);
}

double read_number(const std::string& key, const std::string& text, std::string_view unit, double min,
                   double max) {
  const double value = read_numbers(key, text, unit, 1)[0];
  if (value < min || value > max) {
    throw_user_error(kPlace, "{}: '{}' is out of range; expected {:.4g} to {:.4g} {}", key, text, min, max,
                     unit);
  }
  return value;
}

void read_setting(const std::string& key, const std::string& value, const Model& model,
                  CameraOptions& options) {
  constexpr double kFar = 1e6;    // m
  constexpr double kNear = 1e-6;  // m
  constexpr double kTurn = 2.0 * std::numbers::pi;
  if (key == "follow") {
    options.follow = model.find_body(value);
    if (!options.follow) {
      throw_user_error(kPlace, "follow: unknown body '{}'{}", value, suggest(value, model.body_names()));
    }
  } else if (key == "target") {
    const std::vector<double> point = read_numbers(key, value, "m", 3);
    options.target = Vec3(point[0], point[1], point[2]);
    if (options.target->cwiseAbs().maxCoeff() > kFar) {
      throw_user_error(kPlace, "target: '{}' is out of range; expected -{} to {} m", value, kFar, kFar);
    }
  } else if (key == "distance") {
    options.distance = read_number(key, value, "m", kNear, kFar);
  } else if (key == "azimuth") {
    options.azimuth = read_number(key, value, "rad", -kTurn, kTurn);
  } else if (key == "elevation") {
    options.elevation = read_number(key, value, "rad", -kTurn / 4.0, kTurn / 4.0);
  } else {
    const std::vector<std::string> keys = {"follow", "target", "distance", "azimuth", "elevation"};
    throw_user_error(kPlace, "unknown setting '{}'{}", key, suggest(key, keys));
  }
}

}  // namespace

CameraOptions read_camera_options(const std::vector<std::string>& texts, const Model& model) {
  CameraOptions options;
  for (const std::string& text : texts) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) {
        throw_user_error(kPlace, "'{}' is not a setting; expected SETTING=VALUE such as azimuth=30deg", word);
      }
      read_setting(word.substr(0, equals), word.substr(equals + 1), model, options);
    }
  }
  if (options.follow && options.target) {
    throw_user_error(kPlace, "both follow and target are given; expected one of them");
  }
  return options;
}

CameraPath::CameraPath(const World& start, const CameraOptions& options, double aspect)
    : options_(options), aspect_(aspect), shapes_(start.model()), seen_(shapes_.calc(start)) {
  const OrbitCamera automatic{.azimuth = options.azimuth, .elevation = options.elevation};
  distance_ = options.distance.value_or(framed(automatic, seen_, aspect).distance);
  if (!seen_.isEmpty()) largest_ = kMaxGrowth * seen_.sizes().norm();
}

OrbitCamera CameraPath::look(const World& world) {
  OrbitCamera camera{.distance = distance_, .azimuth = options_.azimuth, .elevation = options_.elevation};
  if (options_.follow) {
    camera.target = world.body_pose(*options_.follow) * world.model().body(*options_.follow).mass.center;
  } else if (options_.target) {
    camera.target = *options_.target;
  } else {
    widen(world);
    camera = framed(camera, seen_, aspect_);
    if (options_.distance) camera.distance = *options_.distance;
  }
  return camera;
}

void CameraPath::widen(const World& world) {
  const Bounds wider = seen_.merged(shapes_.calc(world));
  if (!wider.isEmpty() && wider.sizes().norm() <= largest_) seen_ = wider;
}

}  // namespace lockstep
