#include "cli/study_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace lockstep {
namespace {

/// Sampling and annealing have no generations; they print a row after this many evaluations per island.
constexpr std::int64_t kRowWithoutGenerations = 25;

}  // namespace

StudyProgress::StudyProgress(const StudySetup& setup, int workers, bool wanted)
    : leaders_(head_of(setup)),
      total_(setup.study.evaluations),
      generation_size_(generation_size(setup.study)),
      workers_(workers),
      is_shown_(wanted || line_.is_on_terminal()),
      progress_(static_cast<std::size_t>(setup.study.islands), 0) {
  if (generation_size_ == 1) generation_size_ = kRowWithoutGenerations;
  if (!is_shown_) return;
  fmt::print(stderr, "{}: {} evaluations at most, {} islands, {} workers\n", setup.study.name, total_,
             setup.study.islands, workers_);
  fmt::print(stderr, "{:>10} {:>12} {:>9} {:>14} {:>10}\n", "generation", "evaluations", "invalid", "best",
             "per second");
}

void StudyProgress::see(const EvaluationRecord& record, bool is_new) {
  if (!is_shown_) return;
  leaders_.see(record);
  if (is_new) ++new_count_;
  if (record.island > 0) progress_[static_cast<std::size_t>(record.island - 1)] = record.evaluation;
  const std::int64_t slowest = *std::min_element(progress_.begin(), progress_.end());
  if (slowest / generation_size_ > generation_) {
    generation_ = slowest / generation_size_;
    if (is_new) print_generation();
  }
  if (line_.is_due()) show_line();
}

void StudyProgress::print_generation() {
  clear();
  const double rate = static_cast<double>(new_count_) / std::max(seconds(), 1e-3);
  const std::string best =
      leaders_.best() ? fmt::format("{:.6g}", leaders_.best()->outcome.objectives[0]) : "-";
  fmt::print(stderr, "{:>10} {:>12} {:>9} {:>14} {:>10.1f}\n", generation_, leaders_.count(),
             leaders_.invalid_count(), best, rate);
}

void StudyProgress::show_line() {
  const double rate = static_cast<double>(new_count_) / std::max(seconds(), 1e-3);
  const double left = rate > 0.0 ? static_cast<double>(total_ - leaders_.count()) / rate : 0.0;
  line_.show(fmt::format("{:5.1f} %  {} of {}  {:.1f}/s  {:.0f} s left",
                         100.0 * static_cast<double>(leaders_.count()) / static_cast<double>(total_),
                         leaders_.count(), total_, rate, left));
}

}  // namespace lockstep
