#include "scenario/assets.h"

#include "scenario/base64.h"
#include "scenario/scenario_testing.h"

namespace lockstep {
namespace {

std::string text_of(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

TEST(Base64, MatchesTheTestVectorsOfRfc4648) {
  const std::pair<std::string, std::string> vectors[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [plain, encoded] : vectors) {
    EXPECT_EQ(encode_base64(plain), encoded);
    EXPECT_EQ(text_of(*decode_base64(encoded)), plain);
  }
}

TEST(Base64, WrappedLinesReadBack) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += static_cast<char>(i * 7);
  const std::string text = encode_base64(bytes);
  EXPECT_EQ(text.find('\n'), 76u);
  EXPECT_EQ(text_of(*decode_base64(text)), bytes);
}

TEST(Base64, RejectsAnythingButTheCanonicalEncoding) {
  EXPECT_EQ(decode_base64("Zg").error(), "it ends too early");
  EXPECT_EQ(decode_base64("Zg=").error(), "it ends too early");
  EXPECT_EQ(decode_base64("Z").error(), "it ends too early");
  EXPECT_EQ(decode_base64("=").error(), "it ends too early");
  EXPECT_EQ(decode_base64("Zm9v====").error(), "it ends too early");
  EXPECT_EQ(decode_base64("Zg==Zg==").error(), "there is more after the '=' at its end");
  EXPECT_EQ(decode_base64("Zh==").error(), "its last character has unused bits that are not zero");
  EXPECT_EQ(decode_base64("Zm9!").error(), "it contains a character that is not base64");
}

TEST(Assets, EmbeddedFilesTakePrecedenceOverFilesOnDisk) {
  const TemporaryFolder folder;
  folder.write("a.stl", "disk");
  folder.write("b.stl", "disk");
  const Scenario scenario = read_scenario(document_of("<scenario><file path='a.stl'>Zm9v</file></scenario>"));
  const Assets assets(scenario, folder.path());
  EXPECT_EQ(text_of(assets.load("./a.stl", {}, "<mesh>")), "foo");
  EXPECT_EQ(text_of(assets.load("b.stl", {}, "<mesh>")), "disk");
}

TEST(Assets, ReportsUnreadableFilesAtTheirPlace) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "sub");
  std::filesystem::create_symlink("/etc/passwd", folder.path() / "link");
  const Assets assets(Scenario{}, folder.path());
  const auto load = [&](const std::string& src) {
    return error_of([&] { assets.load(src, {"arm.xml", 3, 9}, "<mesh>"); });
  };
  EXPECT_EQ(load("a.stl"), "arm.xml:3:9: error: <mesh>: src 'a.stl' does not exist\n");
  EXPECT_EQ(load("sub"), "arm.xml:3:9: error: <mesh>: src 'sub' is a folder; expected a file\n");
  EXPECT_EQ(load("link"),
            "arm.xml:3:9: error: <mesh>: src 'link' is a link that leaves the folder of the scenario\n");
  EXPECT_EQ(
      load("../x"),
      "arm.xml:3:9: error: <mesh>: src '../x' leaves the folder of the scenario; expected a file below it\n");
  EXPECT_EQ(load("/etc/passwd"),
            "arm.xml:3:9: error: <mesh>: src '/etc/passwd' is an absolute path; expected one relative to the "
            "scenario\n");
}

TEST(Assets, RejectsInvalidEmbeddedFiles) {
  const Scenario scenario = read_scenario(
      document_of("<scenario>\n<file path='a'>?</file>\n<file path='b'/>\n<file path='./b'/></scenario>"));
  EXPECT_EQ(error_of([&] { Assets(scenario, "."); }),
            "t.xml:2:1: error: file 'a': its text is not base64: it contains a character that is not base64\n"
            "t.xml:4:1: error: file './b' is embedded twice\n");
  EXPECT_EQ(
      scenario_errors("<scenario><file path='../a'>AA==</file></scenario>"),
      "t.xml:1:17: error: <file>: path leaves the folder of the scenario; expected a relative path below it\n");
}

TEST(Pack, EmbedsEveryFileOnceAndIsSelfContained) {
  const TemporaryFolder folder;
  folder.write("robots/arm.xml",
               "<robot name='arm'><link name='a'><mesh src='../meshes/a.stl'/></link>"
               "<controllers><script name='s' src='brain.lua'/></controllers></robot>");
  folder.write("meshes/a.stl", "solid a");
  folder.write("robots/brain.lua", "return 1");
  folder.write(
      "main.xml",
      "<!-- kept --><scenario><robot src='robots/arm.xml'/><object name='o'><mesh src='./meshes/a.stl'/>"
      "<mesh src='old.stl'/></object><file path='old.stl'>Zm9v</file></scenario>");
  const std::string packed = pack(Document::read_file(folder.path() / "main.xml"));
  EXPECT_NE(packed.find("<!-- kept -->"), std::string::npos);

  const TemporaryFolder elsewhere;
  const Document document = Document::read_text(packed, "packed.xml", elsewhere.path());
  const Scenario scenario = read_scenario(document);
  ASSERT_EQ(scenario.files.size(), 3u);
  const Assets assets(scenario, elsewhere.path());
  const auto src = [](const Shape& shape) { return std::get<MeshFile>(shape.geometry).src; };
  EXPECT_EQ(text_of(assets.load(src(scenario.robots[0].links[0].shapes[0]), {}, "<mesh>")), "solid a");
  EXPECT_EQ(text_of(assets.load(src(scenario.objects[0].shapes[0]), {}, "<mesh>")), "solid a");
  EXPECT_EQ(text_of(assets.load(src(scenario.objects[0].shapes[1]), {}, "<mesh>")), "foo");
  EXPECT_EQ(text_of(assets.load(scenario.robots[0].devices.controllers[0].attributes[1].value, {}, "<mesh>")),
            "return 1");
  EXPECT_EQ(pack(document), packed);
}

TEST(Pack, ReportsEveryMissingFile) {
  const TemporaryFolder folder;
  const Document document = Document::read_text(
      "<scenario><object name='o'>\n<mesh src='a.stl'/>\n<mesh src='../b.stl'/></object></scenario>", "t.xml",
      folder.path());
  EXPECT_EQ(
      error_of([&] { pack(document); }),
      "t.xml:2:7: error: <mesh>: src 'a.stl' does not exist\n"
      "t.xml:3:7: error: <mesh>: src '../b.stl' leaves the folder of the scenario; expected a file below it\n");
}

}  // namespace
}  // namespace lockstep
