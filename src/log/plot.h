#pragma once

#include <string>
#include <vector>

#include "log/log_reader.h"

namespace lockstep {

struct PlotStyle {
  std::string title;
  int width = 800;  ///< pixels
  int height = 0;   ///< pixels; 0: chosen by the number of panels
};

/// Limit of curves in a plot, for legibility.
inline constexpr std::size_t kMaxCurves = 48;

/// Plots signals over time as an SVG document: one panel per unit, with a legend above it. The same data give
/// the same text. Where there are more points than pixels, each pixel column keeps its minimum and maximum;
/// gaps in the log interrupt a curve.
std::string draw_plot(const LogData& data, const PlotStyle& style);

}  // namespace lockstep
