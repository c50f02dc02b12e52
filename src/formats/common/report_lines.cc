#include "formats/common/report_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace lockstep {
namespace {

/// "'name': what is said of it" or "'name' collides as …". The name is empty if the line does not begin with one.
struct SplitLine {
  std::string_view name;  ///< with its quotes
  std::string_view rest;
};

SplitLine split(std::string_view line) {
  // A name may contain quotes, so the last one before the text ends it.
  const std::size_t end = std::min(line.find("': "), line.find("' "));
  if (!line.starts_with('\'') || end == line.npos) return {{}, line};
  return {line.substr(0, end + 1), line.substr(end + 1)};
}

}  // namespace

std::vector<std::string> merged_lines(const std::vector<std::string>& lines) {
  constexpr std::size_t kMaxNamed = 3;
  std::map<std::string_view, std::vector<std::string_view>> names_of;  // by the rest of the line
  for (const std::string& line : lines) {
    const SplitLine parts = split(line);
    names_of[parts.rest].push_back(parts.name);
  }
  std::vector<std::string> merged;
  for (const std::string& line : lines) {
    const SplitLine parts = split(line);
    std::vector<std::string_view>& names = names_of[parts.rest];
    if (names.empty()) continue;  // said already
    std::string text;
    std::vector<std::string_view> different;
    for (const std::string_view name : names) {
      if (std::find(different.begin(), different.end(), name) == different.end()) different.push_back(name);
    }
    for (std::size_t i = 0; i < std::min(different.size(), kMaxNamed); ++i)
      text += fmt::format("{}{}", i == 0 ? "" : ", ", different[i]);
    if (different.size() > kMaxNamed) text += fmt::format(" and {} more", different.size() - kMaxNamed);
    text += parts.rest;
    if (names.size() > different.size()) text += fmt::format(" ({} times)", names.size());
    merged.push_back(std::move(text));
    names.clear();
  }
  return merged;
}

}  // namespace lockstep
