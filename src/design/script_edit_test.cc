#include "design/script_edit.h"

#include <gtest/gtest.h>

#include "design/design_testing.h"

namespace lockstep {
namespace {

TEST(ScriptEdit, AppendingAndRemovingRestoresTheText) {
  const std::string text =
      "<design robot='arm'>\n  <!-- the foot: <make_link> -->\n  <make_link name='base' "
      "parts='bar1'/>\n</design>\n";
  const Element operation =
      make_operation_element("make_link",
                             {"name=upper", "parent=base", "parts=bar2", "joint/name=elbow",
                              "joint/at/from=box", "joint/at/part=bar2"},
                             {});
  const std::string longer = with_appended(text, operation);
  EXPECT_NE(longer.find("<!-- the foot: <make_link> -->"), std::string::npos);
  const DesignScript script = read_script(document_of(longer));
  ASSERT_EQ(script.operations.size(), 2u);
  EXPECT_EQ(std::get<MakeLink>(script.operations[1].what).joint->joint.name, "elbow");
  EXPECT_EQ(without_element(longer, script.operations[1].place), text);
}

TEST(ScriptEdit, RemovesOnlyTheElement) {
  const std::string text =
      "<design><make_link name='a' parts='>'><joint name='x'/><!-- > --></make_link><make_link name='b' "
      "parts='y'/><expect/></design>";
  EXPECT_EQ(without_element(text, {"t.xml", 1, 9}),
            "<design><make_link name='b' parts='y'/><expect/></design>");
}

TEST(ScriptEdit, AppendsToAnEmptyRoot) {
  const std::string text =
      with_appended("<design src='a.obj'/>\n", make_operation_element("ignore", {"parts=x"}, {}));
  EXPECT_EQ(read_script(document_of(text)).operations.size(), 1u);
}

TEST(ScriptEdit, RejectsInvalidSettings) {
  EXPECT_NE(error_of([] {
              make_operation_element("make_link", {"name"}, {"design apply"});
            }).find("'name' is not a setting"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              make_operation_element("make_link", {"a=1", "a=2"}, {"design apply"});
            }).find("'a' is given twice"),
            std::string::npos);
}

}  // namespace
}  // namespace lockstep
