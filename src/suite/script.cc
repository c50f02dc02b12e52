#include "suite/script.h"

#include <fmt/format.h>

#include <algorithm>

#include "assemble/event_action.h"
#include "base/text.h"
#include "base/units.h"

namespace lockstep {

Script::Script(const Case& test, const Simulation& simulation, Diagnostics& diagnostics)
    : signals_(simulation.signals()), step_(simulation.step_size()) {
  for (const ScriptItem& source : test.script) {
    items_.push_back(make_item(source, simulation, diagnostics));
    const Item& item = items_.back();
    // A stimulus takes a row, everything else its time.
    max_steps_ += 1 + item.limit.value_or(item.steps);
  }
  take_stimuli();  // before the first step
}

Script::Item Script::make_item(const ScriptItem& source, const Simulation& simulation,
                               Diagnostics& diagnostics) {
  Item item{.source = &source};
  const auto steps = [&](const std::optional<Duration>& time, std::string_view attribute) {
    return time ? steps_of(*time, attribute, source.place, diagnostics) : 0;
  };
  if (const auto* stimulus = std::get_if<Stimulus>(&source.what)) {
    item.action = make_action(stimulus->event, "stimulus",
                              {simulation.model(), simulation.signals(), simulation.faults()}, diagnostics);
  } else if (const auto* wait = std::get_if<Wait>(&source.what)) {
    item.steps = steps(wait->length, "for");
    if (!wait->until.empty()) {
      item.limit = steps(wait->within, "within");
      item.condition = make_condition(wait->until, "until", source.place, diagnostics);
    }
  } else {
    const auto& verify = std::get<Verify>(source.what);
    if (!verify.that.empty()) {
      item.verify = VerifyKind::kThat;
      item.has_end = true;
      item.steps = steps(verify.within, "within");
      item.condition = make_condition(verify.that, "that", source.place, diagnostics);
    } else {
      item.verify = verify.always.empty() ? VerifyKind::kFinally : VerifyKind::kAlways;
      item.has_end = verify.length.has_value();
      item.steps = steps(verify.length, "for");
      if (item.verify == VerifyKind::kAlways) {
        item.condition = make_condition(verify.always, "always", source.place, diagnostics);
      } else {
        item.condition.text = verify.finally;
        item.formulas = std::make_unique<RunFormulas>(signals_, simulation.model());
        const auto added = item.formulas->add(verify.finally, Expression::Kind::kTruth);
        if (!added) {
          diagnostics.error(source.place, "verify: finally, character {}: {}", added.error().character,
                            added.error().text);
        }
      }
    }
  }
  return item;
}

Script::Condition Script::make_condition(const std::string& text, std::string_view attribute,
                                         const Place& place, Diagnostics& diagnostics) const {
  Condition condition{.text = text, .formula = {}, .signals = {}};
  const auto find = [&](const std::string& name) {
    const auto slot = signals_.find(name);
    if (slot &&
        std::find(condition.signals.begin(), condition.signals.end(), *slot) == condition.signals.end()) {
      condition.signals.push_back(*slot);
    }
    return slot;
  };
  Result<Expression, ExpressionError> parsed = parse_expression(
      text, Expression::Kind::kTruth,
      {.signals = signals_, .find = find, .known = signals_.names(), .functions = plain_functions()});
  if (parsed) {
    condition.formula = *std::move(parsed);
  } else {
    diagnostics.error(place, "{}: {}, character {}: {}", attribute == "until" ? "wait" : "verify", attribute,
                      parsed.error().character, parsed.error().text);
  }
  return condition;
}

std::int64_t Script::steps_of(Duration time, std::string_view attribute, const Place& place,
                              Diagnostics& diagnostics) const {
  if (time % step_ != Duration{0}) {
    diagnostics.error(place, "{} {} s is not a multiple of the physics step ({} s)", attribute,
                      to_seconds(time), to_seconds(step_));
  }
  return time / step_;
}

/// Stimuli act between two rows.
void Script::take_stimuli() {
  for (; at_ < items_.size() && std::holds_alternative<Stimulus>(items_[at_].source->what); ++at_) {
    if (items_[at_].action) actions_.push_back(*items_[at_].action);
  }
}

void Script::see(const Instant& now, ConstRow row, const World& world) {
  last_time_ = now.seconds;
  look_at_open(now, row, world);
  while (at_ < items_.size() && !is_cut_short_) {
    Item& item = items_[at_];
    if (item.verify) {
      open(item, now, row, world);
      ++at_;
    } else if (std::holds_alternative<Wait>(item.source->what)) {
      if (!is_wait_over(item, now, row)) return;
      ++at_;
    } else {
      take_stimuli();
      return;
    }
  }
}

bool Script::is_wait_over(Item& item, const Instant& now, ConstRow row) {
  if (!item.is_open) {
    item.is_open = true;
    item.begin = now.step;
  }
  const std::int64_t passed = now.step - item.begin;
  if (!item.limit) return passed >= item.steps;
  if (item.condition.formula->is_true(row)) {
    if (item.held_since < 0) item.held_since = now.step;
    if (now.step - item.held_since >= item.steps) return true;
  } else {
    item.held_since = -1;
  }
  if (passed < *item.limit) return false;
  fail(item, now.seconds,
       fmt::format("wait: '{}' does not hold{} within {:.6g} s; {}", shown_text(item.condition.text),
                   item.steps > 0 ? fmt::format(" for {:.6g} s", to_seconds(item.steps * step_)) : "",
                   to_seconds(*item.limit * step_), shown_signals(item.condition, row)));
  is_cut_short_ = true;
  return false;
}

void Script::open(Item& item, const Instant& now, ConstRow row, const World& world) {
  item.is_open = true;
  item.begin = now.step;
  if (item.has_end) ++open_timed_;
  if (item.formulas) item.formulas->begin(to_seconds(step_));
  look(item, now, row, world);
}

void Script::look_at_open(const Instant& now, ConstRow row, const World& world) {
  for (Item& item : items_) {
    if (item.verify && item.is_open) look(item, now, row, world);
  }
}

void Script::close(Item& item) {
  item.is_open = false;
  if (item.has_end) --open_timed_;
}

void Script::look(Item& item, const Instant& now, ConstRow row, const World& world) {
  const bool is_last = item.has_end && now.step - item.begin >= item.steps;
  switch (*item.verify) {
    case VerifyKind::kThat:
      if (item.condition.formula->is_true(row)) {
        close(item);
      } else if (is_last) {
        fail(item, now.seconds,
             fmt::format("'{}' does not hold{}; {}", shown_text(item.condition.text),
                         item.steps > 0 ? fmt::format(" within {:.6g} s", to_seconds(item.steps * step_)) : "",
                         shown_signals(item.condition, row)));
        close(item);
      }
      return;
    case VerifyKind::kAlways:
      if (!item.condition.formula->is_true(row)) {
        fail(item, now.seconds,
             fmt::format("'{}' does not hold; {}", shown_text(item.condition.text),
                         shown_signals(item.condition, row)));
        close(item);
      } else if (is_last) {
        close(item);
      }
      return;
    case VerifyKind::kFinally:
      item.formulas->see(row, world);
      if (!is_last) return;
      if (item.formulas->value(0) == 0.0) {
        fail(item, now.seconds,
             fmt::format("'{}' does not hold; {}", shown_text(item.condition.text),
                         item.formulas->shown_values()));
      }
      close(item);
      return;
  }
}

void Script::finish(const std::string& ended_because) {
  const bool is_early = !ended_because.empty() && !is_done();
  for (Item& item : items_) {
    if (!item.verify || !item.is_open) continue;
    if (item.formulas && item.formulas->value(0) == 0.0) {
      fail(item, last_time_,
           fmt::format("'{}' does not hold; {}", shown_text(item.condition.text),
                       item.formulas->shown_values()));
    } else if (item.has_end && is_early) {
      fail(item, last_time_, fmt::format("'{}' was not decided", shown_text(item.condition.text)));
    }
    close(item);
  }
  if (!is_early) return;
  const Item& item = items_[std::min(at_, items_.size() - 1)];
  fail(item, last_time_, fmt::format("the run ended before the script: {}", ended_because));
}

void Script::fail(const Item& item, double time, const std::string& text) {
  if (failures_.size() >= kMaxFailures) return;
  const auto* verify = std::get_if<Verify>(&item.source->what);
  const std::string title =
      verify != nullptr && !verify->name.empty() ? fmt::format("{}: ", shown_text(verify->name)) : "";
  failures_.push_back({item.source->place, time, title + text});
}

/// The signals of a condition with their values: "arm/elbow/angle = 0.3 rad".
std::string Script::shown_signals(const Condition& condition, ConstRow row) const {
  std::string text;
  for (const Slot slot : condition.signals) {
    const SignalInfo& info = signals_.info(slot);
    text += fmt::format("{}{} = {:.6g}{}{}", text.empty() ? "" : ", ", info.name, row[slot],
                        info.unit.empty() ? "" : " ", info.unit);
  }
  return text;
}

}  // namespace lockstep
