#include <pugixml.hpp>

#include "scenario/document_internal.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

void append_line(std::string& out, int depth, std::string_view line) {
  out.append(static_cast<std::size_t>(depth) * 2, ' ');
  out += line;
  out += '\n';
}

void append_node(std::string& out, const pugi::xml_node& node, int depth);

std::string start_of_tag(const pugi::xml_node& node) {
  std::string tag = fmt::format("<{}", node.name());
  for (const pugi::xml_attribute attribute : node.attributes()) {
    tag += fmt::format(" {}=\"{}\"", attribute.name(), xml::escape_attribute(attribute.value()));
  }
  return tag;
}

void append_element(std::string& out, const pugi::xml_node& node, int depth) {
  const std::vector<std::string> pieces = text_pieces(node);
  bool has_inner_markup = false;
  for (const pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_pcdata && child.type() != pugi::node_cdata) has_inner_markup = true;
  }
  if (!has_inner_markup) {
    const std::string end =
        pieces.empty() ? "/>" : fmt::format(">{}</{}>", xml::escape_text(pieces[0]), node.name());
    return append_line(out, depth, start_of_tag(node) + end);
  }
  append_line(out, depth, start_of_tag(node) + ">");
  // Every piece of text gets its own line, where it begins.
  auto piece = pieces.begin();
  std::string pending;
  const auto end_piece = [&] {
    if (!xml::trim(pending).empty()) append_line(out, depth + 1, xml::escape_text(*piece++));
    pending.clear();
  };
  for (const pugi::xml_node child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
      pending += child.value();
    } else {
      end_piece();
      append_node(out, child, depth + 1);
    }
  }
  end_piece();
  append_line(out, depth, fmt::format("</{}>", node.name()));
}

void append_node(std::string& out, const pugi::xml_node& node, int depth) {
  switch (node.type()) {
    case pugi::node_element:
      return append_element(out, node, depth);
    case pugi::node_comment:
      return append_line(out, depth, fmt::format("<!--{}-->", node.value()));
    case pugi::node_pi: {
      const std::string_view blank = *node.value() == '\0' ? "" : " ";
      return append_line(out, depth, fmt::format("<?{}{}{}?>", node.name(), blank, node.value()));
    }
    default:
      return;
  }
}

}  // namespace

std::string Document::text() const {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  for (const pugi::xml_node node : impl_->xml->children()) append_node(out, node, 0);
  return out;
}

}  // namespace lockstep
