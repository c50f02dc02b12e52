#include "formats/xacro/xacro.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder_testing.h"
#include "scenario/write.h"

namespace lockstep {
namespace {

Element expand(const std::string& inside, const ImportOptions& options = {}) {
  FormatReport report;
  const ImportSource source{.name = "r.xacro",
                            .bytes = "<robot xmlns:xacro='x'>\n" + inside + "</robot>",
                            .path = "/nowhere/at/all/r.xacro",
                            .options = options};
  return expand_xacro(source, report);
}

/// The children of the root as text, without line ends.
std::string expanded(const std::string& inside, const ImportOptions& options = {}) {
  std::string text;
  for (const Element& child : expand(inside, options).children) text += write_element(child);
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') result += text[i];
    if (text[i] == '\n') i = std::min(text.find_first_not_of(" \n", i), text.size()) - 1;
  }
  return result;
}

/// The value of an expression as text.
std::string value_of(const std::string& expression) {
  return expand("<a v=\"${" + expression + "}\"/>").children.at(0).attributes.at(0).value;
}

std::string error_of(const std::string& inside, const ImportOptions& options = {}) {
  try {
    (void)expand(inside, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

ImportOptions with_argument(const std::string& name, const std::string& value) {
  ImportOptions options;
  options.arguments = {{name, value}};
  return options;
}

TEST(XacroExpression, HasTheNumbersOfPython) {
  for (const auto& [expression, expected] : std::map<std::string, std::string>{
           {"1 + 2 * 3", "7"},
           {"(1 + 2) * 3", "9"},
           {"7 / 2", "3.5"},
           {"6 / 2", "3.0"},
           {"7 // 2", "3"},
           {"-7 // 2", "-4"},
           {"-7 % 3", "2"},
           {"7.5 % 2", "1.5"},
           {"2 ** 10", "1024"},
           {"2 ** -1", "0.5"},
           {"-2 ** 2", "-4"},
           {"2 ** 3 ** 2", "512"},
           {"1e-5", "1e-05"},
           {"1e16", "1e+16"},
           {".5 + 1.", "1.5"},
           {"0.1 + 0.2", "0.30000000000000004"},
           {"--3", "3"},
           {"9223372036854775807 + 1", "9.223372036854776e+18"},
           {"True + 1", "2"},
           {"round(2.567, 2)", "2.57"},
           {"round(2.5)", "2"},
           {"int(3.9)", "3"},
           {"int('12')", "12"},
           {"float('1e3')", "1000.0"},
           {"abs(-3)", "3"},
           {"min(3, 1, 2)", "1"},
           {"max([1.5, 2])", "2"},
           {"sum([1, 2, 3.5])", "6.5"},
           {"floor(-1.5)", "-2"},
           {"degrees(pi)", "180.0"},
           {"math.radians(180) == math.pi", "True"},
           {"sqrt(16)", "4.0"},
           {"atan2(0, -1)", "3.141592653589793"},
           {"pow(2, 3)", "8"},
       }) {
    EXPECT_EQ(value_of(expression), expected) << expression;
  }
}

TEST(XacroExpression, HasTheConditionsOfPython) {
  for (const auto& [expression, expected] : std::map<std::string, std::string>{
           {"1 &lt; 2 &lt; 3", "True"},
           {"1 &lt; 3 &lt; 2", "False"},
           {"1 == 1.0", "True"},
           {"'a' == 'b'", "False"},
           {"not 0 and 5", "5"},
           {"0 or 'x'", "x"},
           {"1 if 2 > 3 else 4", "4"},
           {"'a' if True else nothing", "a"},
           {"True or nothing", "True"},
           {"'b' in 'abc'", "True"},
           {"3 not in [1, 2]", "True"},
           {"'a' in dict(a=1)", "True"},
           {"None is None", "True"},
           {"not not 1", "True"},
       }) {
    EXPECT_EQ(value_of(expression), expected) << expression;
  }
}

TEST(XacroExpression, HasTextsListsAndMaps) {
  for (const auto& [expression, expected] : std::map<std::string, std::string>{
           {"'left' + '_' + 'leg'", "left_leg"},
           {"'ab' * 3", "ababab"},
           {"'a_b_c'.split('_')", "['a', 'b', 'c']"},
           {"' x '.strip().upper()", "X"},
           {"'a_b'.replace('_', '-')", "a-b"},
           {"'-'.join(['a', 'b'])", "a-b"},
           {"'{}_{}'.format('a', 1)", "a_1"},
           {"'abc'[1]", "b"},
           {"'abc'[-1]", "c"},
           {"'abcd'[1:3]", "bc"},
           {"[1, 2.0, 'x'][2]", "x"},
           {"[1, 2] + [3]", "[1, 2, 3]"},
           {"len([1, 2])", "2"},
           {"{'a': 1}['a']", "1"},
           {"dict(a=1, b=dict(c=5)).b.c", "5"},
           {"dict(a=1).get('z', 7)", "7"},
           {"dict(a=1, b=2).keys()", "['a', 'b']"},
           {"[x * x for x in range(4)]", "[0, 1, 4, 9]"},
           {"[x for x in range(6) if x % 2 == 0]", "[0, 2, 4]"},
           {"[k + str(v) for k, v in dict(a=1, b=2).items()]", "['a1', 'b2']"},
           {"sorted([3, 1, 2])", "[1, 2, 3]"},
           {"str(1.0)", "1.0"},
           {"'it' + \"'s\".replace(\"'\", '')", "its"},
       }) {
    const std::string quoted = expression;
    EXPECT_EQ(expand("<a v='" +
                     [&] {
                       std::string text = "${" + quoted + "}", out;
                       for (const char c : text) out += c == '\'' ? "&apos;" : std::string(1, c);
                       return out;
                     }() +
                     "'/>")
                  .children.at(0)
                  .attributes.at(0)
                  .value,
              expected)
        << expression;
  }
}

TEST(XacroExpression, RejectsWhatItDoesNotKnow) {
  for (const auto& [expression, reason] : std::map<std::string, std::string>{
           {"1 / 0", "division by zero"},
           {"sqrt(-1)", "'sqrt' has no finite result"},
           {"1 + 'a'", "'+' cannot combine a number and a text"},
           {"nothing", "unknown property 'nothing'"},
           {"open('/etc/passwd')", "unknown function 'open'"},
           {"__import__('os').system('x')", "unknown function '__import__'"},
           {"''.__class__", "a text has no member '__class__'"},
           {"[1][5]", "there is no item 5 in a list of 1"},
           {"dict(a=1).b", "the map has no key 'b'; did you mean 'a'?"},
           {"(1", "ends too early"},
           {"1 +", "ends too early"},
           {"1 1", "'1' is not expected here"},
           {"lambda x", "'lambda' is not expected here"},
           {"'a", "has no closing"},
           {"10 ** 400", "'**' has no finite result"},
           {"'a' * 10000000", "too long"},
           {"range(10 ** 9)", "more than 100000 numbers"},
           {"1e999", "is not a number"},
       }) {
    const std::string error = error_of("<a v=\"${" + expression + "}\"/>");
    EXPECT_NE(error.find(reason), std::string::npos) << expression << ": " << error;
    EXPECT_EQ(error.find("r.xacro:2:"), 0u) << error;
  }
}

TEST(Xacro, PropertiesAreEvaluatedWhenTheyAreUsed) {
  EXPECT_EQ(expanded(R"(<xacro:property name="b" value="${2 * a}"/><xacro:property name="a" value="3"/>
    <x v="${b}" w="$${a}" u="a${a}b"/>)"),
            R"(<x v="6" w="${a}" u="a3b"/>)");
  EXPECT_EQ(
      expanded(R"(<xacro:property name="a" value="1"/><xacro:property name="b" value="${a}" lazy_eval="false"/>
    <xacro:property name="a" value="2"/><x v="${b} ${a}"/>)"),
      R"(<x v="1 2"/>)");
}

TEST(Xacro, PropertiesHaveDefaultsAndCanBeRemoved) {
  EXPECT_EQ(expanded(R"(<xacro:property name="a" value="1"/><xacro:property name="a" default="2"/>
    <xacro:property name="b" default="3"/><x v="${a} ${b}"/>)"),
            R"(<x v="1 3"/>)");
  EXPECT_NE(
      error_of(R"(<xacro:property name="a" value="1"/><xacro:property name="a" remove="true"/><x v="${a}"/>)")
          .find("unknown property 'a'"),
      std::string::npos);
}

TEST(Xacro, TextsOfPropertiesBecomeNumbersAndTruthValues) {
  EXPECT_EQ(expanded(R"(<xacro:property name="n" value="0.50"/><xacro:property name="t" value="true"/>
    <xacro:property name="s" value="'7'"/><x v="${n}" w="${1 if t else 2}" s="${s + 'a'}"/>)"),
            R"(<x v="0.5" w="1" s="7a"/>)");
}

TEST(Xacro, MacrosHaveParametersWithDefaults) {
  EXPECT_EQ(
      expanded(R"(<xacro:macro name="leg" params="side length:=${2 * unit} name:='a b' color=red">
      <leg side="${side}" length="${length}" name="${name}" color="${color}"/></xacro:macro>
    <xacro:property name="unit" value="1.5"/><xacro:leg side="left"/><xacro:leg side="right" length="1" color="blue"/>)"),
      R"(<leg side="left" length="3.0" name="a b" color="red"/><leg side="right" length="1" name="a b" color="blue"/>)");
}

TEST(Xacro, MacrosForwardPropertiesOfTheCaller) {
  const std::string macro =
      R"(<xacro:macro name="m" params="a:=^ b:=^|5"><x a="${a}" b="${b}"/></xacro:macro>)";
  EXPECT_EQ(
      expanded(
          macro +
          R"(<xacro:property name="a" value="1"/><xacro:m/><xacro:property name="b" value="2"/><xacro:m/>)"),
      R"(<x a="1" b="5"/><x a="1" b="2"/>)");
  EXPECT_NE(error_of(macro + "<xacro:m/>").find("macro 'm' needs the parameter 'a'"), std::string::npos);
}

TEST(Xacro, MacrosInsertBlocks) {
  EXPECT_EQ(
      expanded(
          R"(<xacro:macro name="m" params="v *origin **content"><link v="${v}"><xacro:insert_block name="origin"/>
      <xacro:insert_block name="content"/></link></xacro:macro>
    <xacro:property name="v" value="9"/>
    <xacro:m v="1"><origin xyz="${v}"/><any><p/><q r="${v}"/></any></xacro:m>)"),
      R"(<link v="1"><origin xyz="9"/><p/><q r="9"/></link>)");
  EXPECT_EQ(expanded(R"(<xacro:property name="block"><a/><b v="${1 + 1}"/></xacro:property>
    <x><xacro:insert_block name="block"/></x>)"),
            R"(<x><a/><b v="2"/></x>)");
}

TEST(Xacro, PropertiesOfAMacroAreItsOwnUnlessTheyHaveAScope) {
  EXPECT_EQ(expanded(R"(<xacro:macro name="m" params=""><xacro:property name="own" value="2"/>
      <xacro:property name="up" value="${own + 1}" scope="parent"/><xacro:property name="all" value="${own + 2}" scope="global"/>
      <in v="${own}"/></xacro:macro>
    <xacro:property name="own" value="1"/><xacro:m/><out v="${own} ${up} ${all}"/>)"),
            R"(<in v="2"/><out v="1 3 4"/>)");
}

TEST(Xacro, AMacroCanCallItselfUntilAConditionEndsIt) {
  EXPECT_EQ(expanded(R"(<xacro:macro name="row" params="i n"><x i="${i}"/>
      <xacro:if value="${i + 1 &lt; n}"><xacro:row i="${i + 1}" n="${n}"/></xacro:if></xacro:macro>
    <xacro:row i="0" n="3"/>)"),
            R"(<x i="0"/><x i="1"/><x i="2"/>)");
  const Element root = expand(R"(<xacro:macro name="row" params="n"><x/>
      <xacro:if value="${n > 1}"><xacro:row n="${n - 1}"/></xacro:if></xacro:macro><xacro:row n="300"/>)");
  EXPECT_EQ(root.children.size(), 300u);
}

TEST(Xacro, ConditionsSelectContent) {
  EXPECT_EQ(expanded(R"(<xacro:property name="a" value="true"/><xacro:if value="${a}"><x/></xacro:if>
    <xacro:unless value="${a}"><y/></xacro:unless><xacro:if value="0"><z/></xacro:if>
    <xacro:if value="${'a' == 'a'}"><w/></xacro:if>)"),
            "<x/><w/>");
  EXPECT_NE(error_of(R"(<xacro:if value="maybe"/>)")
                .find("the condition 'maybe' is 'maybe'; expected true, false or a number"),
            std::string::npos);
}

TEST(Xacro, ArgumentsComeFromTheUserOrAreDefaults) {
  const std::string file =
      R"x(<xacro:arg name="side" default="left"/><xacro:property name="s" value="$(arg side)"/>
    <x v="$(arg side)_leg" w="${s + '_arm'}" u="${'$(arg side)' == 'left'}"/>)x";
  EXPECT_EQ(expanded(file), R"(<x v="left_leg" w="left_arm" u="True"/>)");
  EXPECT_EQ(expanded(file, with_argument("side", "right")), R"(<x v="right_leg" w="right_arm" u="False"/>)");
  EXPECT_EQ(error_of(file, with_argument("sied", "right")),
            "--arg: error: the file has no argument 'sied'; did you mean 'side'?\n");
  EXPECT_NE(error_of("<x v='$(arg k)'/>").find("the argument 'k' has no value; give it with --arg k=VALUE"),
            std::string::npos);
}

TEST(Xacro, WarningsOfTheFileAreInTheReport) {
  FormatReport report;
  (void)expand_xacro(
      {.name = "r.xacro",
       .bytes =
           "<robot xmlns:xacro='x'>\n<xacro:if value='1'>${xacro.warning('no ' + 'mass')}</xacro:if></robot>",
       .path = "/nowhere/r.xacro"},
      report);
  EXPECT_EQ(report.suspicious, std::vector<std::string>{"r.xacro:2:1: the file warns: no mass"});
}

TEST(Xacro, ElementsAndAttributesHaveComputedNames) {
  EXPECT_EQ(
      expanded(
          R"(<xacro:element xacro:name="${'li' + 'nk'}" name="a"><xacro:attribute name="${'ma'}ss" value="${1 + 1}"/>
    </xacro:element>)"),
      R"(<link name="a" mass="2"/>)");
  EXPECT_EQ(
      expanded(
          R"(<xacro:macro name="leg" params="n"><leg n="${n}"/></xacro:macro><xacro:call macro="${'le' + 'g'}" n="1"/>)"),
      R"(<leg n="1"/>)");
}

TEST(Xacro, PackagesBecomePackageUrls) {
  EXPECT_EQ(
      expanded(R"x(<mesh a="$(find arm)/m.stl" b="file://$(find arm)/m.stl" c="$(optenv SIZE 1 2 3)"/>)x"),
      R"x(<mesh a="package://arm/m.stl" b="package://arm/m.stl" c="1 2 3"/>)x");
}

class XacroFiles : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  Element expand_file(const std::string& name, const ImportOptions& options = {}) {
    std::ifstream stream(folder_.path() / name);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    FormatReport report;
    return expand_xacro({.name = name, .bytes = bytes, .path = folder_.path() / name, .options = options},
                        report);
  }
  std::string error_of_file(const std::string& name, const ImportOptions& options = {}) {
    try {
      (void)expand_file(name, options);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }
  TemporaryFolder folder_;
};

TEST_F(XacroFiles, IncludesAreRelativeToTheirFileOrInAPackage) {
  write("robot/package.xml", "<package/>");
  write("parts/package.xml", "<package/>");
  write("robot/urdf/main.xacro", R"(<robot><xacro:include filename="sub/a.xacro"/>
    <xacro:include filename="$(find parts)/b.xacro"/><xacro:a/><xacro:b/></robot>)");
  write(
      "robot/urdf/sub/a.xacro",
      R"(<robot><xacro:include filename="c.xacro"/><xacro:macro name="a"><a v="${c}"/></xacro:macro></robot>)");
  write("robot/urdf/sub/c.xacro", R"(<robot><xacro:property name="c" value="5"/></robot>)");
  write("parts/b.xacro", R"(<robot>
<xacro:macro name="b">
<b/></xacro:macro></robot>)");
  const Element root = expand_file("robot/urdf/main.xacro");
  ASSERT_EQ(root.children.size(), 2u);
  EXPECT_EQ(root.children[0].attributes[0].value, "5");
  EXPECT_EQ(to_string(root.children[0].place), "robot/urdf/sub/a.xacro:1:65");
  EXPECT_EQ(to_string(root.children[1].place), "parts/b.xacro:3:1");
}

TEST_F(XacroFiles, PackagesOutsideAreGivenByTheUser) {
  write("a/main.xacro", R"(<robot><xacro:include filename="$(find far)/x.xacro"/></robot>)");
  write("b/c/x.xacro", R"(<robot><xacro:include filename="y.xacro"/></robot>)");
  write("b/c/y.xacro", "<robot><y/></robot>");
  EXPECT_EQ(error_of_file("a/main.xacro"),
            "a/main.xacro:1:8: error: <xacro:include>: file 'package://far/x.xacro' does not exist; give the "
            "folder of its package with --package far=FOLDER\n");
  ImportOptions options;
  options.packages = {{"far", folder_.path() / "b/c"}};
  EXPECT_EQ(expand_file("a/main.xacro", options).children.at(0).name, "y");
}

TEST_F(XacroFiles, IncludesStayInTheAllowedFolders) {
  write("secret.xacro", "<robot/>");
  write("a/main.xacro", R"(<robot><xacro:include filename="../secret.xacro"/></robot>)");
  write("a/absolute.xacro", R"(<robot><xacro:include filename="/etc/passwd"/></robot>)");
  write("a/yaml.xacro", R"(<robot><x v="${load_yaml('/etc/passwd')}"/></robot>)");
  for (const char* name : {"a/main.xacro", "a/absolute.xacro", "a/yaml.xacro"})
    EXPECT_NE(error_of_file(name).find("is outside"), std::string::npos) << error_of_file(name);
}

TEST_F(XacroFiles, NamespacesSeparateNames) {
  write("left.xacro", R"(<robot><xacro:property name="size" value="3"/>
    <xacro:macro name="leg"><leg s="${size}" t="${other}"/></xacro:macro></robot>)");
  write("main.xacro", R"(<robot><xacro:property name="size" value="1"/><xacro:property name="other" value="8"/>
    <xacro:include filename="left.xacro" ns="l"/><x v="${size} ${l.size}"/><xacro:l.leg/></robot>)");
  const Element root = expand_file("main.xacro");
  EXPECT_EQ(root.children.at(0).attributes[0].value, "1 3");
  EXPECT_EQ(root.children.at(1).attributes[0].value, "3");
  EXPECT_EQ(root.children.at(1).attributes[1].value, "8");
}

TEST_F(XacroFiles, ReadsYaml) {
  write("main.xacro", R"(<robot><xacro:property name="c" value="${xacro.load_yaml('c.yaml')}"/>
    <x a="${c['joints']['elbow']['limit']}" b="${c.joints.elbow.name}" c="${c.list[1]}" d="${c.flow.x[2]}" e="${c.items2[0].k}"
       f="${c.on}" g="${round(c.angle, 4)}" h="${c.text}" i="${len(c.none or [])}" j="${c.items2[1].n[0]}"/></robot>)");
  write("c.yaml", R"(# a comment
joints:
  elbow:
    limit: 1.5  # rad
    name: "left # one"
list:
- 1
- -2e-3
flow: {x: [1, 2,
  3], 'y z': ~}
items2:
  - k: v
    m: 2
  - n:
      - deep
on: true
angle: !degrees 90
text: it's plain
none:
)");
  const Element x = expand_file("main.xacro").children.at(0);
  std::vector<std::string> values;
  for (const Attribute& attribute : x.attributes) values.push_back(attribute.value);
  EXPECT_EQ(values, (std::vector<std::string>{"1.5", "left # one", "-0.002", "3", "v", "True", "1.5708",
                                              "it's plain", "0", "deep"}));
}

TEST_F(XacroFiles, ErrorsInYamlHaveTheirLine) {
  write("main.xacro", R"(<robot><x v="${load_yaml('c.yaml')}"/></robot>)");
  for (const auto& [yaml, error] : std::map<std::string, std::string>{
           {"a: 1\na: 2\n", "c.yaml:2:1: error: the key 'a' appears twice\n"},
           {"a: &x 1\n",
            "c.yaml:1:1: error: '&x 1': anchors, tags and texts over several lines are not supported\n"},
           {"a:\n\t- 1\n", "c.yaml:2:1: error: the line is indented by a tab; expected blanks\n"},
           {"a: [1, 2\n", "c.yaml:1:1: error: '[1, 2' needs a ',' or ']'\n"},
           {"a: 1\n  b: 2\n", "c.yaml:2:3: error: this line is indented differently from those above\n"},
           {"a: 1\nb\n", "c.yaml:2:1: error: 'b' is not a key with a value; expected 'key: value'\n"},
       }) {
    write("c.yaml", yaml);
    EXPECT_EQ(error_of_file("main.xacro"), error);
  }
  write("c.yaml", std::string(100'000, '['));
  EXPECT_NE(error_of_file("main.xacro").find("nested too deeply"), std::string::npos);
}

TEST(Xacro, ErrorsNameTheCallsOfMacros) {
  EXPECT_EQ(error_of(R"(<xacro:macro name="leg" params="r">
<x v="${radus}"/></xacro:macro>
<xacro:macro name="body" params="radius"><xacro:leg r="1"/></xacro:macro>
<xacro:body radius="2"/>
)"),
            "r.xacro:3:4: error: unknown property 'radus'; did you mean 'radius'?; in macro 'leg' called at "
            "r.xacro:4:42; in macro "
            "'body' called at r.xacro:5:1\n");
}

TEST(Xacro, AllErrorsOfAFileAreReported) {
  EXPECT_EQ(error_of("<x v='${a}'/>\n<y v='${1 / 0}'/>\n<xacro:leg/>\n"),
            "r.xacro:2:4: error: unknown property 'a'\nr.xacro:3:4: error: division by zero\nr.xacro:4:1: "
            "error: unknown macro "
            "'leg'\n");
}

TEST(Xacro, MistakesOfTypingAreErrors) {
  for (const auto& [file, reason] : std::map<std::string, std::string>{
           {"<xacro:property nam='a' value='1'/>",
            "<xacro:property> has no attribute 'nam'; did you mean 'name'?"},
           {"<xacro:property name='1a' value='1'/>", "'1a' is not a name of a property"},
           {"<xacro:property name='a' value='1' scope='parent'/>", "there is no parent outside of a macro"},
           {"<xacro:macro name='m' params='a a'/>", "the parameter 'a' appears twice"},
           {"<xacro:macro name='m' params='a'/><xacro:m b='1'/>", "macro 'm' has no parameter 'b'"},
           {"<xacro:macro name='m' params='a'/><xacro:m/>", "macro 'm' needs the parameter 'a'"},
           {"<xacro:macro name='m' params='*a'/><xacro:m/>", "macro 'm' needs an element for its block '*a'"},
           {"<xacro:macro name='m'/><xacro:m><x/></xacro:m>", "macro 'm' has no block for <x>"},
           {"<xacro:insert_block name='b'/>", "unknown block 'b'"},
           {"<x v='$(env HOME)'/>", "the environment is not read"},
           {"<x v='$(anon a)'/>", "unknown substitution '$(anon a)'"},
           {"<x v='${1'/>", "'${1' has no closing '}'"},
       }) {
    EXPECT_NE(error_of(file).find(reason), std::string::npos) << error_of(file);
  }
}

TEST_F(XacroFiles, HostileFilesEndWithAnError) {
  const auto doubling = [](const std::string& first, const std::string& next) {
    std::string text = "<xacro:property name='p0' value=\"" + first + "\"/>";
    for (int i = 1; i < 60; ++i) {
      const std::string before = fmt::format("p{}", i - 1);
      text +=
          fmt::format("<xacro:property name='p{}' value=\"{}\"/>", i, fmt::format(fmt::runtime(next), before));
    }
    return text;
  };
  std::string calls = "<xacro:macro name='m0'><x/></xacro:macro>", deep = "1";
  for (int i = 1; i < 60; ++i)
    calls += fmt::format("<xacro:macro name='m{0}'><xacro:m{1}/><xacro:m{1}/></xacro:macro>", i, i - 1);
  for (int i = 0; i < 3000; ++i) deep = "(" + deep + ")";
  for (const auto& [file, reason] : std::map<std::string, std::string>{
           {calls + "<xacro:m59/>", "expands to more than 200000 elements"},
           {"<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>", "does a macro call itself?"},
           {"<xacro:macro name='m'><a><xacro:m/></a></xacro:macro><xacro:m/>", "does a macro call itself?"},
           {"<xacro:macro name='m'><xacro:macro "
            "name='n'><xacro:m/></xacro:macro><xacro:n/></xacro:macro><xacro:m/>",
            "does a macro"},
           {"<xacro:property name='a' value='${b}'/><xacro:property name='b' value='${a}'/><x v='${a}'/>",
            "the property 'a' is defined by itself"},
           {doubling("aaaaaaaaaa", "${{{0}}}${{{0}}}") + "<x v='${p59}'/>", "more than 1048576 bytes"},
           {doubling("${[1]}", "${{[{0}, {0}]}}") + "<x v='${p59}'/>", "too large"},
           {doubling("${[1]}", "${{[{0}, {0}]}}") + "<x v='${p58 == p58}'/>", "expand to too much"},
           {doubling("${[1]}", "${{{0} + {0}}}") + "<x v='${p59}'/>", "more than 100000 items"},
           {"<x v='${" + deep + "}'/>", "nested too deeply"},
           {"<x v='${" + std::string(5000, '-') + "1}'/>", "nested too deeply"},
           {"<x v='${1" +
                [] {
                  std::string sum;
                  for (int i = 0; i < 5000; ++i) sum += "+1";
                  return sum;
                }() +
                "}'/>",
            "nested too deeply"},
           {"<x v='${" + std::string(30'000, ' ') + "}'/>", "at most 20000 are allowed"},
           {"<x v='${sum([sum([sum(range(9999)) for b in range(999)]) for a in range(9999)])}'/>",
            "expand to too much"},
           {"<x v='${9 ** 9 ** 9}'/>", "no finite result"},
           {"<x v='${1 ** (9 ** 18)}'/>", "no error"},
       }) {
    const std::string error = error_of(file);
    EXPECT_NE(error.find(reason), std::string::npos) << file.substr(0, 200) << "\n" << error.substr(0, 500);
  }
}

TEST_F(XacroFiles, IncludesThatNeverEndAreErrors) {
  write("a.xacro", R"(<robot><xacro:include filename="b.xacro"/></robot>)");
  write("b.xacro", R"(<robot><xacro:include filename="a.xacro"/></robot>)");
  EXPECT_EQ(error_of_file("a.xacro"), "b.xacro:1:8: error: <xacro:include>: 'a.xacro' includes itself\n");
  write("many.xacro", R"(<robot><xacro:macro name="m" params="n"><xacro:include filename="one.xacro"/>
    <xacro:if value="${n > 0}"><xacro:m n="${n - 1}"/><xacro:m n="${n - 1}"/></xacro:if></xacro:macro><xacro:m n="40"/></robot>)");
  write("one.xacro", "<robot/>");
  EXPECT_NE(error_of_file("many.xacro").find("the file reads more than 500 others"), std::string::npos);
}

}  // namespace
}  // namespace lockstep
