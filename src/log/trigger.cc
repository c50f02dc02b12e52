#include "log/trigger.h"

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

bool holds(const Crossing& crossing, const Observation& seen) {
  const double value = seen.row[crossing.signal];
  return crossing.upwards ? value > crossing.level : value < crossing.level;
}

bool holds(const Touch& touch, const Observation& seen) {
  const auto contacts = seen.world.contacts();
  return std::any_of(contacts.begin(), contacts.end(), [&](const ContactPoint& contact) {
    const std::size_t a = index(contact.a), b = index(contact.b);
    return (touch.is_a[a] && touch.is_b[b]) || (touch.is_a[b] && touch.is_b[a]);
  });
}

}  // namespace

bool Trigger::begins(const Observation& seen) {
  const bool now = std::visit([&](const auto& what) { return holds(what, seen); }, what_);
  const bool before = std::exchange(holds_, now);
  return now && !before;
}

void Trigger::forget() {
  // A signal must first be below its level (or above, if falling); nothing touches before the first step.
  holds_ = std::holds_alternative<Crossing>(what_);
}

}  // namespace lockstep
