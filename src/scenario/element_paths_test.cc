#include "scenario/element_paths.h"

#include <gtest/gtest.h>

#include "base/temporary_folder_testing.h"
#include "scenario/document.h"
#include "scenario/expand_chain.h"

namespace lockstep {
namespace {

const Element& child(const Element& element, std::string_view name, std::size_t number = 0) {
  for (const Element& each : element.children) {
    if (each.name == name && number-- == 0) return each;
  }
  throw std::out_of_range(std::string(name));
}

TEST(ElementPaths, AreThoseThatDocumentSetAccepts) {
  Document document = Document::read_text(
      "<scenario><object name='a'/><robot name='r'>\n<link name='x'/><link name='y'><sphere radius='1'/></link>"
      "</robot></scenario>",
      "s.xml", ".");
  const Element root = document.root();
  const Element& sphere = child(child(child(root, "robot"), "link", 1), "sphere");
  const std::string path = ElementPaths(root).find(sphere.place, "r");
  EXPECT_EQ(path, "/scenario/robot[1]/link[2]/sphere[1]");
  document.set(path + "/@radius", "2", "test");
  EXPECT_NE(document.text().find("<sphere radius=\"2\""), std::string::npos);
}

TEST(ElementPaths, OfGeneratedElementsIsTheGenerator) {
  const Document document = Document::read_text(
      "<scenario><robot name='snake'><chain modules='3'/></robot></scenario>", "s.xml", ".");
  Element expanded = document.root();
  Diagnostics diagnostics;
  expand_chains(expanded, diagnostics);
  ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.text();
  const ElementPaths paths(document.root());
  const Element& robot = child(expanded, "robot");
  const Element& link = child(robot, "link", 2);
  EXPECT_EQ(paths.find(link.place, "snake"), "/scenario/robot[1]/chain[1]");
  EXPECT_EQ(paths.find(child(link, "joint").place, "snake"), "/scenario/robot[1]/chain[1]");
  EXPECT_EQ(paths.find(child(robot, "actuators").children.front().place, "snake"),
            "/scenario/robot[1]/chain[1]");
}

TEST(ElementPaths, TellRobotsOfOneFileApart) {
  const TemporaryFolder folder;
  folder.write("arm.xml", "<robot name='arm'><link name='hand'/></robot>");
  folder.write("s.xml",
               "<scenario><robot name='left' src='arm.xml'/><robot name='right' src='arm.xml'/></scenario>");
  const Document document = Document::read_file(folder.path() / "s.xml");
  const Element root = document.root();
  const Place hand = child(child(root, "robot"), "link").place;
  const ElementPaths paths(root);
  EXPECT_EQ(paths.find(hand, "left"), "/scenario/robot[1]/link[1]");
  EXPECT_EQ(paths.find(hand, "right"), "/scenario/robot[2]/link[1]");
  EXPECT_EQ(paths.find({"other.xml", 1, 1}, "left"), "");
}

}  // namespace
}  // namespace lockstep
