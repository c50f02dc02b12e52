// Any bytes as a file of MRSim: either a UserError, or a scenario that reads, and that comes back the same
// after it was written as a file of MRSim again.

#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/formats.h"
#include "formats/mrsim/mrsim.h"
#include "scenario/assets.h"
#include "scenario/document.h"
#include "scenario/read.h"
#include "scenario/write.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  try {
    const ImportSource source{
        .name = "fuzz.xml", .bytes = {reinterpret_cast<const char*>(data), size}, .units = {}};
    if (!import_formats()[0].matches(source)) return 0;
    const std::string text = write_element(import_mrsim(source).root);
    const Document document = Document::read_text(text, "imported.xml", ".");
    const Scenario scenario = read_scenario(document);
    const Element root = document.root();
    const Exported exported = export_mrsim(
        {.root = root, .scenario = scenario, .assets = Assets(scenario, "."), .units = source.units});
    const ImportSource again{.name = "fuzz.xml", .bytes = exported.files.at(0).bytes, .units = {}};
    const std::string second = write_element(import_mrsim(again).root);
    // A direction becomes a rotation and a direction again, which rounds.
    LOCKSTEP_CHECK(second == text || text.find("place=\"free\"") != std::string::npos);
  } catch (const UserError&) {
  }
  return 0;
}
