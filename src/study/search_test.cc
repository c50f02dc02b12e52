#include "study/search.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "lockstep/state.h"
#include "study/study_testing.h"

namespace lockstep {

const char* name_of(const SearchMethod& method) {
  constexpr const char* kNames[] = {"Genetic", "Annealing", "Swarm",  "Differential", "Cmaes",
                                    "Nsga2",   "Grid",      "Random", "Latin"};
  return kNames[method.options.index()];
}

/// For the names of tests; found by argument-dependent lookup.
void PrintTo(const SearchMethod& method, std::ostream* out) { *out << name_of(method); }

namespace {

/// A study without a scenario: a bowl with its minimum at (0.7, 20), on a linear and a logarithmic axis.
StudySetup bowl_setup(SearchMethod method, std::int64_t evaluations = 400, std::size_t objectives = 1) {
  StudySetup setup;
  setup.study.name = "bowl";
  setup.study.evaluations = evaluations;
  setup.study.islands = 3;
  setup.study.methods = {std::move(method)};
  for (std::size_t i = 0; i < objectives; ++i) setup.study.objectives.push_back({.place = {}, .minimize = "f"});
  setup.axes.push_back({.name = "a", .min = 0.0, .max = 1.0});
  setup.axes.push_back({.name = "b", .min = 1.0, .max = 1000.0, .scale = ParameterScale::kLog});
  return setup;
}

double bowl(std::span<const double> values) {
  return std::pow(values[0] - 0.7, 2) + std::pow(std::log10(values[1] / 20.0), 2);
}

/// Evaluates without simulating; sometimes with a delay, so that islands get ahead of each other.
class BowlJudge final : public Judge {
 public:
  explicit BowlJudge(std::size_t objectives = 1) : objectives_(objectives) {}
  Evaluation judge(std::span<const double> values) override {
    const std::int64_t number = ++calls;
    if (dawdles && number % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
    if (values.empty()) return valid({1.0, 1.0});
    if (values[0] > 0.95)
      return {.verdict = Evaluation::Verdict::kInvalid, .objectives = {}, .excess = 0.0, .reason = "no"};
    return valid({bowl(values), values[0]});
  }
  std::atomic<std::int64_t> calls = 0;
  bool dawdles = false;

 private:
  Evaluation valid(std::vector<double> objectives) const {
    objectives.resize(objectives_);
    return {.verdict = Evaluation::Verdict::kValid,
            .objectives = std::move(objectives),
            .excess = 0.0,
            .reason = ""};
  }
  std::size_t objectives_;
};

/// Every evaluation of a search, in the order of islands.
std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> all_of(const StudySetup& setup,
                                                                            BowlJudge& judge) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> seen;
  SearchOptions options;
  options.on_evaluation = [&](const EvaluationRecord& record, bool) {
    const bool is_first = seen.emplace(std::pair(record.island, record.evaluation), record.values).second;
    EXPECT_TRUE(is_first);
  };
  EXPECT_TRUE(run_search(setup, judge, options).is_complete);
  return seen;
}

class EverySearchThreads : public testing::TestWithParam<SearchMethod> {};

TEST_P(EverySearchThreads, FindsTheBottomOfABowlWithinItsBudget) {
  const StudySetup setup = bowl_setup(GetParam());
  BowlJudge judge;
  const SearchReport report = run_search(setup, judge, {});
  ASSERT_TRUE(report.is_complete) << report.failure;
  ASSERT_TRUE(report.leaders.best());
  // A fraction of the bowl's area that 400 random candidates hit almost surely.
  EXPECT_LT(report.leaders.best()->outcome.objectives[0], 0.02);
  EXPECT_LE(report.leaders.count(), 400);
  EXPECT_GE(report.leaders.count(), 390);
  EXPECT_EQ(judge.calls, report.leaders.count() + 1);
}

TEST_P(EverySearchThreads, CandidatesDoNotDependOnTiming) {
  const StudySetup setup = bowl_setup(GetParam());
  BowlJudge even, dawdling;
  dawdling.dawdles = true;
  EXPECT_EQ(all_of(setup, even), all_of(setup, dawdling));
}

TEST_P(EverySearchThreads, DifferentSeedsGiveDifferentCandidates) {
  if (std::holds_alternative<GridSearch>(GetParam().options)) return;
  StudySetup setup = bowl_setup(GetParam()), other = bowl_setup(GetParam());
  other.study.seed = 2;
  BowlJudge judge;
  EXPECT_NE(all_of(setup, judge), all_of(other, judge));
}

TEST_P(EverySearchThreads, ContinuesWhereItWasStopped) {
  const StudySetup setup = bowl_setup(GetParam());
  BowlJudge whole;
  const auto expected = all_of(setup, whole);
  std::vector<EvaluationRecord> known;
  BowlJudge judge;
  bool is_complete = false;
  for (int round = 0; round < 20 && !is_complete; ++round) {
    SearchOptions options{.known = known};
    const std::int64_t stop_at = judge.calls + 37;
    options.on_evaluation = [&](const EvaluationRecord& record, bool is_new) {
      if (is_new) known.push_back(record);
    };
    options.is_cancelled = [&] { return judge.calls >= stop_at; };
    is_complete = run_search(setup, judge, options).is_complete;
  }
  EXPECT_TRUE(is_complete);
  EXPECT_EQ(judge.calls, whole.calls);  // nothing was evaluated twice
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> seen;
  for (const EvaluationRecord& record : known)
    seen.emplace(std::pair(record.island, record.evaluation), record.values);
  EXPECT_EQ(seen, expected);
}

std::string name_of_search(const testing::TestParamInfo<SearchMethod>& info) { return name_of(info.param); }

INSTANTIATE_TEST_SUITE_P(All, EverySearchThreads,
                         testing::Values(SearchMethod{{}, GeneticSearch{}}, SearchMethod{{}, AnnealingSearch{}},
                                         SearchMethod{{}, SwarmSearch{}},
                                         SearchMethod{{}, DifferentialSearch{}},
                                         SearchMethod{{}, CmaesSearch{}},
                                         SearchMethod{{}, GridSearch{.points = 20}},
                                         SearchMethod{{}, RandomSearch{}}, SearchMethod{{}, LatinSearch{}}),
                         name_of_search);

TEST(ParetoSearchThreads, FindsCompromisesBetweenTwoObjectives) {
  // The bowl has its minimum at a = 0.7, the second objective at a = 0: every a between is Pareto-optimal.
  const StudySetup setup = bowl_setup({{}, Nsga2Search{}}, 1200, 2);
  BowlJudge judge(2);
  const SearchReport report = run_search(setup, judge, {});
  ASSERT_TRUE(report.is_complete) << report.failure;
  EXPECT_GE(report.leaders.front().size(), 10u);
  EXPECT_LT(report.leaders.front().front().outcome.objectives[0], 0.02);
  EXPECT_LT(report.leaders.front().back().outcome.objectives[1], 0.1);
  for (std::size_t i = 1; i < report.leaders.front().size(); ++i) {
    EXPECT_GT(report.leaders.front()[i].outcome.objectives[0],
              report.leaders.front()[i - 1].outcome.objectives[0]);
    EXPECT_LT(report.leaders.front()[i].outcome.objectives[1],
              report.leaders.front()[i - 1].outcome.objectives[1]);
  }
}

TEST(ParetoSearchThreads, CandidatesDoNotDependOnTiming) {
  const StudySetup setup = bowl_setup({{}, Nsga2Search{}}, 300, 2);
  BowlJudge even(2), dawdling(2);
  dawdling.dawdles = true;
  EXPECT_EQ(all_of(setup, even), all_of(setup, dawdling));
}

TEST(Search, AGridHasEveryCombination) {
  StudySetup setup = bowl_setup({{}, GridSearch{.points = 3}}, 100);
  setup.axes[0].step = 0.25;
  BowlJudge judge;
  std::set<std::vector<double>> values;
  for (const auto& [key, each] : all_of(setup, judge)) values.insert(each);
  values.erase(std::vector<double>());
  EXPECT_EQ(values.size(), 15u);
  EXPECT_TRUE(values.contains({0.25, 1.0}));
  EXPECT_TRUE(values.contains({1.0, 1000.0}));
}

TEST(Search, ALatinHypercubeHasOneCandidateInEverySlice) {
  StudySetup setup = bowl_setup({{}, LatinSearch{}}, 50);
  BowlJudge judge;
  std::set<int> slices;
  for (const auto& [key, each] : all_of(setup, judge)) {
    if (!each.empty()) slices.insert(static_cast<int>(each[0] * 50.0));
  }
  EXPECT_EQ(slices.size(), 50u);
}

TEST(Search, AJudgeThatFailsEndsTheSearchWithTheReason) {
  class Broken final : public Judge {
    Evaluation judge(std::span<const double> values) override {
      if (!values.empty()) throw_user_error({"judge"}, "broken");
      return {.verdict = Evaluation::Verdict::kValid, .objectives = {1.0}, .excess = 0.0, .reason = ""};
    }
  } judge;
  const SearchReport report = run_search(bowl_setup({{}, RandomSearch{}}), judge, {});
  EXPECT_FALSE(report.is_complete);
  EXPECT_NE(report.failure.find("broken"), std::string::npos);
}

}  // namespace
}  // namespace lockstep
