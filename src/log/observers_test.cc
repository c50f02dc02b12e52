#include "log/observers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "assemble/simulation_testing.h"
#include "base/temporary_folder_testing.h"
#include "log/log_reader.h"

namespace lockstep {
namespace {

std::string ball_text(const std::string& observers) {
  return R"(<scenario name="s" step="1 ms"><ground name="floor"/>
<material name="steel"/>
<object name="ball" position="0 0 0.6"><sphere radius="0.1" material="steel"/></object>
<object name="post" position="5 0 1"><box size="0.1 0.1 0.1"/></object>
<sensors><pose name="ball" body="ball"/></sensors>
<observers>)" +
         observers + "</observers></scenario>";
}

Simulation observe_ball(const std::string& observers, const std::optional<std::filesystem::path>& folder) {
  return simulate_text(ball_text(observers), {.output_folder = folder});
}

std::string observer_errors(const std::string& observers) {
  return errors_of_text(ball_text(observers));
}

LogData log_of(const std::string& observers, std::int64_t steps, const std::string& file) {
  const TemporaryFolder folder;
  Simulation simulation = observe_ball(observers, folder.path());
  EXPECT_TRUE(simulation.run(steps).ok());
  EXPECT_TRUE(simulation.finish().ok());
  return read_log(folder.path() / file, {});
}

class Contact : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Names, Contact,
                         testing::Values(R"(contact_a="ball" contact_b="floor")",
                                         R"(contact_a="floor" contact_b="steel")"));

TEST_P(Contact, IsLoggedAroundTheImpactOfTheBall) {
  // It falls 0.5 m in sqrt(2 h / g) = 0.3193 s: the step to 0.320 s is the first that ends in the floor, and
  // the first that a contact carries is the next one, or the one after when the engine detects it at 0.320 s.
  const LogData log =
      log_of(std::string(R"(<csv name="c" file="contact.csv"><around before="50 ms" after="20 ms" )") +
                 GetParam() + "/></csv>",
             500, "contact.csv");
  const double fall = std::sqrt(2.0 * 0.5 / 9.81);
  ASSERT_EQ(log.values[0].size(), 71u);
  const double moment = log.values[0].front() + 0.050;
  EXPECT_GE(moment, fall);
  EXPECT_LE(moment, fall + 0.003);
  EXPECT_NEAR(log.values[0].back(), moment + 0.020, 1e-12);
}

TEST(LogObservers, KeepTheSignalsAndThePeriodTheyAreGiven) {
  const LogData log =
      log_of(R"(<hdf5 name="l" file="sub/height.h5" signals="ball/z" period="10 ms"/>)", 100, "sub/height.h5");
  ASSERT_EQ(log.columns.size(), 2u);
  EXPECT_EQ(log.columns[1].name, "ball/z");
  ASSERT_EQ(log.values[0].size(), 10u);
  EXPECT_EQ(log.values[0][3], 0.03);
}

TEST(LogObservers, AreCheckedButWriteNothingWithoutAFolder) {
  const std::string file = "never_written.csv";
  Simulation simulation = observe_ball("<csv name=\"l\" file=\"" + file + "\"/>", std::nullopt);
  EXPECT_TRUE(simulation.run(10).ok());
  EXPECT_TRUE(simulation.finish().ok());
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(LogObservers, RejectInvalidConfigurations) {
  EXPECT_EQ(observer_errors(R"(<csv name="l" file="../up.csv"/>)"),
            "s.xml:6:26: error: <csv> 'l': file '../up.csv' is not a file name below the output folder\n");
  EXPECT_EQ(observer_errors(R"(<csv name="l" file="/etc/up.csv"/>)"),
            "s.xml:6:26: error: <csv> 'l': file '/etc/up.csv' is not a file name below the output folder\n");
  EXPECT_EQ(observer_errors(R"(<csv name="l" file="s.xml"/>)"),
            "s.xml:6:26: error: <csv> 'l': file 's.xml' has another extension; expected '.csv'\n");
  EXPECT_EQ(observer_errors(R"(<csv name="l" file="a.csv"/><csv name="m" file="b/../a.csv"/>)"),
            "s.xml:6:54: error: <csv> 'm': file 'b/../a.csv' is written by another observer already\n");
  EXPECT_EQ(observer_errors(R"(<csv name="l" file="a.csv" signals="ball/zz"/>)"),
            "s.xml:6:39: error: <csv> 'l': there is no signal 'ball/zz'; did you mean 'ball/z'?\n");
  EXPECT_EQ(observer_errors(R"(<csv name="l" file="a.csv"><around signal="ball/zz" above="1"/></csv>)"),
            "s.xml:6:47: error: <csv> 'l': unknown signal 'ball/zz'; did you mean 'ball/z'?\n");
  EXPECT_EQ(observer_errors(R"(<csv name="l" file="a.csv"><around contact_a="bal" contact_b="floor"/></csv>)"),
            "s.xml:6:47: error: <csv> 'l': there is no object or material 'bal' with a shape; did you mean "
            "'ball'?\n");
  EXPECT_EQ(observer_errors(R"(<csv name="l" file="a.csv"><around signal="ball/z" above="1 kg"/></csv>)"),
            "s.xml:6:63: error: <csv> 'l': above: unit 'kg' does not fit; expected a length in 'm', such as "
            "'500 mm'\n");
  EXPECT_NE(observer_errors(R"(<csv name="l" file="a.csv"><around signal="ball/z"/></csv>)")
                .find("expected either 'signal' with 'above' or 'below', or 'contact_a' and 'contact_b'"),
            std::string::npos);
  EXPECT_NE(observer_errors(
                R"(<csv name="l" file="a.csv"><around signal="ball/z" above="1" before="100000 s"/></csv>)")
                .find("more than 1 GB"),
            std::string::npos);
}

}  // namespace
}  // namespace lockstep
