#include <array>
#include <pugixml.hpp>
#include <set>

#include "base/files.h"
#include "scenario/document_internal.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

using xml::shown;

constexpr std::array<std::string_view, 7> kDeviceContainers = {
    "sensors", "actuators", "controllers", "connections", "subsystems", "observers", "faults"};

/// Expands one document. All content is copied exactly once, directly into the main tree; copied nodes are
/// visited again, so nested includes need no recursion.
class Expander {
 public:
  Expander(Document::Impl& impl, Diagnostics& diagnostics) : impl_(impl), diagnostics_(diagnostics) {}

  void run() {
    pugi::xml_node root = impl_.xml->document_element();
    if (std::string_view(root.name()) == "robot") expand_robot(root);
    if (std::string_view(root.name()) == "scenario") {
      for (pugi::xml_node node = root.first_child(); node;) {
        const std::string_view name = node.name();
        if (name == "include") {
          node = expand_include(node);
          continue;
        }
        if (name == "robot") expand_robot(node);
        node = node.next_sibling();
      }
      merge_containers(root);
    }
  }

 private:
  using Spot = Document::Impl::Spot;

  /// The node to visit next: the first one that replaced the include.
  pugi::xml_node expand_include(pugi::xml_node include) {
    pugi::xml_node parent = include.parent();
    pugi::xml_node next = include.next_sibling();
    for (const pugi::xml_attribute attribute : include.attributes()) {
      if (std::string_view(attribute.name()) != "src") {
        diagnostics_.mark_broken(impl_.place(include));
        diagnostics_.error(impl_.place(attribute), "<include> has no attribute '{}'; expected only 'src'",
                           attribute.name());
      }
    }
    if (include.first_child()) diagnostics_.error(impl_.place(include), "<include> must be empty");
    const pugi::xml_attribute src = include.attribute("src");
    if (!src) {
      // Another attribute that was reported is probably a misspelt src.
      if (!diagnostics_.is_broken(impl_.place(include)))
        diagnostics_.error(impl_.place(include), "<include> needs an attribute 'src'");
      diagnostics_.mark_incomplete();
    } else if (const auto file = load("include", src)) {
      const pugi::xml_node root = file->document_element();
      const std::string_view name = root.name();
      if (name == "robot") {
        next = insert_copy(parent, root, include);
      } else if (name == "scenario") {
        check_included_root(root);
        pugi::xml_node first;
        for (const pugi::xml_node child : root.children()) {
          const pugi::xml_node copy = insert_copy(parent, child, include);
          if (!first) first = copy;
        }
        if (first) next = first;
      } else {
        diagnostics_.error(impl_.place(src), "<include>: '{}' contains <{}>; expected <scenario> or <robot>",
                           shown(src.value()), name);
        diagnostics_.mark_incomplete();
      }
    }
    parent.remove_child(include);
    return next;
  }

  /// Only the children are included, so other attributes would be lost. A name and a description are allowed:
  /// they say what the file is for.
  void check_included_root(const pugi::xml_node& root) {
    for (const pugi::xml_attribute attribute : root.attributes()) {
      const std::string_view name = attribute.name();
      if (name == "name" || name == "description" || name.starts_with("xmlns:xsi") ||
          name.starts_with("xsi:")) {
        continue;
      }
      diagnostics_.error(impl_.place(attribute),
                         "<scenario> of an included file cannot have '{}'; write it in the main file '{}'",
                         name, impl_.sources[0].name);
    }
  }

  void expand_robot(pugi::xml_node robot) {
    // The file of a robot may itself have a src.
    while (const pugi::xml_attribute src = robot.attribute("src")) {
      const auto file = load("robot", src);
      if (!file) return mark_robot_broken(robot, src);
      const pugi::xml_node root = file->document_element();
      if (std::string_view(root.name()) != "robot") {
        diagnostics_.error(impl_.place(src), "<robot>: '{}' contains <{}>; expected <robot>",
                           shown(src.value()), root.name());
        diagnostics_.mark_incomplete();
        return mark_robot_broken(robot, src);
      }
      drop_src(robot, src);
      take_attributes(robot, root);
      const pugi::xml_node first_own = robot.first_child();
      for (const pugi::xml_node child : root.children()) insert_copy(robot, child, first_own);
    }
    merge_containers(robot);
  }

  /// Prevents follow-up errors about a robot whose file cannot be read.
  void mark_robot_broken(pugi::xml_node robot, const pugi::xml_attribute& src) {
    diagnostics_.mark_broken(impl_.place(robot));
    drop_src(robot, src);
  }

  void drop_src(pugi::xml_node robot, const pugi::xml_attribute& src) {
    impl_.attribute_spots.erase(src.hash_value());
    robot.remove_attribute(src);
  }

  void take_attributes(pugi::xml_node robot, const pugi::xml_node& root) {
    const bool is_turned = robot.attribute("orientation") || robot.attribute("rpy");
    for (const pugi::xml_attribute attribute : root.attributes()) {
      const std::string_view name = attribute.name();
      if (robot.attribute(attribute.name())) continue;
      if (is_turned && (name == "orientation" || name == "rpy")) continue;
      pugi::xml_attribute copy = robot.append_copy(attribute);
      impl_.attribute_spots[copy.hash_value()] = impl_.attribute_spots[attribute.hash_value()];
    }
  }

  /// Reads the file that `src` names and makes its own src attributes relative to the root folder.
  std::unique_ptr<pugi::xml_document> load(std::string_view element, const pugi::xml_attribute& src) {
    const Place place = impl_.place(src);
    if (++include_count_ > Document::kMaxIncludes) {
      diagnostics_.error(place, "<{}>: too many files are included; at most {} are allowed", element,
                         Document::kMaxIncludes);
      throw UserError(diagnostics_);
    }
    const Result<FileContent> file =
        read_file_below(impl_.root_folder, src.value(), Document::kMaxFileBytes - impl_.byte_count);
    if (!file) {
      diagnostics_.error(place, "<{}>: src {}", element, file.error());
      diagnostics_.mark_incomplete();
      return nullptr;
    }
    const int included_by = impl_.attribute_spots[src.hash_value()].source;
    if (includes_itself(included_by, file->path)) {
      diagnostics_.error(place, "<{}>: '{}' includes itself", element, shown(src.value()));
      diagnostics_.mark_incomplete();
      return nullptr;
    }
    impl_.byte_count += file->bytes.size();
    const std::filesystem::path name = normal_path(src.value());
    const int source = static_cast<int>(impl_.sources.size());
    impl_.sources.push_back({(impl_.shown_folder / name).string(), file->path, included_by});
    auto document = std::make_unique<pugi::xml_document>();
    try {
      impl_.parse(file->bytes, source, *document, diagnostics_);
    } catch (const UserError&) {
      diagnostics_.mark_incomplete();  // the errors are in diagnostics_
      return nullptr;
    }
    if (name.has_parent_path()) rebase(document->document_element(), name.parent_path());
    return document;
  }

  bool includes_itself(int source, const std::filesystem::path& path) const {
    for (; source >= 0; source = impl_.sources[static_cast<std::size_t>(source)].included_by) {
      if (impl_.sources[static_cast<std::size_t>(source)].path == path) return true;
    }
    return false;
  }

  void rebase(pugi::xml_node node, const std::filesystem::path& folder) {
    if (pugi::xml_attribute src = node.attribute("src"); src && *src.value() != '\0') {
      // An absolute path stays unchanged and is rejected where it is used.
      src.set_value((folder / src.value()).lexically_normal().generic_string().c_str());
    }
    for (const pugi::xml_node child : node.children()) rebase(child, folder);
  }

  /// Copies a node of another document; appends if `before` is null.
  pugi::xml_node insert_copy(pugi::xml_node parent, const pugi::xml_node& node, const pugi::xml_node& before) {
    const pugi::xml_node copy = before ? parent.insert_copy_before(node, before) : parent.append_copy(node);
    move_spots(node, copy);
    return copy;
  }

  void move_spots(const pugi::xml_node& from, const pugi::xml_node& to) {
    if (const auto spot = impl_.element_spots.extract(from.hash_value())) {
      impl_.element_spots[to.hash_value()] = spot.mapped();
    }
    pugi::xml_attribute to_attribute = to.first_attribute();
    for (const pugi::xml_attribute attribute : from.attributes()) {
      if (const auto spot = impl_.attribute_spots.extract(attribute.hash_value())) {
        impl_.attribute_spots[to_attribute.hash_value()] = spot.mapped();
      }
      to_attribute = to_attribute.next_attribute();
    }
    pugi::xml_node to_child = to.first_child();
    for (const pugi::xml_node child : from.children()) {
      move_spots(child, to_child);
      to_child = to_child.next_sibling();
    }
  }

  /// Merges the <sensors> (and other containers) of a file and its includes. Two in the same file stay two, and
  /// the reader rejects them.
  void merge_containers(pugi::xml_node parent) {
    for (const std::string_view name : kDeviceContainers) {
      pugi::xml_node first = parent.child(name.data());
      if (!first) continue;
      std::set<int> sources = {impl_.element_spots[first.hash_value()].source};
      for (pugi::xml_node other = first.next_sibling(name.data()); other;) {
        const pugi::xml_node next = other.next_sibling(name.data());
        const bool is_new = sources.insert(impl_.element_spots[other.hash_value()].source).second;
        if (is_new && !other.first_attribute()) {
          while (const pugi::xml_node child = other.first_child()) first.append_move(child);
          parent.remove_child(other);
        }
        other = next;
      }
    }
  }

  Document::Impl& impl_;
  Diagnostics& diagnostics_;
  std::size_t include_count_ = 0;
};

}  // namespace

void Document::Impl::expand_includes(Diagnostics& diagnostics) {
  Expander(*this, diagnostics).run();
}

}  // namespace lockstep
