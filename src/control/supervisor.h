#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/controller.h"
#include "signals/expression.h"

namespace lockstep {

/// Switches between controllers: a state machine whose states hold controllers and whose transitions are
/// conditions over signals. At every call, in this order:
///
///     1. the transitions of the present state are looked at in their order, and the first whose condition has
///     held
///        for long enough is taken (one at most);
///     2. a state that is entered sets its signals and starts its controllers anew, their time at zero;
///     3. the controllers of the present state are called.
///
/// A command that the new state does not write keeps its value.
class Supervisor final : public Controller {
 public:
  struct Transition {
    Expression condition;
    std::size_t to = 0;      ///< state
    std::int64_t after = 0;  ///< steps for which the condition must have held without a break
  };
  struct Setting {
    Slot signal{};
    double value = 0.0;
  };
  struct Member {
    std::unique_ptr<Controller> controller;
    std::int64_t every = 1;  ///< steps between two calls
  };
  struct State {
    std::vector<Setting> settings;
    std::vector<Member> members;
    std::vector<Transition> transitions;
  };

  /// `state_signal` holds the number of the state, from 0 in the order of the list; `time_signal` the seconds
  /// since it was entered.
  Supervisor(std::vector<State> states, std::size_t initial, Slot state_signal, Slot time_signal);

  Status decide(const Instant& now, Row row) override;
  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  static constexpr std::int64_t kNever = -1;

  void enter(std::size_t state, const Instant& now, Row row);
  bool is_due(std::size_t transition, const Instant& now, Row row);

  std::vector<State> states_;
  std::vector<std::vector<std::vector<std::uint8_t>>> fresh_;  // by state and member: how it starts
  Slot state_signal_;
  Slot time_signal_;
  std::size_t current_;
  bool is_running_ = false;
  Instant entered_;
  std::vector<std::int64_t> since_;  // of each transition: the step since which its condition holds
};

}  // namespace lockstep
