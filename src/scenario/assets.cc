#include "scenario/assets.h"

#include <set>

#include "base/files.h"
#include "scenario/base64.h"
#include "scenario/xml_text.h"

namespace lockstep {

Assets::Assets(const Scenario& scenario, std::filesystem::path root_folder) {
  Diagnostics diagnostics;
  *this = Assets(scenario, std::move(root_folder), diagnostics);
  diagnostics.throw_if_errors();
}

Assets::Assets(const Scenario& scenario, std::filesystem::path root_folder, Diagnostics& diagnostics)
    : root_(std::move(root_folder)) {
  for (const EmbeddedFile& file : scenario.files) {
    Result<std::vector<std::uint8_t>> decoded = decode_base64(file.data);
    if (!decoded) {
      diagnostics.error(file.place, "file '{}': its text is not base64: {}", xml::shown(file.path),
                        decoded.error());
      diagnostics.mark_missing(file.path);
    } else if (!embedded_.emplace(normal_path(file.path), *std::move(decoded)).second) {
      diagnostics.error(file.place, "file '{}' is embedded twice", xml::shown(file.path));
    }
  }
}

std::vector<std::uint8_t> Assets::load(const std::string& src, const Place& place,
                                       std::string_view subject) const {
  const auto found = embedded_.find(normal_path(src));
  if (found != embedded_.end()) return found->second;
  const Result<FileContent> file = read_file_below(root_, src, kMaxFileBytes);
  if (!file) throw_user_error(place, "{}: src {}", subject, file.error());
  return {file->bytes.begin(), file->bytes.end()};
}

namespace {

/// Collects the files named by src attributes, in document order.
class Packer {
 public:
  Packer(Document& document, std::size_t max_bytes) : document_(document), bytes_left_(max_bytes) {}

  void keep_embedded(const Element& root) {
    for (const Element& child : root.children) {
      const Attribute* path = child.find_attribute("path");
      if (child.name == "file" && path != nullptr) packed_.insert(normal_path(path->value));
    }
  }

  void pack(const Element& element) {
    const Attribute* src = element.find_attribute("src");
    if (src != nullptr && packed_.insert(normal_path(src->value)).second) embed(element, *src);
    for (const Element& child : element.children) pack(child);
  }

  Diagnostics diagnostics;

 private:
  void embed(const Element& element, const Attribute& src) {
    const Result<FileContent> file = read_file_below(document_.root_folder(), src.value, Assets::kMaxFileBytes);
    if (!file) {
      diagnostics.error(src.place, "<{}>: src {}", element.name, file.error());
      return;
    }
    const std::string text = encode_base64(file->bytes);
    if (text.size() > bytes_left_) {
      diagnostics.error(src.place,
                        "<{}>: with '{}' the packed scenario is too large; at most {} bytes are allowed",
                        element.name, xml::shown(src.value), Document::kMaxFileBytes);
      throw UserError(std::move(diagnostics));
    }
    bytes_left_ -= text.size();
    document_.embed_file(normal_path(src.value), text);
  }

  Document& document_;
  std::size_t bytes_left_;
  std::set<std::string> packed_;
};

}  // namespace

std::string pack(const Document& document) {
  const Element root = document.root();
  const std::string text = document.text();
  Document packed = Document::read_text(text, root.place.file, document.root_folder());
  // Allowance for the <file> tag and the path of each file.
  constexpr std::size_t kBytesForTags = 1u << 20;
  const std::size_t used = text.size() + kBytesForTags;
  Packer packer(packed, Document::kMaxFileBytes - std::min(used, Document::kMaxFileBytes));
  packer.keep_embedded(root);
  packer.pack(root);
  packer.diagnostics.throw_if_errors();
  return packed.text();
}

}  // namespace lockstep
