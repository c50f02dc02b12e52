#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/xacro/value.h"

namespace lockstep {

/// What the names in an expression mean, beside the functions and constants that are built in.
class XacroNames {
 public:
  virtual ~XacroNames() = default;
  /// The property of that name, "radius" or "left.radius"; empty if there is none.
  virtual std::optional<XacroValue> find(const std::string& name, const XacroPlace& at) = 0;
  virtual bool is_namespace(const std::string& name) const = 0;
  /// load_yaml(file) and arg(name).
  virtual XacroValue load_yaml(const std::string& file, const XacroPlace& at) = 0;
  virtual XacroValue argument(const std::string& name, const XacroPlace& at) = 0;
  /// message(text) and warning(text).
  virtual void warn(const std::string& text, const XacroPlace& at) = 0;
  /// Similar names, for the error about an unknown one.
  virtual std::string suggestion(const std::string& name) const = 0;
};

/// The value of an expression between the braces of ${…}: the part of Python that robot files use.
///
///     value       = choice [ "if" choice "else" value ]
///     choice      = "or", "and", "not", comparisons (also chained, "in", "is"), + - * / // % **, unary + -
///     factor      = number | 'text' | True | False | None | name | "(" value ")" | [list] | {map}
///                 | [value for name in list if condition] | factor.name | factor[index] | factor[from:to]
///                 | function(…)
///
/// Functions are those of Python's math and the usual built-in ones, methods those of texts, lists and maps
/// (functions.cc). Nothing else is evaluated: there is no Python behind it. Throws UserError at the place.
XacroValue evaluate_xacro(std::string_view text, XacroNames& names, const XacroPlace& at);

}  // namespace lockstep
