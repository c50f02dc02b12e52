#include "assemble/consequences.h"

#include <algorithm>

#include "model/build.h"

namespace lockstep {
namespace {

bool is_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '/';
}

class Search {
 public:
  Search(const std::string& scope, const Model& model, const Diagnostics& diagnostics)
      : scope_(scope), model_(model), diagnostics_(diagnostics) {}

  bool finds(const Element& element, bool is_outer) const {
    for (const Attribute& attribute : element.attributes) {
      if (is_outer && attribute.name == "name") continue;
      if (finds_in_text(attribute.value, attribute.name)) return true;
    }
    if (finds_in_text(element.text, "")) return true;
    return std::any_of(element.children.begin(), element.children.end(),
                       [&](const Element& child) { return finds(child, false); });
  }

  /// `attribute` is the attribute that contains the text; "" for the text of an element.
  bool finds_in_text(std::string_view text, std::string_view attribute) const {
    while (!text.empty()) {
      const std::size_t begin =
          static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_in_name) - text.begin());
      text.remove_prefix(begin);
      const auto end =
          static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_in_name) - text.begin());
      if (end > 0 && is_broken(std::string(text.substr(0, end)), attribute)) return true;
      text.remove_prefix(end);
    }
    return false;
  }

 private:
  /// The attribute determines which kinds of elements it may reference.
  bool is_missing(std::string_view attribute, std::string_view name) const {
    if (attribute == "joint") return diagnostics_.is_missing({"joint", "object"}, name);
    if (attribute == "site") return diagnostics_.is_missing({"site"}, name);
    if (attribute == "body") return diagnostics_.is_missing({"link", "object", "ground", "terrain"}, name);
    return diagnostics_.is_missing({"device"}, name);
  }

  bool is_broken(const std::string& word, std::string_view attribute) const {
    const std::string full = scope_.empty() ? word : scope_ + "/" + word;
    if (is_missing(attribute, full) && !is_known(full) && !is_known(word)) return true;
    return is_name_broken(full) || is_name_broken(word);
  }

  bool is_known(const std::string& name) const {
    return model_.find_joint(name) || model_.find_site(name) || model_.find_body(name);
  }

  bool is_name_broken(const std::string& name) const {
    if (const auto joint = model_.find_joint(name))
      return depends_on_errors(model_, model_.joint(*joint).body, diagnostics_);
    if (const auto body = model_.find_body(name)) return depends_on_errors(model_, *body, diagnostics_);
    if (const auto site = model_.find_site(name)) {
      return diagnostics_.is_broken(model_.site(*site).place) ||
             depends_on_errors(model_, model_.site(*site).body, diagnostics_);
    }
    return false;
  }

  const std::string& scope_;
  const Model& model_;
  const Diagnostics& diagnostics_;
};

}  // namespace

bool references_broken(const Element& element, const std::string& scope, const Model& model,
                       const Diagnostics& diagnostics) {
  return Search(scope, model, diagnostics).finds(element, true);
}

bool references_broken(std::string_view text, const std::string& scope, const Model& model,
                       const Diagnostics& diagnostics) {
  return Search(scope, model, diagnostics).finds_in_text(text, "");
}

}  // namespace lockstep
