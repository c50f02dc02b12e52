#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/state.h"
#include "base/time.h"
#include "signals/table.h"

namespace lockstep {

/// How an exchange went beside its values. Counts of one exchange, or sums of all.
struct LinkCounts {
  std::int64_t late = 0;        ///< no answer in time
  std::int64_t lost = 0;        ///< frames that had to be sent again, or answers that never came
  std::int64_t duplicate = 0;   ///< answers to what was answered before
  std::int64_t bad = 0;         ///< damaged, of a wrong kind or with numbers that are not finite
  std::int64_t reconnects = 0;  ///< connections after the first
};

/// What a link took in at one exchange: with the scenario all it takes to repeat it without the other side.
struct LinkInput {
  std::int64_t step = -1;      ///< of the exchange
  bool is_fresh = false;       ///< `values` came with it
  std::vector<double> values;  ///< as they came, one per signal that the other side writes
  LinkCounts counts;           ///< of this exchange
};

/// A controller outside: reads signals, writes command signals, and may be slow, wrong or gone. Called in every
/// step after the controllers; exchanges at its own period.
class ControllerLink : public Stateful {
 public:
  /// Begins to listen. Returns why it cannot; empty if it does.
  virtual std::string open() = 0;

  /// Tells the other side that the run is over, and closes.
  virtual void close() = 0;

  /// Fails if the other side is silent for too long and the scenario wants the run to end then.
  virtual Status exchange(const Instant& now, Row row) = 0;

  /// What came with the last exchange, for recordings.
  virtual const LinkInput& last_input() const = 0;

  /// Time on the wall that exchange() spent waiting for the other side when it was called last: no fault of
  /// the loop if it is too long.
  virtual Duration waited() const = 0;
};

}  // namespace lockstep
