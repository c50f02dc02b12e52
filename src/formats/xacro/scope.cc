#include "formats/xacro/scope.h"

#include "scenario/xml_text.h"

namespace lockstep {

namespace {

constexpr std::string_view kBlankText = " \t\r\n";

/// The end of a default value: blanks end it, except in quotes and in the brackets of ${…} and $(…).
std::size_t end_of_default(const std::string& text, std::size_t begin) {
  int open = 0;
  char quote = '\0';
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '{' || c == '(') {
      ++open;
    } else if (c == '}' || c == ')') {
      --open;
    } else if (open <= 0 && xml::is_blank(c)) {
      return i;
    }
  }
  return text.size();
}

}  // namespace

XacroNamespace* XacroNamespace::find(const std::string& path) {
  for (XacroNamespace* from = this; from != nullptr; from = from->parent) {
    XacroNamespace* space = from;
    std::size_t begin = 0;
    while (space != nullptr && begin <= path.size()) {
      const std::size_t end = std::min(path.find('.', begin), path.size());
      const auto child = space->children.find(path.substr(begin, end - begin));
      space = child == space->children.end() ? nullptr : child->second.get();
      begin = end + 1;
    }
    if (space != nullptr) return space;
  }
  return nullptr;
}

std::pair<std::string, std::string> split_last_dot(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return {"", path};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

std::vector<XacroParameter> parse_xacro_parameters(const std::string& text, const Place& place) {
  std::vector<XacroParameter> parameters;
  std::size_t i = text.find_first_not_of(kBlankText);
  while (i < text.size()) {
    XacroParameter parameter;
    const std::size_t end = std::min(text.find_first_of(" \t\r\n:=", i), text.size());
    parameter.name = text.substr(i, end - i);
    i = end;
    if (i < text.size() && (text[i] == '=' || text.compare(i, 2, ":=") == 0)) {
      i += text[i] == '=' ? 1 : 2;
      if (i < text.size() && text[i] == '^') {
        parameter.is_forwarded = true;
        ++i;
        if (i < text.size() && text[i] == '|') ++i;
      }
      const std::size_t stop = end_of_default(text, i);
      if (stop > i || !parameter.is_forwarded) parameter.usual = text.substr(i, stop - i);
      i = stop;
    } else if (i < text.size() && text[i] == ':') {
      throw_user_error(place, "the parameters '{}' have a ':' without '='; expected 'name:=default'",
                       xml::shown(text));
    }
    parameter.is_block = parameter.name.starts_with('*');
    if (parameter.name.empty() || parameter.name == "*" || parameter.name == "**")
      throw_user_error(place, "the parameters '{}' have one without a name", xml::shown(text));
    for (const XacroParameter& other : parameters) {
      if (other.name == parameter.name)
        throw_user_error(place, "the parameter '{}' appears twice", xml::shown(parameter.name));
    }
    parameters.push_back(std::move(parameter));
    i = text.find_first_not_of(kBlankText, i);
  }
  return parameters;
}

}  // namespace lockstep
