#include "log/log_observer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "base/temporary_folder_testing.h"
#include "log/log_reader.h"
#include "simulation/point_mass_testing.h"

namespace lockstep {
namespace {

/// A table with the signals "time", "cart/x" (in metres, 10 times the number of the step) and "cart/speed",
/// shown to an observer step by step, 1 ms apart.
class Show {
 public:
  Show() {
    table_.add("time", "s", SignalRole::kInternal);
    x = table_.add("cart/x", "m", SignalRole::kMeasurement);
    speed = table_.add("cart/speed", "m/s", SignalRole::kMeasurement);
  }

  Status step(Observer& observer, double speed_now = 0.0) {
    const Duration time = std::chrono::milliseconds(next_);
    const Instant now{next_, time, to_seconds(time)};
    const std::vector<double> row = {now.seconds, 10.0 * static_cast<double>(next_), speed_now};
    ++next_;
    return observer.observe({now, table_, ConstRow(row), world_});
  }

  LogObserver make_log(LogSetup setup) { return LogObserver(std::move(setup), table_, *model_); }

  Slot x{}, speed{};

 private:
  std::shared_ptr<const Model> model_ = PointMassWorld::make_model();
  PointMassWorld world_{model_};
  SignalTable table_;
  std::int64_t next_ = 0;
};

/// A file in a folder for the running test.
std::string log_name(const std::string& ending) {
  static const TemporaryFolder folder;
  return (folder.path() / ("log" + ending)).string();
}

std::string text_of(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The tests of what both formats have in common.
class EveryLog : public testing::TestWithParam<const char*> {
 protected:
  LogSetup setup(std::vector<Slot> signals) const {
    return {.file = file,
            .format = *find_log_format(file),
            .signals = std::move(signals),
            .every = 1,
            .around = {}};
  }
  const std::string file = log_name(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Formats, EveryLog, testing::Values(".csv", ".h5"));

TEST_P(EveryLog, ReadsBackAsItWasWrittenWithNamesAndUnits) {
  Show show;
  LogObserver log = show.make_log(setup({show.x, show.speed}));
  const std::vector<double> speeds = {0.1, -1.0 / 3.0, 5e-324, -1.7976931348623157e308};
  for (const double speed : speeds) ASSERT_TRUE(show.step(log, speed).ok());
  ASSERT_TRUE(log.finish().ok());
  const LogData data = read_log(file, {});
  ASSERT_EQ(data.columns.size(), 3u);
  EXPECT_EQ(data.columns[0].name, "time");
  EXPECT_EQ(data.columns[2].name, "cart/speed");
  EXPECT_EQ(data.columns[2].unit, "m/s");
  EXPECT_EQ(data.values[0], (std::vector<double>{0.0, 0.001, 0.002, 0.003}));
  EXPECT_EQ(data.values[2], speeds);
}

TEST_P(EveryLog, KeepsOnlyTheChosenSignalsAndTheTime) {
  Show show;
  LogObserver log = show.make_log(setup({show.speed}));
  ASSERT_TRUE(show.step(log, 7.0).ok());
  ASSERT_TRUE(log.finish().ok());
  const LogData data = read_log(file, {});
  ASSERT_EQ(data.columns.size(), 2u);
  EXPECT_EQ(data.columns[0].name, "time");
  EXPECT_EQ(data.columns[1].name, "cart/speed");
}

TEST_P(EveryLog, CanHoldTheTimeAlone) {
  Show show;
  LogObserver log = show.make_log(setup({}));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(show.step(log).ok());
  ASSERT_TRUE(log.finish().ok());
  const LogData data = read_log(file, {});
  ASSERT_EQ(data.columns.size(), 1u);
  EXPECT_EQ(data.values[0].size(), 3u);
}

TEST_P(EveryLog, HasNamesAndNoRowsAfterARunWithoutSteps) {
  Show show;
  LogObserver log = show.make_log(setup({show.x}));
  ASSERT_TRUE(log.finish().ok());
  const LogData data = read_log(file, {});
  EXPECT_EQ(data.columns.size(), 2u);
  EXPECT_TRUE(data.values[0].empty());
}

TEST_P(EveryLog, IsFlushedAfterOneSecondOfSimulatedTime) {
  Show show;
  LogObserver log = show.make_log(setup({show.x}));
  for (int i = 0; i < 999; ++i) ASSERT_TRUE(show.step(log).ok());
  EXPECT_EQ(read_log(file, {}).values[0].size(), 0u) << "not flushed yet";
  ASSERT_TRUE(show.step(log).ok());
  EXPECT_EQ(read_log(file, {}).values[0].size(), 1000u);
}

TEST_P(EveryLog, AroundACrossingHasExactlyTheRowsBeforeAndAfterIt) {
  Show show;
  LogSetup around = setup({show.speed});
  around.around = Around{Trigger(Crossing{show.speed, 0.5, true}), 3, 2};
  LogObserver log = show.make_log(around);
  // Rises past 0.5 at step 10 and at step 20.
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(show.step(log, i >= 10 && i < 15 ? 1.0 : i >= 20 ? 0.6 : 0.5).ok());
  ASSERT_TRUE(log.finish().ok());
  EXPECT_EQ(read_log(file, {}).values[0], (std::vector<double>{0.007, 0.008, 0.009, 0.010, 0.011, 0.012, 0.017,
                                                               0.018, 0.019, 0.020, 0.021, 0.022}));
}

TEST_P(EveryLog, AroundOverlappingCrossingsHasEachRowOnce) {
  Show show;
  LogSetup around = setup({show.speed});
  around.around = Around{Trigger(Crossing{show.speed, 0.0, false}), 3, 3};
  LogObserver log = show.make_log(around);
  // Falls below zero at steps 10 and 12.
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(show.step(log, i == 10 || i == 12 ? -1.0 : 1.0).ok());
  ASSERT_TRUE(log.finish().ok());
  EXPECT_EQ(read_log(file, {}).values[0],
            (std::vector<double>{0.007, 0.008, 0.009, 0.010, 0.011, 0.012, 0.013, 0.014, 0.015}));
}

TEST_P(EveryLog, LoggingEveryFourthStepDetectsACrossingOfASingleStep) {
  Show show;
  LogSetup around = setup({show.speed});
  around.every = 4;
  around.around = Around{Trigger(Crossing{show.speed, 0.5, true}), 8, 8};
  LogObserver log = show.make_log(around);
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(show.step(log, i == 30 ? 1.0 : 0.0).ok());
  ASSERT_TRUE(log.finish().ok());
  // From step 22 to step 38, every fourth.
  EXPECT_EQ(read_log(file, {}).values[0], (std::vector<double>{0.024, 0.028, 0.032, 0.036}));
}

TEST_P(EveryLog, EndsTheRunWithItsNameIfItCannotBeOpened) {
  Show show;
  LogSetup nowhere = setup({show.x});
  nowhere.file = std::string("/proc/nowhere/log") + GetParam();
  LogObserver log = show.make_log(nowhere);
  const Status status = show.step(log);
  EXPECT_EQ(status.outcome, Outcome::kOutputFailed);
  EXPECT_EQ(status.subject, nowhere.file.string());
}

TEST(Crossing, DoesNotTriggerIfBeyondTheLevelFromTheStart) {
  Show show;
  LogSetup setup{.file = log_name(".csv"),
                 .format = LogFormat::kCsv,
                 .signals = {},
                 .every = 1,
                 .around = Around{Trigger(Crossing{show.speed, 0.5, true}), 3, 3}};
  LogObserver log = show.make_log(setup);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(show.step(log, 1.0).ok());
  ASSERT_TRUE(log.finish().ok());
  EXPECT_EQ(text_of(setup.file), "time [s]\n");
}

TEST(CsvLog, HasNamesWithUnitsAndTheShortestNumbers) {
  Show show;
  const std::string file = log_name(".csv");
  LogObserver log = show.make_log(
      {.file = file, .format = LogFormat::kCsv, .signals = {show.x, show.speed}, .every = 1, .around = {}});
  ASSERT_TRUE(show.step(log, 0.1).ok());
  ASSERT_TRUE(show.step(log, 1e-7).ok());
  ASSERT_TRUE(log.finish().ok());
  EXPECT_EQ(text_of(file), "time [s],cart/x [m],cart/speed [m/s]\n0,0,0.1\n0.001,10,1e-07\n");
}

TEST(CsvLog, OnAFullDiskEndsTheRun) {
  Show show;
  LogObserver log = show.make_log(
      {.file = "/dev/full", .format = LogFormat::kCsv, .signals = {show.x}, .every = 1, .around = {}});
  const Status status = show.step(log);
  EXPECT_EQ(status.outcome, Outcome::kOutputFailed);
  EXPECT_EQ(status.cause, "No space left on device");
}

/// The error of read_log() for a file with this text.
std::string error_of(const std::string& ending, const std::string& text, const LogQuery& query = {}) {
  const std::string file = log_name(ending);
  std::ofstream(file) << text;
  try {
    read_log(file, query);
  } catch (const UserError& error) {
    return std::string(error.what()).substr(file.size());
  }
  return "";
}

TEST(LogReader, ReportsErrorsOfAFile) {
  EXPECT_EQ(error_of(".csv", ""), ": error: is empty; expected a header with names\n");
  EXPECT_EQ(error_of(".csv", "a,b\n1,2\n"),
            ": error: is not a log: its first column is 'a'; expected 'time'\n");
  EXPECT_EQ(error_of(".csv", "time [s],b\n0,1\n1,x\n"),
            ":3:1: error: column 2 is not a number; expected 2 numbers\n");
  EXPECT_EQ(error_of(".csv", "time [s],b\n0,1,2\n"),
            ":2:1: error: column 2 is not a number; expected 2 numbers\n");
  EXPECT_EQ(error_of(".csv", "time [s],b\n0,1\n", {.signals = "c"}),
            ": error: there is no signal 'c'; did you mean 'b'?\n");
  EXPECT_EQ(error_of(".csv", "time [s],arm/angle\n0,1\n", {.signals = "leg/*"}),
            ": error: no signal matches 'leg/*'; expected one of 'arm/angle', 'time'\n");
  EXPECT_NE(error_of(".h5", "this is not HDF5").find("cannot be read"), std::string::npos);
  EXPECT_EQ(error_of(".txt", ""), ": error: has an unknown extension; expected '.csv', '.h5' or '.hdf5'\n");
}

TEST(LogReader, SkipsATruncatedLine) {
  const std::string file = log_name(".csv");
  std::ofstream(file) << "time [s],b\n0,1\n1,12";
  EXPECT_EQ(read_log(file, {}).values[1], std::vector<double>{1.0});
}

TEST(LogReader, ReturnsTheRowsBetweenTwoTimes) {
  const std::string file = log_name(".csv");
  std::ofstream(file) << "time [s],b\n0,0\n1,10\n2,20\n3,30\n";
  EXPECT_EQ(read_log(file, {.signals = "b", .from = 1.0, .to = 2.0}).values[1],
            (std::vector<double>{10.0, 20.0}));
}

}  // namespace
}  // namespace lockstep
