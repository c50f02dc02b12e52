#include "formats/common/format.h"

#include <fmt/format.h>

#include <map>

namespace lockstep {
namespace {

/// More lines of one kind are combined.
constexpr std::size_t kMaxAlike = 3;
/// Names that a combined line lists.
constexpr std::size_t kMaxListed = 8;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A line without its place, the text between quotes, and numbers.
std::string kind_of(std::string_view line) {
  const std::size_t place_end = line.find(": ");
  if (place_end != std::string_view::npos && place_end > 0 && is_digit(line[place_end - 1]))
    line.remove_prefix(place_end);
  std::string kind;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::size_t closing = line[i] == '\'' ? line.find('\'', i + 1) : std::string_view::npos;
    if (closing != std::string_view::npos) {
      i = closing;
    } else if (!is_digit(line[i]) && std::string_view(".-+e").find(line[i]) == std::string_view::npos) {
      kind += line[i];
    }
  }
  return kind;
}

/// The first text between quotes.
std::string_view name_in(std::string_view line) {
  const std::size_t open = line.find('\'');
  const std::size_t closing = open == std::string_view::npos ? open : line.find('\'', open + 1);
  return closing == std::string_view::npos ? std::string_view() : line.substr(open, closing + 1 - open);
}

void combine(std::vector<std::string>& lines) {
  std::map<std::string, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < lines.size(); ++i) alike[kind_of(lines[i])].push_back(i);
  std::vector<std::string> combined;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::size_t>& group = alike[kind_of(lines[i])];
    if (group.size() <= kMaxAlike) {
      combined.push_back(lines[i]);
      continue;
    }
    if (group.front() != i) continue;
    std::string names;
    for (std::size_t k = 1; k < group.size() && k <= kMaxListed; ++k) {
      const std::string_view name = name_in(lines[group[k]]);
      if (!name.empty()) names += fmt::format("{}{}", names.empty() ? ": " : ", ", name);
    }
    if (group.size() > kMaxListed + 1) names += " …";
    combined.push_back(fmt::format("{} (and {} more such lines{})", lines[i], group.size() - 1, names));
  }
  lines = std::move(combined);
}

}  // namespace

void combine_repeated(FormatReport& report) {
  for (auto* lines : {&report.read, &report.assumed, &report.lost, &report.suspicious, &report.differs}) combine(*lines);
}

}  // namespace lockstep
