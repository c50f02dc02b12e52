#pragma once

#include "formats/common/format.h"

/// xacro, the macro language of robot files in ROS: properties, macros with parameters and blocks, conditions,
/// includes, expressions in ${…} and substitutions in $(…). See docs/importing.md.
///
/// Nothing is executed: expressions are a small part of Python with an evaluator of its own (expression.h), files
/// are opened by the rules of AssetFinder, and the environment is not read. Nesting, files and the total cost are
/// limited, so every file ends with a tree or an error.
namespace lockstep {

/// Whether a file has elements of xacro, or is called .xacro.
bool is_xacro(const ImportSource& source);

/// The expanded tree, with the place of each element in the file that it comes from. Throws UserError with the
/// place in the user's file and the macros that were called.
Element expand_xacro(const ImportSource& source, FormatReport& report);

}  // namespace lockstep
