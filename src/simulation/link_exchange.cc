#include "simulation/link_exchange.h"

namespace lockstep {

LinkExchange::LinkExchange(std::vector<Scheduled<ControllerLink>> links, SignalRow& signals)
    : links_(std::move(links)) {
  for (const auto& link : links_) round_trips_.push_back(signals.add_timing(link.name + "/round_trip", "s"));
}

Status LinkExchange::exchange(const Instant& now, SignalRow& signals) {
  waited_ = Duration(0);
  has_paused_ = false;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    ControllerLink& link = *links_[i].part;
    Status status = link.exchange(now, signals.row());
    waited_ += link.waited();
    has_paused_ |= link.has_paused();
    const bool has_answer = link.waited().count() > 0 && link.last_answer().is_fresh;
    if (has_answer) signals.set_timing(round_trips_[i], to_seconds(link.waited()));
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace lockstep
