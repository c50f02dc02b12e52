#include "control/plan_reader.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

std::string error_of(std::string_view text) {
  try {
    (void)read_plan_table(text, "p.csv");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(PlanReader, AcceptsEverySeparatorAndSkipsCommentsAndEmptyLines) {
  for (const char* text :
       {"0,1.5,-2\n1,2e0,.5\n", "0;1.5;-2\n1;2;0.5\n", "0\t1.5\t-2\n1\t2\t0.5", "0 1.5   -2 \n1 2 +0.5",
        "# a plan\n\n0, 1.5, -2 # start\r\n\r\n1, 2, 0.5\r\n", "\xEF\xBB\xBF\"0\",\"1.5\",-2\n1,2,0.5\n"}) {
    const PlanTable table = read_plan_table(text, "p.csv");
    EXPECT_EQ(table.cells, (std::vector{0.0, 1.5, -2.0, 1.0, 2.0, 0.5})) << text;
    EXPECT_EQ(table.columns, 3U);
    EXPECT_TRUE(table.header.empty());
  }
}

TEST(PlanReader, TakesTheFirstRowAsHeaderIfItHasNoNumber) {
  const PlanTable table = read_plan_table("time;elbow [deg]\n0;1\n1;2\n", "p.csv");
  EXPECT_EQ(table.header, (std::vector<std::string>{"time", "elbow [deg]"}));
  EXPECT_EQ(table.rows(), 2U);
}

TEST(PlanReader, KnowsThePlaceOfEachCell) {
  const PlanTable table = read_plan_table("# x\nt,a\n0, 1\n\n  1,  2\n", "p.csv");
  EXPECT_EQ(to_string(table.place(0, 1)), "p.csv:3:4");
  EXPECT_EQ(to_string(table.place(1, 0)), "p.csv:5:3");
}

TEST(PlanReader, ReportsThePlaceOfAWrongCell) {
  EXPECT_EQ(error_of("t,a\n0,1\n1,x\n"),
            "p.csv:3:3: error: 'x' is not a number; expected a number such as '0.5'\n");
  EXPECT_EQ(error_of("0,1\n1\n"), "p.csv:2:1: error: the row has 1 cell; the first has 2\n");
  EXPECT_EQ(error_of("0,1\n1,2,3\n"), "p.csv:2:5: error: the row has 3 cells; the first has 2\n");
  EXPECT_EQ(error_of("0,1\n1,\n"), "p.csv:2:3: error: the cell is empty; expected a number\n");
  EXPECT_EQ(error_of("0;1\n1;2,5\n"),
            "p.csv:2:3: error: '2,5' is not a number; expected a decimal point, not a comma\n");
  EXPECT_EQ(error_of("0,1\n1,nan\n"),
            "p.csv:2:3: error: 'nan' is not a number; expected a number such as '0.5'\n");
  EXPECT_EQ(error_of("0,1\n1,2e13\n"),
            "p.csv:2:3: error: '2e13' is out of range; expected at most 1000000000000 in either direction\n");
  EXPECT_EQ(error_of("0,1\n"), "p.csv: error: the plan has 1 row of numbers; expected at least 2\n");
  EXPECT_EQ(error_of(""), "p.csv: error: the plan has 0 rows of numbers; expected at least 2\n");
}

TEST(PlanReader, ReportsAllWrongCellsOfAFileAtOnce) {
  EXPECT_EQ(error_of("0,1\n1,x\n2,y\n"),
            "p.csv:2:3: error: 'x' is not a number; expected a number such as '0.5'\n"
            "p.csv:3:3: error: 'y' is not a number; expected a number such as '0.5'\n");
}

TEST(PlanReader, RejectsTooLargeFiles) {
  std::string wide;
  for (std::size_t i = 0; i <= kMaxPlanColumns; ++i) wide += "1,";
  EXPECT_NE(error_of(wide).find("more than 256 columns"), std::string::npos);
  std::string high;
  for (std::size_t i = 0; i <= kMaxPlanRows; ++i) high += "1\n";
  EXPECT_NE(error_of(high).find("the plan is too long"), std::string::npos);
  EXPECT_NE(error_of(std::string(kMaxPlanBytes + 1, '\n')).find("bytes; at most"), std::string::npos);
}

}  // namespace
}  // namespace lockstep
