#include "study/results.h"

#include <gtest/gtest.h>

#include <fstream>

#include "study/report.h"
#include "study/study_testing.h"

namespace lockstep {
namespace {

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

EvaluationRecord record_of(std::int64_t island, std::int64_t evaluation, double objective) {
  return {island,
          evaluation,
          {.verdict = Evaluation::Verdict::kValid, .objectives = {objective}, .excess = 0.0, .reason = ""},
          {0.1 * objective}};
}

class ResultsTest : public testing::Test {
 protected:
  ResultsTest()
      : study_(driven_cart(fmt::format("{}{}<random/>", kAmplitude, kFarthest))),
        setup_(study_.setup()),
        file_(study_.folder() / "results") {}

  void write(std::vector<EvaluationRecord> records, bool resumes = false) {
    ResultsWriter writer(file_, setup_, resumes);
    for (const EvaluationRecord& record : records) writer.append(record);
  }
  std::string error_of_reading() const {
    try {
      read_results(file_);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  StudyFile study_;
  StudySetup setup_;
  std::filesystem::path file_;
};

TEST_F(ResultsTest, ReadsNumbersBackBitForBit) {
  write({record_of(1, 1, 1.0 / 3.0), record_of(2, 1, 1e-300)});
  const Results results = read_results(file_);
  ASSERT_EQ(results.records.size(), 2u);
  EXPECT_EQ(results.records[0].outcome.objectives[0], 1.0 / 3.0);
  EXPECT_EQ(results.records[1].outcome.objectives[0], 1e-300);
  EXPECT_EQ(results.records[0].values[0], 0.1 * (1.0 / 3.0));
  EXPECT_EQ(results.head.hash, setup_.hash);
  EXPECT_EQ(results.head.parameters.at(0).max, 0.5);
}

TEST_F(ResultsTest, SkipsAndOverwritesATruncatedLine) {
  write({record_of(1, 1, 1.0), record_of(1, 2, 2.0)});
  const std::string whole = read(file_);
  const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t length = last_line; length < whole.size(); ++length) {
    std::ofstream(file_, std::ios::binary) << whole.substr(0, length);
    EXPECT_EQ(read_results(file_).records.size(), 1u) << length;
    write({record_of(1, 2, 2.0)}, true);
    EXPECT_EQ(read(file_), whole) << length;
  }
}

TEST_F(ResultsTest, ReportsDamageInTheMiddleWithItsLine) {
  write({record_of(1, 1, 1.0), record_of(1, 2, 2.0)});
  std::string text = read(file_);
  text[text.find("valid")] = 'w';
  std::ofstream(file_, std::ios::binary) << text;
  EXPECT_NE(error_of_reading().find("results:11:1: error: the line is damaged"), std::string::npos)
      << error_of_reading();
}

TEST_F(ResultsTest, DoesNotOverwriteAnExistingFile) {
  write({record_of(1, 1, 1.0)});
  EXPECT_THROW(write({}), UserError);
  ResultsWriter writer(file_, setup_, true);
  EXPECT_EQ(writer.known().size(), 1u);
  EXPECT_THROW(write({}, true), UserError);  // one process at a time
}

TEST_F(ResultsTest, RejectsResultsOfAnotherStudy) {
  write({record_of(1, 1, 1.0)});
  setup_.hash ^= 1;
  EXPECT_THROW(write({}, true), UserError);
}

TEST_F(ResultsTest, AFinishedFileIsSorted) {
  {
    ResultsWriter writer(file_, setup_, false);
    for (const auto& [island, evaluation] : {std::pair(2, 1), {1, 1}, {0, 0}, {2, 2}, {1, 2}}) {
      EvaluationRecord record = record_of(island, evaluation, 1.0);
      if (island == 0) record.values.clear();
      writer.append(record);
    }
    writer.finish();
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> order;
  for (const EvaluationRecord& record : read_results(file_).records)
    order.emplace_back(record.island, record.evaluation);
  EXPECT_EQ(order,
            (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 0}, {1, 1}, {1, 2}, {2, 1}, {2, 2}}));
}

TEST_F(ResultsTest, LeadersDoNotDependOnTheOrder) {
  std::vector<EvaluationRecord> records = {record_of(2, 1, 3.0), record_of(1, 5, 3.0), record_of(1, 1, 2.0)};
  for (int i = 0; i < 6; ++i) {
    std::next_permutation(records.begin(), records.end(), [](const auto& a, const auto& b) {
      return std::pair(a.island, a.evaluation) < std::pair(b.island, b.evaluation);
    });
    Leaders leaders(head_of(setup_));
    for (const EvaluationRecord& record : records) leaders.see(record);
    EXPECT_EQ(leaders.best()->island, 1);
    EXPECT_EQ(leaders.best()->evaluation, 5);
    EXPECT_EQ(leaders.front().size(), 1u);
  }
}

TEST(Importance, IsOneForTheOnlyParameterThatMatters) {
  Results results;
  results.head.objectives = {{"f", true, "f"}};
  results.head.parameters = {{.name = "a", .path = "", .min = 0.0, .max = 1.0},
                             {.name = "b", .path = "", .min = 0.0, .max = 1.0}};
  for (int i = 0; i < 600; ++i) {
    const double a = i / 600.0, b = (i * 7919 % 600) / 600.0;
    EvaluationRecord record = record_of(1, i + 1, 5.0 * a);
    record.values = {a, b};
    results.records.push_back(record);
  }
  const std::vector<double> shares = calc_importance(results);
  EXPECT_GT(shares[0], 0.99);  // except for the variance within a bin: 1/12² of it
  EXPECT_LT(shares[1], 0.05);
}

}  // namespace
}  // namespace lockstep
