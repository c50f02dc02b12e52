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

/// The files that the devices of one simulation write.
struct OutputFiles {
  std::optional<std::filesystem::path> folder;  ///< none: nothing is to be written
  std::set<std::string> taken;
};

/// How connections are made. One that is not live exchanges nothing: it can be checked, restored and fed.
struct ConnectionOptions {
  bool live = false;
  std::function<bool()>
      cancelled;  ///< whether the run is to end; asked by a connection that waits, from any thread
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
  std::vector<std::string> actuators{};  ///< full names of all actuators, in the order of the simulation
};

/// Where a device has no limit of an effort, a speed or a value.
inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// The names of the signals that may be written.
std::vector<std::string> command_names(const SignalTable& signals);

/// "x y z" as three words.
std::vector<std::string> split_words(const std::string& text);

}  // namespace lockstep
