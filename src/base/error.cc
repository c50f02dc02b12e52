#include "base/error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace lockstep {

std::string to_string(const Place& place) {
  if (place.line == 0) return place.file;
  return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

std::string to_string(const Diagnostic& diagnostic) {
  const char* severity = "error";
  if (diagnostic.severity == Severity::kWarning) severity = "warning";
  if (diagnostic.severity == Severity::kNote) severity = "note";
  const std::string place = to_string(diagnostic.place);
  if (place.empty()) return fmt::format("{}: {}", severity, diagnostic.text);
  return fmt::format("{}: {}: {}", place, severity, diagnostic.text);
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::kError) ++error_count_;
  if (list_.size() < kMaxErrors || (diagnostic.severity == Severity::kError && error_count_ <= 1)) {
    list_.push_back(std::move(diagnostic));
  }
}

std::string Diagnostics::text() const {
  std::string text;
  std::size_t shown = 0;
  for (const Diagnostic& diagnostic : list_) {
    text += to_string(diagnostic);
    text += '\n';
    if (diagnostic.severity == Severity::kError) ++shown;
  }
  if (shown < error_count_) text += fmt::format("… and {} more errors\n", error_count_ - shown);
  return text;
}

void Diagnostics::throw_if_errors() const {
  if (has_errors()) throw UserError(*this);
}

namespace {

/// Number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = last;
    last = now;
  }
  return last[b.size()];
}

}  // namespace

std::string suggest(std::string_view found, std::span<const std::string> candidates) {
  if (candidates.empty()) return "";
  // Words longer than this are not typing mistakes, and comparing them would cost quadratic time.
  constexpr std::size_t kLongestWord = 64;
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, found.size() / 3) + 1;
  if (found.size() <= kLongestWord) {
    for (const std::string& candidate : candidates) {
      if (candidate.size() > kLongestWord) continue;
      const std::size_t distance = edit_distance(found, candidate);
      if (distance < best_distance) {
        best = &candidate;
        best_distance = distance;
      }
    }
  }
  if (best != nullptr) return fmt::format("; did you mean '{}'?", *best);

  constexpr std::size_t kMaxShown = 8;
  std::string text = candidates.size() == 1 ? "; expected " : "; expected one of ";
  for (std::size_t i = 0; i < std::min(kMaxShown, candidates.size()); ++i) {
    if (i > 0) text += ", ";
    text += fmt::format("'{}'", candidates[i]);
  }
  if (candidates.size() > kMaxShown) text += ", …";
  return text;
}

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return "ok";
    case Outcome::kDiverged:
      return "diverged";
    case Outcome::kConstraintOverflow:
      return "constraint overflow";
    case Outcome::kInvalidInput:
      return "invalid input";
    case Outcome::kEngineFailure:
      return "engine failure";
    case Outcome::kStopped:
      return "stopped";
    case Outcome::kInterrupted:
      return "interrupted";
    case Outcome::kTooSlow:
      return "too slow";
    case Outcome::kOutputFailed:
      return "output failed";
    case Outcome::kControllerLost:
      return "controller lost";
    case Outcome::kControllerFailed:
      return "controller failed";
  }
  return "unknown";
}

std::string to_string(const Status& status) {
  if (status.ok()) return "ok";
  std::string text = fmt::format("{} at step {}", name(status.outcome), status.step);
  if (!status.subject.empty()) text += fmt::format(", '{}'", status.subject);
  if (!status.cause.empty()) text += fmt::format(": {}", status.cause);
  return text;
}

void fail_check(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal error: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace lockstep
