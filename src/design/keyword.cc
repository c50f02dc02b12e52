#include "design/keyword.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace lockstep {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Matches the keyword at the start of a label; '#' matches as many digits as there are.
std::optional<KeywordMatch> match_at(std::string_view keyword, std::string_view label) {
  constexpr std::size_t kMaxDigits = 9;
  KeywordMatch match;
  std::size_t at = 0;
  for (const char c : keyword) {
    if (c == '#') {
      const std::size_t first = at;
      while (at < label.size() && is_digit(label[at]) && at - first < kMaxDigits) ++at;
      if (at == first) return std::nullopt;
      match.name += label.substr(first, at - first);
      match.number = std::stoll(std::string(label.substr(first, at - first)));
    } else {
      if (at == label.size() || !is_same_letter(c, label[at])) return std::nullopt;
      match.name += c;
      ++at;
    }
  }
  // "M1" does not match "M12": a number must match completely.
  const bool is_cut =
      !match.name.empty() && is_digit(match.name.back()) && at < label.size() && is_digit(label[at]);
  if (is_cut) return std::nullopt;
  return match;
}

}  // namespace

std::optional<KeywordMatch> find_keyword(std::string_view keyword, std::string_view label) {
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (auto match = match_at(keyword, label.substr(i))) return match;
  }
  return std::nullopt;
}

Element Filler::fill(Element element) const {
  for (Attribute& attribute : element.attributes) attribute.value = filled(attribute.value, attribute.place);
  for (Element& child : element.children) child = fill(std::move(child));
  return element;
}

std::string Filler::filled(const std::string& text, const Place& place) const {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = std::min(text.find('{', at), text.size());
    out += text.substr(at, open - at);
    if (open == text.size()) break;
    const std::size_t close = text.find('}', open);
    const std::string hole = text.substr(open, close == std::string::npos ? close : close - open + 1);
    const auto value = values_.find(hole);
    if (value == values_.end()) {
      std::vector<std::string> known;
      for (const auto& [name, _] : values_) known.push_back(name);
      throw_user_error(place, "unknown placeholder '{}'{}", hole, suggest(hole, known));
    }
    out += value->second;
    at = close + 1;
  }
  return out;
}

}  // namespace lockstep
