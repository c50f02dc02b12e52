#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Small charts as SVG, coloured by the classes of the page they are in.
namespace lockstep {

struct ChartPoint {
  double x = 0.0;
  double y = 0.0;
};

/// Things are drawn in the order in which they appear here.
struct Chart {
  double width = 640.0;
  double height = 280.0;
  std::string x_label;
  std::string y_label;
  bool is_log_x = false;
  std::vector<ChartPoint> dots;   ///< class "dot"
  std::vector<ChartPoint> line;   ///< class "line"
  bool has_steps = false;         ///< the line keeps its height until the next point
  std::vector<ChartPoint> marks;  ///< class "mark", larger
  std::optional<double> level;    ///< horizontal line across, class "level"
  std::string level_label;
  std::optional<double> upright;  ///< vertical line across, class "level"
};
std::string draw(const Chart& chart);

/// A number for people: few digits, no exponent where there need be none.
std::string shown_number(double value);

}  // namespace lockstep
