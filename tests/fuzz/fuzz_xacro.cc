// Any bytes as a file of xacro: either a UserError, or a tree without macros that is the same every time. Text that is
// not XML is read as an expression and as YAML.

#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/xacro/expression.h"
#include "formats/xacro/xacro.h"
#include "scenario/write.h"

namespace {

using namespace lockstep;

class NoNames final : public XacroNames {
 public:
  std::optional<XacroValue> find(const std::string& name, const XacroPlace&) override {
    if (name == "x") return XacroValue{2.0};
    return std::nullopt;
  }
  bool is_namespace(const std::string&) const override { return false; }
  XacroValue load_yaml(const std::string&, const XacroPlace& at) override { at.fail("there are no files"); }
  XacroValue argument(const std::string&, const XacroPlace& at) override { at.fail("there are no arguments"); }
  void warn(const std::string&, const XacroPlace&) override {}
  std::string suggestion(const std::string&) const override { return {}; }
};

void expand(const std::string& bytes) {
  const ImportSource source{.name = "fuzz.xacro", .bytes = bytes, .path = "/nowhere/at/all/fuzz.xacro"};
  FormatReport report;
  const std::string first = write_element(expand_xacro(source, report));
  LOCKSTEP_CHECK(first == write_element(expand_xacro(source, report)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    if (text.starts_with('<')) {
      expand(text);
      return 0;
    }
    XacroBudget budget;
    const XacroPlace place{{"fuzz.xacro", 1, 1}, budget};
    if (text.starts_with('#')) {
      (void)xacro_text(read_yaml(text, "fuzz.yaml", budget), place);
    } else {
      NoNames names;
      (void)xacro_text(evaluate_xacro(text, names, place), place);
    }
  } catch (const UserError&) {
  }
  return 0;
}
