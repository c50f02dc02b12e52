#include "lockstep/scenario.h"

#include <span>
#include <utility>

#include "embed/scenario_impl.h"

namespace lockstep {

ScenarioFile::ScenarioFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ScenarioFile::ScenarioFile(ScenarioFile&&) noexcept = default;
ScenarioFile& ScenarioFile::operator=(ScenarioFile&&) noexcept = default;
ScenarioFile::~ScenarioFile() = default;

ScenarioFile ScenarioFile::read(const std::filesystem::path& file) {
  Diagnostics diagnostics;
  Document document = Document::read_file(file, diagnostics);
  return ScenarioFile(std::make_unique<Impl>(Impl{std::move(document), std::move(diagnostics)}));
}

ScenarioFile ScenarioFile::from_text(std::string_view text, const std::string& name,
                                     const std::filesystem::path& folder) {
  Diagnostics diagnostics;
  Document document = Document::read_text(text, name, folder, diagnostics);
  return ScenarioFile(std::make_unique<Impl>(Impl{std::move(document), std::move(diagnostics)}));
}

void ScenarioFile::edit(const std::string& xpath_and_value) {
  apply_edits(impl_->document, {&xpath_and_value, 1});
}

std::string ScenarioFile::text() const {
  return impl_->document.text();
}

}  // namespace lockstep
