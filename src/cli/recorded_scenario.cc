#include "cli/recorded_scenario.h"

#include "scenario/document.h"
#include "scenario/read.h"

namespace lockstep {

Scenario read_recorded_scenario(const RecordingReader& recording, const std::string& file) {
  Scenario scenario = read_scenario(
      Document::read_text(recording.head().scenario, file + "(scenario)", folder_of_recording(file)));
  scenario.devices.observers.clear();
  for (Robot& robot : scenario.robots) robot.devices.observers.clear();
  return scenario;
}

std::filesystem::path folder_of_recording(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return folder.empty() ? "." : folder;
}

}  // namespace lockstep
