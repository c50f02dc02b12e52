#include "scenario/reference.h"

#include <fmt/format.h>

#include <map>
#include <vector>

namespace lockstep {

namespace {

std::string describe_count(const AttributeSchema& attribute) {
  if (attribute.min_count == attribute.max_count) return fmt::format("{} numbers", attribute.min_count);
  if (attribute.max_count > 1000) {
    return attribute.min_count == 0 ? "numbers" : fmt::format("{} or more numbers", attribute.min_count);
  }
  return fmt::format("{} to {} numbers", attribute.min_count, attribute.max_count);
}

std::string describe_type(const AttributeSchema& attribute) {
  const std::string unit = attribute.unit.empty() ? "" : fmt::format(", {}", attribute.unit);
  switch (attribute.type) {
    case ValueType::kNumber:
      return "number" + unit;
    case ValueType::kNumbers:
      return describe_count(attribute) + unit;
    case ValueType::kInteger:
      return "whole number";
    case ValueType::kFlag:
      return "true or false";
    case ValueType::kTime:
      return "time, s";
    case ValueType::kText:
      return "text";
    case ValueType::kName:
      return "name";
    case ValueType::kColor:
      return "colour";
    case ValueType::kChoice:
      break;
  }
  std::string text;
  for (const std::string& choice : attribute.choices) text += (text.empty() ? "`" : ", `") + choice + "`";
  return text;
}

/// Text inside a table cell or a paragraph: '|' would end the cell, '<' would begin HTML.
std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*' || c == '_') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

/// Collects the sections in the order of the schema. An element that looks the same in several places has one
/// section; elements of one name that differ are distinguished by their parent.
class ReferenceWriter {
 public:
  std::string write(const ElementSchema& root, const ReferenceTitle& title) {
    std::string out = fmt::format("# {}\n\nEvery element and attribute of {}. ", title.heading, title.file);
    out +=
        "Numbers are in SI units; any number may have another "
        "unit "
        "(`\"72 mm\"`, `\"90 deg\"`), and a list of numbers one unit for all or one for each. Colours are "
        "`#rrggbb`, "
        "`#rrggbbaa`, or three or four numbers from 0 to 1. Names have letters, digits, `_`, `-` and `.`. A "
        "number "
        "without a range must be between -1e9 and 1e9.\n";
    add(root, "");
    for (const Section& section : sections_) {
      out += fmt::format("\n## {}\n\n", section.title);
      if (!section.where.empty()) out += fmt::format("Inside {}. ", section.where);
      out += section.body;
    }
    return out;
  }

 private:
  struct Section {
    std::string title;
    std::string where;
    std::string body;
  };

  void add(const ElementSchema& element, const std::string& parent) {
    const std::string title = fmt::format("`<{}>`", element.name);
    const std::string body = describe_element(element);
    const std::string key = title + body;
    const auto found = by_content_.find(key);
    if (found != by_content_.end()) {
      std::string& where = sections_[found->second].where;
      if (where.find(parent) == std::string::npos) where += ", " + parent;
      return;
    }
    by_content_[key] = sections_.size();
    sections_.push_back({title, parent, body});
    for (const ChildSchema& child : element.children) add(child.element, title);
  }

  static std::string describe_element(const ElementSchema& element) {
    std::string out = escape(element.doc) + "\n";
    if (element.has_text) out += "\nIt contains text.\n";
    if (!element.attributes.empty()) {
      out += "\n| attribute | type | default | range | meaning |\n|---|---|---|---|---|\n";
    }
    for (const AttributeSchema& attribute : element.attributes) {
      std::string initial = attribute.required ? "**needed**" : "";
      if (!attribute.required && attribute.default_text && !attribute.default_text->empty()) {
        initial = fmt::format("`{}`", *attribute.default_text);
      }
      out += fmt::format("| `{}` | {} | {} | {} | {} |\n", attribute.name, describe_type(attribute), initial,
                         attribute.range, escape(attribute.doc));
    }
    if (!element.children.empty()) out += fmt::format("\nContains {}.\n", describe_children(element));
    return out;
  }

  static std::string describe_children(const ElementSchema& element) {
    std::string out;
    for (const ChildSchema& child : element.children) {
      if (!out.empty()) out += ", ";
      out += fmt::format("`<{}>`", child.element.name);
      if (child.max == 1) out += child.min == 1 ? " (once)" : " (at most once)";
      if (child.max != 1 && child.min > 0) out += fmt::format(" (at least {})", child.min);
    }
    return out;
  }

  std::vector<Section> sections_;
  std::map<std::string, std::size_t> by_content_;
};

}  // namespace

std::string write_reference(const ElementSchema& root, const ReferenceTitle& title) {
  return ReferenceWriter().write(root, title);
}

}  // namespace lockstep
