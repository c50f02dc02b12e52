#include "scenario/schema.h"

#include <array>
#include <cstdio>

#include "scenario/example_testing.h"
#include "scenario/fields.h"
#include "scenario/reference.h"
#include "scenario/scenario_testing.h"
#include "scenario/write.h"
#include "scenario/xsd.h"

namespace lockstep {
namespace {

struct Imu {
  std::string name;
  double noise = 0.0;
};
template <class V>
void describe(V& v, Imu& i) {
  v.name("name", i.name, {.doc = "Name.", .required = true});
  v.number("noise", i.noise, {.unit = "m/s^2", .min = 0.0, .doc = "Standard deviation."});
}

/// Output of xmllint for a text: "t.xml validates", or its errors.
std::string validate(std::string_view text, const DeviceSchemas& devices = {}) {
  const TemporaryFolder folder;
  folder.write("scenario.xsd", write_xsd(scenario_schema(devices)));
  folder.write("t.xml", text);
  const std::string command =
      fmt::format("cd '{}' && xmllint --noout --schema scenario.xsd t.xml 2>&1", folder.path().string());
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  std::array<char, 4096> block;
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), pipe))
    output.append(block.data(), count);
  pclose(pipe);
  return output;
}

TEST(Xsd, AcceptsTheFullExample) {
  EXPECT_EQ(validate(kFullExample), "t.xml validates\n");
}

TEST(Xsd, AcceptsWrittenScenarios) {
  const Scenario scenario = read_scenario(document_of(kFullExample));
  EXPECT_EQ(validate(write_scenario(scenario, Defaults::kWriteOut)), "t.xml validates\n");
}

TEST(Xsd, AcceptsIncludesRobotFilesAndEditorHints) {
  EXPECT_EQ(
      validate(
          "<scenario xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
          "xsi:noNamespaceSchemaLocation='scenario.xsd'><include src='a.xml'/><robot src='b.xml'/></scenario>"),
      "t.xml validates\n");
  EXPECT_EQ(validate("<robot name='arm'><link name='a'/></robot>"), "t.xml validates\n");
}

TEST(Xsd, RejectsMisspeltNamesAndWrongValues) {
  const auto is_rejected = [](std::string_view text) {
    return validate(text).find("t.xml fails to validate") != std::string::npos;
  };
  EXPECT_TRUE(is_rejected("<scenario stpe='1 ms'/>"));
  EXPECT_TRUE(is_rejected("<scenario><robto name='a'/></scenario>"));
  EXPECT_TRUE(is_rejected("<scenario step='fast'/>"));
  EXPECT_TRUE(is_rejected("<scenario gravity='0 0'/>"));
  EXPECT_TRUE(is_rejected("<scenario><engine integrator='magic'/></scenario>"));
  EXPECT_TRUE(is_rejected("<scenario><material/></scenario>"));
  EXPECT_TRUE(is_rejected("<scenario>text</scenario>"));
  EXPECT_TRUE(is_rejected("<scenario><material name='a' color='red'/></scenario>"));
}

TEST(Xsd, KnowsTheOptionsOfEnginesWhereTheyBelong) {
  const DeviceSchemas devices{
      .engine_children = {{EngineHost::kEngine, schema_of<Imu>("imu", "Options of an engine called imu.")}}};
  EXPECT_EQ(validate("<scenario><engine><imu name='a' noise='0.1'/></engine></scenario>", devices),
            "t.xml validates\n");
  for (const char* wrong : {"<scenario><engine><imu name='a' nosie='0.1'/></engine></scenario>",
                            "<scenario><engine><ode/></engine></scenario>"}) {
    EXPECT_NE(validate(wrong, devices).find("fails to validate"), std::string::npos) << wrong;
  }
  EXPECT_NE(write_reference(scenario_schema(devices)).find("Options of an engine called imu."),
            std::string::npos);
}

TEST(Xsd, KnowsTheDevicesOfTheRegistry) {
  const DeviceSchemas devices{.sensors = {schema_of<Imu>("imu", "An IMU.")}};
  EXPECT_EQ(validate("<scenario><sensors><imu name='a' noise='1e-3 m/s^2'/></sensors></scenario>", devices),
            "t.xml validates\n");
  const std::string rejected =
      validate("<scenario><sensors><imu name='a' nosie='1'/></sensors></scenario>", devices);
  EXPECT_NE(rejected.find("The attribute 'nosie' is not allowed"), std::string::npos) << rejected;
}

TEST(Reference, HasASectionPerElementWithItsAttributes) {
  const DeviceSchemas devices{.sensors = {schema_of<Imu>("imu", "An IMU.")}};
  const std::string text = write_reference(scenario_schema(devices));
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has("\n## `<scenario>`\n")) << text;
  EXPECT_TRUE(has("| `step` | time, s | `0.001` | above 0 and at most 1 s | Physics step. |"));
  EXPECT_TRUE(has("| `lower` | number, rad or m |  |  | Lower limit; default: none (hinge, slide). |"));
  EXPECT_TRUE(has("| `name` | name | **needed** |  | Name. |"));
  EXPECT_TRUE(has("\n## `<imu>`\n\nInside `<sensors>`. An IMU.\n"));
  EXPECT_TRUE(has("Inside `<object>`, `<link>`, `<front>`, `<rear>`. A sphere around its centre."));
}

TEST(Schema, EveryElementAndAttributeIsDocumented) {
  const auto check = [](const auto& self, const ElementSchema& element) -> void {
    EXPECT_FALSE(element.doc.empty()) << element.name;
    for (const AttributeSchema& attribute : element.attributes) {
      EXPECT_FALSE(attribute.doc.empty()) << element.name << "/@" << attribute.name;
    }
    for (const ChildSchema& child : element.children) self(self, child.element);
  };
  check(check, scenario_schema(DeviceSchemas{}));
}

}  // namespace
}  // namespace lockstep
