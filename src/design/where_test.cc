#include "design/where.h"

#include <gtest/gtest.h>

#include "design/design_testing.h"

namespace lockstep {
namespace {

Where where_of(std::string_view attributes) {
  Diagnostics diagnostics;
  const Document document = document_of(fmt::format("<at {}/>", attributes));
  const Where where = read_fields<Where>(document.root(), diagnostics);
  diagnostics.throw_if_errors();
  return where;
}

Assembly make_wheels() {
  SmallAssembly made;
  made.add_wheel("small", 0.1, {0.0, 0.3, 0.0});
  made.add_wheel("large", 0.2, {1.0, 0.3, 0.0});
  return made.assembly;
}

TEST(Where, ACylinderGivesItsAxisInTheAssembly) {
  const Line line = find_line(make_wheels(), where_of("from='cylinder' part='small'"));
  EXPECT_TRUE(line.point.isApprox(Vec3(0.0, 0.3, 0.0)));
  EXPECT_TRUE(line.direction.isApprox(Vec3::UnitY()));
}

TEST(Where, SelectsTheLargestUnlessARadiusOrAPointIsGiven) {
  EXPECT_NEAR(find_line(make_wheels(), where_of("from='cylinder' part='*'")).point.x(), 1.0, 1e-12);
  EXPECT_NEAR(find_line(make_wheels(), where_of("from='cylinder' part='*' radius='100 mm'")).point.x(), 0.0,
              1e-12);
  EXPECT_NEAR(find_line(make_wheels(), where_of("from='cylinder' part='*' near='0.1 0 0'")).point.x(), 0.0,
              1e-12);
  EXPECT_NEAR(find_line(make_wheels(), where_of("from='cylinder' part='*' number='2'")).point.x(), 0.0, 1e-12);
}

TEST(Where, ReportsMissingFeatures) {
  EXPECT_EQ(error_of([] { find_line(make_wheels(), where_of("from='cylinder' part='small' radius='7 mm'")); }),
            "t.xml:1:1: error: <at>: 'small' has no cylinder of radius 7 mm; there are 100 mm\n");
  EXPECT_EQ(error_of([] { find_line(make_wheels(), where_of("from='hole' part='small'")); }),
            "t.xml:1:1: error: <at>: 'small' has 0 features of the kind 'hole'; `lockstep design features` "
            "lists them\n");
}

TEST(Where, ThreePointsGiveTheirCircle) {
  const Line line = find_line({}, where_of("from='points' points='3 1 2  1 3 2  -1 1 2'"));
  EXPECT_TRUE(line.point.isApprox(Vec3(1.0, 1.0, 2.0)));
  EXPECT_TRUE(line.direction.isApprox(Vec3::UnitZ()));
  EXPECT_NE(error_of([] {
              find_line({}, where_of("from='points' points='0 0 0 1 1 1 2 2 2'"));
            }).find("are on a line"),
            std::string::npos);
}

TEST(Where, FlipAndOffsetMoveAlongTheDirection) {
  const Line line = find_line(make_wheels(), where_of("from='cylinder' part='small' flip='true' offset='0.1'"));
  EXPECT_TRUE(line.point.isApprox(Vec3(0.0, 0.2, 0.0)));
}

TEST(Where, RejectsAttributesThatDoNotApply) {
  EXPECT_NE(error_of([] { where_of("from='points' points='3 1 2 1 3 2 -1 1 2' part='x'"); }).find("part"),
            std::string::npos);
}

}  // namespace
}  // namespace lockstep
