#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "scenario/element.h"

namespace lockstep {

/// A scenario file as XML, with <include src="…"/> and <robot src="…"> expanded. It remembers where every
/// element and attribute was written.
///
/// Files are opened only below the root folder, which is the folder of the main file. No external entities, no
/// DTD. Limits: see kMax… below.
class Document {
 public:
  /// Throws UserError if the file cannot be read or is not well-formed.
  static Document read_file(const std::filesystem::path& path);
  /// From text; relative paths are resolved against `root`, `name` stands in messages.
  static Document read_text(std::string_view text, std::string name, const std::filesystem::path& root);

  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  /// Sets every attribute (or the attributes of every element text) that an XPath selects, such as
  /// "//joint[@name='elbow']/@damping". An attribute that is not written yet but is selected as the last step
  /// of the path is added. An edit that matches nothing is an error. `origin` stands in messages about the
  /// new value ("--set //joint/@damping=-1").
  void set(std::string_view xpath, std::string_view value, std::string_view origin);

  Element root() const;
  const std::filesystem::path& root_folder() const;

  /// The document as text: same elements, attributes, comments and units; indentation made regular. Writing
  /// what was written gives the same bytes.
  std::string text() const;

  static constexpr std::size_t kMaxFileBytes = 256u << 20;   ///< packed scenarios carry their assets
  static constexpr std::size_t kMaxElements = 200'000;
  static constexpr std::size_t kMaxDepth = 64;
  static constexpr std::size_t kMaxIncludes = 256;

 private:
  struct Impl;
  explicit Document(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lockstep
