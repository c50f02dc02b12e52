// Any bytes as a file of SDF: either a UserError, or a scenario that can be read.

#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/sdf/sdf.h"
#include "scenario/document.h"
#include "scenario/read.h"
#include "scenario/write.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  try {
    const ImportSource source{.name = "fuzz.sdf",
                              .bytes = {reinterpret_cast<const char*>(data), size},
                              .path = "/nowhere/at/all/fuzz.sdf"};
    const std::string text = write_element(import_sdf(source).root);
    (void)read_scenario(Document::read_text(text, "imported.xml", "."));
  } catch (const UserError&) {
  }
  return 0;
}
