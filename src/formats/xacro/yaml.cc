#include <numbers>
#include <optional>

#include "formats/xacro/value.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

constexpr int kMaxYamlDepth = 32;

struct YamlLine {
  int number = 0;          // from 1
  std::size_t indent = 0;  // in blanks
  std::string_view text;   // without indentation, comment and blanks at the end
};

/// The end of a quoted text that begins at `begin`, after its closing quote; npos if it has none.
std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\' && text[begin] == '"') {
      ++i;
    } else if (text[i] == text[begin]) {
      if (text[begin] == '\'' && i + 1 < text.size() && text[i + 1] == '\'') {
        ++i;  // '' is a quote
      } else {
        return i + 1;
      }
    }
  }
  return std::string_view::npos;
}

class YamlReader {
 public:
  YamlReader(std::string_view text, std::string name, XacroBudget& budget)
      : name_(std::move(name)), budget_(budget) {
    int number = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      add_line(++number, text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  XacroValue read() {
    if (lines_.empty()) return {};
    XacroValue value = read_block(lines_[0].indent, 0);
    if (next_ < lines_.size()) fail("this line is indented differently from those above");
    return value;
  }

 private:
  Place place() const {
    const YamlLine line = lines_.empty() ? YamlLine{} : lines_[std::min(next_, lines_.size() - 1)];
    return {name_, line.number, static_cast<int>(line.indent) + 1};
  }
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw_user_error(place(), format, std::forward<Args>(args)...);
  }
  XacroPlace at() const { return {place(), budget_}; }

  void add_line(int number, std::string_view line) {
    std::size_t end = line.size();
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool begins_word = i == 0 || xml::is_blank(line[i - 1]) ||
                               std::string_view("[{,:").find(line[i - 1]) != std::string_view::npos;
      if ((line[i] == '"' || line[i] == '\'') && begins_word) {
        i = std::min(end_of_quoted(line, i), line.size()) - 1;
      } else if (line[i] == '#' && (i == 0 || xml::is_blank(line[i - 1]))) {
        end = i;
        break;
      }
    }
    line = line.substr(0, end);
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos || xml::trim(line).empty()) return;
    const std::string_view text = xml::trim(line.substr(indent));
    if (text == "---" && lines_.empty()) return;
    lines_.push_back({number, indent, text});
    budget_.spend_text(line.size(), {name_, number, 1});
    if (line[indent] == '\t')
      throw_user_error({name_, number, 1}, "the line is indented by a tab; expected blanks");
    if (text == "---" || text == "...")
      throw_user_error({name_, number, 1}, "a file with several documents is not supported");
  }

  static bool is_item(std::string_view text) { return text == "-" || text.starts_with("- "); }

  XacroValue read_block(std::size_t indent, int depth) {
    if (depth > kMaxYamlDepth)
      fail("the file is nested too deeply; at most {} levels are allowed", kMaxYamlDepth);
    if (is_item(lines_[next_].text)) return read_list(indent, depth);
    if (find_colon(lines_[next_].text)) return read_map(indent, depth);
    const std::string_view text = take_flow();
    return read_flow_text(text, depth);
  }

  XacroValue read_list(std::size_t indent, int depth) {
    XacroList items;
    while (next_ < lines_.size() && lines_[next_].indent == indent && is_item(lines_[next_].text)) {
      YamlLine& line = lines_[next_];
      const std::size_t begin = line.text.find_first_not_of(" ", 1);
      if (begin == std::string_view::npos) {
        ++next_;
        items.push_back(read_below(indent, depth));
      } else {  // the rest of the line is a block of its own
        line.indent = indent + begin;
        line.text = line.text.substr(begin);
        items.push_back(read_block(line.indent, depth + 1));
      }
    }
    expect_end(indent);
    return make_xacro_list(std::move(items));
  }

  XacroValue read_map(std::size_t indent, int depth) {
    XacroMap items;
    while (next_ < lines_.size() && lines_[next_].indent == indent) {
      const std::string_view text = lines_[next_].text;
      const auto colon = find_colon(text);
      if (!colon || is_item(text))
        fail("'{}' is not a key with a value; expected 'key: value'", xml::shown(text));
      XacroValue key = key_of(xml::trim(text.substr(0, *colon)));
      if (find_xacro_key(items, key, at()) != nullptr)
        fail("the key '{}' appears twice", xml::shown(xacro_text(key, at())));
      const std::string_view rest = xml::trim(text.substr(*colon + 1));
      XacroValue value;
      if (rest.empty()) {
        ++next_;
        // A list may be indented as its key is.
        const bool is_list =
            next_ < lines_.size() && lines_[next_].indent == indent && is_item(lines_[next_].text);
        value = is_list ? read_list(indent, depth + 1) : read_below(indent, depth);
      } else {
        lines_[next_].text = rest;
        value = read_flow_text(take_flow(), depth);
      }
      items.emplace_back(std::move(key), std::move(value));
    }
    expect_end(indent);
    return make_xacro_map(std::move(items));
  }

  void expect_end(std::size_t indent) {
    if (next_ < lines_.size() && lines_[next_].indent > indent)
      fail("this line is indented differently from those above");
  }

  XacroValue read_below(std::size_t indent, int depth) {
    if (next_ >= lines_.size() || lines_[next_].indent <= indent) return {};
    return read_block(lines_[next_].indent, depth + 1);
  }

  /// The position of the ':' after a key outside quotes and brackets.
  static std::optional<std::size_t> find_colon(std::string_view text) {
    if (text.starts_with('{') || text.starts_with('[')) return std::nullopt;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i == 0 && (text[i] == '"' || text[i] == '\'')) {
        i = end_of_quoted(text, i);
        if (i >= text.size()) return std::nullopt;
      }
      if (text[i] == ':' && (i + 1 == text.size() || xml::is_blank(text[i + 1]))) return i;
    }
    return std::nullopt;
  }

  /// The value that begins in this line; a flow list or map may continue in the next ones.
  std::string_view take_flow() {
    std::string_view text = lines_[next_].text;
    const bool is_flow = text.starts_with('[') || text.starts_with('{');
    if (!is_flow) {
      ++next_;
      return text;
    }
    flow_ = std::string(text);
    ++next_;
    while (open_brackets(flow_) > 0 && next_ < lines_.size()) flow_ += " " + std::string(lines_[next_++].text);
    budget_.spend_text(flow_.size(), at().place);
    return flow_;
  }

  int open_brackets(std::string_view text) const {
    int open = 0;
    budget_.spend_text(text.size(), at().place);
    for (const char c : text) open += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    return open;
  }

  XacroValue read_flow_text(std::string_view text, int depth) {
    std::size_t position = 0;
    const bool is_flow = text.starts_with('[') || text.starts_with('{');
    if (!is_flow) return scalar(text);
    const std::string whole(text);
    XacroValue value = read_flow(whole, position, depth);
    if (!xml::trim(std::string_view(whole).substr(position)).empty())
      fail("'{}' has something after its end", xml::shown(whole));
    return value;
  }

  static void skip_blanks(std::string_view text, std::size_t& i) {
    while (i < text.size() && xml::is_blank(text[i])) ++i;
  }

  XacroValue read_flow(std::string_view text, std::size_t& i, int depth) {
    if (depth > kMaxYamlDepth)
      fail("the file is nested too deeply; at most {} levels are allowed", kMaxYamlDepth);
    skip_blanks(text, i);
    const bool is_list = i < text.size() && text[i] == '[', is_map = i < text.size() && text[i] == '{';
    if (!is_list && !is_map) return flow_scalar(text, i, ",]}");
    const char end = is_list ? ']' : '}';
    XacroList items;
    XacroMap pairs;
    for (++i;;) {
      skip_blanks(text, i);
      if (i >= text.size()) fail("'{}' has no end", xml::shown(text));
      if (text[i] == end) break;
      if (is_list) {
        items.push_back(read_flow(text, i, depth + 1));
      } else {
        XacroValue key = flow_key(text, i);
        if (i >= text.size() || text[i] != ':') fail("'{}' has a key without a value", xml::shown(text));
        ++i;
        pairs.emplace_back(std::move(key), read_flow(text, i, depth + 1));
      }
      skip_blanks(text, i);
      if (i < text.size() && text[i] == ',') {
        ++i;
      } else if (i >= text.size() || text[i] != end) {
        fail("'{}' needs a ',' or '{}'", xml::shown(text), end);
      }
    }
    ++i;
    return is_list ? make_xacro_list(std::move(items)) : make_xacro_map(std::move(pairs));
  }

  /// Words such as "on" are texts as keys.
  XacroValue key_of(std::string_view text) {
    XacroValue key = scalar(text);
    return key.flag() != nullptr ? XacroValue{std::string(text)} : key;
  }

  XacroValue flow_key(std::string_view text, std::size_t& i) {
    skip_blanks(text, i);
    const std::size_t begin = i;
    XacroValue key = flow_scalar(text, i, ":,}");
    return key.flag() != nullptr ? XacroValue{std::string(xml::trim(text.substr(begin, i - begin)))} : key;
  }

  XacroValue flow_scalar(std::string_view text, std::size_t& i, std::string_view ends) {
    skip_blanks(text, i);
    const std::size_t begin = i;
    if (i < text.size() && (text[i] == '"' || text[i] == '\''))
      i = std::min(end_of_quoted(text, i), text.size());
    i = std::min(text.find_first_of(ends, i), text.size());
    return scalar(xml::trim(text.substr(begin, i - begin)));
  }

  XacroValue scalar(std::string_view text) {
    at().spend();
    if (text.empty() || text == "~" || text == "null" || text == "Null") return {};
    if (text.starts_with("!degrees ") || text.starts_with("!radians ")) return angle(text);
    if (text[0] == '"' || text[0] == '\'') return {unquoted(text)};
    if (std::string_view("&*!|>%@`").find(text[0]) != std::string_view::npos)
      fail("'{}': anchors, tags and texts over several lines are not supported", xml::shown(text));
    if (text == "yes" || text == "Yes" || text == "on" || text == "On") return {true};
    if (text == "no" || text == "No" || text == "off" || text == "Off") return {false};
    return xacro_literal(text);
  }

  XacroValue angle(std::string_view text) {
    const XacroValue number = xacro_literal(xml::trim(text.substr(9)));
    if (!number.is_number()) fail("'{}' is not a number of degrees or radians", xml::shown(text));
    return {text[1] == 'd' ? number.number() * (std::numbers::pi / 180.0) : number.number()};
  }

  std::string unquoted(std::string_view text) {
    if (end_of_quoted(text, 0) != text.size()) fail("{} is not a text in quotes", xml::shown(text));
    std::string result;
    const char quote = text[0];
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
      char c = text[i];
      if (quote == '"' && c == '\\') {
        c = text[++i];
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
      } else if (quote == '\'' && c == '\'') {
        ++i;
      }
      result += c;
    }
    return result;
  }

  std::string name_;
  XacroBudget& budget_;
  std::vector<YamlLine> lines_;
  std::size_t next_ = 0;
  std::string flow_;
};

}  // namespace

XacroValue read_yaml(std::string_view text, const std::string& name, XacroBudget& budget) {
  return YamlReader(text, name, budget).read();
}

}  // namespace lockstep
