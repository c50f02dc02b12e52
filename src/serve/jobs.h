#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assemble/registry.h"
#include "lockstep/error.h"
#include "simulation/event.h"

/// Work for the background: each of these makes a simulation of its own, and throws nothing.
namespace lockstep::serve {

/// A run that is to be taken again, and recorded on the way.
struct RecordingJob {
  std::string scenario;  ///< stands alone
  std::string name;
  std::filesystem::path folder;
  std::string version;
  std::vector<std::uint8_t> start;  ///< the state at the start
  std::vector<Arrival> arrivals;
  std::int64_t end = 0;  ///< step
  std::size_t max_bytes = 0;
};

/// The bytes of the recording as `lockstep replay` reads it.
Result<std::string> make_recording(const RecordingJob& job, const Registry& registry,
                                   const std::function<bool()>& is_cancelled);

/// Where the sites of robots will be while controllers that know their commands beforehand drive the joints:
/// [{"name", "points"}]. Empty if there is no such controller.
nlohmann::ordered_json calc_paths(const std::string& scenario, const std::filesystem::path& folder,
                                  const Registry& registry);

}  // namespace lockstep::serve
