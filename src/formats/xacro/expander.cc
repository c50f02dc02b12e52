#include <algorithm>

#include "formats/xacro/text.h"
#include "formats/xacro/xacro.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

/// Elements inside each other, conditions and calls of macros included. A macro that repeats something by calling
/// itself needs two levels for each repetition.
constexpr int kMaxNesting = 1'000;
constexpr std::size_t kMaxElements = 200'000;  // of the result
constexpr std::size_t kMaxShownCalls = 4;      // of macros, in an error

constexpr std::string_view kPrefix = "xacro:";

bool is_property_name(std::string_view name) {
  const bool is_word = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  return is_word && !name.empty() && !(name[0] >= '0' && name[0] <= '9');
}

class XacroExpander {
 public:
  XacroExpander(const ImportSource& source, FormatReport& report) : report_(report), texts_(source, report) {}

  Element expand() {
    const XacroFile& main = texts_.main_file();
    open_.push_back(main.path);
    const XacroContext context{&main_.scope, &main_, &main};
    Element root{
        .name = main.root.name, .place = main.root.place, .attributes = {}, .children = {}, .text = {}};
    Diagnostics diagnostics;
    for (const Element& child : main.root.children) {
      try {
        expand_child(child, context, root);
      } catch (const UserError& failure) {
        nesting_ = 0;
        // A property with an error is reported once, not wherever it is used.
        const bool is_known = diagnostics.has_error_at(failure.diagnostics().list().front().place);
        if (!is_known) diagnostics.add_all(failure.diagnostics());
        // What follows needs the definitions of this element.
        if (child.name.starts_with(kPrefix) && !find_macro(child.name.substr(kPrefix.size()), context)) break;
        if (texts_.budget().is_spent()) break;
      }
    }
    diagnostics.throw_if_errors();
    // The name of the robot may be an argument, which is declared inside.
    Element own = copy_of(main.root, context);
    root.attributes.insert(root.attributes.begin(), own.attributes.begin(), own.attributes.end());
    texts_.check_arguments(diagnostics);
    diagnostics.throw_if_errors();
    report_.read.push_back(fmt::format("xacro: {} calls of macros, {} included files", calls_, includes_));
    texts_.report_arguments();
    return root;
  }

 private:
  void include(const Element& element, const XacroContext& context, Element& into) {
    check_attributes(element, {"filename", "ns", "optional"});
    const std::string uri = needed_text(element, "filename", context);
    if (uri.find_first_of("*?[") != std::string::npos)
      throw_user_error(element.place, "<xacro:include>: '{}' is a pattern; expected the name of one file",
                       xml::shown(uri));
    Result<FileContent> file = texts_.read_file(uri, context, element.place);
    if (!file) {
      if (text_of(element, "optional", context) == "true") return;
      throw_user_error(element.place, "<xacro:include>: file {}", file.error());
    }
    if (std::find(open_.begin(), open_.end(), file->path) != open_.end())
      throw_user_error(element.place, "<xacro:include>: '{}' includes itself", xml::shown(uri));
    const XacroFile& made = texts_.add_file(*file);
    ++includes_;
    open_.push_back(made.path);
    const XacroContext inside = enter_namespace(text_of(element, "ns", context), context, made);
    expand_children(made.root, inside, into);
    // The scope of a macro ends before the namespace does.
    if (inside.space != context.space) inside.space->scope.parent = &context.space->scope;
    open_.pop_back();
  }

  XacroContext enter_namespace(const std::string& name, const XacroContext& context, const XacroFile& file) {
    if (name.empty()) return {context.scope, context.space, &file};
    std::unique_ptr<XacroNamespace>& space = context.space->children[name];
    if (!space) space = std::make_unique<XacroNamespace>();
    space->parent = context.space;
    space->scope.parent = context.scope;
    return {&space->scope, space.get(), &file};
  }

  static void check_attributes(const Element& element, std::initializer_list<std::string_view> known) {
    for (const Attribute& attribute : element.attributes) {
      if (std::find(known.begin(), known.end(), attribute.name) != known.end()) continue;
      const std::vector<std::string> names(known.begin(), known.end());
      throw_user_error(attribute.place, "<{}> has no attribute '{}'{}", element.name,
                       xml::shown(attribute.name), suggest(attribute.name, names));
    }
  }

  std::string text_of(const Element& element, std::string_view name, const XacroContext& context) {
    const Attribute* attribute = element.find_attribute(name);
    return attribute == nullptr ? std::string()
                                : texts_.evaluate_text(attribute->value, context, attribute->place);
  }

  std::string needed_text(const Element& element, std::string_view name, const XacroContext& context) {
    std::string text = text_of(element, name, context);
    if (text.empty()) throw_user_error(element.place, "<{}> needs an attribute '{}'", element.name, name);
    return text;
  }

  Element copy_of(const Element& element, const XacroContext& context) {
    texts_.budget().spend(1, element.place);
    if (++elements_ > kMaxElements)
      throw_user_error(element.place, "the file expands to more than {} elements", kMaxElements);
    Element copy{.name = element.name, .place = element.place, .attributes = {}, .children = {}, .text = {}};
    for (const Attribute& attribute : element.attributes) {
      if (attribute.name == "xmlns:xacro" || attribute.name == "xacro:name") continue;
      copy.attributes.push_back(
          {attribute.name, texts_.evaluate_text(attribute.value, context, attribute.place), attribute.place});
    }
    if (!element.text.empty()) copy.text = texts_.evaluate_text(element.text, context, element.place);
    return copy;
  }

  void expand_children(const Element& from, const XacroContext& context, Element& into) {
    for (const Element& child : from.children) expand_child(child, context, into);
  }

  void expand_child(const Element& child, const XacroContext& context, Element& into) {
    if (++nesting_ > kMaxNesting) {
      throw_user_error(child.place,
                       "elements and macros are nested more than {} levels deep; does a macro call itself?",
                       kMaxNesting);
    }
    const int nesting = nesting_;
    texts_.budget().spend(1, child.place);
    if (!child.name.starts_with(kPrefix)) {
      expand_plain(child, child.name, context, into);
    } else {
      expand_directive(child, std::string_view(child.name).substr(kPrefix.size()), context, into);
    }
    nesting_ = nesting - 1;
  }

  void expand_plain(const Element& child, const std::string& name, const XacroContext& context, Element& into) {
    Element copy = copy_of(child, context);
    copy.name = name;
    expand_children(child, context, copy);
    into.children.push_back(std::move(copy));
  }

  void expand_directive(const Element& child, std::string_view kind, const XacroContext& context,
                        Element& into) {
    if (kind == "property") {
      define_property(child, context);
    } else if (kind == "macro") {
      define_macro(child, context);
    } else if (kind == "arg") {
      define_argument(child, context);
    } else if (kind == "include") {
      include(child, context, into);
    } else if (kind == "if" || kind == "unless") {
      check_attributes(child, {"value"});
      if (is_met(child, context) == (kind == "if")) expand_content(child, context, into);
    } else if (kind == "insert_block") {
      insert_block(child, context, into);
    } else if (kind == "element") {
      expand_plain(child, needed_text(child, "xacro:name", context), context, into);
    } else if (kind == "attribute") {
      check_attributes(child, {"name", "value"});
      set_attribute(into, needed_text(child, "name", context), text_of(child, "value", context), child.place);
    } else if (kind == "call") {
      call_macro(child, needed_text(child, "macro", context), context, into);
    } else {
      call_macro(child, std::string(kind), context, into);
    }
  }

  static void set_attribute(Element& element, const std::string& name, std::string value, const Place& place) {
    for (Attribute& attribute : element.attributes) {
      if (attribute.name != name) continue;
      attribute.value = std::move(value);
      return;
    }
    element.attributes.push_back({name, std::move(value), place});
  }

  void expand_content(const Element& element, const XacroContext& context, Element& into) {
    if (!element.text.empty()) into.text += texts_.evaluate_text(element.text, context, element.place);
    expand_children(element, context, into);
  }

  bool is_met(const Element& element, const XacroContext& context) {
    const Attribute* condition = element.find_attribute("value");
    if (condition == nullptr) throw_user_error(element.place, "<{}> needs an attribute 'value'", element.name);
    XacroValue value = texts_.evaluate(condition->value, context, condition->place);
    if (value.text() != nullptr) value = xacro_literal(*value.text());
    if (value.text() != nullptr)
      throw_user_error(condition->place, "<{}>: the condition '{}' is '{}'; expected true, false or a number",
                       element.name, xml::shown(condition->value), xml::shown(*value.text()));
    return is_xacro_true(value);
  }

  void define_property(const Element& element, const XacroContext& context) {
    check_attributes(element, {"name", "value", "default", "scope", "lazy_eval", "remove"});
    const std::string name = needed_text(element, "name", context);
    if (!is_property_name(name))
      throw_user_error(element.place, "'{}' is not a name of a property; expected letters, digits and '_'",
                       xml::shown(name));
    const std::string scope_name = text_of(element, "scope", context);
    XacroScope* scope = context.scope;
    if (scope_name == "global") {
      scope = &main_.scope;
    } else if (scope_name == "parent") {
      scope = scope->caller != nullptr ? scope->caller : scope->parent;
      if (scope == nullptr)
        throw_user_error(element.place, "property '{}': there is no parent outside of a macro", name);
    } else if (!scope_name.empty() && scope_name != "local") {
      throw_user_error(element.place, "property '{}': unknown scope '{}'; expected 'parent' or 'global'", name,
                       xml::shown(scope_name));
    }
    if (text_of(element, "remove", context) == "true") {
      scope->properties.erase(name);
      return;
    }
    const Attribute* value = element.find_attribute("value");
    if (const Attribute* usual = element.find_attribute("default")) {
      if (value != nullptr) throw_user_error(element.place, "property '{}' has a value and a default", name);
      for (const XacroScope* known = context.scope; known != nullptr; known = known->parent) {
        if (known->properties.contains(name)) return;
      }
      value = usual;
    }
    if (value == nullptr) {
      scope->blocks["**" + name] = {element.children, element.text, false};
      return;
    }
    const bool is_lazy = scope_name.empty() && text_of(element, "lazy_eval", context) != "false";
    XacroValue made = is_lazy ? XacroValue{value->value} : texts_.evaluate(value->value, context, value->place);
    XacroTexts::set_property(*scope, name, std::move(made), is_lazy, value->place);
  }

  void define_argument(const Element& element, const XacroContext& context) {
    check_attributes(element, {"name", "default"});
    const std::string name = needed_text(element, "name", context);
    const bool has_default = element.find_attribute("default") != nullptr;
    texts_.define_argument(name,
                           has_default ? std::optional(text_of(element, "default", context)) : std::nullopt);
  }

  void define_macro(const Element& element, const XacroContext& context) {
    check_attributes(element, {"name", "params"});
    std::string name = needed_text(element, "name", context);
    if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
    const Attribute* parameters = element.find_attribute("params");
    XacroMacro macro{.parameters = {}, .body = &element, .file = context.file};
    if (parameters != nullptr) macro.parameters = parse_xacro_parameters(parameters->value, parameters->place);
    context.space->macros[name] = std::move(macro);
  }

  struct FoundMacro {
    XacroMacro macro;  // a copy: the call may define it again
    XacroNamespace* space = nullptr;
  };

  std::optional<FoundMacro> find_macro(const std::string& path, const XacroContext& context) {
    const auto [space_name, name] = split_last_dot(path);
    XacroNamespace* space = space_name.empty() ? context.space : context.space->find(space_name);
    for (; space != nullptr; space = space_name.empty() ? space->parent : nullptr) {
      const auto found = space->macros.find(name);
      if (found != space->macros.end()) return FoundMacro{found->second, space};
    }
    return std::nullopt;
  }

  void call_macro(const Element& call, const std::string& name, const XacroContext& context, Element& into) {
    const std::optional<FoundMacro> found = find_macro(name, context);
    if (!found) {
      std::vector<std::string> known;
      for (const XacroNamespace* space = context.space; space != nullptr; space = space->parent) {
        for (const auto& [each, macro] : space->macros) known.push_back(each);
      }
      throw_user_error(call.place, "unknown macro '{}'{}", xml::shown(name), suggest(name, known));
    }
    const bool is_foreign = found->space != context.space;
    XacroScope scope{.parent = is_foreign ? &found->space->scope : context.scope,
                     .caller = context.scope,
                     .properties = {},
                     .blocks = {}};
    if (found->space == &main_) scope.parent = context.scope;
    bind_parameters(call, name, found->macro, context, scope);
    ++calls_;
    try {
      expand_children(*found->macro.body, {&scope, found->space, found->macro.file}, into);
    } catch (const UserError& failure) {
      throw with_call(failure, name, call.place);
    }
  }

  static UserError with_call(const UserError& failure, const std::string& macro, const Place& place) {
    constexpr std::string_view kIn = "; in macro '";
    Diagnostics diagnostics;
    for (Diagnostic each : failure.diagnostics().list()) {
      std::size_t calls = 0;
      for (std::size_t i = each.text.find(kIn); i != std::string::npos; i = each.text.find(kIn, i + 1)) ++calls;
      if (calls < kMaxShownCalls)
        each.text += fmt::format("{}{}' called at {}", kIn, xml::shown(macro), to_string(place));
      diagnostics.add(std::move(each));
    }
    return UserError(std::move(diagnostics));
  }

  void bind_parameters(const Element& call, const std::string& name, const XacroMacro& macro,
                       const XacroContext& context, XacroScope& scope) {
    for (const Attribute& attribute : call.attributes) {
      if (attribute.name == "macro" && call.name == "xacro:call") continue;
      const auto known = std::find_if(macro.parameters.begin(), macro.parameters.end(),
                                      [&](const XacroParameter& each) { return each.name == attribute.name; });
      if (known == macro.parameters.end()) {
        std::vector<std::string> names;
        for (const XacroParameter& each : macro.parameters) names.push_back(each.name);
        throw_user_error(attribute.place, "macro '{}' has no parameter '{}'{}", xml::shown(name),
                         xml::shown(attribute.name), suggest(attribute.name, names));
      }
      XacroTexts::set_property(scope, attribute.name,
                               texts_.evaluate(attribute.value, context, attribute.place), false,
                               attribute.place);
    }
    bind_blocks(call, name, macro, context, scope);
    for (const XacroParameter& parameter : macro.parameters) {
      if (parameter.is_block || scope.properties.contains(parameter.name)) continue;
      std::optional<XacroValue> value;
      if (parameter.is_forwarded)
        value = texts_.find_property(parameter.name, context.scope, context, texts_.at(call.place));
      if (!value && parameter.usual) value = texts_.evaluate(*parameter.usual, context, call.place);
      if (!value)
        throw_user_error(call.place, "macro '{}' needs the parameter '{}'", xml::shown(name),
                         xml::shown(parameter.name));
      XacroTexts::set_property(scope, parameter.name, std::move(*value), false, call.place);
    }
  }

  void bind_blocks(const Element& call, const std::string& name, const XacroMacro& macro,
                   const XacroContext& context, XacroScope& scope) {
    Element content{.name = call.name, .place = call.place, .attributes = {}, .children = {}, .text = {}};
    expand_children(call, context, content);
    std::size_t next = 0;
    for (const XacroParameter& parameter : macro.parameters) {
      if (!parameter.is_block) continue;
      if (next >= content.children.size())
        throw_user_error(call.place, "macro '{}' needs an element for its block '{}'", xml::shown(name),
                         xml::shown(parameter.name));
      Element& block = content.children[next++];
      const bool is_content = parameter.name.starts_with("**");
      if (is_content) {
        scope.blocks[parameter.name] = {std::move(block.children), block.text, true};
      } else {
        scope.blocks[parameter.name] = {{std::move(block)}, "", true};
      }
    }
    if (next < content.children.size())
      throw_user_error(content.children[next].place, "macro '{}' has no block for <{}>", xml::shown(name),
                       content.children[next].name);
  }

  void insert_block(const Element& element, const XacroContext& context, Element& into) {
    check_attributes(element, {"name"});
    const std::string name = needed_text(element, "name", context);
    for (const char* stars : {"**", "*"}) {
      for (XacroScope* scope = context.scope; scope != nullptr; scope = scope->parent) {
        const auto found = scope->blocks.find(stars + name);
        if (found == scope->blocks.end()) continue;
        const XacroBlock block = found->second;  // a copy: it may be defined again inside
        into.text += block.is_expanded ? block.text : texts_.evaluate_text(block.text, context, element.place);
        for (const Element& each : block.elements) {
          if (!block.is_expanded) {
            expand_child(each, context, into);
          } else {
            count_copy(each);
            into.children.push_back(each);
          }
        }
        return;
      }
    }
    throw_user_error(element.place, "unknown block '{}'", xml::shown(name));
  }

  void count_copy(const Element& element) {
    texts_.budget().spend(1 + element.attributes.size(), element.place);
    for (const Attribute& attribute : element.attributes)
      texts_.budget().spend_text(attribute.value.size(), attribute.place);
    if (++elements_ > kMaxElements)
      throw_user_error(element.place, "the file expands to more than {} elements", kMaxElements);
    for (const Element& child : element.children) count_copy(child);
  }

  FormatReport& report_;
  XacroTexts texts_;
  std::vector<std::filesystem::path> open_;  // the files that include each other now
  XacroNamespace main_;
  std::size_t elements_ = 0, calls_ = 0, includes_ = 0;
  int nesting_ = 0;
};

}  // namespace

bool is_xacro(const ImportSource& source) {
  return source.name.ends_with(".xacro") || source.bytes.find("<xacro:") != std::string::npos;
}

Element expand_xacro(const ImportSource& source, FormatReport& report) {
  return XacroExpander(source, report).expand();
}

}  // namespace lockstep
