#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace lockstep {

/// Writes a random MuJoCo model that MuJoCo loads: trees of bodies above a floor, with a random selection of the
/// format's features. Equal seeds give equal models.
class RandomMjcf {
 public:
  explicit RandomMjcf(std::uint64_t seed) : engine_(seed) {}

  std::string make() {
    // Each model has a few features only, so that most differences have one possible cause.
    for (bool& feature : features_) feature = chance(0.2);
    std::string trees;
    const int count = pick(1, 3);
    for (int i = 0; i < count; ++i) trees += body(0, Place{0.9 * i, 0.0, between(0.25, 0.7)});
    std::string text = fmt::format("<mujoco model=\"random\">\n<compiler angle=\"{}\" autolimits=\"{}\"/>\n",
                                   degrees_ ? "degree" : "radian", automatic_limits_);
    text += option() + defaults();
    text += "<worldbody>\n<geom name=\"floor\" type=\"plane\" size=\"0 0 1\"" + contact() + "/>\n";
    if (chance(0.3))
      text += "<geom type=\"box\" size=\"0.2 0.2 0.1\" pos=\"0.3 0.1 0.05\"" + contact() + "/>\n";
    text += trees + "</worldbody>\n" + relations() + "</mujoco>\n";
    return text;
  }

 private:
  enum Feature {
    kBits,
    kSoftness,
    kMargins,
    kPriority,
    kDimensions,
    kLimits,
    kStarts,
    kFriction,
    kSprings,
    kActuators,
    kRanges,
    kTendons,
    kEqualities,
    kExclusions,
    kPairs,
    kOptions,
    kDefaults,
    kInertials,
    kMidpoints,
    kJointSoftness,
    kRareShapes,
    kFeatureCount
  };
  struct Place {
    double x, y, z;
  };

  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  int pick(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(double probability) { return between(0.0, 1.0) < probability; }
  template <std::size_t N>
  const char* one_of(const std::array<const char*, N>& list) {
    return list[static_cast<std::size_t>(pick(0, static_cast<int>(N) - 1))];
  }
  bool has(Feature feature, double probability = 0.5) { return features_[feature] && chance(probability); }

  std::string option() {
    std::string text = fmt::format("<option timestep=\"{}\"", one_of(std::array{"0.002", "0.001", "0.004"}));
    if (features_[kOptions]) {
      text += fmt::format(
          " integrator=\"{}\" cone=\"{}\" solver=\"{}\"", one_of(std::array{"Euler", "RK4", "implicit"}),
          one_of(std::array{"pyramidal", "elliptic"}), one_of(std::array{"Newton", "Newton", "CG", "PGS"}));
      text += fmt::format(" gravity=\"{:.3f} 0 -9.81\" impratio=\"{}\"", between(-1, 1), pick(1, 10));
      if (chance(0.2)) text += fmt::format(" density=\"{:.3f}\" viscosity=\"0.01\"", between(0.5, 2));
      if (chance(0.2)) text += " noslip_iterations=\"3\"";
      if (chance(0.2))
        return text +
               fmt::format("><flag {}=\"disable\"/></option>\n",
                           one_of(std::array{"contact", "limit", "gravity", "equality", "frictionloss",
                                             "passive", "warmstart", "filterparent", "refsafe", "clampctrl"}));
    }
    return text + "/>\n";
  }

  std::string defaults() {
    if (!features_[kDefaults]) return "";
    return fmt::format(
        "<default><geom density=\"{:.0f}\"{}/><joint damping=\"{:.3f}\"/>"
        "<default class=\"other\"><joint armature=\"0.02\" damping=\"0.3\"/></default></default>\n",
        between(300, 2000), contact(), between(0, 0.2));
  }

  std::string contact() {
    std::string text;
    if (has(kBits))
      text += fmt::format(" contype=\"{}\" conaffinity=\"{}\"", one_of(std::array{"0", "1", "2", "3", "4"}),
                          one_of(std::array{"0", "1", "2", "3", "6"}));
    if (has(kSoftness))
      text += chance(0.25) ? fmt::format(" solref=\"{:.1f} {:.1f}\"", -between(500, 4000), -between(20, 100))
                           : fmt::format(" solref=\"{:.4f} {:.3f}\"", between(0.008, 0.05), between(0.6, 1.4));
    if (has(kSoftness))
      text += fmt::format(" solimp=\"{:.3f} {:.3f} {:.4f}\"", between(0.7, 0.9), between(0.9, 0.99),
                          between(0.0005, 0.01));
    else if (has(kMidpoints))
      text += fmt::format(" solimp=\"0.8 0.95 0.005 {:.2f} {:.1f}\"", between(0.2, 0.8), between(1, 4));
    if (has(kMargins)) {
      const double margin = between(0.001, 0.02);
      text += fmt::format(" margin=\"{:.4f}\"", margin);
      if (chance(0.5)) text += fmt::format(" gap=\"{:.4f}\"", between(0, margin));
    }
    if (has(kPriority)) text += fmt::format(" priority=\"{}\" solmix=\"{:.2f}\"", pick(0, 2), between(0, 2));
    if (has(kDimensions))
      text += fmt::format(" condim=\"{}\" friction=\"{:.2f} {:.4f} {:.5f}\"",
                          one_of(std::array{"1", "3", "4", "6"}), between(0, 1.2), between(0, 0.02),
                          between(0, 0.001));
    return text;
  }

  std::string geom() {
    const std::string name = fmt::format("g{}", ++geoms_);
    const int kind = pick(0, features_[kRareShapes] ? 4 : 2);
    const double a = between(0.03, 0.08), b = between(0.03, 0.1), c = between(0.03, 0.08);
    std::string form;
    if (kind == 0) form = fmt::format("type=\"sphere\" size=\"{:.4f}\"", a);
    if (kind == 1) form = fmt::format("type=\"capsule\" size=\"{:.4f} {:.4f}\"", a, b);
    if (kind == 2) form = fmt::format("type=\"box\" size=\"{:.4f} {:.4f} {:.4f}\"", a, b, c);
    if (kind == 3) form = fmt::format("type=\"cylinder\" size=\"{:.4f} {:.4f}\"", a, b);
    if (kind == 4) form = fmt::format("type=\"ellipsoid\" size=\"{:.4f} {:.4f} {:.4f}\"", a, b, c);
    return fmt::format("<geom name=\"{}\" {} pos=\"{:.3f} {:.3f} {:.3f}\" quat=\"1 {:.3f} {:.3f} 0\"{}/>\n",
                       name, form, between(-0.02, 0.05), between(-0.02, 0.02), between(-0.02, 0.02),
                       between(-0.5, 0.5), between(-0.5, 0.5), contact());
  }

  std::string joint() {
    const bool slides = chance(0.25);
    const bool turns_in_degrees = degrees_ && !slides;
    const double unit = turns_in_degrees ? 57.29577951308232 : 1.0;
    const double reach = slides ? 0.1 : 0.8;
    joints_.push_back(fmt::format("j{}", joints_.size() + 1));
    std::string text = fmt::format("<joint name=\"{}\" type=\"{}\" axis=\"{:.2f} 1 {:.2f}\" pos=\"{:.3f} 0 0\"",
                                   joints_.back(), slides ? "slide" : "hinge", between(-1, 1), between(-1, 1),
                                   between(-0.03, 0.03));
    if (features_[kDefaults] && chance(0.3)) text += " class=\"other\"";
    if (chance(0.5)) text += fmt::format(" damping=\"{:.3f}\"", between(0, 0.5));
    if (chance(0.2)) text += fmt::format(" armature=\"{:.4f}\"", between(0, 0.05));
    if (has(kSprings))
      text += fmt::format(" stiffness=\"{:.2f}\" springref=\"{:.3f}\"", between(0, 30),
                          unit * between(-reach, reach));
    if (has(kFriction)) text += fmt::format(" frictionloss=\"{:.3f}\"", between(0, 0.5));
    const bool starts_elsewhere = has(kStarts);
    if (starts_elsewhere) text += fmt::format(" ref=\"{:.3f}\"", unit * between(-reach, reach));
    if (has(kLimits, 0.7)) {
      const bool excludes_start = features_[kStarts] && chance(0.3);
      text +=
          fmt::format(" range=\"{:.3f} {:.3f}\"", unit * (excludes_start ? 0.3 * reach : -between(0.1, reach)),
                      unit * between(0.4 * reach, reach));
      if (!automatic_limits_ || chance(0.5)) text += " limited=\"true\"";
      if (has(kMargins, 0.3)) text += fmt::format(" margin=\"{:.3f}\"", unit * between(0.001, 0.05));
    }
    if (has(kJointSoftness)) {
      text += fmt::format(" solreflimit=\"{:.4f} {:.2f}\" solimplimit=\"0.8 {:.3f} 0.01\"", between(0.01, 0.05),
                          between(0.7, 1.3), between(0.9, 0.99));
      if (chance(0.5)) text += fmt::format(" solreffriction=\"{:.4f} 1\"", between(0.01, 0.05));
    }
    return text + "/>\n";
  }

  std::string body(int depth, const Place& at) {
    const std::string name = fmt::format("b{}", bodies_.size() + 1);
    bodies_.push_back(name);
    std::string text =
        fmt::format("<body name=\"{}\" pos=\"{:.3f} {:.3f} {:.3f}\" quat=\"1 {:.3f} 0 {:.3f}\">\n", name, at.x,
                    at.y, at.z, between(-0.3, 0.3), between(-0.3, 0.3));
    const int kind = pick(0, 9);
    if (depth == 0 && kind < 4) {
      text += "<freejoint/>\n";
    } else if (kind == 9 && depth > 0) {
      // Welded to its parent.
    } else if (kind == 8) {
      text += fmt::format("<joint type=\"ball\" damping=\"{:.3f}\"/>\n", between(0, 0.2));
    } else {
      const int count = chance(0.2) ? 2 : 1;
      for (int i = 0; i < count; ++i) text += joint();
    }
    if (features_[kInertials] && chance(0.5))
      text +=
          fmt::format("<inertial pos=\"{:.3f} 0 0.01\" mass=\"{:.3f}\" diaginertia=\"{:.4f} 0.011 0.012\"/>\n",
                      between(-0.03, 0.03), between(0.2, 3), between(0.005, 0.015));
    const int count = chance(0.25) ? 2 : 1;
    for (int i = 0; i < count; ++i) text += geom();
    text += fmt::format("<site name=\"s{}\" pos=\"{:.3f} 0 0.02\"/>\n", bodies_.size(), between(-0.1, 0.1));
    const int children = depth >= 3 ? 0 : pick(0, depth == 0 ? 2 : 1);
    for (int i = 0; i < children; ++i)
      text += body(depth + 1, {between(0.12, 0.25), i == 0 ? 0.0 : 0.2, between(-0.05, 0.05)});
    return text + "</body>\n";
  }

  const std::string& any(const std::vector<std::string>& list) {
    return list[static_cast<std::size_t>(pick(0, static_cast<int>(list.size()) - 1))];
  }

  std::string relations() {
    std::string text;
    if (features_[kExclusions] && bodies_.size() > 1)
      text += fmt::format("<contact><exclude body1=\"{}\" body2=\"{}\"/></contact>\n", bodies_.front(),
                          bodies_.back());
    if (features_[kPairs])
      text += fmt::format(
          "<contact><pair geom1=\"floor\" geom2=\"g{}\" condim=\"3\" friction=\"{:.2f} {:.2f}\"/></contact>\n",
          geoms_, 0.5, chance(0.7) ? 0.5 : 0.9);
    if (features_[kTendons] && joints_.size() > 1) {
      text += fmt::format("<tendon><fixed name=\"t\" stiffness=\"{:.2f}\" damping=\"{:.2f}\"", between(0, 20),
                          between(0, 1));
      if (chance(0.5)) text += fmt::format(" range=\"-0.2 {:.2f}\" limited=\"true\"", between(0.05, 0.5));
      if (chance(0.2)) text += " frictionloss=\"0.1\"";
      text += fmt::format("><joint joint=\"{}\" coef=\"{:.2f}\"/><joint joint=\"{}\" coef=\"{:.2f}\"/></fixed>",
                          joints_[0], between(0.5, 2), joints_[1], between(-2, -0.5));
      if (bodies_.size() > 1)
        text += fmt::format(
            "<spatial name=\"u\" stiffness=\"{:.1f}\"><site site=\"s1\"/><site site=\"s{}\"/></spatial>",
            between(1, 50), bodies_.size());
      text += "</tendon>\n";
    }
    if (features_[kEqualities]) {
      text += "<equality>";
      if (joints_.size() > 1 && chance(0.6))
        text += fmt::format("<joint joint1=\"{}\" joint2=\"{}\" polycoef=\"{} {:.2f} {} 0 0\"/>", joints_[0],
                            joints_[1], chance(0.3) ? 0.05 : 0.0, between(-1, 1), chance(0.2) ? 0.3 : 0.0);
      if (bodies_.size() > 1)
        text += fmt::format("<{} body1=\"{}\" body2=\"{}\"{}/>",
                            chance(0.5) ? "connect anchor=\"0.1 0 0\"" : "weld", bodies_.front(),
                            bodies_.back(), chance(0.2) ? " active=\"false\"" : "");
      text += "</equality>\n";
    }
    if (features_[kActuators] && !joints_.empty()) {
      text += "<actuator>\n";
      const int count = pick(1, 3);
      for (int i = 0; i < count; ++i) {
        const char* kind =
            one_of(std::array{"motor", "position kp=\"15\"", "velocity kv=\"0.4\"", "general gainprm=\"3\"",
                              "general biastype=\"affine\" gainprm=\"5\" biasprm=\"0.2 -5 -0.1\"",
                              "general dyntype=\"filter\" dynprm=\"0.1\""});
        text += fmt::format("<{} joint=\"{}\"", kind, any(joints_));
        if (chance(0.3)) text += fmt::format(" gear=\"{:.2f}\"", between(-3, 3));
        if (has(kRanges))
          text += fmt::format(" ctrllimited=\"true\" ctrlrange=\"{:.2f} {:.2f}\"", between(-2, 0.2),
                              between(0.3, 2));
        if (has(kRanges))
          text += fmt::format(" forcelimited=\"true\" forcerange=\"{} {}\"", chance(0.5) ? "-1" : "-2", "1");
        text += "/>\n";
      }
      text += "</actuator>\n";
    }
    return text;
  }

  std::mt19937_64 engine_;
  std::array<bool, kFeatureCount> features_{};
  const bool degrees_ = engine_() % 2 == 0, automatic_limits_ = engine_() % 2 == 0;
  std::vector<std::string> bodies_, joints_;
  int geoms_ = 0;
};

}  // namespace lockstep
