#include "scenario/document.h"

#include "scenario/example_testing.h"
#include "scenario/scenario_testing.h"

namespace lockstep {
namespace {

TEST(Document, ElementsAndAttributesKnowTheirPlaces) {
  const Element root = document_of("<scenario\n  name='a'>\n\t<robot   name = 'r'/>\n</scenario>").root();
  EXPECT_EQ(to_string(root.place), "t.xml:1:1");
  EXPECT_EQ(to_string(root.attributes[0].place), "t.xml:2:3");
  EXPECT_EQ(to_string(root.children[0].place), "t.xml:3:2");
  EXPECT_EQ(to_string(root.children[0].attributes[0].place), "t.xml:3:11");
}

TEST(Document, TextAndCdataInsideAnElementAreOneText) {
  const Element root =
      document_of("<scenario><file path='a'>\n AB <!-- c --> <![CDATA[C<]]>D&#228; </file></scenario>").root();
  EXPECT_EQ(root.children[0].text, "AB C<Dä");
}

TEST(Document, TextKeepsCommentsUnitsAndOrder) {
  EXPECT_EQ(
      document_of("<!-- a --><scenario step='1 ms'   name=\"x&#10;y&quot;\"><!-- b\n  c --><robot name='r'>"
                  "<link name='l'/></robot><?tool on?><file path='f'>AA\nBB</file></scenario>")
          .text(),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<!-- a -->\n"
      "<scenario step=\"1 ms\" name=\"x&#10;y&quot;\">\n"
      "  <!-- b\n  c -->\n"
      "  <robot name=\"r\">\n"
      "    <link name=\"l\"/>\n"
      "  </robot>\n"
      "  <?tool on?>\n"
      "  <file path=\"f\">AA\nBB</file>\n"
      "</scenario>\n");
}

TEST(Document, WritingIsIdempotent) {
  for (const std::string_view text :
       {kFullExample, std::string_view("<a>one<b/>two<!-- c -->three<![CDATA[ four]]></a>"),
        std::string_view("<a>\r\n x &#10; y\r</a>"), std::string_view("<a b=' &#9;c\n'> <![CDATA[ ]]> </a>")}) {
    const std::string once = document_of(text).text();
    EXPECT_EQ(document_of(once).text(), once);
  }
}

TEST(Document, MissingFileIsAnError) {
  EXPECT_EQ(error_of([] { Document::read_file("no/such.xml"); }),
            "error: the scenario 'no/such.xml' does not exist\n");
  EXPECT_EQ(error_of([] { Document::read_file("/tmp"); }),
            "error: the scenario '/tmp' is a folder; expected a file\n");
}

TEST(DocumentSet, ChangesEverySelectedAttribute) {
  Document document = document_of("<scenario><a x='1'/><b><a x='2' y='3'/></b></scenario>");
  document.set("//a/@x", "5 mm", "--set");
  const Element root = document.root();
  EXPECT_EQ(root.children[0].attributes[0].value, "5 mm");
  EXPECT_EQ(root.children[1].children[0].attributes[0].value, "5 mm");
  EXPECT_EQ(root.children[1].children[0].attributes[1].value, "3");
}

TEST(DocumentSet, AddsAnAttributeThatIsNotWrittenYet) {
  Document document = document_of("<scenario><robot name='r'/><robot name='s'/></scenario>");
  document.set("//robot[@name='s']/@position", "1 0 0", "--set");
  EXPECT_EQ(document.root().children[0].attributes.size(), 1u);
  EXPECT_EQ(read_scenario(document).robots[1].pose.p.x(), 1.0);
}

TEST(DocumentSet, ErrorsAboutTheNewValueNameTheEdit) {
  Document document = document_of("<scenario step='1 ms'/>");
  document.set("/scenario/@step", "-1", "--set /scenario/@step=-1");
  EXPECT_EQ(error_of([&] { read_scenario(document); }),
            "--set /scenario/@step=-1: error: <scenario>: step -1 is out of range; expected above 0 and at "
            "most 1 s\n");
}

TEST(DocumentSet, AMisspeltAttributeIsReportedByTheReader) {
  Document document = document_of("<scenario/>");
  document.set("/scenario/@stpe", "1", "--set");
  EXPECT_EQ(error_of([&] { read_scenario(document); }),
            "--set: error: <scenario> has no attribute 'stpe'; did you mean 'step'?\n");
}

TEST(DocumentSet, ChangesTheTextOfAnElement) {
  Document document = document_of("<scenario><file path='a'>AA<!-- c -->BB</file></scenario>");
  document.set("//file", "CC", "--set");
  EXPECT_EQ(document.root().children[0].text, "CC");
}

std::string set_error(std::string_view xpath) {
  Document document =
      document_of("<scenario><robot name='arm'><link name='l'><joint name='elbow'/></link></robot></scenario>");
  return error_of([&] { document.set(xpath, "1", "--set"); });
}

TEST(DocumentSet, RejectsPathsThatSelectNothingWithAHint) {
  EXPECT_EQ(set_error("//joint[@name='elbo']/@damping"),
            "--set: error: XPath '//joint[@name='elbo']/@damping' selects nothing; did you mean 'elbow'?\n");
  EXPECT_EQ(set_error("//joint[@name='knee']/@damping"),
            "--set: error: XPath '//joint[@name='knee']/@damping' selects nothing; expected 'elbow'\n");
  EXPECT_EQ(set_error("//jiont/@damping"),
            "--set: error: XPath '//jiont/@damping' selects nothing; did you mean 'joint'?\n");
  EXPECT_EQ(set_error("//robot[7]/link/@x"),
            "--set: error: XPath '//robot[7]/link/@x' selects nothing; the path before it, '//robot[7]', "
            "selects nothing either\n");
  EXPECT_EQ(set_error("//@damping"), "--set: error: XPath '//@damping' selects nothing\n");
}

TEST(DocumentSet, RejectsInvalidXPathWithItsOffset) {
  EXPECT_EQ(set_error("//joint[@name='elbow'/@damping"),
            "--set: error: XPath '//joint[@name='elbow'/@damping' is invalid at character 23: Step has to be "
            "applied to "
            "node set\n");
  EXPECT_EQ(set_error("count(//joint)"),
            "--set: error: XPath 'count(//joint)' is invalid at character 1: Expression does not evaluate to "
            "node set\n");
  EXPECT_EQ(set_error(""), "--set: error: the XPath is empty; expected one such as '//joint/@damping'\n");
  EXPECT_EQ(set_error(std::string(1001, '/')),
            "--set: error: the XPath has 1001 bytes; at most 1000 are allowed\n");
}

TEST(DocumentSet, ElementsWithChildrenAndFilesAlreadyReadCannotBeSet) {
  EXPECT_EQ(set_error("//robot"),
            "--set: error: XPath '//robot' selects <robot>, which has children; expected an attribute such as "
            "'//robot/@name'\n");
  EXPECT_EQ(set_error("//robot/@src"),
            "--set: error: the src of a <robot> cannot be set: its file has already been read\n");
  EXPECT_EQ(set_error("/"), "--set: error: XPath '/' selects neither an attribute nor an element\n");
}

TEST(SplitEdit, SplitsAtTheFirstEqualsSignOutsideBracketsAndQuotes) {
  const Edit edit = split_edit("//joint[@name='a=b']/@expression=x=1");
  EXPECT_EQ(edit.xpath, "//joint[@name='a=b']/@expression");
  EXPECT_EQ(edit.value, "x=1");
  EXPECT_EQ(split_edit("/scenario/@name=").value, "");
  EXPECT_EQ(error_of([] { split_edit("//joint[@name='a']"); }),
            "--set: error: '//joint[@name='a']' is not an edit; expected XPATH=VALUE such as "
            "'//joint/@damping=0.1'\n");
  EXPECT_EQ(error_of([] { split_edit("=1"); }),
            "--set: error: '=1' is not an edit; expected XPATH=VALUE such as '//joint/@damping=0.1'\n");
}

TEST(Document, FindsTheAttributesThatAnEditWouldSet) {
  const Document document = document_of(
      "<scenario><!-- a --><ground/><robot name='r'><link name='a'/><link name='b'/></robot></scenario>");
  const std::vector<AttributeTarget> found = document.find_attributes("//link/@position", "here");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].path, (std::vector<std::size_t>{1, 1}));  // comments do not count
  EXPECT_EQ(found[1].attribute, "position");
  EXPECT_EQ(document.root().children[1].children[1].find_attribute("name")->value, "b");
}

TEST(Document, RejectsXPathsThatSelectElements) {
  EXPECT_EQ(error_of([] { document_of("<scenario><ground/></scenario>").find_attributes("//ground", "here"); }),
            "here: error: XPath '//ground' selects <ground>; expected an attribute such as '//ground/@name'\n");
}

}  // namespace
}  // namespace lockstep
