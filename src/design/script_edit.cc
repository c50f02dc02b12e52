#include "design/script_edit.h"

#include <algorithm>

#include "scenario/write.h"

namespace lockstep {
namespace {

/// The end of the markup that begins with the '<' at `at`. A '>' may be in quotes.
std::size_t end_of_tag(std::string_view text, std::size_t at) {
  const auto after = [&](std::string_view end) {
    const std::size_t found = text.find(end, at);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  if (text.substr(at).starts_with("<!--")) return after("-->");
  if (text.substr(at).starts_with("<![CDATA[")) return after("]]>");
  if (text.substr(at).starts_with("<?")) return after("?>");
  char quote = '\0';
  for (std::size_t i = at; i < text.size(); ++i) {
    if (quote != '\0') {
      if (text[i] == quote) quote = '\0';
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '>') {
      return i + 1;
    }
  }
  return text.size();
}

std::size_t end_of_element(std::string_view text, std::size_t start) {
  int depth = 0;
  for (std::size_t at = start; at < text.size(); at = text.find('<', at)) {
    const std::size_t end = end_of_tag(text, at);
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (next == '/') {
      --depth;
    } else if (next != '!' && next != '?' && text[end - 2] != '/') {
      ++depth;
    }
    if (depth == 0 && next != '!' && next != '?') return end;
    at = end;
  }
  return text.size();
}

std::size_t offset_of(std::string_view text, const Place& place) {
  std::size_t at = 0;
  for (int line = 1; line < place.line; ++line) at = text.find('\n', at) + 1;
  return at + static_cast<std::size_t>(place.column) - 1;
}

std::string indented(const Element& operation) {
  std::string text = write_element(operation), out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    out += "  " + text.substr(at, end - at);
    at = end;
  }
  return out;
}

Element& child_of(Element& element, const std::string& name) {
  for (Element& child : element.children) {
    if (child.name == name) return child;
  }
  return element.children.emplace_back(
      Element{.name = name, .place = element.place, .attributes = {}, .children = {}, .text = {}});
}

}  // namespace

std::string with_appended(std::string_view text, const Element& operation) {
  constexpr std::string_view kEnd = "</design>";
  std::string out(text);
  const std::size_t end = out.rfind(kEnd);
  if (end != std::string::npos) return out.insert(end, indented(operation));
  // An empty root: <design … />
  const std::size_t empty = out.rfind("/>");
  if (empty == std::string::npos) throw_user_error({}, "the script has no end tag '{}'", kEnd);
  return out.replace(empty, 2, fmt::format(">\n{}{}", indented(operation), kEnd));
}

std::string without_element(std::string_view text, const Place& place) {
  std::size_t start = offset_of(text, place);
  const std::size_t end = end_of_element(text, start);
  // Remove its line, too.
  while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t')) --start;
  const bool takes_line = end < text.size() && text[end] == '\n' && (start == 0 || text[start - 1] == '\n');
  return std::string(text.substr(0, start)) + std::string(text.substr(end + (takes_line ? 1 : 0)));
}

Element make_operation_element(std::string_view name, const std::vector<std::string>& settings,
                               const Place& origin) {
  Element operation{.name = std::string(name), .place = origin, .attributes = {}, .children = {}, .text = {}};
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw_user_error(
          origin, "'{}' is not a setting; expected NAME=VALUE, such as 'parent=base' or 'joint/at/from=hole'",
          setting);
    std::string path = setting.substr(0, equals);
    Element* at = &operation;
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/')) {
      at = &child_of(*at, path.substr(0, slash));
      path.erase(0, slash + 1);
    }
    if (at->find_attribute(path) != nullptr)
      throw_user_error(origin, "'{}' is given twice", setting.substr(0, equals));
    at->attributes.push_back({path, setting.substr(equals + 1), origin});
  }
  return operation;
}

}  // namespace lockstep
