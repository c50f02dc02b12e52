#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "scenario/document.h"

// Only the sources of scenario/ include the XML library.
namespace pugi {
class xml_attribute;
class xml_document;
class xml_node;
}  // namespace pugi

namespace lockstep {

/// Internals of Document, shared by the sources that read, expand and edit it.
struct Document::Impl {
  /// A file that was read, or the origin of an edit. A file included twice has two entries, because
  /// the chain of includes that led to it differs.
  struct Source {
    std::string name;            ///< as shown in messages
    std::filesystem::path path;  ///< without links; empty for text that is not from a file
    int included_by = -1;        ///< source, or -1
  };
  struct Spot {
    int source = 0;
    int line = 0;
    int column = 0;
  };

  Impl();
  ~Impl();

  std::unique_ptr<pugi::xml_document> xml;
  std::filesystem::path root_folder;
  std::filesystem::path shown_folder;  ///< the folder part of the main file's name, as the user gave it
  std::vector<Source> sources;
  /// Keyed by hash_value() of the node or attribute, which is unique during its lifetime.
  std::unordered_map<std::size_t, Spot> element_spots;
  std::unordered_map<std::size_t, Spot> attribute_spots;
  std::size_t item_count = 0;
  std::size_t attribute_count = 0;
  std::size_t byte_count = 0;

  Place place(const Spot& spot) const;
  Place place(const pugi::xml_node& node) const;
  Place place(const pugi::xml_attribute& attribute) const;

  /// Checks the text, parses what can be read into `into` and stores the place of every node.
  /// Throws UserError if nothing can be read.
  void parse(std::string_view text, int source, pugi::xml_document& into, Diagnostics& diagnostics);

  /// Replaces every <include src> and <robot src> by the content of the files.
  void expand_includes(Diagnostics& diagnostics);
};

/// The text pieces directly inside a node, each trimmed; neighbours separated only by CDATA are one piece.
std::vector<std::string> text_pieces(const pugi::xml_node& node);

}  // namespace lockstep
