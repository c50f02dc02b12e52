#include "signals/selection.h"

#include "base/text.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// Marks the names that match; returns whether any does.
bool mark(std::string_view pattern, std::span<const std::string> names, std::vector<bool>& is_chosen) {
  bool found = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!fits_pattern(pattern, names[i])) continue;
    is_chosen[i] = found = true;
  }
  return found;
}

}  // namespace

Selection select_names(std::string_view patterns, std::span<const std::string> names, std::string_view scope) {
  std::vector<bool> is_chosen(names.size());
  for (std::size_t at = patterns.find_first_not_of(kBlanks); at < patterns.size();) {
    const std::size_t end = std::min(patterns.find_first_of(kBlanks, at), patterns.size());
    const std::string pattern(patterns.substr(at, end - at));
    at = std::min(patterns.find_first_not_of(kBlanks, end), patterns.size());
    const bool found = (!scope.empty() && mark(fmt::format("{}/{}", scope, pattern), names, is_chosen)) ||
                       mark(pattern, names, is_chosen);
    if (found) continue;
    const bool is_name = pattern.find_first_of("*?") == std::string::npos;
    return Failure{fmt::format("{} '{}'{}", is_name ? "there is no signal" : "no signal matches", pattern,
                               suggest(pattern, names))};
  }
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_chosen[i]) indices.push_back(i);
  }
  return indices;
}

}  // namespace lockstep
