#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Small SVG charts, coloured by the CSS classes of the page.
namespace lockstep {

struct ChartPoint {
  double x = 0.0;
  double y = 0.0;
};

/// A chart; its elements are drawn in the order of the members.
struct Chart {
  double width = 640.0;
  double height = 280.0;
  std::string x_label;
  std::string y_label;
  bool is_log_x = false;
  std::vector<ChartPoint> dots;   ///< class "dot"
  std::vector<ChartPoint> line;   ///< class "line"
  bool has_steps = false;         ///< step line: keeps its value until the next point
  std::vector<ChartPoint> marks;  ///< class "mark", larger
  std::optional<double> level;    ///< horizontal line, class "level"
  std::string level_label;
  std::optional<double> upright;  ///< vertical line, class "level"
};
std::string draw(const Chart& chart);

/// A number for display: few digits, an exponent only for very large and small values.
std::string shown_number(double value);

}  // namespace lockstep
