#pragma once

#include <string>
#include <vector>

#include "log/log_reader.h"

namespace lockstep {

struct PlotStyle {
  std::string title;
  int width = 800;  ///< pixels
  int height = 0;   ///< pixels; 0: a good height for the number of panels
};

/// Curves a plot can show and still be read.
inline constexpr std::size_t kMaxCurves = 48;

/// The signals over time as an SVG document: one panel per unit, a legend above each. The same data give the
/// same text. Where there are more points than pixels each column of pixels keeps its lowest and highest; a
/// curve is interrupted where the log is.
std::string draw_plot(const LogData& data, const PlotStyle& style);

}  // namespace lockstep
