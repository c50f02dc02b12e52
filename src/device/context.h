#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lockstep/registry.h"
#include "scenario/assets.h"

/// What the factories of Lockstep's own devices have beside a BuildContext.
namespace lockstep {

template <typename Device>
class Kinds;
struct FaultsOfConnections;
class CameraViews;

/// The files that the devices of one simulation write.
struct OutputFiles {
  std::optional<std::filesystem::path> folder;  ///< none: nothing is to be written
  std::set<std::string> taken;
};

/// What a scenario may do that comes from someone who may not use this machine: a viewer in a browser.
struct Restrictions {
  std::filesystem::path folder;        ///< connections listen on loopback TCP and UDP, and on paths below it
  std::int64_t max_instructions = 0;   ///< of a script, per call
  std::set<std::string> trusted = {};  ///< values of attributes that are allowed anyway
};

/// How connections are made. One that is not live exchanges nothing: it can be checked, restored and fed.
struct ConnectionOptions {
  bool live = false;
  std::function<bool()>
      cancelled;  ///< whether the run is to end; asked by a connection that waits, from any thread
  std::map<std::string, std::uint16_t>
      ports{};  ///< to take again where an address leaves the port open, by name
};

/// What all devices of one simulation are made with.
struct BuildServices {
  const Kinds<Controller>& controllers;  ///< for devices that are made of controllers
  const Assets& assets;                  ///< for devices that read files
  OutputFiles& outputs;
  ConnectionOptions connections{};
  const FaultsOfConnections* connection_faults =
      nullptr;  ///< connection/connection_faults.h; nothing if there are none
  std::map<JointId, std::string>* drives = nullptr;  ///< full name of the drive of each driven joint
  std::optional<Restrictions> restrictions{};        ///< none: everything is allowed
  /// Whether a script is to end its call now: the step fails as interrupted, and the caller restores the state before it.
  std::function<bool()> script_cancelled{};
  std::vector<std::string> actuators{};  ///< full names of all actuators, in the order of the simulation
  const CameraViews* camera_views = nullptr;  ///< physics/camera_view.h; for sensors that take images
};

/// Where a device has no limit of an effort, a speed or a value.
inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// The names of the signals that may be written.
std::vector<std::string> command_names(const SignalTable& signals);

/// "x y z" as three words.
std::vector<std::string> split_words(const std::string& text);

}  // namespace lockstep
