#include "scenario/xml_scan.h"

#include "scenario/scenario_testing.h"
#include "scenario/xml_text.h"

namespace lockstep {
namespace {

std::string scan_error(std::string_view text) {
  return error_of([&] { document_of(text); });
}

TEST(XmlScan, MismatchedEndTagNamesBothTags) {
  EXPECT_EQ(scan_error("<scenario>\n <robot>\n </robto>\n</scenario>"),
            "t.xml:3:2: error: <robot> of line 2 is closed by </robto>; expected </robot>\n");
}

TEST(XmlScan, UnclosedElementIsReportedWhereItBegins) {
  EXPECT_EQ(scan_error("<scenario>\n  <robot>\n"),
            "t.xml:2:3: error: <robot> is never closed; expected </robot>\n");
}

TEST(XmlScan, RejectsEndTagWithoutStart) {
  EXPECT_EQ(scan_error("<scenario/>\n</scenario>"),
            "t.xml:2:1: error: </scenario> without a start tag; no element is open\n");
}

TEST(XmlScan, SecondRootIsRejected) {
  EXPECT_EQ(scan_error("<scenario/><robot/>"),
            "t.xml:1:12: error: a second root element; a file has exactly one\n");
}

TEST(XmlScan, EmptyFileIsRejected) {
  EXPECT_EQ(scan_error(""), "t.xml:1:1: error: the file has no element; expected <scenario>\n");
  EXPECT_EQ(scan_error("<!-- only this -->"),
            "t.xml:1:1: error: the file has no element; expected <scenario>\n");
}

TEST(XmlScan, TextOutsideTheRootIsRejected) {
  EXPECT_EQ(scan_error("<scenario/>\nx"), "t.xml:2:1: error: text outside the root element\n");
  EXPECT_EQ(scan_error("<![CDATA[x]]><scenario/>"), "t.xml:1:1: error: text outside the root element\n");
}

TEST(XmlScan, TagWithoutEndIsRejected) {
  EXPECT_EQ(scan_error("<scenario>\n <robot name='a'\n</scenario>"),
            "t.xml:2:2: error: the tag <robot has no end; expected '>' or '/>'\n");
}

TEST(XmlScan, ElementNeedsAName) {
  EXPECT_EQ(scan_error("<scenario> 1 < 2 </scenario>"),
            "t.xml:1:15: error: expected an element name after '<' (write '<' as &lt;)\n");
}

TEST(XmlScan, AttributeWithoutValueShowsTheForm) {
  EXPECT_EQ(scan_error("<scenario name/>"),
            "t.xml:1:11: error: the attribute 'name' of <scenario> has no value; expected name=\"…\"\n");
  EXPECT_EQ(scan_error("<scenario name=x/>"),
            "t.xml:1:16: error: the value of 'name' is not in quotes; expected name=\"…\"\n");
}

TEST(XmlScan, MissingQuoteIsReportedAtItsAttribute) {
  EXPECT_EQ(
      scan_error("<scenario name=\"a>\n<robot/></scenario>"),
      "t.xml:1:11: error: the value of 'name' contains '<'; its closing quote is missing, or write &lt;\n");
  EXPECT_EQ(scan_error("<scenario name=\"a"), "t.xml:1:11: error: the value of 'name' has no closing quote\n");
}

TEST(XmlScan, AttributesNeedABlankBetweenThem) {
  EXPECT_EQ(scan_error("<scenario name=\"a\"step=\"1\"/>"),
            "t.xml:1:19: error: expected a blank before the attribute 'step'\n");
}

TEST(XmlScan, EveryDuplicateAttributeIsReported) {
  EXPECT_EQ(scan_error("<scenario step='1' step='2'>\n<a b='1'\n b='2'/></scenario>"),
            "t.xml:1:20: error: <scenario> has the attribute 'step' twice; the first is at line 1, column 11\n"
            "t.xml:3:2: error: <a> has the attribute 'b' twice; the first is at line 2, column 4\n");
}

TEST(XmlScan, DoctypeAndEntitiesAreRejected) {
  EXPECT_EQ(scan_error("<!DOCTYPE x [<!ENTITY a 'b'>]><scenario/>"),
            "t.xml:1:1: error: a DOCTYPE is not allowed; remove it (scenarios use no DTD and no entities)\n");
  EXPECT_EQ(
      scan_error("<scenario name='&euro;'/>"),
      "t.xml:1:17: error: '&euro;' is unknown; expected &amp; &lt; &gt; &quot; &apos; or a number such as "
      "&#176;\n");
  EXPECT_EQ(scan_error("<scenario name='a & b'/>"),
            "t.xml:1:19: error: '&' does not begin a character reference; write '&' as &amp;\n");
  EXPECT_EQ(scan_error("<scenario name='&#0;'/>"), "t.xml:1:17: error: '&#0;' is not an allowed character\n");
  EXPECT_EQ(scan_error("<scenario name='&#xD800;'/>"),
            "t.xml:1:17: error: '&#xD800;' is not an allowed character\n");
}

TEST(XmlScan, RejectsInvalidComments) {
  EXPECT_EQ(scan_error("<scenario>\n<!-- a -- b --></scenario>"),
            "t.xml:2:1: error: the comment contains '--', which XML does not allow\n");
  EXPECT_EQ(scan_error("<scenario><!-- a </scenario>"),
            "t.xml:1:11: error: the comment is never closed; expected '-->'\n");
}

TEST(XmlScan, DeclarationIsOnlyAllowedAtTheBeginning) {
  EXPECT_EQ(scan_error("\n<?xml version='1.0'?><scenario/>"),
            "t.xml:2:1: error: an XML declaration is only at the very beginning of a file\n");
}

TEST(XmlScan, RejectsEncodingsOtherThanUtf8) {
  EXPECT_EQ(scan_error("<?xml version='1.0' encoding='ISO-8859-1'?><scenario/>"),
            "t.xml:1:1: error: encoding 'ISO-8859-1' is not supported; save the file as UTF-8\n");
  EXPECT_EQ(scan_error("\xFF\xFE<"), "t.xml: error: the file is UTF-16; save it as UTF-8\n");
  EXPECT_EQ(scan_error("<scenario\n name='\xE4'/>"),
            "t.xml:2:8: error: byte 0xE4 is not UTF-8; save the file as UTF-8\n");
  EXPECT_EQ(scan_error("<scenario name='\xC0\x80'/>"),
            "t.xml:1:17: error: byte 0xC0 is not UTF-8; save the file as UTF-8\n");
  EXPECT_EQ(scan_error("<scenario name='\xED\xA0\x80'/>"),
            "t.xml:1:17: error: control character U+D800 is not allowed\n");
}

TEST(XmlScan, ControlCharactersAreRejected) {
  EXPECT_EQ(scan_error("<scenario name='\x01'/>"),
            "t.xml:1:17: error: control character U+0001 is not allowed\n");
  EXPECT_EQ(scan_error(std::string_view("<a\0/>", 5)),
            "t.xml:1:3: error: control character U+0000 is not allowed\n");
}

TEST(XmlScan, ByteOrderMarkAndWindowsLineEndsAreAccepted) {
  EXPECT_EQ(scenario_errors("\xEF\xBB\xBF<scenario>\r\n  <robot/>\r\n</scenario>"),
            "t.xml:2:3: error: <robot> needs an attribute 'name'\n");
}

TEST(XmlScan, ColumnsCountCharactersNotBytes) {
  EXPECT_EQ(scenario_errors("<scenario name='Grüße €' stp='1'/>"),
            "t.xml:1:26: error: <scenario> has no attribute 'stp'; did you mean 'step'?\n");
}

TEST(XmlScan, DeepNestingIsRejectedBeforeItIsParsed) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "<a>";
  EXPECT_EQ(scan_error(text),
            "t.xml:1:193: error: elements are nested too deeply; at most 64 levels are allowed\n");
}

TEST(XmlScan, TooManyElementsAreRejected) {
  std::string text = "<scenario>\n";
  for (std::size_t i = 0; i < Document::kMaxElements; ++i) text += "<a/>";
  EXPECT_EQ(
      scan_error(text + "</scenario>"),
      "t.xml:2:799997: error: the scenario has too many elements; at most 200000 elements, comments and texts "
      "are allowed\n");
}

TEST(XmlScan, TooManyAttributesAreRejected) {
  std::string text = "<scenario";
  for (int i = 0; i < 101; ++i) text += " a" + std::to_string(i) + "=''";
  EXPECT_EQ(scan_error(text + "/>"),
            "t.xml:1:701: error: <scenario> has too many attributes; at most 100 are allowed\n");
}

}  // namespace
}  // namespace lockstep
