#include "scenario/xpath_text.h"

#include "scenario/xml_text.h"

namespace lockstep::xml {

namespace {

bool is_plain_name(std::string_view text) {
  if (text.empty() || text[0] == '-' || text[0] == '.' || (text[0] >= '0' && text[0] <= '9')) return false;
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_letter && !(c >= '0' && c <= '9') && c != '_' && c != '-' && c != '.') return false;
  }
  return true;
}

}  // namespace

std::vector<std::size_t> find_outside(std::string_view xpath, std::string_view wanted) {
  std::vector<std::size_t> found;
  char quote = '\0';
  int depth = 0;
  for (std::size_t i = 0; i < xpath.size(); ++i) {
    const char c = xpath[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (depth == 0 && wanted.find(c) != std::string_view::npos) found.push_back(i);
    if (c == '[' || c == '(') ++depth;
    if ((c == ']' || c == ')') && depth > 0) --depth;
  }
  return found;
}

std::optional<AttributeStep> find_attribute_step(std::string_view xpath) {
  // In a union only the last path would end in the attribute.
  if (!find_outside(xpath, "|").empty()) return std::nullopt;
  const std::vector<std::size_t> slashes = find_outside(xpath, "/");
  if (slashes.empty()) return std::nullopt;
  const std::size_t last = slashes.back();
  // "//@x" means the attributes x of everything that has one.
  if (last == 0 || xpath[last - 1] == '/') return std::nullopt;
  std::string_view step = trim(xpath.substr(last + 1));
  if (step.starts_with('@')) {
    step.remove_prefix(1);
  } else if (step.starts_with("attribute::")) {
    step.remove_prefix(11);
  } else {
    return std::nullopt;
  }
  if (!is_plain_name(step)) return std::nullopt;
  return AttributeStep{xpath.substr(0, last), step};
}

std::vector<std::string_view> leading_paths(std::string_view xpath) {
  std::vector<std::string_view> paths;
  if (!find_outside(xpath, "|").empty()) return paths;
  for (const std::size_t slash : find_outside(xpath, "/")) {
    if (slash > 0 && xpath[slash - 1] != '/') paths.push_back(xpath.substr(0, slash));
  }
  paths.push_back(xpath);
  return paths;
}

std::optional<NameStep> find_name_step(std::string_view xpath) {
  xpath = trim(xpath);
  const std::vector<std::size_t> brackets = find_outside(xpath, "[");
  if (brackets.empty() || !xpath.ends_with(']')) return std::nullopt;
  std::string_view inside = trim(xpath.substr(brackets.back() + 1, xpath.size() - brackets.back() - 2));
  if (!inside.starts_with("@name")) return std::nullopt;
  inside = trim(inside.substr(5));
  if (!inside.starts_with('=')) return std::nullopt;
  inside = trim(inside.substr(1));
  if (inside.size() < 2 || (inside[0] != '"' && inside[0] != '\'') || inside.back() != inside[0])
    return std::nullopt;
  const std::string_view name = inside.substr(1, inside.size() - 2);
  if (name.find(inside[0]) != std::string_view::npos) return std::nullopt;
  return NameStep{xpath.substr(0, brackets.back()), name};
}

std::optional<std::string_view> find_last_name(std::string_view xpath) {
  const std::vector<std::size_t> slashes = find_outside(xpath, "/");
  const std::string_view step = trim(slashes.empty() ? xpath : xpath.substr(slashes.back() + 1));
  if (!is_plain_name(step)) return std::nullopt;
  return step;
}

}  // namespace lockstep::xml
