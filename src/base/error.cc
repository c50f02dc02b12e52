#include "lockstep/error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <tuple>

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

namespace {

auto key_of(const Place& place) {
  return std::tie(place.file, place.line, place.column);
}

}  // namespace

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::kError) ++error_count_;
  if (list_.size() < kMaxErrors || (diagnostic.severity == Severity::kError && error_count_ <= 1)) {
    list_.push_back(std::move(diagnostic));
  }
}

void Diagnostics::add_all(const Diagnostics& other) {
  for (const Diagnostic& diagnostic : other.list_) add(diagnostic);
}

bool Diagnostics::has_error_at(const Place& place) const {
  return std::any_of(list_.begin(), list_.end(), [&](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::kError && key_of(diagnostic.place) == key_of(place);
  });
}

void Diagnostics::sort() {
  std::stable_sort(list_.begin(), list_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return key_of(a.place) < key_of(b.place); });
}

void Diagnostics::rewind(const Mark& mark, const Place& kept) {
  const std::vector<Diagnostic> added(list_.begin() + static_cast<std::ptrdiff_t>(mark.listed), list_.end());
  list_.resize(mark.listed);
  error_count_ = mark.errors;
  for (const Diagnostic& diagnostic : added) {
    if (key_of(diagnostic.place) == key_of(kept)) add(diagnostic);
  }
}

void Diagnostics::mark_broken(const Place& place) {
  broken_.emplace(place.file, place.line, place.column);
}

bool Diagnostics::is_broken(const Place& place) const {
  return broken_.contains({place.file, place.line, place.column});
}

void Diagnostics::mark_missing(std::string_view name) {
  if (!name.empty()) missing_.emplace(name);
}

void Diagnostics::mark_nameless(std::string_view kind) {
  nameless_.emplace(kind);
}

bool Diagnostics::is_missing(std::initializer_list<std::string_view> kinds, std::string_view name) const {
  if (is_incomplete_) return true;
  if (name.find_first_of("*?") != std::string_view::npos) return !missing_.empty() || !nameless_.empty();
  for (const std::string_view kind : kinds) {
    if (nameless_.contains(kind)) return true;
  }
  if (nameless_.contains("robot") && name.find('/') != std::string_view::npos) return true;
  constexpr std::size_t kMaxPath = 1000;  // checking all prefixes of a longer one would take cubic time
  if (missing_.empty() || name.size() > kMaxPath) return false;
  // "arm/elbow/angle" is missing if "elbow", "arm/elbow" or "arm" is.
  for (std::size_t begin = 0;;) {
    for (std::size_t end = begin; end != std::string_view::npos;) {
      end = name.find('/', end + 1);
      if (missing_.contains(name.substr(begin, end == std::string_view::npos ? end : end - begin))) return true;
    }
    begin = name.find('/', begin);
    if (begin++ == std::string_view::npos) return false;
  }
}

std::string Diagnostics::text() const {
  Diagnostics ordered = *this;
  ordered.sort();
  std::string text;
  std::size_t shown = 0;
  for (const Diagnostic& diagnostic : ordered.list_) {
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

/// Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours.
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
  // Longer words are not typing mistakes, and comparing them takes quadratic time.
  constexpr std::size_t kMaxWord = 64;
  struct Candidate {
    const std::string* word;
    std::size_t distance;
    double unlikeness;  // share of the letters that differ, 0 to 1
  };
  std::vector<Candidate> ranked;
  for (const std::string& word : candidates) {
    if (word.find(kNoName) != std::string::npos) continue;
    const std::size_t longer = std::max({found.size(), word.size(), std::size_t{1}});
    const bool is_comparable = !found.empty() && longer <= kMaxWord;
    const std::size_t distance = is_comparable ? edit_distance(found, word) : longer;
    ranked.push_back({&word, distance, static_cast<double>(distance) / static_cast<double>(longer)});
  }
  if (ranked.empty()) return "";
  const auto best = std::min_element(ranked.begin(), ranked.end(), [](const Candidate& a, const Candidate& b) {
    return a.distance < b.distance;
  });
  if (found.size() <= kMaxWord && best->distance <= std::max<std::size_t>(1, found.size() / 3)) {
    return fmt::format("; did you mean '{}'?", *best->word);
  }

  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Candidate& a, const Candidate& b) { return a.unlikeness < b.unlikeness; });
  constexpr std::size_t kMaxShown = 8;
  std::string text = ranked.size() == 1 ? "; expected " : "; expected one of ";
  for (std::size_t i = 0; i < std::min(kMaxShown, ranked.size()); ++i) {
    if (i > 0) text += ", ";
    text += fmt::format("'{}'", *ranked[i].word);
  }
  if (ranked.size() > kMaxShown) text += ", …";
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
    case Outcome::kEnergyGained:
      return "energy gained";
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
