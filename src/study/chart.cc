#include "study/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/svg.h"
#include "base/text.h"

namespace lockstep {
namespace {

// Pixels.
constexpr double kLeft = 64.0, kRight = 14.0, kTop = 12.0, kBottom = 44.0;
constexpr std::size_t kMaxDots = 3000;

/// An axis: maps numbers to pixels.
class Scale {
 public:
  Scale(double low, double high, double from, double to, bool is_log)
      : is_log_(is_log), low_(turned(low)), high_(turned(high)), from_(from), to_(to) {
    if (high_ > low_) return;
    const double margin = low_ != 0.0 ? 0.1 * std::abs(low_) : 1.0;
    low_ -= margin;
    high_ += margin;
  }
  void widen(double share) {
    const double margin = share * (high_ - low_);
    low_ -= margin;
    high_ += margin;
  }
  double at(double value) const { return from_ + (turned(value) - low_) / (high_ - low_) * (to_ - from_); }

  /// Round numbers between the ends, about `wanted` of them.
  std::vector<double> ticks(int wanted) const {
    std::vector<double> ticks;
    if (is_log_) {
      const bool is_short = high_ - low_ < 2.0;  // powers of ten would be few
      for (double power = std::floor(low_); power <= high_ + 1e-9; ++power) {
        for (const double factor : {1.0, 2.0, 5.0}) {
          const double place = power + std::log10(factor);
          const bool is_inside = place >= low_ - 1e-9 && place <= high_ + 1e-9;
          if (is_inside && (factor == 1.0 || is_short)) ticks.push_back(std::pow(10.0, power) * factor);
        }
      }
      return ticks;
    }
    return make_ticks(low_, high_, wanted);
  }

 private:
  double turned(double value) const { return is_log_ ? std::log10(std::max(value, 1e-300)) : value; }
  bool is_log_;
  double low_, high_, from_, to_;
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool is_empty() const { return !(low <= high); }
};

void draw_line(const Chart& chart, const Scale& x, const Scale& y, SvgWriter& svg) {
  if (chart.line.empty()) return;
  std::string path;
  double last = 0.0;
  for (const ChartPoint& point : chart.line) {
    if (chart.has_steps && !path.empty()) path += fmt::format("L{:.1f} {:.1f}", x.at(point.x), last);
    last = y.at(point.y);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(point.x), last);
  }
  svg.draw("path", {{"class", "line"}, {"d", path}}).end_line();
}

/// A horizontal line across the chart.
void draw_level(const char* kind, const Chart& chart, double y, SvgWriter& svg) {
  svg.draw("line", {{"class", kind}, {"x1", kLeft}, {"x2", chart.width - kRight}, {"y1", y, 1}, {"y2", y, 1}});
}

void draw_upright(const char* kind, const Chart& chart, double x, SvgWriter& svg) {
  svg.draw("line", {{"class", kind}, {"x1", x, 1}, {"x2", x, 1}, {"y1", kTop}, {"y2", chart.height - kBottom}});
}

void draw_dot(const char* kind, double radius, double x, double y, SvgWriter& svg) {
  svg.draw("circle", {{"class", kind}, {"r", radius}, {"cx", x, 1}, {"cy", y, 1}});
}

void draw_axes(const Chart& chart, const Scale& x, const Scale& y, SvgWriter& svg) {
  const double bottom = chart.height - kBottom, right = chart.width - kRight;
  for (const double tick : y.ticks(5)) {
    draw_level("grid", chart, y.at(tick), svg);
    svg.write("text",
              {{"class", "tick"}, {"text-anchor", "end"}, {"x", kLeft - 8.0}, {"y", y.at(tick) + 4.0, 1}},
              shown_number(tick))
        .end_line();
  }
  const int wanted = static_cast<int>(std::max(3.0, chart.width / 110.0));
  for (const double tick : x.ticks(wanted)) {
    draw_upright("grid", chart, x.at(tick), svg);
    svg.write("text",
              {{"class", "tick"}, {"text-anchor", "middle"}, {"x", x.at(tick), 1}, {"y", bottom + 17.0}},
              shown_number(tick))
        .end_line();
  }
  svg.write("text",
            {{"class", "label"},
             {"text-anchor", "middle"},
             {"x", 0.5 * (kLeft + right)},
             {"y", chart.height - 6.0}},
            chart.x_label)
      .end_line();
  svg.write("text",
            {{"class", "label"},
             {"text-anchor", "middle"},
             {"transform", fmt::format("translate(14 {}) rotate(-90)", 0.5 * (kTop + bottom))}},
            chart.y_label)
      .end_line();
}

}  // namespace

std::string shown_number(double value) {
  if (value != 0.0 && (std::abs(value) >= 1e6 || std::abs(value) < 1e-4)) return fmt::format("{:.3g}", value);
  std::string text = fmt::format("{:.4g}", value);
  return text == "-0" ? "0" : text;
}

std::string draw(const Chart& chart) {
  Range xs, ys;
  for (const auto* points : {&chart.dots, &chart.line, &chart.marks}) {
    for (const ChartPoint& point : *points) {
      xs.include(point.x);
      ys.include(point.y);
    }
  }
  if (chart.level) ys.include(*chart.level);
  if (chart.upright) xs.include(*chart.upright);
  if (xs.is_empty() || ys.is_empty()) return "<p class=\"note\">There is nothing to draw.</p>\n";
  Scale x(xs.low, xs.high, kLeft, chart.width - kRight, chart.is_log_x);
  Scale y(ys.low, ys.high, chart.height - kBottom, kTop, false);
  x.widen(0.02);
  y.widen(0.05);

  SvgWriter svg;
  svg.begin("svg", {{"viewBox", fmt::format("0 0 {} {}", chart.width, chart.height)},
                    {"role", "img"},
                    {"aria-label", fmt::format("{} against {}", chart.y_label, chart.x_label)}})
      .end_line();
  draw_axes(chart, x, y, svg);
  const std::size_t every = chart.dots.size() / kMaxDots + 1;
  for (std::size_t i = 0; i < chart.dots.size(); i += every)
    draw_dot("dot", 2.0, x.at(chart.dots[i].x), y.at(chart.dots[i].y), svg);
  if (chart.level) {
    draw_level("level", chart, y.at(*chart.level), svg);
    svg.write("text",
              {{"class", "tick"},
               {"text-anchor", "end"},
               {"x", chart.width - kRight - 4.0},
               {"y", y.at(*chart.level) - 5.0, 1}},
              chart.level_label)
        .end_line();
  }
  if (chart.upright) {
    draw_upright("level", chart, x.at(*chart.upright), svg);
    svg.end_line();
  }
  draw_line(chart, x, y, svg);
  for (const ChartPoint& point : chart.marks) draw_dot("mark", 5.0, x.at(point.x), y.at(point.y), svg);
  return svg.end("svg").end_line().take();
}

}  // namespace lockstep
