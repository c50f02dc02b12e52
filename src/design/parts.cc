#include "design/parts.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace lockstep {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool is_wild(std::string_view pattern) {
  return pattern.find_first_of("*?") != std::string_view::npos;
}

/// Matches the whole name, or its end after any '/'.
bool matches_part(std::string_view pattern, std::string_view name) {
  for (;;) {
    if (fits_pattern(pattern, name)) return true;
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) return false;
    name.remove_prefix(slash + 1);
  }
}

/// The parts that match a pattern, and all below them. A whole name matches only that part, even if other names
/// end with it.
std::vector<bool> mark(const Assembly& assembly, std::string_view pattern) {
  std::vector<bool> is_meant(assembly.parts.size());
  const bool is_whole = std::any_of(assembly.parts.begin(), assembly.parts.end(),
                                    [&](const Part& part) { return part.name == pattern; });
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    const Part& part = assembly.parts[i];
    is_meant[i] = (part.parent >= 0 && is_meant[static_cast<std::size_t>(part.parent)]) ||
                  (is_whole ? part.name == pattern : matches_part(pattern, part.name));
  }
  return is_meant;
}

bool has_shape(const Assembly& assembly, std::size_t part) {
  return assembly.parts[part].shape >= 0;
}

template <typename Take>
std::vector<int> collect(const Assembly& assembly, std::string_view patterns, const Place& place,
                         std::string_view subject, Take take) {
  const std::vector<std::string> list = split_patterns(patterns);
  if (list.empty()) throw_user_error(place, "{}: names no part; `lockstep design parts` lists them", subject);
  std::vector<bool> is_chosen(assembly.parts.size());
  for (const std::string& pattern : list) {
    const std::vector<bool> is_meant = mark(assembly, pattern);
    bool found = false;
    for (std::size_t i = 0; i < is_meant.size(); ++i) {
      if (!is_meant[i] || !has_shape(assembly, i) || !take(i, pattern)) continue;
      is_chosen[i] = found = true;
    }
    if (!found) {
      throw_user_error(place, "{}: no {}part matches '{}'{}", subject, is_wild(pattern) ? "free " : "", pattern,
                       suggest(pattern, part_names(assembly)));
    }
  }
  std::vector<int> chosen;
  for (std::size_t i = 0; i < is_chosen.size(); ++i) {
    if (is_chosen[i]) chosen.push_back(static_cast<int>(i));
  }
  return chosen;
}

}  // namespace

std::vector<std::string> split_patterns(std::string_view text) {
  std::vector<std::string> patterns;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    if (const std::string_view one = trimmed(text.substr(0, end)); !one.empty()) patterns.emplace_back(one);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return patterns;
}

std::vector<int> find_parts(const Assembly& assembly, std::string_view patterns, const Place& place,
                            std::string_view subject) {
  return collect(assembly, patterns, place, subject, [](std::size_t, std::string_view) { return true; });
}

std::vector<int> find_free_parts(const Design& design, std::string_view patterns, const Place& place,
                                 std::string_view subject) {
  const std::vector<std::string> owners = calc_owners(design);
  return collect(*design.assembly, patterns, place, subject, [&](std::size_t part, std::string_view pattern) {
    if (owners[part].empty()) return true;
    if (is_wild(pattern)) return false;
    throw_user_error(place, "{}: part '{}' {}", subject, design.assembly->parts[part].name,
                     owners[part] == "-" ? std::string("is ignored already")
                                         : fmt::format("belongs to '{}' already", owners[part]));
  });
}

std::vector<std::string> calc_owners(const Design& design) {
  std::vector<std::string> owners(design.assembly->parts.size());
  for (const auto* bodies : {&design.links, &design.objects}) {
    for (const DesignBody& body : *bodies) {
      for (const int part : body.parts) owners[static_cast<std::size_t>(part)] = body.name;
    }
  }
  for (const int part : design.ignored) owners[static_cast<std::size_t>(part)].assign(1, '-');
  return owners;
}

std::vector<int> find_unused_parts(const Design& design) {
  const std::vector<std::string> owners = calc_owners(design);
  std::vector<int> unused;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i].empty() && has_shape(*design.assembly, i)) unused.push_back(static_cast<int>(i));
  }
  return unused;
}

Eigen::AlignedBox3d calc_bounds(const Assembly& assembly, std::span<const int> parts) {
  Eigen::AlignedBox3d bounds;
  for (const int index : parts) {
    const Part& part = assembly.parts[static_cast<std::size_t>(index)];
    if (part.shape < 0) continue;
    const Pose X_AP = calc_pose(assembly, index);
    for (const Vec3& vertex : assembly.shapes[static_cast<std::size_t>(part.shape)].mesh.vertices)
      bounds.extend(X_AP * vertex);
  }
  return bounds;
}

std::vector<std::string> part_names(const Assembly& assembly) {
  std::vector<std::string> names;
  for (const Part& part : assembly.parts) {
    if (part.shape >= 0) names.push_back(part.name);
  }
  return names;
}

std::string plain_name(std::string_view text) {
  constexpr std::size_t kMaxLength = 64;  // of names in scenarios
  std::string name(text.substr(0, kMaxLength));
  for (char& c : name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
    if (!is_plain) c = '_';
  }
  return name.empty() ? "part" : name;
}

}  // namespace lockstep
