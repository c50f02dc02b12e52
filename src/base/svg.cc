#include "base/svg.h"

#include <cmath>

#include "base/text.h"

namespace lockstep {

void SvgWriter::open(std::string_view element, SvgAttributes attributes) {
  out_ += '<';
  out_ += element;
  for (const SvgAttribute& each : attributes) {
    out_ += ' ';
    out_ += each.name;
    out_ += "=\"";
    out_ += escape_markup(each.value);
    out_ += '"';
  }
}

SvgWriter& SvgWriter::draw(std::string_view element, SvgAttributes attributes) {
  open(element, attributes);
  out_ += "/>";
  return *this;
}

SvgWriter& SvgWriter::write(std::string_view element, SvgAttributes attributes, std::string_view text) {
  begin(element, attributes);
  out_ += escape_markup(text);
  return end(element);
}

SvgWriter& SvgWriter::begin(std::string_view element, SvgAttributes attributes) {
  open(element, attributes);
  out_ += '>';
  return *this;
}

SvgWriter& SvgWriter::end(std::string_view element) {
  out_ += "</";
  out_ += element;
  out_ += '>';
  return *this;
}

SvgWriter& SvgWriter::end_line() {
  out_ += '\n';
  return *this;
}

std::vector<double> make_ticks(double from, double to, int wanted) {
  const double rough = (to - from) / wanted;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double spacing = 10.0 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power * (1.0 + 1e-9)) {
      spacing = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  const double tolerance = 1e-9 * (to - from);
  for (double n = std::ceil((from - tolerance) / spacing); n * spacing <= to + tolerance && ticks.size() < 100;
       ++n) {
    ticks.push_back(n * spacing);
  }
  return ticks;
}

}  // namespace lockstep
