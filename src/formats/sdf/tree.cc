#include "formats/sdf/tree.h"

#include <algorithm>

#include "formats/common/asset_finder.h"
#include "formats/common/source_tree.h"
#include "formats/common/xml_values.h"
#include "formats/sdf/values.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

constexpr std::size_t kMaxSdfIncludes = 500;
constexpr std::size_t kMaxSdfNesting = 16;  // of includes
constexpr std::size_t kMaxSdfBytes = 16u << 20;
constexpr std::size_t kMaxSdfElements = 200'000;

std::size_t count_elements(const Element& element) {
  std::size_t count = 1;
  for (const Element& child : element.children) count += count_elements(child);
  return count;
}

void replace_child(Element& element, const Element& child) {
  std::erase_if(element.children, [&](const Element& each) { return each.name == child.name; });
  element.children.push_back(child);
}

void set_attribute_of(Element& element, std::string_view name, const std::string& value) {
  std::erase_if(element.attributes, [&](const Attribute& each) { return each.name == name; });
  element.attributes.push_back({std::string(name), value, element.place});
}

class SdfIncludes {
 public:
  SdfIncludes(const ImportSource& source, FormatReport& report) : finder_(source), report_(report) {
    std::error_code error;
    open_.push_back(std::filesystem::weakly_canonical(source.path, error));
  }

  void expand(Element& element) {
    mark_models(element, XmlValues::text(element, "version"));
    expand_inside(element);
  }

 private:
  static void mark_models(Element& element, const std::string& version) {
    if (element.name == "model") set_attribute_of(element, kSdfVersion, version);
    for (Element& child : element.children) mark_models(child, version);
  }

  void expand_inside(Element& element) {
    for (std::size_t i = 0; i < element.children.size(); ++i) {
      Element& child = element.children[i];
      if (child.name == "world" || child.name == "model" || child.name == "sdf") expand_inside(child);
      if (child.name != "include") continue;
      const Element include = child;
      std::optional<Element> model = read_include(include);
      if (model) {
        element.children[i] = std::move(*model);
      } else {
        element.children.erase(element.children.begin() + static_cast<std::ptrdiff_t>(i--));
      }
    }
  }

  std::optional<Element> read_include(const Element& include) {
    const std::string uri = SdfValues::text(include, "uri");
    if (uri.empty()) throw_user_error(include.place, "<include> needs a <uri>");
    if (uri.starts_with("http://") || uri.starts_with("https://") || uri.starts_with("fuel://")) {
      report_.lost.push_back(fmt::format("{}: '{}' is not included: files are not downloaded",
                                         to_string(include.place), xml::shown(uri)));
      return std::nullopt;
    }
    if (++count_ > kMaxSdfIncludes)
      throw_user_error(include.place, "more than {} files are included", kMaxSdfIncludes);
    if (open_.size() > kMaxSdfNesting)
      throw_user_error(include.place, "files include each other more than {} levels deep", kMaxSdfNesting);
    const std::optional<Found> found = find_file(uri, include);
    if (!found) return make_known_model(uri, include);
    const auto& [file, path] = *found;
    if (std::find(open_.begin(), open_.end(), file.path) != open_.end())
      throw_user_error(include.place, "<include>: '{}' includes itself", xml::shown(uri));
    Element root = read_xml(file.bytes, path);
    elements_ += count_elements(root);
    if (elements_ > kMaxSdfElements)
      throw_user_error(include.place, "the included files have more than {} elements", kMaxSdfElements);
    Element* model = nullptr;
    for (Element& child : root.children) {
      if (root.name == "sdf" && child.name == "model" && model == nullptr) model = &child;
    }
    if (model == nullptr)
      throw_user_error(include.place, "<include>: '{}' has no <model> in an <sdf>", xml::shown(path));
    adjust_paths(*model, path.substr(0, path.rfind('/')));
    open_.push_back(file.path);
    mark_models(*model, XmlValues::text(root, "version"));
    expand_inside(*model);
    open_.pop_back();
    override_model(include, *model);
    return std::move(*model);
  }

  struct Found {
    FileContent file;
    std::string path;  // as a URI
  };

  /// Models that come with Gazebo and that most worlds include.
  std::optional<Element> make_known_model(const std::string& uri, const Element& include) {
    if (uri == "model://sun") {
      report_.lost.push_back(fmt::format("{}: the light '{}'", to_string(include.place), uri));
      return std::nullopt;
    }
    Element root = read_xml(
        "<model name='ground_plane'><static>true</static><link name='link'><collision "
        "name='collision'><geometry><plane/>"
        "</geometry></collision></link></model>",
        include.place.file);
    override_model(include, root);
    report_.assumed.push_back(
        fmt::format("{}: '{}' is a level ground with a friction of 1: the file does not exist",
                    to_string(include.place), uri));
    return root;
  }

  /// Empty if it does not exist and is one of the models above.
  std::optional<Found> find_file(const std::string& uri, const Element& include) {
    const std::string base = uri.ends_with('/') ? uri.substr(0, uri.size() - 1) : uri;
    std::vector<std::string> paths;
    if (base.ends_with(".sdf") || base.ends_with(".world") || base.ends_with(".xml")) {
      paths = {base};
    } else {
      const Result<FileContent> manifest = finder_.read(base + "/model.config", include.place, kMaxSdfBytes);
      if (manifest) {
        const Element root = read_xml(manifest->bytes, base + "/model.config");
        for (const Element& child : root.children) {  // the last one has the highest version
          if (child.name == "sdf" && !child.text.empty()) paths.insert(paths.begin(), base + "/" + child.text);
        }
      }
      paths.push_back(base + "/model.sdf");
    }
    for (const std::string& path : paths) {
      Result<FileContent> file = finder_.read(path, include.place, kMaxSdfBytes);
      if (file) return Found{std::move(*file), path};
    }
    if (uri == "model://sun" || uri == "model://ground_plane") return std::nullopt;
    throw_user_error(include.place, "<include>: '{}' does not exist{}", xml::shown(paths.back()),
                     uri.starts_with("model://") ? "; give its folder with --package NAME=FOLDER" : "");
  }

  /// Paths in an included file are relative to it.
  static void adjust_paths(Element& element, const std::string& folder) {
    const bool is_relative = element.name == "uri" && element.text.find("://") == std::string::npos &&
                             !element.text.starts_with('/') && !element.text.empty();
    if (is_relative) element.text = folder + "/" + element.text;
    for (Element& child : element.children) adjust_paths(child, folder);
  }

  void override_model(const Element& include, Element& model) {
    const std::string name = SdfValues::text(include, "name");
    if (!name.empty()) set_attribute_of(model, "name", name);
    const std::string frame = XmlValues::text(include, "placement_frame");
    if (const Element* placement = find_child(include, "placement_frame")) {
      set_attribute_of(model, "placement_frame", placement->text);
    } else if (!frame.empty()) {
      set_attribute_of(model, "placement_frame", frame);
    }
    for (const Element& child : include.children) {
      if (child.name == "pose" || child.name == "static") replace_child(model, child);
    }
    if (XmlValues::text(include, "merge") == "true" || XmlValues::text(include, "merge") == "1")
      report_.lost.push_back(fmt::format("{}: the included model is not merged: its names begin with '{}::'",
                                         to_string(include.place), XmlValues::text(model, "name")));
  }

  AssetFinder finder_;
  FormatReport& report_;
  std::vector<std::filesystem::path> open_;
  std::size_t count_ = 0, elements_ = 0;
};

}  // namespace

Element read_sdf_tree(const ImportSource& source, FormatReport& report) {
  Element root = read_tree(source, report);
  if (root.name != "sdf") throw_user_error(root.place, "the root is <{}>; expected <sdf>", root.name);
  SdfIncludes(source, report).expand(root);
  return root;
}

}  // namespace lockstep
