#include "serve/snapshots.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "serve/rejection.h"
#include "simulation/snapshot.h"

namespace lockstep::serve {

void Snapshots::save(const std::string& name, const Simulation& simulation, std::uint64_t scenario_hash) {
  add({name, simulation.now().seconds, simulation.now().step, make_snapshot(simulation, scenario_hash)});
}

void Snapshots::add(NamedSnapshot snapshot) {
  std::erase_if(list_, [&](const NamedSnapshot& each) { return each.name == snapshot.name; });
  std::size_t bytes = snapshot.bytes.size();
  for (const NamedSnapshot& each : list_) bytes += each.bytes.size();
  if (list_.size() >= kMaxCount || bytes > kMaxBytes) {
    throw Rejection(fmt::format("there are already {} snapshots, which is the limit", list_.size()));
  }
  list_.push_back(std::move(snapshot));
}

const NamedSnapshot& Snapshots::find(const std::string& name) const {
  const auto found =
      std::find_if(list_.begin(), list_.end(), [&](const NamedSnapshot& each) { return each.name == name; });
  if (found == list_.end()) throw Rejection(fmt::format("there is no snapshot '{}'", shown_text(name)));
  return *found;
}

void Snapshots::remove(const std::string& name) {
  (void)find(name);
  std::erase_if(list_, [&](const NamedSnapshot& each) { return each.name == name; });
}

Json Snapshots::to_json() const {
  Json list = Json::array();
  for (const NamedSnapshot& snapshot : list_) {
    list.push_back({{"name", snapshot.name}, {"time", snapshot.time}, {"step", snapshot.step}});
  }
  return list;
}

}  // namespace lockstep::serve
