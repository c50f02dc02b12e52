#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/device.h"
#include "simulation/run_formulas.h"
#include "simulation/simulation.h"
#include "suite/suite.h"

namespace lockstep {

/// Why a case failed.
struct CaseFailure {
  Place place;  ///< in the suite
  double time = 0.0;
  std::string text;
};

/// Runs the script of a case beside a simulation, one row after the other:
///
///     item        next item is looked at         if it fails
///     stimulus    with the next row              –
///     wait        with the row that ends it      the script ends
///     verify      with the same row              the script continues
///
/// A verification that needs time stays open until it is decided, and the script is done when all items were
/// looked at and no verification with a time is open. Those that look to the end of the case are decided by
/// finish().
class Script {
 public:
  /// Resolves all names and formulas. Errors go into `diagnostics`, with places in the suite; then the script
  /// cannot be run. The simulation is borrowed.
  Script(const Case& test, const Simulation& simulation, Diagnostics& diagnostics);

  /// One instant of the run.
  void see(const Instant& now, ConstRow row, const World& world);

  /// The actions that are due before the next step; clears them.
  std::vector<Action> take_actions() { return std::exchange(actions_, {}); }

  bool is_done() const { return is_cut_short_ || (at_ == items_.size() && open_timed_ == 0); }

  /// After the last row: decides what is open. `ended_because` is why the run ended before is_done(), or "".
  void finish(const std::string& ended_because);

  /// An upper bound for the rows that the script needs.
  std::int64_t max_steps() const { return max_steps_; }

  const std::vector<CaseFailure>& failures() const { return failures_; }
  static constexpr std::size_t kMaxFailures = 50;

 private:
  struct Condition {
    std::string text;
    std::optional<Expression> formula;
    std::vector<Slot> signals;  // in the order of the text
  };
  enum class VerifyKind { kThat, kAlways, kFinally };
  struct Item {
    const ScriptItem* source = nullptr;
    std::optional<Action> action;  // of a stimulus
    Condition condition;           // of a wait or verification
    std::optional<VerifyKind> verify;
    std::unique_ptr<RunFormulas> formulas;  // kFinally
    std::int64_t steps = 0;                 // wait: to wait or to hold; verify: its length or limit
    std::optional<std::int64_t> limit;      // wait: of the condition
    bool has_end = false;                   // verify: decided by its own time

    // While it runs.
    bool is_open = false;
    std::int64_t begin = 0;  // step
    std::int64_t held_since = -1;
  };

  Item make_item(const ScriptItem& source, const Simulation& simulation, Diagnostics& diagnostics);
  Condition make_condition(const std::string& text, std::string_view attribute, const Place& place,
                           Diagnostics& diagnostics) const;
  std::int64_t steps_of(Duration time, std::string_view attribute, const Place& place,
                        Diagnostics& diagnostics) const;

  void take_stimuli();
  void look_at_open(const Instant& now, ConstRow row, const World& world);
  bool is_wait_over(Item& item, const Instant& now, ConstRow row);
  void open(Item& item, const Instant& now, ConstRow row, const World& world);
  void look(Item& item, const Instant& now, ConstRow row, const World& world);
  void close(Item& item);
  void fail(const Item& item, double time, const std::string& text);
  std::string shown_signals(const Condition& condition, ConstRow row) const;

  const SignalTable& signals_;
  Duration step_;
  std::vector<Item> items_;
  std::int64_t max_steps_ = 1;

  std::size_t at_ = 0;          // the item that is looked at next
  std::size_t open_timed_ = 0;  // open verifications that end by themselves
  bool is_cut_short_ = false;   // a wait has failed
  double last_time_ = 0.0;
  std::vector<Action> actions_;
  std::vector<CaseFailure> failures_;
};

}  // namespace lockstep
