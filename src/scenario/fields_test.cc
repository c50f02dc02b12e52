#include "scenario/fields.h"

#include <array>
#include <limits>

#include "scenario/scenario_testing.h"
#include "scenario/write.h"

namespace lockstep {
namespace {

enum class Mode { kHold, kZero };
constexpr std::array<std::pair<std::string_view, Mode>, 2> kModes = {
    {{"hold", Mode::kHold}, {"zero", Mode::kZero}}};

struct Tap {
  double at = 0.0;
};
template <class V>
void describe(V& v, Tap& t) {
  v.number("at", t.at, {.unit = "m", .doc = "Where.", .required = true});
}

/// One field of every kind, like the configuration of a device.
struct Gadget {
  Place place;
  std::string name;
  double gain = 1.0;
  std::optional<double> limit;
  double either = 0.0;
  Vec3 axis = Vec3::UnitX();
  std::optional<Vec3> offset;
  std::vector<double> curve = {1.0};
  std::int64_t count = 3;
  std::uint64_t seed = 1;
  std::optional<std::int64_t> capacity;
  bool on = false;
  Duration period{1'000'000};
  std::optional<Duration> delay;
  std::string file;
  Mode mode = Mode::kHold;
  Color color = {1.0, 0.0, 0.0, 1.0};
  std::optional<Color> edge;
  Pose pose;
  std::string note;
  Tap main;
  std::optional<Tap> spare;
  std::vector<Tap> taps;
  std::vector<Element> parts;
};

template <class V>
void describe(V& v, Gadget& g) {
  v.name("name", g.name, {.doc = "Name.", .required = true});
  v.number("gain", g.gain, {.unit = "N*m/rad", .min = 0.0, .doc = "Gain."});
  v.number("limit", g.limit, {.unit = "m", .min = 0.0, .max = 2.0, .above_min = true, .doc = "Limit."});
  v.number("either", g.either, {.unit = "rad or m", .doc = "Angle or length."});
  v.vector("axis", g.axis, {.unit = "m", .doc = "Axis."});
  v.vector("offset", g.offset, {.unit = "m", .min = 0.0, .doc = "Offset."});
  v.numbers("curve", g.curve, {1, 3}, {.unit = "V", .doc = "Curve."});
  v.integer("count", g.count, {.min = 0, .max = 10, .doc = "Count."});
  v.integer("seed", g.seed, {.doc = "Seed."});
  v.integer("capacity", g.capacity, {.doc = "Capacity."});
  v.flag("on", g.on, {.doc = "On."});
  v.time("period", g.period, {.min = 0.0, .above_min = true, .doc = "Period."});
  v.time("delay", g.delay, {.doc = "Delay."});
  v.text("file", g.file, {.doc = "File."});
  v.choice("mode", g.mode, kModes, {.doc = "Mode."});
  v.color("color", g.color, {.doc = "Colour."});
  v.color("edge", g.edge, {.doc = "Edge."});
  v.pose(g.pose, {.doc = "Where it is."});
  v.content(g.note, {.doc = "Note."});
  v.child("main", g.main, {.doc = "Main tap."});
  v.child("spare", g.spare, {.doc = "Spare tap."});
  v.children("tap", g.taps, {.doc = "Tap."}, {0, 2});
  v.container("parts", g.parts, {.doc = "Parts."});
}

Gadget read(std::string_view text, Diagnostics& diagnostics) {
  return read_fields<Gadget>(document_of(text).root(), diagnostics);
}
Gadget read(std::string_view attributes) {
  Diagnostics diagnostics;
  Gadget gadget = read(fmt::format("<gadget name='g' {}/>", attributes), diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  return gadget;
}
std::string errors(std::string_view attributes) {
  Diagnostics diagnostics;
  read(fmt::format("<gadget name='g'\n{}/>", attributes), diagnostics);
  return diagnostics.text();
}

/// An element that may have options of an engine.
struct Hold {
  std::vector<Element> own;
  std::optional<Tap> tap;
};
template <class V>
void describe(V& v, Hold& h) {
  v.engine_children(EngineHost::kJoint, h.own);
  v.child("tap", h.tap, {.doc = "Read after the children of engines."});
}

TEST(FieldReader, ChildrenThatNoFieldReadsBelongToEngines) {
  Diagnostics diagnostics;
  const Document document = document_of("<hold><tap at='1'/><ode erp='0.2'><deep/></ode></hold>");
  Hold hold = read_fields<Hold>(document.root(), diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  EXPECT_TRUE(hold.tap.has_value());
  ASSERT_EQ(hold.own.size(), 1u);
  EXPECT_EQ(hold.own[0].name, "ode");
  EXPECT_EQ(to_string(hold.own[0].place), "t.xml:1:20");
  EXPECT_EQ(write_element(write_fields("hold", hold, Defaults::kOmit)),
            "<hold>\n  <ode erp=\"0.2\">\n    <deep/>\n  </ode>\n  <tap at=\"1\"/>\n</hold>\n");
}

TEST(FieldReader, NumbersAcceptCompatibleUnits) {
  EXPECT_EQ(read("gain='5'").gain, 5.0);
  EXPECT_EQ(read("limit='72 mm'").limit, 0.072);
  EXPECT_EQ(read("axis='1 2 3 cm'").axis, Vec3(0.01, 0.02, 0.03));
  EXPECT_EQ(read("curve='1 V 2 mV'").curve, (std::vector<double>{1.0, 0.002}));
  EXPECT_EQ(read("either='180 deg'").either, 3.141592653589793);
  EXPECT_EQ(read("either='5 mm'").either, 0.005);
}

TEST(FieldReader, RejectsIncompatibleUnits) {
  EXPECT_EQ(errors("limit='1 kg'"),
            "t.xml:2:1: error: gadget 'g': limit: unit 'kg' does not fit; expected a length in 'm', such as "
            "'500 mm'\n");
  EXPECT_EQ(
      errors("either='1 kg'"),
      "t.xml:2:1: error: gadget 'g': either: unit 'kg' does not fit; expected a number in 'rad' or 'm'\n");
  EXPECT_EQ(errors("gain='much'"),
            "t.xml:2:1: error: gadget 'g': gain: 'much' is not a number; expected a torsional stiffness such "
            "as '0.5' or "
            "'5 N*m/rad'\n");
  EXPECT_EQ(errors("gain='nan'").substr(0, 52), "t.xml:2:1: error: gadget 'g': gain: 'nan' is not a n");
}

TEST(FieldReader, RangesAreChecked) {
  EXPECT_EQ(errors("gain='-1'"),
            "t.xml:2:1: error: gadget 'g': gain -1 is out of range; expected at least 0 N*m/rad\n");
  EXPECT_EQ(errors("limit='0'"),
            "t.xml:2:1: error: gadget 'g': limit 0 is out of range; expected above 0 and at most 2 m\n");
  EXPECT_EQ(
      errors("offset='1 -2 3'"),
      "t.xml:2:1: error: gadget 'g': offset '1 -2 3': -2 is out of range; expected each number at least 0 m\n");
  EXPECT_EQ(errors("count='11'"), "t.xml:2:1: error: gadget 'g': count 11 is out of range; expected 0 to 10\n");
}

TEST(FieldReader, NumbersWithoutARangeAreLimitedTo1e9) {
  EXPECT_EQ(errors("axis='0 0 1e10'"),
            "t.xml:2:1: error: gadget 'g': axis '0 0 1e10': 10000000000 is out of range; expected each number "
            "-1e9 to "
            "1e9 m\n");
  EXPECT_EQ(errors("gain='2e9'"),
            "t.xml:2:1: error: gadget 'g': gain 2e9 is out of range; expected 0 to 1e9 N*m/rad\n");
}

TEST(FieldReader, ListsMustHaveTheRightLength) {
  EXPECT_EQ(errors("axis='1 2'"), "t.xml:2:1: error: gadget 'g': axis has 2 numbers; expected 3\n");
  EXPECT_EQ(errors("gain='1 2'"), "t.xml:2:1: error: gadget 'g': gain has 2 numbers; expected 1\n");
  EXPECT_EQ(errors("curve='1 2 3 4'"),
            "t.xml:2:1: error: gadget 'g': curve has 4 numbers; expected at most 3\n");
}

TEST(FieldReader, IntegersAreWholeAndOf64Bits) {
  EXPECT_EQ(read("seed='18446744073709551615'").seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read("capacity='-9223372036854775808'").capacity, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(errors("count='1.5'"), "t.xml:2:1: error: gadget 'g': count '1.5' is not a whole number\n");
  EXPECT_EQ(errors("seed='-1'"),
            "t.xml:2:1: error: gadget 'g': seed -1 is out of range; expected at least 0\n");
  EXPECT_EQ(errors("seed='18446744073709551616'"),
            "t.xml:2:1: error: gadget 'g': seed '18446744073709551616' is not a whole number of 64 bits\n");
}

TEST(FieldReader, FlagsAreTrueOrFalse) {
  EXPECT_TRUE(read("on='true'").on);
  EXPECT_EQ(errors("on='yes'"),
            "t.xml:2:1: error: gadget 'g': on 'yes' is not a truth value; expected 'true' or 'false'\n");
}

TEST(FieldReader, TimesAreWholeNanoseconds) {
  EXPECT_EQ(read("period='0.1'").period, Duration(100'000'000));
  EXPECT_EQ(read("period='1 ns'").period, Duration(1));
  EXPECT_EQ(read("period='3999999.999999999 s'").period, Duration(3'999'999'999'999'999));
  EXPECT_EQ(read("delay='-2 ms'").delay, Duration(-2'000'000));
  EXPECT_EQ(
      errors("period='0.3 ns'"),
      "t.xml:2:1: error: gadget 'g': period 0.3 ns is not a whole number of nanoseconds; the resolution of "
      "time is 1 ns\n");
  EXPECT_EQ(errors("period='1 year'").substr(0, 38), "t.xml:2:1: error: gadget 'g': period: ");
  EXPECT_EQ(errors("period='5e6'"),
            "t.xml:2:1: error: gadget 'g': period 5e6 is out of range; expected above 0 and at most 4e6 s\n");
}

TEST(FieldReader, NamesAreIdentifiers) {
  const auto name_error = [](std::string_view name) {
    Diagnostics diagnostics;
    read(fmt::format("<gadget name='{}'/>", name), diagnostics);
    return diagnostics.text();
  };
  EXPECT_EQ(name_error("left_arm-2.b"), "");
  EXPECT_EQ(name_error(""), "t.xml:1:9: error: <gadget>: name is empty\n");
  EXPECT_EQ(
      name_error("a/b"),
      "t.xml:1:9: error: <gadget>: name 'a/b' has a character other than letters, digits, '_', '-' and '.'\n");
  EXPECT_EQ(name_error(std::string(65, 'x')),
            fmt::format("t.xml:1:9: error: <gadget>: name '{}' has 65 characters; "
                        "expected at most 64\n",
                        std::string(65, 'x')));
}

TEST(FieldReader, ChoicesSuggestTheClosestName) {
  EXPECT_EQ(read("mode='zero'").mode, Mode::kZero);
  EXPECT_EQ(errors("mode='holt'"), "t.xml:2:1: error: gadget 'g': unknown mode 'holt'; did you mean 'hold'?\n");
  EXPECT_EQ(errors("mode='x'"),
            "t.xml:2:1: error: gadget 'g': unknown mode 'x'; expected one of 'hold', 'zero'\n");
}

TEST(FieldReader, ColorsAreHexadecimalOrNumbers) {
  EXPECT_EQ(read("color='#ff8000'").color, (Color{1.0, 128 / 255.0, 0.0, 1.0}));
  EXPECT_EQ(read("edge='#00000033'").edge, (Color{0.0, 0.0, 0.0, 0.2}));
  EXPECT_EQ(read("color='0.1 0.2 0.3'").color, (Color{0.1, 0.2, 0.3, 1.0}));
  EXPECT_EQ(errors("color='#ff80'"),
            "t.xml:2:1: error: gadget 'g': color '#ff80' is not a colour; expected '#rrggbb' or '#rrggbbaa'\n");
  EXPECT_EQ(
      errors("color='#ff80-1'"),
      "t.xml:2:1: error: gadget 'g': color '#ff80-1' is not a colour; expected '#rrggbb' or '#rrggbbaa'\n");
  EXPECT_EQ(errors("color='0 0 2'"),
            "t.xml:2:1: error: gadget 'g': color '0 0 2': 2 is out of range; expected each number 0 to 1\n");
}

TEST(FieldReader, OrientationIsAQuaternionOrRollPitchYaw) {
  EXPECT_EQ(read("orientation='0 0 1 0'").pose.q.coeffs(), Quat(0, 0, 1, 0).coeffs());
  // R = Rz Ry Rx: x goes to y by the yaw, z to x by the pitch.
  const Pose pose = read("rpy='0 90 90 deg' position='1 2 3'").pose;
  EXPECT_LT((pose.q * Vec3::UnitZ() - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_LT((pose.q * Vec3::UnitX() + Vec3::UnitZ()).norm(), 1e-15);
  EXPECT_EQ(pose.p, Vec3(1, 2, 3));
  EXPECT_EQ(
      errors("orientation='1 1 0 0'"),
      "t.xml:2:1: error: gadget 'g': orientation '1 1 0 0' has length 1.414; expected a quaternion w x y z of "
      "length 1\n");
  EXPECT_EQ(errors("orientation='0 0 0 0'"),
            "t.xml:2:1: error: gadget 'g': orientation '0 0 0 0' has length 0; expected a quaternion w x y z "
            "of length "
            "1\n");
  EXPECT_EQ(errors("orientation='1 0 0 0' rpy='0 0 0'"),
            "t.xml:2:23: error: gadget 'g': both orientation and rpy are given; expected one of them\n");
}

TEST(FieldReader, ARoundedQuaternionIsNormalized) {
  EXPECT_NEAR(read("orientation='0.7071 0.7071 0 0'").pose.q.norm(), 1.0, 1e-15);
}

TEST(FieldReader, UnknownInputIsAlwaysAnError) {
  Diagnostics diagnostics;
  read(
      "<gadget name='g' gian='1'>\n<tpa at='1'/>\n<tap at='1'>text</tap>\n<parts x='1'>text</parts>\n</gadget>",
      diagnostics);
  EXPECT_EQ(diagnostics.text(),
            "t.xml:1:18: error: <gadget> has no attribute 'gian'; did you mean 'gain'?\n"
            "t.xml:2:1: error: <gadget> cannot contain <tpa>; did you mean <tap>?\n"
            "t.xml:3:1: error: <tap> contains the text 'text'; expected none\n"
            "t.xml:4:1: error: <parts> contains the text 'text'; expected only elements\n"
            "t.xml:4:8: error: <parts> has no attribute 'x'\n");
}

TEST(FieldReader, MissingAndSurplusFieldsAreErrors) {
  Diagnostics diagnostics;
  read("<gadget>\n<spare at='1'/><spare at='2'/>\n<tap/><tap at='1'/><tap at='2'/></gadget>", diagnostics);
  EXPECT_EQ(diagnostics.text(),
            "t.xml:1:1: error: <gadget> needs an attribute 'name'\n"
            "t.xml:2:16: error: <gadget> contains 2 <spare>; expected at most 1\n"
            "t.xml:3:1: error: <tap> needs an attribute 'at'\n"
            "t.xml:3:20: error: <gadget> contains 3 <tap>; expected at most 2\n");
}

TEST(FieldReader, ChildrenTextAndPlaceAreRead) {
  Diagnostics diagnostics;
  const Gadget gadget =
      read("\n<gadget name='g'>\n a note <main at='1'/><tap at='2'/><parts><any x='1'/></parts></gadget>",
           diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  EXPECT_EQ(gadget.place.line, 2);
  EXPECT_EQ(gadget.note, "a note");
  EXPECT_EQ(gadget.main.at, 1.0);
  EXPECT_FALSE(gadget.spare);
  EXPECT_EQ(gadget.taps.at(0).at, 2.0);
  EXPECT_EQ(gadget.parts.at(0).attributes.at(0).value, "1");
}

TEST(FieldWriter, OmitsDefaults) {
  Gadget gadget;
  gadget.name = "g";
  gadget.gain = 0.1;
  gadget.limit = 1.0 / 3.0;
  gadget.period = Duration(1'500'000);
  gadget.taps = {{0.0}};
  EXPECT_EQ(write_element(write_fields("gadget", gadget, Defaults::kOmit)),
            "<gadget name=\"g\" gain=\"0.1\" limit=\"0.3333333333333333\" period=\"0.0015\">\n"
            "  <main at=\"0\"/>\n"
            "  <tap at=\"0\"/>\n"
            "</gadget>\n");
}

TEST(FieldWriter, WritesEveryAttributeExceptAbsentOptionals) {
  Gadget gadget;
  gadget.name = "g";
  EXPECT_EQ(
      write_element(write_fields("gadget", gadget, Defaults::kWriteOut)),
      "<gadget name=\"g\" gain=\"1\" either=\"0\" axis=\"1 0 0\" curve=\"1\" count=\"3\" seed=\"1\" "
      "on=\"false\" "
      "period=\"0.001\" file=\"\" mode=\"hold\" color=\"#ff0000\" position=\"0 0 0\" orientation=\"1 0 0 0\">\n"
      "  <main at=\"0\"/>\n"
      "</gadget>\n");
}

TEST(FieldFormat, TimesAreExactDecimals) {
  EXPECT_EQ(format_time(Duration(1)), "0.000000001");
  EXPECT_EQ(format_time(Duration(-1'500'000'000)), "-1.5");
  EXPECT_EQ(format_time(Duration(-5)), "-0.000000005");
  EXPECT_EQ(format_time(Duration(60'000'000'000)), "60");
  EXPECT_EQ(format_time(Duration(0)), "0");
}

TEST(FieldFormat, ColorsThatHexadecimalCannotExpressAreNumbers) {
  EXPECT_EQ(format_color({1.0, 0.0, 0.2, 1.0}), "#ff0033");
  EXPECT_EQ(format_color({1.0, 0.0, 0.2, 0.4}), "#ff003366");
  EXPECT_EQ(format_color({0.5, 0.0, 0.0, 1.0}), "0.5 0 0");
  EXPECT_EQ(format_color({0.5, 0.0, 0.0, 0.1}), "0.5 0 0 0.1");
}

TEST(FieldSchema, HasNameTypeUnitDefaultRangeAndDoc) {
  const ElementSchema schema = schema_of<Gadget>("gadget", "A gadget.");
  EXPECT_EQ(schema.name, "gadget");
  EXPECT_TRUE(schema.has_text);
  const AttributeSchema& limit = schema.attributes.at(2);
  EXPECT_EQ(limit.name, "limit");
  EXPECT_EQ(limit.unit, "m");
  EXPECT_EQ(limit.range, "above 0 and at most 2 m");
  EXPECT_FALSE(limit.default_text);
  EXPECT_EQ(limit.doc, "Limit.");
  EXPECT_TRUE(schema.attributes.at(0).required);
  EXPECT_EQ(schema.attributes.at(4).default_text, "1 0 0");
  ASSERT_EQ(schema.children.size(), 4u);
  EXPECT_EQ(schema.children[2].max, 2u);
  EXPECT_EQ(schema.children[2].element.attributes.at(0).name, "at");
  EXPECT_TRUE(schema.children[3].element.is_container);
}

}  // namespace
}  // namespace lockstep
