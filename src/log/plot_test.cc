#include "log/plot.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

namespace lockstep {
namespace {

LogData make_data(std::vector<LogColumn> columns, std::vector<std::vector<double>> values) {
  return {std::move(columns), std::move(values)};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Plot, DrawsAStraightLineFromCornerToCorner) {
  // 0 to 1 over 0 to 2 s. The axes reach from x = 78 to 800 - 22 over the times, and the 370 pixels of the
  // panel, from y = 44 + 25, over 0 to 1 and 6 % more at each end.
  const std::string svg =
      draw_plot(make_data({{"time", "s"}, {"a", "m"}}, {{0.0, 1.0, 2.0}, {0.0, 0.5, 1.0}}), {});
  const double high = 69.0 + 370.0 * 0.06 / 1.12, low = 69.0 + 370.0 * 1.06 / 1.12;
  const std::string expected =
      fmt::format("points=\"78.00,{:.2f} 428.00,{:.2f} 778.00,{:.2f} \"", low, 0.5 * (low + high), high);
  EXPECT_NE(svg.find(expected), std::string::npos) << expected << "\n" << svg;
}

TEST(Plot, HasAPanelForEachUnitWithItsLabel) {
  const std::string svg = draw_plot(
      make_data({{"time", "s"}, {"a/angle", "rad"}, {"b/angle", "rad"}, {"a/torque", "N*m"}, {"b/load", "N*m"}},
                {{0.0, 1.0}, {0.0, 1.0}, {1.0, 2.0}, {5.0, 6.0}, {7.0, 8.0}}),
      {});
  EXPECT_EQ(count(svg, "<clipPath"), 2u);
  EXPECT_EQ(count(svg, "<polyline"), 4u);
  EXPECT_NE(svg.find(">angle [rad]<"), std::string::npos);
  EXPECT_NE(svg.find(">[N·m]<"), std::string::npos);
  EXPECT_NE(svg.find(">time [s]<"), std::string::npos);
}

TEST(Plot, KeepsAPeakOfASingleRowAmongAMillion) {
  std::vector<double> time, value;
  for (int i = 0; i < 1'000'000; ++i) {
    time.push_back(i);
    value.push_back(i == 765'432 ? 1.0 : 0.0);
  }
  const std::string svg = draw_plot(make_data({{"time", "s"}, {"a", ""}}, {time, value}), {});
  EXPECT_NE(svg.find(fmt::format(",{:.2f} ", 69.0 + 370.0 * 0.06 / 1.12)), std::string::npos);
  EXPECT_LT(svg.size(), 100'000u);
}

TEST(Plot, InterruptsACurveAtGapsAndNan) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::string svg = draw_plot(
      make_data({{"time", "s"}, {"a", "m"}}, {{0, 1, 2, 100, 101, 102, 103, 104}, {0, 1, 2, 3, 4, none, 6, 7}}),
      {});
  EXPECT_EQ(count(svg, "<polyline"), 3u);
}

TEST(Plot, EscapesNames) {
  const std::string svg = draw_plot(make_data({{"time", "s"}, {"<script>&\"", "m"}}, {{0.0, 1.0}, {0.0, 1.0}}),
                                    {.title = "</svg>"});
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;&amp;&quot;"), std::string::npos);
  EXPECT_EQ(count(svg, "</svg>"), 1u);
}

TEST(Plot, HasAxesForConstantsAndForNan) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const double value : {3.0, 0.0, none, 1e300}) {
    const std::string svg = draw_plot(make_data({{"time", "s"}, {"a", "m"}}, {{1.0, 1.0}, {value, value}}), {});
    EXPECT_EQ(svg.find("nan"), std::string::npos) << value;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << value;
  }
}

}  // namespace
}  // namespace lockstep
