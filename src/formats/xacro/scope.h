#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/common/asset_finder.h"
#include "formats/xacro/value.h"
#include "lockstep/fields.h"

/// What names mean while a xacro file is expanded.
namespace lockstep {

struct XacroProperty {
  XacroValue value;
  bool is_lazy = false;  ///< the text is evaluated when it is used first
  bool is_in_use = false;
  Place place;
};

/// Elements for <xacro:insert_block>.
struct XacroBlock {
  std::vector<Element> elements;
  std::string text;
  bool is_expanded = false;  ///< by the caller of a macro; else where it is inserted
};

/// Properties and blocks of a file or of one call of a macro. Names that it lacks are those of its parent.
struct XacroScope {
  XacroScope* parent = nullptr;
  XacroScope* caller = nullptr;  ///< target of scope="parent"
  std::map<std::string, XacroProperty> properties;
  std::map<std::string, XacroBlock> blocks;
};

/// A file with the folder that its relative paths start from.
struct XacroFile {
  std::string name;  ///< as shown in messages
  std::filesystem::path path;
  AssetFinder finder;
  Element root;
};

struct XacroParameter {
  std::string name;
  bool is_block = false;
  std::optional<std::string> usual;  ///< default
  bool is_forwarded = false;         ///< takes the property of the same name of the caller
};

struct XacroMacro {
  std::vector<XacroParameter> parameters;
  const Element* body = nullptr;
  const XacroFile* file = nullptr;
};

/// The macros and properties of the files included with ns="NAME", or of the main file.
struct XacroNamespace {
  XacroNamespace* parent = nullptr;
  XacroScope scope;
  std::map<std::string, XacroMacro> macros;
  std::map<std::string, std::unique_ptr<XacroNamespace>> children;

  /// The namespace "a.b" as seen from here or from one of the parents; null if there is none.
  XacroNamespace* find(const std::string& path);
};

/// Splits "a.b.c" into "a.b" and "c"; the first is empty without dots.
std::pair<std::string, std::string> split_last_dot(const std::string& path);

/// The parameters of a macro: "name *origin **content length:=2 parent:=^|base".
std::vector<XacroParameter> parse_xacro_parameters(const std::string& text, const Place& place);

}  // namespace lockstep
