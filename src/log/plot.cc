#include "log/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

#include "base/svg.h"
#include "base/text.h"

namespace lockstep {
namespace {

// Pixels.
constexpr double kLeft = 78.0, kRight = 22.0, kTop = 44.0, kBottom = 50.0;
constexpr double kPanelGap = 18.0, kPanelHeight = 210.0, kSinglePanelHeight = 370.0;
constexpr double kLegendLine = 19.0, kLegendMark = 20.0, kLegendGap = 20.0;
constexpr double kCharacter = 6.7;  ///< mean width in the font of the legend

constexpr std::array<std::string_view, 8> kColors = {"#1f6fb2", "#d1662f", "#2f9161", "#8756b0",
                                                     "#c0932a", "#3aa3b8", "#c2476f", "#5f6b7a"};
/// When all colours are used, the next curves repeat them with dashes.
constexpr std::array<std::string_view, 4> kDashes = {"", "7 4", "2 3", "9 3 2 3"};

struct Range {
  double low = 0.0;
  double high = 1.0;
};

struct Curve {
  std::size_t column;
  std::string_view color;
  std::string_view dashes;
};

struct Panel {
  std::string unit;
  std::vector<Curve> curves;
  Range range;
  double legend_top = 0.0;
  double top = 0.0;
  double height = 0.0;
};

/// Extremes of the finite values, slightly widened; a range around a constant.
Range find_range(const LogData& data, const std::vector<Curve>& curves) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const Curve& curve : curves) {
    for (const double value : data.values[curve.column]) {
      if (!std::isfinite(value)) continue;
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  }
  if (!(range.low <= range.high)) return {0.0, 1.0};
  const double size = range.high - range.low;
  // A range below the digits of a label is noise about a constant.
  const double scale = std::max(std::abs(range.low), std::abs(range.high));
  const double margin = size > 1e-9 * scale ? 0.06 * size : scale > 0.0 ? 0.1 * scale : 1.0;
  return {range.low - margin, range.high + margin};
}

std::vector<Panel> make_panels(const LogData& data) {
  std::vector<Panel> panels;
  for (std::size_t i = 1; i < data.columns.size(); ++i) {
    auto panel = std::find_if(panels.begin(), panels.end(),
                              [&](const Panel& p) { return p.unit == data.columns[i].unit; });
    if (panel == panels.end()) {
      panels.emplace_back().unit = data.columns[i].unit;
      panel = std::prev(panels.end());
    }
    const std::size_t n = panel->curves.size();
    panel->curves.push_back({i, kColors[n % kColors.size()], kDashes[n / kColors.size() % kDashes.size()]});
  }
  for (Panel& panel : panels) panel.range = find_range(data, panel.curves);
  return panels;
}

/// A unit as people write it: "N·m/s²" for N*m/s^2.
std::string pretty_unit(std::string unit) {
  const std::array<std::pair<std::string_view, std::string_view>, 3> signs = {
      {{"*", "·"}, {"^2", "²"}, {"^3", "³"}}};
  for (const auto& [plain, sign] : signs) {
    for (std::size_t at = unit.find(plain); at != std::string::npos; at = unit.find(plain, at + sign.size())) {
      unit.replace(at, plain.size(), sign);
    }
  }
  return unit;
}

/// What all curves of a panel measure: "angle" for a/angle and b/angle; "" if they differ.
std::string find_quantity(const LogData& data, const Panel& panel) {
  std::string quantity;
  for (const Curve& curve : panel.curves) {
    const std::string& name = data.columns[curve.column].name;
    const std::string last = name.substr(name.rfind('/') + 1);
    if (!quantity.empty() && quantity != last) return "";
    quantity = last;
  }
  return quantity;
}

/// A tick label with as many digits as its neighbours differ in.
std::string format_tick(double value, double spacing) {
  const double size = std::max(std::abs(value), spacing);
  std::string text;
  if (size >= 1e6 || spacing < 1e-5) {
    text = std::abs(value) < 1e-9 * spacing ? "0" : fmt::format("{:.6g}", value);
  } else {
    // Rounding must not show as "-0.0".
    const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(spacing) + 1e-9)));
    text = fmt::format("{:.{}f}", std::abs(value) < 1e-9 * spacing ? 0.0 : value, digits);
  }
  if (text.starts_with('-')) text.replace(0, 1, "\u2212");
  return text;
}

class Drawing {
 public:
  Drawing(const LogData& data, const PlotStyle& style)
      : data_(data), panels_(make_panels(data)), width_(style.width), right_(style.width - kRight) {
    times_ = {0.0, 1.0};
    const std::vector<double>& time = data_.values[0];
    if (!time.empty()) {
      const auto [low, high] = std::minmax_element(time.begin(), time.end());
      times_ = *low < *high ? Range{*low, *high} : Range{*low - 0.5, *low + 0.5};
      gap_ = find_gap(time);
    }
    place_panels(style.height);
    draw(style.title);
  }

  std::string text() && { return svg_.take(); }

 private:
  /// Longer gaps than this interrupt a curve: several times the median interval between rows.
  static double find_gap(const std::vector<double>& time) {
    if (time.size() < 3) return std::numeric_limits<double>::infinity();
    std::vector<double> intervals;
    for (std::size_t i = 1; i < time.size(); ++i) intervals.push_back(time[i] - time[i - 1]);
    const auto middle = intervals.begin() + static_cast<std::ptrdiff_t>(intervals.size() / 2);
    std::nth_element(intervals.begin(), middle, intervals.end());
    return 5.0 * *middle;
  }

  double legend_width(const Curve& curve) const {
    return kLegendMark + 6.0 + kCharacter * static_cast<double>(data_.columns[curve.column].name.size()) +
           kLegendGap;
  }

  double legend_height(const Panel& panel) const {
    double lines = 1.0, x = kLeft;
    for (const Curve& curve : panel.curves) {
      if (x > kLeft && x + legend_width(curve) - kLegendGap > right_) {
        ++lines;
        x = kLeft;
      }
      x += legend_width(curve);
    }
    return lines * kLegendLine + 6.0;
  }

  void place_panels(int height) {
    double fixed = kTop + kBottom + kPanelGap * static_cast<double>(panels_.size() - 1);
    for (const Panel& panel : panels_) fixed += legend_height(panel);
    const auto count = static_cast<double>(panels_.size());
    const double each = height > 0 ? (height - fixed) / count : (count > 1 ? kPanelHeight : kSinglePanelHeight);
    double y = kTop;
    for (Panel& panel : panels_) {
      panel.legend_top = y;
      panel.top = y + legend_height(panel);
      panel.height = std::max(40.0, each);
      y = panel.top + panel.height + kPanelGap;
    }
    height_ = std::ceil(y - kPanelGap + kBottom);
  }

  double x_of(double time) const {
    return kLeft + (time - times_.low) / (times_.high - times_.low) * (right_ - kLeft);
  }
  static double y_of(const Panel& panel, double value) {
    return panel.top + (panel.range.high - value) / (panel.range.high - panel.range.low) * panel.height;
  }

  void draw(const std::string& title) {
    svg_.begin("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                       {"width", static_cast<double>(width_)},
                       {"height", height_},
                       {"viewBox", fmt::format("0 0 {} {}", width_, height_)},
                       {"font-family", "Inter, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"},
                       {"font-size", 12.0},
                       {"fill", "#3d4654"}})
        .end_line();
    svg_.draw("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", "#ffffff"}}).end_line();
    if (!title.empty()) {
      svg_.write("text",
                 {{"x", kLeft}, {"y", 27.0}, {"font-size", 16.0}, {"font-weight", "600"}, {"fill", "#1d2530"}},
                 title)
          .end_line();
    }
    for (std::size_t i = 0; i < panels_.size(); ++i) draw_panel(i);
    svg_.write("text", {{"x", 0.5 * (kLeft + right_), 1}, {"y", height_ - 12.0, 1}, {"text-anchor", "middle"}},
               "time [s]")
        .end_line();
    svg_.end("svg").end_line();
  }

  void draw_panel(std::size_t index) {
    const Panel& panel = panels_[index];
    const double bottom = panel.top + panel.height;
    draw_legend(panel);
    draw_grid(panel, index + 1 == panels_.size());
    const std::string quantity = find_quantity(data_, panel);
    const std::string label =
        panel.unit.empty()
            ? quantity
            : fmt::format("{}{}[{}]", quantity, quantity.empty() ? "" : " ", pretty_unit(panel.unit));
    const double middle = panel.top + 0.5 * panel.height;
    svg_.write(
            "text",
            {{"transform", fmt::format("translate(18 {:.1f}) rotate(-90)", middle)}, {"text-anchor", "middle"}},
            label)
        .end_line();
    const std::string clip = fmt::format("panel{}", index);
    svg_.begin("clipPath", {{"id", clip}})
        .draw("rect",
              {{"x", kLeft}, {"y", panel.top, 1}, {"width", right_ - kLeft, 1}, {"height", panel.height, 1}})
        .end("clipPath")
        .end_line();
    svg_.begin("g", {{"clip-path", fmt::format("url(#{})", clip)},
                     {"fill", "none"},
                     {"stroke-width", 1.6},
                     {"stroke-linejoin", "round"},
                     {"stroke-linecap", "round"}})
        .end_line();
    for (const Curve& curve : panel.curves) draw_curve(panel, curve);
    svg_.end("g").end_line();
    svg_.draw("path", {{"d", fmt::format("M{} {:.1f}V{:.1f}H{:.1f}", kLeft, panel.top, bottom, right_)},
                       {"fill", "none"},
                       {"stroke", "#8a94a3"}})
        .end_line();
  }

  void draw_legend(const Panel& panel) {
    double x = kLeft, y = panel.legend_top + 0.5 * kLegendLine;
    for (const Curve& curve : panel.curves) {
      if (x > kLeft && x + legend_width(curve) - kLegendGap > right_) {
        x = kLeft;
        y += kLegendLine;
      }
      svg_.draw("path", {{"d", fmt::format("M{:.1f} {:.1f}h{}", x, y, kLegendMark)},
                         {"stroke", curve.color},
                         {"stroke-width", 2.5},
                         {"stroke-dasharray", curve.dashes.empty() ? "none" : curve.dashes}});
      svg_.write("text", {{"x", x + kLegendMark + 6.0, 1}, {"y", y + 4.0, 1}}, data_.columns[curve.column].name)
          .end_line();
      x += legend_width(curve);
    }
  }

  void draw_grid(const Panel& panel, bool with_times) {
    const double bottom = panel.top + panel.height;
    const std::vector<double> levels =
        make_ticks(panel.range.low, panel.range.high, std::max(2, static_cast<int>(panel.height / 45.0)));
    for (const double level : levels) {
      const double y = y_of(panel, level);
      const bool is_zero = std::abs(level) < 1e-9 * (panel.range.high - panel.range.low);
      svg_.draw("path", {{"d", fmt::format("M{} {:.1f}H{:.1f}", kLeft, y, right_)},
                         {"stroke", is_zero ? "#c3cad4" : "#e8ebef"}});
      svg_.write("text", {{"x", kLeft - 8.0}, {"y", y + 4.0, 1}, {"text-anchor", "end"}},
                 format_tick(level, spacing_of(levels)))
          .end_line();
    }
    const std::vector<double> times =
        make_ticks(times_.low, times_.high, std::max(2, static_cast<int>((right_ - kLeft) / 90.0)));
    for (const double time : times) {
      const double x = x_of(time);
      svg_.draw("path",
                {{"d", fmt::format("M{:.1f} {:.1f}V{:.1f}", x, panel.top, bottom)}, {"stroke", "#e8ebef"}});
      if (!with_times) continue;
      svg_.write("text", {{"x", x, 1}, {"y", bottom + 18.0, 1}, {"text-anchor", "middle"}},
                 format_tick(time, spacing_of(times)))
          .end_line();
    }
  }

  static double spacing_of(const std::vector<double>& ticks) {
    return ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0;
  }

  void draw_curve(const Panel& panel, const Curve& curve) {
    const std::vector<double>& time = data_.values[0];
    const std::vector<double>& values = data_.values[curve.column];
    svg_.begin("g",
               {{"stroke", curve.color}, {"stroke-dasharray", curve.dashes.empty() ? "none" : curve.dashes}})
        .write("title", {}, data_.columns[curve.column].name)
        .end_line();
    for (std::size_t begin = 0; begin < time.size();) {
      // One piece without a gap or NaN.
      std::size_t end = begin;
      while (end < time.size() && std::isfinite(values[end]) &&
             (end == begin || (time[end] >= time[end - 1] && time[end] - time[end - 1] <= gap_))) {
        ++end;
      }
      if (end > begin) draw_piece(panel, time, values, begin, end);
      begin = std::max(end, begin + 1);
    }
    svg_.end("g").end_line();
  }

  void draw_piece(const Panel& panel, const std::vector<double>& time, const std::vector<double>& values,
                  std::size_t begin, std::size_t end) {
    std::string points;
    const auto point = [&](std::size_t i) {
      fmt::format_to(std::back_inserter(points), "{:.2f},{:.2f} ", x_of(time[i]), y_of(panel, values[i]));
    };
    for (std::size_t i = begin; i < end;) {
      // The points of one pixel column: the first, the extremes in their order, the last.
      const double column = std::floor(x_of(time[i]));
      std::size_t last = i, low = i, high = i;
      while (last + 1 < end && std::floor(x_of(time[last + 1])) == column) {
        ++last;
        if (values[last] < values[low]) low = last;
        if (values[last] > values[high]) high = last;
      }
      std::array<std::size_t, 4> kept = {i, std::min(low, high), std::max(low, high), last};
      const auto unique = std::unique(kept.begin(), kept.end());
      std::for_each(kept.begin(), unique, point);
      i = last + 1;
    }
    // A single point: a line of length zero with round caps is a dot.
    if (end - begin == 1) point(begin);
    svg_.draw("polyline", {{"points", points}}).end_line();
  }

  const LogData& data_;
  std::vector<Panel> panels_;
  Range times_;
  double gap_ = std::numeric_limits<double>::infinity();
  int width_;
  double right_;
  double height_ = 0.0;
  SvgWriter svg_;
};

}  // namespace

std::string draw_plot(const LogData& data, const PlotStyle& style) {
  return Drawing(data, style).text();
}

}  // namespace lockstep
