#include "study/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace lockstep {
namespace {

// Pixels.
constexpr double kLeft = 64.0, kRight = 14.0, kTop = 12.0, kBottom = 44.0;
constexpr std::size_t kMostDots = 3000;

/// An axis: numbers to pixels.
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

  /// Round numbers between the ends, about so many.
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
    const double rough = (high_ - low_) / wanted;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10.0 * power;
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= rough) {
        step = factor * power;
        break;
      }
    }
    for (double k = std::ceil(low_ / step); k * step <= high_ + 1e-9 * step; ++k) ticks.push_back(k * step);
    return ticks;
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

std::string draw_line(const Chart& chart, const Scale& x, const Scale& y) {
  if (chart.line.empty()) return "";
  std::string path;
  double last = 0.0;
  for (const ChartPoint& point : chart.line) {
    if (chart.has_steps && !path.empty()) path += fmt::format("L{:.1f} {:.1f}", x.at(point.x), last);
    last = y.at(point.y);
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(point.x), last);
  }
  return fmt::format("<path class=\"line\" d=\"{}\"/>\n", path);
}

std::string draw_axes(const Chart& chart, const Scale& x, const Scale& y) {
  const double bottom = chart.height - kBottom, right = chart.width - kRight;
  std::string svg;
  for (const double tick : y.ticks(5)) {
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"tick\" text-anchor=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>\n",
        kLeft, right, y.at(tick), y.at(tick), kLeft - 8.0, y.at(tick) + 4.0, shown_number(tick));
  }
  const int wanted = static_cast<int>(std::max(3.0, chart.width / 110.0));
  for (const double tick : x.ticks(wanted)) {
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\"/>"
        "<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{}\">{}</text>\n",
        x.at(tick), x.at(tick), kTop, bottom, x.at(tick), bottom + 17.0, shown_number(tick));
  }
  svg += fmt::format("<text class=\"label\" text-anchor=\"middle\" x=\"{}\" y=\"{}\">{}</text>\n",
                     0.5 * (kLeft + right), chart.height - 6.0, escape_markup(chart.x_label));
  svg += fmt::format(
      "<text class=\"label\" text-anchor=\"middle\" transform=\"translate(14 {}) rotate(-90)\">{}</text>\n",
      0.5 * (kTop + bottom), escape_markup(chart.y_label));
  return svg;
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

  std::string svg =
      fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{} against {}\">\n", chart.width,
                  chart.height, escape_markup(chart.y_label), escape_markup(chart.x_label));
  svg += draw_axes(chart, x, y);
  const std::size_t every = chart.dots.size() / kMostDots + 1;
  for (std::size_t i = 0; i < chart.dots.size(); i += every) {
    svg += fmt::format("<circle class=\"dot\" r=\"2\" cx=\"{:.1f}\" cy=\"{:.1f}\"/>", x.at(chart.dots[i].x),
                       y.at(chart.dots[i].y));
  }
  if (chart.level) {
    svg += fmt::format(
        "<line class=\"level\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"tick\" text-anchor=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>\n",
        kLeft, chart.width - kRight, y.at(*chart.level), y.at(*chart.level), chart.width - kRight - 4.0,
        y.at(*chart.level) - 5.0, escape_markup(chart.level_label));
  }
  if (chart.upright) {
    svg += fmt::format("<line class=\"level\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{}\" y2=\"{}\"/>\n",
                       x.at(*chart.upright), x.at(*chart.upright), kTop, chart.height - kBottom);
  }
  svg += draw_line(chart, x, y);
  for (const ChartPoint& point : chart.marks) {
    svg += fmt::format("<circle class=\"mark\" r=\"5\" cx=\"{:.1f}\" cy=\"{:.1f}\"/>", x.at(point.x),
                       y.at(point.y));
  }
  return svg + "</svg>\n";
}

}  // namespace lockstep
