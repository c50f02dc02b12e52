#pragma once

#include <optional>
#include <string>

#include "base/units.h"
#include "lockstep/error.h"
#include "lockstep/fields.h"
#include "lockstep/time.h"

/// Configuration of a log in a scenario.
namespace lockstep {

struct AroundConfig {
  std::string signal;
  std::optional<double> above;
  std::optional<double> below;
  std::string contact_a;
  std::string contact_b;
  Duration before{0};
  Duration after{0};
  Place place;
};

template <class V>
void describe(V& v, AroundConfig& c) {
  v.text("signal", c.signal, {.doc = "Trigger signal, with 'above' or 'below'."});
  v.number("above", c.above, {.unit = kAnyUnit, .doc = "Triggers when the signal rises above this."});
  v.number("below", c.below, {.unit = kAnyUnit, .doc = "Triggers when the signal falls below this."});
  v.text("contact_a", c.contact_a,
         {.doc = "Robot, link, object, ground, terrain or material; triggers when it starts to touch "
                 "'contact_b'."});
  v.text("contact_b", c.contact_b, {.doc = "What it touches."});
  v.time("before", c.before, {.min = 0.0, .doc = "Time to keep before the trigger."});
  v.time("after", c.after, {.min = 0.0, .doc = "Time to keep after the trigger."});
  const bool is_crossing = !c.signal.empty() && c.above.has_value() != c.below.has_value() &&
                           c.contact_a.empty() && c.contact_b.empty();
  const bool is_touch =
      !c.contact_a.empty() && !c.contact_b.empty() && c.signal.empty() && !c.above && !c.below;
  v.check(is_crossing || is_touch, "signal",
          "expected either 'signal' with 'above' or 'below', or 'contact_a' and 'contact_b'");
}

struct LogConfig {
  std::string file;
  std::string signals;
  std::optional<AroundConfig> around;
};

template <class V>
void describe(V& v, LogConfig& c) {
  v.text("file", c.file,
         {.doc = "File to write, below the working directory or the folder of --out.", .required = true});
  v.text("signals", c.signals,
         {.doc = "Names of signals, separated by blanks; '*' and '?' are wildcards. All signals if omitted. "
                 "The time is always included."});
  v.child("around", c.around, {.doc = "Triggered log: keep only the rows around trigger events."});
}

}  // namespace lockstep
