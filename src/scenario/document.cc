#include "scenario/document.h"

#include <algorithm>
#include <pugixml.hpp>

#include "base/files.h"
#include "scenario/document_internal.h"
#include "scenario/xml_scan.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

constexpr unsigned kParseFlags = pugi::parse_cdata | pugi::parse_escapes | pugi::parse_wconv_attribute |
                                 pugi::parse_eol | pugi::parse_comments | pugi::parse_pi;

/// The next element in document order.
pugi::xml_node next_element(pugi::xml_node node, const pugi::xml_node& root) {
  const auto first_element = [](pugi::xml_node from) {
    while (from && from.type() != pugi::node_element) from = from.next_sibling();
    return from;
  };
  if (const pugi::xml_node child = first_element(node.first_child())) return child;
  while (node != root) {
    if (const pugi::xml_node next = first_element(node.next_sibling())) return next;
    node = node.parent();
  }
  return {};
}

Element make_element(const pugi::xml_node& node, const Document::Impl& impl);

}  // namespace

Document::Impl::Impl() : xml(std::make_unique<pugi::xml_document>()) {}
Document::Impl::~Impl() = default;

Place Document::Impl::place(const Spot& spot) const {
  return {sources[static_cast<std::size_t>(spot.source)].name, spot.line, spot.column};
}
Place Document::Impl::place(const pugi::xml_node& node) const {
  const auto found = element_spots.find(node.hash_value());
  return found == element_spots.end() ? Place{sources[0].name} : place(found->second);
}
Place Document::Impl::place(const pugi::xml_attribute& attribute) const {
  const auto found = attribute_spots.find(attribute.hash_value());
  return found == attribute_spots.end() ? Place{sources[0].name} : place(found->second);
}

void Document::Impl::parse(std::string_view text, int source, pugi::xml_document& into,
                           Diagnostics& diagnostics) {
  const std::string& name = sources[static_cast<std::size_t>(source)].name;
  const auto reject = [&]<typename... Args>(const Place& where, fmt::format_string<Args...> format,
                                            Args&&... args) {
    diagnostics.error(where, format, std::forward<Args>(args)...);
    throw UserError(diagnostics);
  };
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    reject({name}, "the file is UTF-16; save it as UTF-8");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (const auto error = xml::find_text_error(text)) {
    const xml::Position at = xml::position_of(text, error->offset);
    reject({name, at.line, at.column}, "{}", error->error);
  }
  const xml::Scan scan = xml::scan(
      text, name,
      {.items = kMaxElements - item_count, .attributes = kMaxAttributes - attribute_count, .depth = kMaxDepth},
      diagnostics);
  for (const xml::Position& tag : scan.broken_tags) diagnostics.mark_broken({name, tag.line, tag.column});
  if (!scan.closing.empty()) diagnostics.mark_incomplete();
  std::string sound;
  if (scan.is_cut || !scan.skipped.empty()) text = sound = xml::sound_text(text, scan);
  item_count += scan.items;
  attribute_count += scan.attributes.size();

  const pugi::xml_parse_result result =
      into.load_buffer(text.data(), text.size(), kParseFlags, pugi::encoding_utf8);
  if (!result) {
    const auto offset =
        std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)), text.size());
    const xml::Position at = xml::position_of(text, offset);
    reject({name, at.line, at.column}, "the XML is not well-formed: {}", result.description());
  }

  // The scan and the XML library saw the same tags in the same order.
  auto tag = scan.tags.begin();
  auto position = scan.attributes.begin();
  const pugi::xml_node root = into.document_element();
  for (pugi::xml_node node = root; node; node = next_element(node, root), ++tag) {
    LOCKSTEP_CHECK(tag != scan.tags.end() &&
                   node.offset_debug() == static_cast<std::ptrdiff_t>(tag->offset) + 1);
    element_spots[node.hash_value()] = {source, tag->position.line, tag->position.column};
    for (const pugi::xml_attribute attribute : node.attributes()) {
      attribute_spots[attribute.hash_value()] = {source, position->line, position->column};
      ++position;
    }
  }
  LOCKSTEP_CHECK(tag == scan.tags.end() && position == scan.attributes.end());
}

Document::Document(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

Document Document::read_file(const std::filesystem::path& path) {
  Diagnostics diagnostics;
  Document document = read_file(path, diagnostics);
  diagnostics.throw_if_errors();
  return document;
}

Document Document::read_file(const std::filesystem::path& path, Diagnostics& diagnostics) {
  Result<FileContent> file = read_any_file(path, kMaxFileBytes);
  if (!file) throw_user_error({}, "the scenario {}", file.error());
  auto impl = std::make_unique<Impl>();
  impl->root_folder = path.parent_path();
  impl->shown_folder = path.parent_path();
  impl->byte_count = file->bytes.size();
  impl->sources.push_back({path.string(), file->path, -1});
  impl->parse(file->bytes, 0, *impl->xml, diagnostics);
  file->bytes = {};
  impl->expand_includes(diagnostics);
  return Document(std::move(impl));
}

Document Document::read_text(std::string_view text, std::string name, const std::filesystem::path& root) {
  Diagnostics diagnostics;
  Document document = read_text(text, std::move(name), root, diagnostics);
  diagnostics.throw_if_errors();
  return document;
}

Document Document::read_text(std::string_view text, std::string name, const std::filesystem::path& root,
                             Diagnostics& diagnostics) {
  if (text.size() > kMaxFileBytes) {
    throw_user_error({name}, "the scenario is too large; at most {} bytes are allowed", kMaxFileBytes);
  }
  auto impl = std::make_unique<Impl>();
  impl->root_folder = root;
  impl->shown_folder = std::filesystem::path(name).parent_path();
  impl->byte_count = text.size();
  impl->sources.push_back({std::move(name), {}, -1});
  impl->parse(text, 0, *impl->xml, diagnostics);
  impl->expand_includes(diagnostics);
  return Document(std::move(impl));
}

Element read_xml(std::string_view text, std::string name) {
  if (text.size() > Document::kMaxFileBytes)
    throw_user_error({name}, "the file is too large; at most {} bytes are allowed", Document::kMaxFileBytes);
  Document::Impl impl;
  impl.sources.push_back({std::move(name), {}, -1});
  Diagnostics diagnostics;
  impl.parse(text, 0, *impl.xml, diagnostics);
  diagnostics.throw_if_errors();
  return make_element(impl.xml->document_element(), impl);
}

const std::filesystem::path& Document::root_folder() const {
  return impl_->root_folder;
}

std::vector<std::string> text_pieces(const pugi::xml_node& node) {
  std::vector<std::string> pieces;
  std::string piece;
  const auto end_piece = [&] {
    if (const std::string_view trimmed = xml::trim(piece); !trimmed.empty()) pieces.emplace_back(trimmed);
    piece.clear();
  };
  for (const pugi::xml_node child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
      piece += child.value();
    } else {
      end_piece();
    }
  }
  end_piece();
  return pieces;
}

namespace {

Element make_element(const pugi::xml_node& node, const Document::Impl& impl) {
  Element element{.name = node.name(), .place = impl.place(node), .attributes = {}, .children = {}, .text = {}};
  for (const pugi::xml_attribute attribute : node.attributes()) {
    element.attributes.push_back({attribute.name(), attribute.value(), impl.place(attribute)});
  }
  for (const pugi::xml_node child : node.children()) {
    if (child.type() == pugi::node_element) element.children.push_back(make_element(child, impl));
  }
  for (const std::string& piece : text_pieces(node)) {
    if (!element.text.empty()) element.text += ' ';
    element.text += piece;
  }
  return element;
}

}  // namespace

Element Document::root() const {
  return make_element(impl_->xml->document_element(), *impl_);
}

}  // namespace lockstep
