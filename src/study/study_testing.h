#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "assemble/simulation_testing.h"
#include "base/temporary_folder_testing.h"
#include "study/study_setup.h"

/// Shared helpers of the tests in this folder.
namespace lockstep {

/// A cart of 1 kg on a rail, rolling at 1 m/s.
inline constexpr std::string_view kRollingCart = R"(<scenario step="10 ms" duration="1 s" gravity="0 0 0">
  <robot name="cart">
    <link name="stand"/>
    <link name="wagon" parent="stand">
      <joint name="rail" type="slide" axis="1 0 0" initial_velocity="1 m/s"/>
      <box size="0.1 0.1 0.1" mass="1 kg"/>
    </link>
    <sensors><joint_state name="rail" joint="rail"/></sensors>
  </robot>
</scenario>)";

/// A cart that a servo drives along a sine, and a study of it with the elements `inside`.
inline std::string driven_cart(std::string_view inside, std::string_view attributes = "evaluations='40'") {
  return fmt::format(R"(<scenario step="5 ms" duration="500 ms" gravity="0 0 0">
  <robot name="cart">
    <link name="stand"/>
    <link name="wagon" parent="stand">
      <joint name="rail" type="slide" axis="1 0 0" damping="1"/>
      <box size="0.1 0.1 0.1" mass="1 kg"/>
    </link>
    <sensors><joint_state name="rail" joint="rail"/></sensors>
    <actuators><servo name="drive" joint="rail" stiffness="100" damping="5"/></actuators>
    <controllers>
      <sine name="wave" signal="drive/target" amplitude="0.1" frequency="1 Hz"/>
    </controllers>
  </robot>
  <study name="far" islands="2" {}>
{}
  </study>
</scenario>)",
                     attributes, inside);
}

inline constexpr std::string_view kAmplitude =
    "<parameter name='amplitude' path='//sine/@amplitude' min='0' max='50 cm'/>";
inline constexpr std::string_view kMass = "<parameter name='mass' path='//box/@mass' min='500 g' max='2 kg'/>";
inline constexpr std::string_view kFarthest = "<objective maximize='max(cart/rail/position)'/>";

/// A study in a temporary file, which lives as long as this.
class StudyFile {
 public:
  explicit StudyFile(std::string_view text) : file_(folder_.path() / "t.xml") { std::ofstream(file_) << text; }
  StudySetup setup() const { return set_up_study(file_, {}, "", default_registry()); }
  /// The errors of set_up_study(), without the folder.
  std::string errors() const {
    try {
      setup();
    } catch (const UserError& error) {
      std::string text = error.what();
      const std::string prefix = folder_.path().string() + "/";
      for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
        text.erase(at, prefix.size());
      return text;
    }
    return "";
  }
  const std::filesystem::path& path() const { return file_; }
  std::filesystem::path folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  std::filesystem::path file_;
};

}  // namespace lockstep
