#pragma once

#include <Eigen/Geometry>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "design/design.h"
#include "geometry/assembly.h"
#include "lockstep/error.h"

/// Finds parts by name, and their bounds and owners.
namespace lockstep {

/// "a*; b" as {"a*", "b"}.
std::vector<std::string> split_patterns(std::string_view text);

/// Parts of the assembly that have a shape and match one of the patterns ("arm/base*; */SOLID", with ';'
/// between, because names have spaces and commas), in the order of the assembly. A pattern matches the whole
/// name, or its end after a '/'; a group includes all parts in it. Throws UserError at `place` for one without
/// a match.
std::vector<int> find_parts(const Assembly& assembly, std::string_view patterns, const Place& place,
                            std::string_view subject);

/// Like find_parts(), but only parts in no body yet. A part that is already used is an error if it is named,
/// and skipped if it matches a '*' or '?'.
std::vector<int> find_free_parts(const Design& design, std::string_view patterns, const Place& place,
                                 std::string_view subject);

/// Which body each part is in, by name, "" for none, "-" for ignored parts.
std::vector<std::string> calc_owners(const Design& design);

/// Parts with a shape that are in no body and not ignored.
std::vector<int> find_unused_parts(const Design& design);

/// Bounding box of parts, along the axes of the assembly, m.
Eigen::AlignedBox3d calc_bounds(const Assembly& assembly, std::span<const int> parts);

/// The names of all parts that have a shape.
std::vector<std::string> part_names(const Assembly& assembly);

/// A text as the name of a link or file: invalid characters become '_'.
std::string plain_name(std::string_view text);

}  // namespace lockstep
