#pragma once

#include <set>

#include "formats/xacro/expression.h"
#include "formats/xacro/scope.h"

namespace lockstep {

/// Where names are looked up and relative paths start.
struct XacroContext {
  XacroScope* scope = nullptr;
  XacroNamespace* space = nullptr;
  const XacroFile* file = nullptr;
};

/// Evaluates the texts of a xacro file: expressions in ${…}, substitutions in $(…), properties, arguments, and the
/// files that they name. Every function throws UserError at the place it is given.
class XacroTexts {
 public:
  XacroTexts(const ImportSource& source, FormatReport& report);

  /// The value of a text. A single expression keeps its type.
  XacroValue evaluate(std::string_view text, const XacroContext& context, const Place& place);
  std::string evaluate_text(std::string_view text, const XacroContext& context, const Place& place);

  /// The property of that name in a scope or its parents; evaluates it if nothing did before.
  std::optional<XacroValue> find_property(const std::string& name, XacroScope* scope,
                                          const XacroContext& context, const XacroPlace& at);
  static void set_property(XacroScope& scope, const std::string& name, XacroValue value, bool is_lazy,
                           const Place& place);

  std::string argument(const std::string& name, const XacroPlace& at);
  void define_argument(const std::string& name, std::optional<std::string> usual);
  void check_arguments(Diagnostics& diagnostics) const;
  void report_arguments() const;
  /// A message of the file itself.
  void warn(const std::string& text, const XacroPlace& at);

  /// A file near the one that names it, else near the main file.
  Result<FileContent> read_file(const std::string& uri, const XacroContext& context, const Place& place);
  XacroValue load_yaml(const std::string& uri, const XacroContext& context, const XacroPlace& at);
  const XacroFile& add_file(const FileContent& file);
  const XacroFile& main_file() const { return files_.front(); }

  XacroBudget& budget() { return budget_; }
  XacroPlace at(const Place& place) { return {place, budget_}; }

 private:
  XacroValue expression(std::string_view inside, const XacroContext& context, const Place& place);
  XacroValue substitution(std::string_view inside, const XacroContext& context, const Place& place);
  std::string shown_path(const std::filesystem::path& path) const;
  ImportSource near_file(const std::filesystem::path& path) const;

  const ImportSource& source_;
  FormatReport& report_;
  XacroBudget budget_;
  std::map<std::string, std::string> given_, defaults_;  // arguments
  std::set<std::string> used_;                           // names of arguments
  std::list<XacroFile> files_;                           // the main one first; macros refer to their elements
  std::map<std::string, XacroValue> yaml_;               // by path
  std::size_t warning_count_ = 0;
  int nesting_ = 0, file_count_ = 0;
};

}  // namespace lockstep
