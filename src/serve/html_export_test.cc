#include "serve/html_export.h"

#include <gtest/gtest.h>

#include <cstring>

#include "assemble/assemble.h"
#include "scenario/base64.h"
#include "serve/gzip.h"
#include "serve/opened_scenario.h"
#include "serve/page.h"

namespace lockstep::serve {
namespace {

constexpr const char* kFall = R"(<scenario name="fall" step="1 ms" duration="1 s">
  <object name="ball" position="0 0 10"><sphere radius="0.1" mass="1"/></object>
  <sensors><pose name="ball" body="ball"/></sensors>
</scenario>)";

bool has_page() {
  return decompress(find_page_file("/")->gzip).find("<script") != std::string::npos;
}

/// The bytes of the element with the run.
std::string run_of(const std::string& html) {
  const std::string begin = "id=\"recording\">";
  const std::size_t at = html.find(begin) + begin.size();
  const auto gzip = decode_base64(html.substr(at, html.find("</script>", at) - at));
  EXPECT_TRUE(gzip);
  return decompress({reinterpret_cast<const char*>(gzip->data()), gzip->size()});
}

/// The run of that scenario up to a step.
RecordingJob make_job(const Registry& registry, std::int64_t end) {
  const OpenedScenario opened(
      {.registry = registry, .is_wait_cancelled = [] { return false; }, .socket_folder = {}});
  const auto candidate = opened.prepare(Open{.folder = ".", .shown = "fall.xml", .text = kFall}, false);
  StateWriter start;
  candidate.simulation->save(start);
  return {.scenario = kFall,
          .name = "fall",
          .folder = ".",
          .version = "test",
          .start = {start.bytes().begin(), start.bytes().end()},
          .end = end};
}

TEST(HtmlExport, HasThePageAndEveryFrameAndRowOfTheRun) {
  if (!has_page()) GTEST_SKIP() << "built without the page";
  const Registry registry = default_registry();
  const Result<std::string> html = make_html(make_job(registry, 660), registry, [] { return false; });
  ASSERT_TRUE(html) << html.error();
  // Nothing is fetched: script and style are in place.
  EXPECT_EQ(html->find("src=\"./"), std::string::npos);
  EXPECT_EQ(html->find("href=\"./"), std::string::npos);
  EXPECT_NE(html->find("default-src 'none'"), std::string::npos);

  const std::string run = run_of(*html);
  std::uint32_t length = 0;
  std::memcpy(&length, run.data(), sizeof length);
  const Json head = Json::parse(run.substr(8, length));
  EXPECT_EQ(head["end"], 0.66);
  EXPECT_EQ(head["rows"], 660);
  EXPECT_EQ(head["frames"], 21) << "at 30 Hz, every 33 ms, from 0 to 0.66 s";
  const std::size_t signals = head["scene"]["signals"].size();
  const std::size_t poses = 8 + length + 8 * (2 * 21 + 660 * (1 + signals));
  ASSERT_EQ(run.size(), poses + 4 * 21 * (2 * 7 + head["scene"]["joints"].size()));
  // The ball has fallen by g t^2 / 2 in the last frame.
  float z = 0;
  std::memcpy(&z, run.data() + poses + 4 * (20 * 2 * 7 + 7 + 2), sizeof z);
  EXPECT_NEAR(z, 10.0 - 0.5 * 9.81 * 0.66 * 0.66, 0.01);
}

TEST(HtmlExport, EndsWhenItIsCancelled) {
  const Registry registry = default_registry();
  const Result<std::string> html = make_html(make_job(registry, 1'000'000'000), registry, [] { return true; });
  ASSERT_FALSE(html);
  EXPECT_EQ(html.error(), "the server is shutting down");
}

}  // namespace
}  // namespace lockstep::serve
