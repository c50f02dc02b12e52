#include "simulation/connection_exchange.h"

#include <algorithm>

namespace lockstep {

ConnectionExchange::ConnectionExchange(std::vector<Scheduled<Connection>> connections, SignalRow& signals)
    : connections_(std::move(connections)) {
  for (const auto& connection : connections_)
    round_trips_.push_back(signals.add_timing(connection.name + "/round_trip", "s"));
  // While one waits, the others accept their controllers.
  std::vector<Connection*> all;
  for (const auto& connection : connections_) all.push_back(connection.device.get());
  if (all.size() < 2) return;
  for (Connection* waiting : all) {
    waiting->set_idle([all, waiting] {
      for (Connection* other : all) {
        if (other != waiting) other->look();
      }
    });
  }
}

bool ConnectionExchange::may_exchange(std::int64_t step) const {
  return std::any_of(connections_.begin(), connections_.end(),
                     [&](const auto& connection) { return connection.device->may_exchange(step); });
}

Status ConnectionExchange::exchange(const Instant& now, SignalRow& signals) {
  waited_ = Duration(0);
  has_paused_ = false;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    Connection& connection = *connections_[i].device;
    Status status = connection.exchange(now, signals.row());
    waited_ += connection.waited();
    has_paused_ |= connection.has_paused();
    const bool has_answer = connection.waited().count() > 0 && connection.last_answer().is_fresh;
    if (has_answer) signals.set_timing(round_trips_[i], to_seconds(connection.waited()));
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace lockstep
