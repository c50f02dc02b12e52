#pragma once

#include <array>
#include <string_view>

#include "scenario/describe.h"
#include "suite/suite.h"

/// Elements of a suite file. See lockstep/fields.h for how these functions are used.
namespace lockstep {

/// A day of simulated time: the end of every case is bounded by its waits.
inline constexpr double kMaxWaitSeconds = 86'400.0;

template <class V>
void describe(V& v, Change& c) {
  v.text("path", c.path,
         {.doc = "XPath of what to change, such as //joint[@name='elbow']/@damping.", .required = true});
  v.text("value", c.value, {.doc = "The new value.", .required = true});
}

template <class V>
void describe(V& v, Stimulus& s) {
  describe_action(v, s.event);
}

template <class V>
void describe(V& v, Wait& w) {
  v.time("for", w.length,
         {.min = 0.0,
          .max = kMaxWaitSeconds,
          .doc = "How long to wait; with 'until': how long the condition must hold without interruption."});
  v.text("until", w.until,
         {.doc = "Condition over signals, such as 'abs(arm/elbow/speed) lt 0.01 rad/s'. The case fails and "
                 "ends if it does not hold within the time limit."});
  v.time("within", w.within, {.min = 0.0, .max = kMaxWaitSeconds, .doc = "Time limit of 'until'."});
  v.check(!w.until.empty() || w.length, "for", "needs a time in 'for' or a condition in 'until'");
  v.check(w.until.empty() || w.within, "within", "'until' needs a time limit in 'within'");
  v.check(!w.until.empty() || !w.within, "within", "'within' is the time limit of 'until'; use 'for'");
}

template <class V>
void describe(V& v, Verify& e) {
  v.text("name", e.name, {.doc = "Title for messages, such as 'the governor acts, not the unit'."});
  v.text("that", e.that, {.doc = "Condition over signals that holds now, or at some instant within 'within'."});
  v.text("always", e.always, {.doc = "Condition over signals that holds in every step from now on."});
  v.text("finally", e.finally,
         {.doc = "Condition over all rows from now on, with the functions of <objective>, such as "
                 "'max(abs(arm/elbow/speed)) lt 2 rad/s'."});
  v.time("within", e.within, {.min = 0.0, .max = kMaxWaitSeconds, .doc = "Time limit of 'that'."});
  v.time("for", e.length,
         {.min = 0.0,
          .max = kMaxWaitSeconds,
          .doc = "How long 'always' and 'finally' look. Default: until the end of the case."});
  const int given = static_cast<int>(!e.that.empty()) + static_cast<int>(!e.always.empty()) +
                    static_cast<int>(!e.finally.empty());
  v.check(given == 1, "that", "expected exactly one of 'that', 'always' and 'finally'");
  v.check(!e.within || !e.that.empty(), "within", "'within' is the time limit of 'that'");
  v.check(!e.length || e.that.empty(), "for", "'for' is the time of 'always' and 'finally'; use 'within'");
}

template <class V>
void describe(V& v, ScriptItem& i) {
  std::visit([&](auto& what) { describe(v, what); }, i.what);
}

template <class T>
constexpr ChildKind<ScriptItem> script_kind(std::string_view name, std::string_view doc) {
  return {name,
          [] {
            return ScriptItem{{}, T{}};
          },
          [](const ScriptItem& item) { return std::holds_alternative<T>(item.what); }, doc};
}

inline constexpr std::array kScriptKinds = {
    script_kind<Stimulus>("stimulus", "Acts on the run, like an <event>; what follows sees its effect."),
    script_kind<Wait>("wait", "Continues the script after a time, or when a condition holds."),
    script_kind<Verify>("verify",
                        "Something that must hold. The script continues at once; a case fails if any of its "
                        "verifications does."),
};

template <class V>
void describe(V& v, CaseSetup& s) {
  v.text("scenario", s.scenario, {.doc = "Scenario file, relative to the suite. Default: that of the suite."});
  v.text("controller", s.controller,
         {.doc = "Shell command of a controller that is started for each case, in the folder of the suite; "
                 "LOCKSTEP_ADDRESS is the address of its connection. Default: that of the suite. Without one, "
                 "connections are not opened."});
  v.time("wall_limit", s.max_wall,
         {.min = 0.0,
          .max = kMaxWaitSeconds,
          .above_min = true,
          .doc = "Real time that a case may take. Default: that of the suite, or 10 min."});
  v.children("change", s.changes,
             {.doc = "Changes the scenario, as --set does; those of the suite come first."});
}

template <class V>
void describe(V& v, Case& c) {
  v.name("name", c.name, {.doc = "Name of the case, and of its recording.", .required = true});
  v.text("description", c.description, {.doc = "What it tests."});
  describe(v, c.setup);
  v.children(kScriptKinds, c.script);
  v.check(V::kIsSchema || !c.script.empty(), "name", "has no script; expected <wait> or <verify>");
}

template <class V>
void describe(V& v, Suite& s) {
  v.text("name", s.name, {.doc = "Title."});
  v.text("description", s.description, {.doc = "What the suite is for."});
  describe(v, s.setup);
  v.children("case", s.cases, {.doc = "One run of a scenario, with its script."}, {1, kMaxCases});
}

}  // namespace lockstep
