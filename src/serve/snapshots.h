#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "serve/command.h"
#include "simulation/simulation.h"

namespace lockstep::serve {

/// A named state of the simulation.
struct NamedSnapshot {
  std::string name;
  double time = 0.0;  ///< s
  std::int64_t step = 0;
  std::vector<std::uint8_t> bytes;  ///< as simulation/snapshot.h writes it
};

/// The snapshots of a session, in bounded memory.
class Snapshots {
 public:
  static constexpr std::size_t kMaxCount = 100;
  static constexpr std::size_t kMaxBytes = 256u << 20;

  /// Both replace one of the same name, and throw Rejection if there are too many.
  void add(NamedSnapshot snapshot);
  void save(const std::string& name, const Simulation& simulation, std::uint64_t scenario_hash);
  /// Throws Rejection if there is none.
  const NamedSnapshot& find(const std::string& name) const;
  void remove(const std::string& name);  ///< throws Rejection if there is none
  void clear() { list_.clear(); }

  /// [{"name", "time", "step"}]
  Json to_json() const;

 private:
  std::vector<NamedSnapshot> list_;
};

}  // namespace lockstep::serve
