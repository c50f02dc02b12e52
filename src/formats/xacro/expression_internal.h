#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/xacro/expression.h"

namespace lockstep {

/// A parsed expression.
struct XacroNode {
  enum class Kind {
    kLiteral,    ///< value
    kName,       ///< text
    kAttribute,  ///< children[0] . text
    kIndex,      ///< children[0] [ children[1] ]
    kSlice,      ///< children[0] [ children[1] : children[2] ], None if omitted
    kCall,       ///< children[0] ( the others ); `words` has their keywords, "" for none
    kUnary,      ///< text: "-", "+", "not"
    kBinary,     ///< text: the operator
    kCompare,    ///< children compared in turn by `words`
    kAnd,
    kOr,
    kConditional,  ///< children[0] if children[1] else children[2]
    kList,
    kMap,            ///< keys and values in turn
    kComprehension,  ///< children[0] for `words` in children[1] [if children[2]]
  };
  Kind kind = Kind::kLiteral;
  std::string text;
  XacroValue value;
  std::vector<XacroNode> children;
  std::vector<std::string> words;
  int depth = 1;
};

XacroNode parse_xacro(std::string_view text, const XacroPlace& at);

/// A built-in constant or function by its name; `words` are the keywords of the arguments, "" for none.
std::optional<XacroValue> find_xacro_constant(std::string_view name);
bool is_xacro_function(std::string_view name);
XacroValue call_xacro_function(const std::string& name, const std::vector<XacroValue>& arguments,
                               const std::vector<std::string>& words, const XacroPlace& at);
XacroValue call_xacro_method(const XacroValue& object, const std::string& name,
                             const std::vector<XacroValue>& arguments, const XacroPlace& at);
XacroValue xacro_operation(std::string_view operation, const XacroValue& a, const XacroValue& b,
                           const XacroPlace& at);
/// The items that a list, map or text consists of.
XacroList xacro_items(const XacroValue& value, const XacroPlace& at);

}  // namespace lockstep
