#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// An attribute of an element: text, or a number with a number of decimals.
struct SvgAttribute {
  std::string_view name;
  std::string value;

  SvgAttribute(std::string_view its_name, std::string_view text) : name(its_name), value(text) {}
  SvgAttribute(std::string_view its_name, const char* text) : name(its_name), value(text) {}
  SvgAttribute(std::string_view its_name, double number) : name(its_name), value(fmt::format("{}", number)) {}
  SvgAttribute(std::string_view its_name, double number, int digits)
      : name(its_name), value(fmt::format("{:.{}f}", number, digits)) {}
};
using SvgAttributes = std::initializer_list<SvgAttribute>;

/// Writes the elements of an SVG drawing in sequence. Texts and attributes are escaped.
///
///     SvgWriter svg;
///     svg.begin("svg", {{"viewBox", "0 0 100 50"}}).end_line();
///     svg.draw("circle", {{"r", 2.0}, {"cx", x, 1}, {"cy", y, 1}}).end_line();
///     svg.end("svg").end_line();
class SvgWriter {
 public:
  /// An empty element.
  SvgWriter& draw(std::string_view element, SvgAttributes attributes);
  /// An element that contains text.
  SvgWriter& write(std::string_view element, SvgAttributes attributes, std::string_view text);
  /// Opens an element that contains others, until end().
  SvgWriter& begin(std::string_view element, SvgAttributes attributes);
  SvgWriter& end(std::string_view element);
  SvgWriter& end_line();

  std::string take() { return std::move(out_); }

 private:
  void open(std::string_view element, SvgAttributes attributes);

  std::string out_;
};

/// Tick values for an axis: about `wanted` multiples of 1, 2 or 5 times a power of ten within a range.
std::vector<double> make_ticks(double from, double to, int wanted);

}  // namespace lockstep
