// Any bytes as a scenario file: either a UserError, or a scenario that is written and read back unchanged.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "lockstep/error.h"
#include "scenario/assets.h"
#include "scenario/document.h"
#include "scenario/read.h"
#include "scenario/write.h"

namespace {

/// Includes find nothing here, so that no file of the machine becomes part of the input.
struct EmptyFolder {
  EmptyFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fuzz_scenario_XXXXXX").string();
    LOCKSTEP_CHECK(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~EmptyFolder() { std::filesystem::remove(path); }
  std::filesystem::path path;
};

const std::filesystem::path& empty_folder() {
  static const EmptyFolder folder;
  return folder.path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  const auto read = [](std::string_view text) { return Document::read_text(text, "fuzz.xml", empty_folder()); };
  try {
    Document document = read({reinterpret_cast<const char*>(data), size});
    const std::string text = document.text();
    LOCKSTEP_CHECK(read(text).text() == text);

    const Scenario scenario = read_scenario(document);
    const std::string all = write_scenario(scenario, Defaults::kWriteOut);
    const std::string few = write_scenario(scenario, Defaults::kOmit);
    LOCKSTEP_CHECK(write_scenario(read_scenario(read(all)), Defaults::kWriteOut) == all);
    LOCKSTEP_CHECK(write_scenario(read_scenario(read(few)), Defaults::kWriteOut) == all);

    // The description serves as an XPath, so that edits are tried as well.
    if (!scenario.description.empty()) document.set(scenario.description, "1", "--set");
    Assets(scenario, empty_folder());
    pack(document);
  } catch (const UserError&) {
  }
  return 0;
}
