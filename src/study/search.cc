#include "study/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "base/hash.h"
#include "study/population.h"
#include "study/sampling.h"

namespace lockstep {
namespace {

/// Candidates that violate a constraint are worse than any that do not, and invalid ones are worse still.
constexpr double kViolatedFitness = 1e20, kInvalidFitness = 1e30, kMaxExcess = 1e5;

/// What all islands share: the judge, the results, and the stop flag.
class Ledger {
 public:
  Ledger(const StudySetup& setup, Judge& judge, const SearchOptions& options)
      : judge_(judge), options_(options), leaders_(head_of(setup)) {
    for (const EvaluationRecord& record : options.known)
      known_.emplace(key(record.island, record.evaluation), record);
  }

  /// Looks the result up, or evaluates the candidate and records it.
  EvaluationRecord ask(std::int64_t island, std::int64_t evaluation, std::vector<double> values) {
    if (const auto it = known_.find(key(island, evaluation)); it != known_.end()) {
      if (it->second.values != values) {
        throw_user_error({"--resume"},
                         "evaluation {} of island {} belongs to another candidate; the results are damaged",
                         evaluation, island);
      }
      add(it->second, false);
      return it->second;
    }
    if (is_stopped_ || (options_.is_cancelled && options_.is_cancelled())) {
      is_stopped_ = true;
      throw StopSearch();
    }
    EvaluationRecord record{island, evaluation, judge_.judge(values), std::move(values)};
    add(record, true);
    return record;
  }

  void fail(std::string text) {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    if (failure_.empty()) failure_ = std::move(text);
  }

  bool has_failed() {
    const std::lock_guard lock(mutex_);
    return !failure_.empty();
  }

  SearchReport take_report() {  // once, at the end
    const std::lock_guard lock(mutex_);
    return {std::move(leaders_), !is_stopped_, failure_};
  }

 private:
  static std::pair<std::int64_t, std::int64_t> key(std::int64_t island, std::int64_t evaluation) {
    return {island, evaluation};
  }
  void add(const EvaluationRecord& record, bool is_new) {
    const std::lock_guard lock(mutex_);
    leaders_.see(record);
    if (options_.on_evaluation) options_.on_evaluation(record, is_new);
  }

  Judge& judge_;
  const SearchOptions& options_;
  std::map<std::pair<std::int64_t, std::int64_t>, EvaluationRecord> known_;  // constant after construction
  std::mutex mutex_;
  Leaders leaders_;
  std::string failure_;
  std::atomic<bool> is_stopped_ = false;
};

std::int64_t exchange_interval(const Study& study) {
  return std::visit(
      [](const auto& s) -> std::int64_t {
        if constexpr (requires { s.exchange; }) return s.exchange;
        return 0;
      },
      study.methods.front().options);
}

/// One island: an independent population, whose candidates depend only on its own results.
class Island {
 public:
  Island(const StudySetup& setup, Ledger& ledger, std::int64_t number)
      : setup_(setup), ledger_(ledger), number_(number) {
    const Study& study = setup.study;
    const std::int64_t share = study.evaluations / study.islands;
    budget_ = share + (number <= study.evaluations % study.islands ? 1 : 0);
  }

  bool is_done() const { return is_done_; }
  Population& population() { return *population_; }

  /// Runs this many generations, or fewer if the budget ends. A population that has converged is discarded, and
  /// the island restarts elsewhere.
  void evolve(std::int64_t generations) try {
    if (!population_) populate();
    const std::int64_t before = asked_;
    population_->evolve(generations);
    // evolve() ends early when it has converged.
    const bool has_converged = asked_ - before <= generations * generation_size(setup_.study) / 2;
    if (has_converged) population_.reset();
  } catch (const StopSearch&) {
    is_done_ = true;
  }

  bool has_population() const { return population_ != nullptr; }

  /// Evaluates its share of the samples.
  void take(const Samples& samples) {
    for (std::int64_t i = number_ - 1; i < samples.count(); i += setup_.study.islands) {
      ledger_.ask(number_, ++asked_, setup_.values_at(samples.at(i)));
    }
  }

 private:
  void populate() {
    PopulationSpec spec{.method = setup_.study.methods.front(),
                        .dimensions = setup_.axes.size(),
                        .objectives = setup_.study.objectives.size(),
                        .evaluations = budget_ - asked_,
                        .seed = make_seed()};
    population_ = make_population(
        spec, [this](std::span<const double> x, std::span<double> fitness) { ask(x, fitness); });
  }

  std::uint32_t make_seed() {
    const std::string stream = fmt::format("island {} beginning {}", number_, ++starts_);
    return static_cast<std::uint32_t>(hash_text(stream, setup_.study.seed));
  }

  void ask(std::span<const double> x, std::span<double> fitness) {
    if (asked_ == budget_) throw StopSearch();
    const EvaluationRecord record = ledger_.ask(number_, ++asked_, setup_.values_at(x));
    const Evaluation& found = record.outcome;
    if (found.verdict == Evaluation::Verdict::kValid) {
      for (std::size_t i = 0; i < fitness.size(); ++i) {
        fitness[i] = is_maximized(setup_.study.objectives[i]) ? -found.objectives[i] : found.objectives[i];
      }
    } else {
      const bool is_violated = found.verdict == Evaluation::Verdict::kViolated;
      const double bad =
          is_violated ? kViolatedFitness * (1.0 + std::min(found.excess, kMaxExcess)) : kInvalidFitness;
      std::fill(fitness.begin(), fitness.end(), bad);
    }
  }

  const StudySetup& setup_;
  Ledger& ledger_;
  std::int64_t number_;
  std::int64_t budget_ = 0;
  std::int64_t asked_ = 0;
  std::int64_t starts_ = 0;  // populations so far
  bool is_done_ = false;
  std::unique_ptr<Population> population_;
};

/// For threads: an exception in one of them ends the search.
template <typename Work>
void try_to(Ledger& ledger, Work work) try {
  work();
} catch (const StopSearch&) {
} catch (const std::exception& error) {
  ledger.fail(error.what());
}

/// Calls `work` for every island, each in its own thread.
template <typename Work>
void on_all(std::vector<Island>& islands, Ledger& ledger, Work work) {
  std::vector<std::jthread> threads;
  for (Island& island : islands) {
    threads.emplace_back([&ledger, &island, &work] { try_to(ledger, [&] { work(island); }); });
  }
}

/// Each active island sends its best candidate to the next in a ring, all at the same time.
void exchange(std::vector<Island>& islands) {
  std::vector<Island*> active;
  for (Island& island : islands) {
    if (!island.is_done() && island.has_population()) active.push_back(&island);
  }
  if (active.size() < 2) return;
  std::vector<Individual> travellers;
  for (Island* island : active) travellers.push_back(island->population().best());
  for (std::size_t i = 0; i < active.size(); ++i) {
    active[(i + 1) % active.size()]->population().replace_worst(travellers[i]);
  }
}

/// Runs all islands until each has used its budget.
void search(const StudySetup& setup, Ledger& ledger) {
  std::vector<Island> islands;  // populations hold pointers to them, so they must not move
  islands.reserve(static_cast<std::size_t>(setup.study.islands));
  for (std::int64_t i = 1; i <= setup.study.islands; ++i) islands.emplace_back(setup, ledger, i);
  if (const auto samples = make_samples(setup)) {
    on_all(islands, ledger, [&](Island& island) { island.take(*samples); });
    return;
  }
  const std::int64_t interval = exchange_interval(setup.study);
  const std::int64_t in_one_go = setup.study.evaluations / generation_size(setup.study) + 1;
  const auto is_done = [](const Island& island) { return island.is_done(); };
  while (!std::all_of(islands.begin(), islands.end(), is_done)) {
    on_all(islands, ledger, [&](Island& island) {
      if (!island.is_done()) island.evolve(interval > 0 ? interval : in_one_go);
    });
    exchange(islands);
    if (ledger.has_failed()) break;
  }
}

}  // namespace

std::int64_t generation_size(const Study& study) {
  return std::visit(
      [](const auto& s) -> std::int64_t {
        if constexpr (requires { s.population; }) return s.population;
        return 1;
      },
      study.methods.front().options);
}

SearchReport run_search(const StudySetup& setup, Judge& judge, const SearchOptions& options) {
  Ledger ledger(setup, judge, options);
  if (!make_samples(setup)) load_search_module();
  {
    // The unchanged scenario is evaluated in parallel to the islands.
    const std::jthread start([&] { try_to(ledger, [&] { ledger.ask(0, 0, {}); }); });
    search(setup, ledger);
  }
  return ledger.take_report();
}

}  // namespace lockstep
