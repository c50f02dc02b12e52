#include <algorithm>
#include <pugixml.hpp>
#include <set>

#include "scenario/document_internal.h"
#include "scenario/xml_text.h"
#include "scenario/xpath_text.h"

namespace lockstep {

namespace {

using xml::shown;

pugi::xpath_node_set select(const pugi::xml_document& document, std::string_view xpath, const Place& origin) {
  try {
    return pugi::xpath_query(std::string(xpath).c_str()).evaluate_node_set(document);
  } catch (const pugi::xpath_exception& error) {
    throw_user_error(origin, "XPath '{}' is invalid at character {}: {}", shown(xpath),
                     error.result().offset + 1, error.what());
  }
}

/// Suggestion for a path that selects nothing.
std::string hint(const pugi::xml_document& document, std::string_view xpath, const Place& origin) {
  for (const std::string_view path : xml::leading_paths(xpath)) {
    if (!select(document, path, origin).empty()) continue;
    if (const auto step = xml::find_name_step(path)) {
      std::vector<std::string> names;
      for (const pugi::xpath_node& found : select(document, step->elements, origin)) {
        if (const pugi::xml_attribute name = found.node().attribute("name"))
          names.push_back(shown(name.value()));
      }
      if (!names.empty()) return suggest(step->name, names);
    }
    if (const auto name = xml::find_last_name(path)) {
      std::set<std::string> names;
      for (const pugi::xpath_node& found : select(document, "//*", origin)) names.insert(found.node().name());
      const std::string meant = suggest(*name, std::vector<std::string>(names.begin(), names.end()));
      if (meant.starts_with("; did you mean")) return meant;
    }
    return path == xpath ? "" : fmt::format("; the path before it, '{}', selects nothing either", shown(path));
  }
  return "";
}

void check_editable(const pugi::xml_node& element, std::string_view attribute, const Place& origin) {
  if (attribute == "src" && std::string_view(element.name()) == "robot") {
    throw_user_error(origin, "the src of a <robot> cannot be set: its file has already been read");
  }
}

void set_text(pugi::xml_node element, const std::string& value, std::string_view xpath, const Place& origin) {
  std::vector<pugi::xml_node> texts;
  for (const pugi::xml_node child : element.children()) {
    if (child.type() == pugi::node_element) {
      throw_user_error(origin,
                       "XPath '{}' selects <{}>, which has children; expected an attribute such as '{}/@name'",
                       shown(xpath), element.name(), shown(xpath));
    }
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) texts.push_back(child);
  }
  for (const pugi::xml_node& text : texts) element.remove_child(text);
  element.append_child(pugi::node_pcdata).set_value(value.c_str());
}

/// What an XPath selects for editing: attributes, or the elements whose attribute is the last step of the path.
struct Selected {
  std::optional<xml::AttributeStep> step;
  pugi::xpath_node_set nodes;
};

Selected select_for_edit(const pugi::xml_document& document, std::string_view xpath, const Place& origin) {
  if (xpath.size() > Document::kMaxXPathBytes) {
    throw_user_error(origin, "the XPath has {} bytes; at most {} are allowed", xpath.size(),
                     Document::kMaxXPathBytes);
  }
  if (const auto error = xml::find_text_error(xpath)) throw_user_error(origin, "{}", error->error);
  if (xml::trim(xpath).empty())
    throw_user_error(origin, "the XPath is empty; expected one such as '//joint/@damping'");

  // An attribute in the last step may not exist yet: select its elements instead.
  const auto step = xml::find_attribute_step(xpath);
  const std::string_view selected = step ? step->elements : xpath;
  Selected found{step, select(document, selected, origin)};
  if (found.nodes.empty()) {
    throw_user_error(origin, "XPath '{}' selects nothing{}", shown(xpath), hint(document, selected, origin));
  }
  for (const pugi::xpath_node& node : found.nodes) {
    const pugi::xml_node element = node.attribute() ? node.parent() : node.node();
    if (element.type() != pugi::node_element || (step && node.attribute())) {
      throw_user_error(origin, "XPath '{}' selects neither an attribute nor an element", shown(xpath));
    }
  }
  return found;
}

/// The path from the root to an element, as child indices.
std::vector<std::size_t> path_to(pugi::xml_node element) {
  std::vector<std::size_t> path;
  while (element.parent().type() == pugi::node_element) {
    std::size_t index = 0;
    for (pugi::xml_node before = element.previous_sibling(); before; before = before.previous_sibling()) {
      if (before.type() == pugi::node_element) ++index;
    }
    path.insert(path.begin(), index);
    element = element.parent();
  }
  return path;
}

}  // namespace

std::vector<AttributeTarget> Document::find_attributes(std::string_view xpath,
                                                       std::string_view origin_text) const {
  const Place origin{std::string(origin_text)};
  const auto [step, nodes] = select_for_edit(*impl_->xml, xpath, origin);
  std::vector<AttributeTarget> targets;
  for (const pugi::xpath_node& found : nodes) {
    if (!step && !found.attribute()) {
      throw_user_error(origin, "XPath '{}' selects <{}>; expected an attribute such as '{}/@name'",
                       shown(xpath), found.node().name(), shown(xpath));
    }
    const pugi::xml_node element = found.attribute() ? found.parent() : found.node();
    targets.push_back({path_to(element), step ? std::string(step->attribute) : found.attribute().name()});
    check_editable(element, targets.back().attribute, origin);
  }
  return targets;
}

void Document::set(std::string_view xpath, std::string_view value, std::string_view origin_text) {
  const Place origin{std::string(origin_text)};
  if (const auto error = xml::find_text_error(value)) throw_user_error(origin, "{}", error->error);
  const auto [step, nodes] = select_for_edit(*impl_->xml, xpath, origin);

  const Impl::Spot spot{static_cast<int>(impl_->sources.size()), 0, 0};
  impl_->sources.push_back({std::string(origin_text), {}, -1});
  std::string text(value);
  // XML reads a carriage return in an attribute as a space.
  std::replace(text.begin(), text.end(), '\r', ' ');
  for (const pugi::xpath_node& found : nodes) {
    pugi::xml_node element = found.attribute() ? found.parent() : found.node();
    if (!step && !found.attribute()) {
      set_text(element, text, xpath, origin);
      continue;
    }
    const std::string name = step ? std::string(step->attribute) : found.attribute().name();
    check_editable(element, name, origin);
    pugi::xml_attribute attribute = element.attribute(name.c_str());
    if (!attribute) attribute = element.append_attribute(name.c_str());
    attribute.set_value(text.c_str());
    impl_->attribute_spots[attribute.hash_value()] = spot;
  }
}

void Document::embed_file(const std::string& path, const std::string& base64) {
  pugi::xml_node file = impl_->xml->document_element().append_child("file");
  file.append_attribute("path").set_value(path.c_str());
  file.append_child(pugi::node_pcdata).set_value(base64.c_str());
  impl_->element_spots[file.hash_value()] = {};
  impl_->attribute_spots[file.first_attribute().hash_value()] = {};
}

Edit split_edit(std::string_view text) {
  const std::vector<std::size_t> equals = xml::find_outside(text, "=");
  if (equals.empty() || xml::trim(text.substr(0, equals[0])).empty()) {
    throw_user_error({"--set"}, "'{}' is not an edit; expected XPATH=VALUE such as '//joint/@damping=0.1'",
                     shown(text));
  }
  return {std::string(text.substr(0, equals[0])), std::string(text.substr(equals[0] + 1))};
}

void apply_edits(Document& document, std::span<const std::string> edits) {
  for (const std::string& text : edits) {
    const Edit edit = split_edit(text);
    document.set(edit.xpath, edit.value, "--set " + shown(text));
  }
}

}  // namespace lockstep
