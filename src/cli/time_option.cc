#include "cli/time_option.h"

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "lockstep/error.h"

namespace lockstep {

double parse_time(const char* option, const std::string& text) {
  const Place place{option, 0, 0};
  const Result<std::vector<double>> parsed = parse_numbers(text, "s");
  if (!parsed) throw_user_error(place, "{}", parsed.error());
  if (parsed->size() != 1 || !(parsed->front() >= 0.0 && parsed->front() <= 1e9)) {
    throw_user_error(place, "'{}' is out of range; expected one time from 0 to 1e9 s", text);
  }
  return parsed->front();
}

std::int64_t parse_steps(const char* option, const std::string& text, const Simulation& simulation) {
  const double length = parse_time(option, text);
  const double step = to_seconds(simulation.step_size());
  const double steps = length / step;
  // A decimal length divided by a decimal step is an integer up to rounding.
  if (std::abs(steps - std::round(steps)) > 1e-9 * std::max(1.0, steps)) {
    throw_user_error({option, 0, 0}, "{} s is not a multiple of the physics step ({} s)", length, step);
  }
  return std::llround(steps);
}

}  // namespace lockstep
