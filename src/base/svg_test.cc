#include "base/svg.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(SvgWriter, WritesElementsWithTheirTextsEscaped) {
  SvgWriter svg;
  svg.begin("g", {{"id", "a\"b"}}).end_line();
  svg.draw("circle", {{"r", 2.0}, {"cx", 0.25, 1}, {"cy", 1.0, 2}});
  svg.write("text", {{"x", 1.5}}, "a < b & c").end_line().end("g");
  EXPECT_EQ(svg.take(),
            "<g id=\"a&quot;b\">\n<circle r=\"2\" cx=\"0.2\" cy=\"1.00\"/><text x=\"1.5\">a &lt; b &amp; "
            "c</text>\n</g>");
}

TEST(Ticks, AreRoundNumbersInsideTheRange) {
  EXPECT_EQ(make_ticks(0.0, 10.0, 5), (std::vector<double>{0.0, 2.0, 4.0, 6.0, 8.0, 10.0}));
  EXPECT_EQ(make_ticks(-1.0, 1.0, 4), (std::vector<double>{-1.0, -0.5, 0.0, 0.5, 1.0}));
  EXPECT_EQ(make_ticks(0.3, 0.7, 2), (std::vector<double>{0.4, 0.6000000000000001}));
}

}  // namespace
}  // namespace lockstep
