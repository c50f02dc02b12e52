#pragma once

#include <string>
#include <vector>

#include "simulation/controller_process.h"
#include "simulation/simulation.h"

namespace lockstep {

/// The links of a simulation while they are open, with the controllers that were started for them. Says on
/// stderr where each link waits.
class LiveLinks {
 public:
  /// Opens all links, then starts the controllers, which find the address of the first link in LOCKSTEP_ADDRESS
  /// and that of each in LOCKSTEP_ADDRESS_ and its name in capitals. Throws UserError if one cannot be opened.
  LiveLinks(Simulation& simulation, const std::vector<std::string>& controllers);
  LiveLinks(const LiveLinks&) = delete;
  LiveLinks& operator=(const LiveLinks&) = delete;
  ~LiveLinks() { close(); }

  /// Says goodbye, waits for the controllers that were started, and says on stderr how they ended.
  void close();

  const std::vector<ControllerProcess>& controllers() const { return controllers_; }

 private:
  Simulation& simulation_;
  std::vector<ControllerProcess> controllers_;
  bool is_open_ = true;
};

}  // namespace lockstep
