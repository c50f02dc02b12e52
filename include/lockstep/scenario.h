#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "lockstep/error.h"

/// Loading a scenario: the XML document that describes a whole experiment (docs/scenarios.md).
namespace lockstep {

/// A scenario file that was read, with its includes expanded. Opaque: what is in it means something only
/// together with a registry, so everything beyond the syntax is checked when a Run is made of it.
///
///     ScenarioFile scenario = ScenarioFile::read("arm.xml");
///     scenario.edit("//joint[@name='elbow']/@damping=0.2");
///     Run run(scenario);
///
/// Any number of runs may be made of one, also at the same time by several threads, as long as none edits it.
class ScenarioFile {
 public:
  /// Reads a file. Other files that it names are relative to its folder and must be below it. Throws UserError
  /// if nothing of it can be read; errors that leave something to check are thrown by Run, together with all
  /// others, so that a user sees every error of a file in one list.
  static ScenarioFile read(const std::filesystem::path& file);

  /// The same for text in memory. `name` takes the place of the file in messages: "inline.xml:3:7: error: …".
  /// Files that it names are below `folder`.
  static ScenarioFile from_text(std::string_view text, const std::string& name = "inline.xml",
                                const std::filesystem::path& folder = ".");

  /// Changes the scenario as `lockstep run --set` does: "XPATH=VALUE" sets every attribute, or the text of every
  /// element, that the XPath selects. Values are as in the file, with units: "//servo/@stiffness=2 kN*m/rad".
  /// Throws UserError, and changes nothing, if the path is not valid or selects nothing.
  void edit(const std::string& xpath_and_value);

  /// The document as it is now, with includes and edits in it.
  std::string text() const;

  ScenarioFile(ScenarioFile&&) noexcept;
  ScenarioFile& operator=(ScenarioFile&&) noexcept;
  ~ScenarioFile();

 private:
  friend class Run;
  struct Impl;
  explicit ScenarioFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep
