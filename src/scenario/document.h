#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/fields.h"

namespace lockstep {

/// An attribute in the tree returned by Document::root(): the child index at each level, and its name. The
/// attribute may not exist yet.
struct AttributeTarget {
  std::vector<std::size_t> path;
  std::string attribute;
};

/// A scenario file as XML, with <include src="…"/> and <robot src="…"> expanded. It keeps the place of
/// every element and attribute.
///
/// - <include src="parts.xml"/> directly below <scenario> is replaced by the children of the <scenario> in that
///   file, or by the <robot> in it.
/// - <robot name="left" src="arm.xml" …> takes the attributes and children of the <robot> in that file;
///   attributes given here override them, children given here follow those of the file.
/// - A <sensors>, <actuators>, … in both files is merged: one element with the children of both.
/// - Every src attribute is relative to the file it is written in. After reading, all are relative to the root
///   folder, so that the expanded document and the structs made from it refer to the same files.
///
/// Files are opened only below the root folder, which is the folder of the main file. No external entities, no
/// DTD. Limits: see kMax… below.
class Document {
 public:
  /// Throws UserError if the file cannot be read or is not well-formed.
  static Document read_file(const std::filesystem::path& path);
  /// From text; relative paths are resolved against `root`, `name` is the file name in messages.
  static Document read_text(std::string_view text, std::string name, const std::filesystem::path& root);

  /// The same, but errors go into `diagnostics` and the document holds what could be read. They throw, with
  /// everything in `diagnostics`, only if nothing could be read.
  static Document read_file(const std::filesystem::path& path, Diagnostics& diagnostics);
  static Document read_text(std::string_view text, std::string name, const std::filesystem::path& root,
                            Diagnostics& diagnostics);

  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  /// Sets every attribute (or the text of every element) that an XPath selects, such as
  /// "//joint[@name='elbow']/@damping". An attribute that is not written yet but is the last step of the path
  /// is added. An edit that matches nothing is an error. `origin` is the place in messages about the new value
  /// ("--set //joint/@damping=-1").
  void set(std::string_view xpath, std::string_view value, std::string_view origin);

  /// The attributes that set() would change. It is an error if there are none, or if the path selects elements.
  std::vector<AttributeTarget> find_attributes(std::string_view xpath, std::string_view origin) const;

  /// Appends <file path="…">base64</file>, see assets.h.
  void embed_file(const std::string& path, const std::string& base64);

  Element root() const;  ///< a copy of everything
  const std::filesystem::path& root_folder() const;

  /// The document as text: same elements, attributes, comments and units, with normalized indentation. Reading
  /// and writing it again gives the same bytes.
  std::string text() const;

  static constexpr std::size_t kMaxFileBytes = 256u
                                               << 20;   ///< of all files; packed scenarios contain their assets
  static constexpr std::size_t kMaxElements = 200'000;  ///< with comments and pieces of text, in all files
  static constexpr std::size_t kMaxAttributes = 2'000'000;
  static constexpr std::size_t kMaxDepth = 64;
  static constexpr std::size_t kMaxIncludes = 256;
  static constexpr std::size_t kMaxXPathBytes = 1000;

  struct Impl;

 private:
  explicit Document(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Reads XML that is not a scenario: nothing is expanded, no other file is opened. The same limits apply.
/// Throws UserError if it is not well-formed.
Element read_xml(std::string_view text, std::string name);

/// An edit from the command line: "XPATH=VALUE", split at the first '=' outside brackets and quotes.
struct Edit {
  std::string xpath;
  std::string value;
};

/// Throws UserError at the place "--set" if there is no such '=' or no path before it.
Edit split_edit(std::string_view text);

/// Applies the edits of a command line in order. Errors name the edit as their place:
/// "--set //joint/@damping=x".
void apply_edits(Document& document, std::span<const std::string> edits);

}  // namespace lockstep
