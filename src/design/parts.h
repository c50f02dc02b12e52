#pragma once

#include <Eigen/Geometry>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "design/design.h"
#include "geometry/assembly.h"
#include "lockstep/error.h"

/// Finding parts by name, and what they are together.
namespace lockstep {

/// "a*; b" as {"a*", "b"}.
std::vector<std::string> split_patterns(std::string_view text);

/// Parts of the assembly that have a shape and fit one of the patterns ("arm/base*; */SOLID", with ';' between,
/// because names have blanks and commas), in the order of the assembly. A pattern means the whole name, or its
/// end after a '/'; naming a group means all in it. Throws UserError at `place` for one that nothing fits.
std::vector<int> find_parts(const Assembly& assembly, std::string_view patterns, const Place& place,
                            std::string_view subject);

/// As find_parts(), but only those that no body has yet. What is taken is an error where it is named, and left
/// where a '*' or '?' happens to fit it.
std::vector<int> find_free_parts(const Design& design, std::string_view patterns, const Place& place,
                                 std::string_view subject);

/// Which body each part is in, by name, "" for none; what is omitted has "-".
std::vector<std::string> calc_owners(const Design& design);

/// Parts with a shape that are in no body and were not omitted on purpose.
std::vector<int> find_forgotten_parts(const Design& design);

/// The box around parts, along the axes of the assembly, m.
Eigen::AlignedBox3d calc_bounds(const Assembly& assembly, std::span<const int> parts);

/// The names of all parts that have a shape.
std::vector<std::string> part_names(const Assembly& assembly);

/// A text as the name of a link or file: what may not be there becomes '_'.
std::string plain_name(std::string_view text);

}  // namespace lockstep
