#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assemble/registry.h"
#include "lockstep/error.h"
#include "simulation/recording.h"

/// Background jobs. Each creates its own simulation and does not throw.
namespace lockstep::serve {

/// A run to be repeated and recorded.
struct RecordingJob {
  std::string scenario;  ///< self-contained text
  std::string name;
  std::filesystem::path folder;
  std::string version;
  std::vector<std::uint8_t> start;  ///< the state at the start
  std::vector<Arrival> arrivals;
  std::vector<std::deque<ConnectionInput>> inputs;  ///< per connection
  std::int64_t end = 0;                             ///< step
  std::size_t max_bytes = 0;
};

/// The bytes of the recording as `lockstep replay` reads it.
Result<std::string> make_recording(const RecordingJob& job, const Registry& registry,
                                   const std::function<bool()>& is_cancelled);

/// Predicted paths of the sites of robots whose controllers know their commands in advance (motion plans):
/// [{"name", "points"}]. Empty if there is no such controller.
nlohmann::ordered_json calc_paths(const std::string& scenario, const std::filesystem::path& folder,
                                  const Registry& registry);

}  // namespace lockstep::serve
