#pragma once

#include <filesystem>
#include <string>

#include "scenario/scenario.h"
#include "simulation/recording.h"

namespace lockstep {

/// The scenario of a recording, without its observers, so that their output files are not written again.
Scenario read_recorded_scenario(const RecordingReader& recording, const std::string& file);

/// The folder that the files of a recorded scenario are relative to.
std::filesystem::path folder_of_recording(const std::string& file);

}  // namespace lockstep
