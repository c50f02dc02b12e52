#include <map>

#include "formats/xacro/expression_internal.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

using Kind = XacroNode::Kind;

/// Modules that may precede the name of a function: math.pi, python.max(…), xacro.load_yaml(…).
bool is_module(const XacroNode& node) {
  return node.kind == Kind::kName && (node.text == "math" || node.text == "python" || node.text == "xacro");
}

/// "a.b.c" for names joined by dots; empty for anything else.
std::string dotted_name(const XacroNode& node) {
  if (node.kind == Kind::kName) return node.text;
  if (node.kind != Kind::kAttribute) return {};
  const std::string before = dotted_name(node.children[0]);
  return before.empty() ? before : before + "." + node.text;
}

class XacroEvaluator {
 public:
  XacroEvaluator(XacroNames& names, const XacroPlace& at) : names_(names), at_(at) {}

  XacroValue evaluate(const XacroNode& node) {
    at_.spend();
    const std::vector<XacroNode>& children = node.children;
    switch (node.kind) {
      case Kind::kLiteral:
        return node.value;
      case Kind::kName:
        return name_value(node.text);
      case Kind::kAttribute:
        return attribute(node);
      case Kind::kIndex:
        return item(evaluate(children[0]), evaluate(children[1]));
      case Kind::kSlice:
        return slice(evaluate(children[0]), evaluate(children[1]), evaluate(children[2]));
      case Kind::kCall:
        return call(node);
      case Kind::kUnary:
        return unary(node.text, evaluate(children[0]));
      case Kind::kBinary:
        return xacro_operation(node.text, evaluate(children[0]), evaluate(children[1]), at_);
      case Kind::kCompare:
        return {compare(node)};
      case Kind::kAnd:
      case Kind::kOr: {
        XacroValue first = evaluate(children[0]);
        return is_xacro_true(first) == (node.kind == Kind::kOr) ? first : evaluate(children[1]);
      }
      case Kind::kConditional:
        return evaluate(is_xacro_true(evaluate(children[1])) ? children[0] : children[2]);
      case Kind::kList: {
        XacroList items;
        for (const XacroNode& child : children) items.push_back(evaluate(child));
        return make_xacro_list(std::move(items));
      }
      case Kind::kMap: {
        XacroMap items;
        for (std::size_t i = 0; i + 1 < children.size(); i += 2)
          items.emplace_back(evaluate(children[i]), evaluate(children[i + 1]));
        return make_xacro_map(std::move(items));
      }
      case Kind::kComprehension:
        return comprehension(node);
    }
    return {};
  }

 private:
  XacroValue name_value(const std::string& name) {
    if (const auto local = locals_.find(name); local != locals_.end()) return local->second;
    if (auto property = names_.find(name, at_)) return *property;
    if (const auto constant = find_xacro_constant(name)) return *constant;
    if (is_xacro_function(name)) at_.fail("'{}' is a function; expected arguments in parentheses", name);
    at_.fail("unknown property '{}'{}", xml::shown(name), names_.suggestion(name));
  }

  XacroValue attribute(const XacroNode& node) {
    const XacroNode& owner = node.children[0];
    const std::string space = dotted_name(owner);
    const bool is_local = locals_.contains(space);
    if (!space.empty() && !is_local && names_.is_namespace(space)) {
      if (auto property = names_.find(space + "." + node.text, at_)) return *property;
      at_.fail("the namespace '{}' has no property '{}'", xml::shown(space), xml::shown(node.text));
    }
    if (is_module(owner) && !is_local && !names_.find(owner.text, at_)) {
      if (const auto constant = find_xacro_constant(node.text)) return *constant;
      at_.fail("'{}.{}' is not known", owner.text, xml::shown(node.text));
    }
    const XacroValue object = evaluate(owner);
    if (object.map() != nullptr) {
      if (const XacroValue* found = find_xacro_key(*object.map(), {node.text}, at_)) return *found;
      at_.fail("the map has no key '{}'{}", xml::shown(node.text), keys_text(*object.map(), node.text));
    }
    at_.fail("{} has no member '{}'", xacro_kind(object), xml::shown(node.text));
  }

  std::string keys_text(const XacroMap& map, std::string_view wanted) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : map) {
      if (key.text() != nullptr && keys.size() < 100) keys.push_back(xml::shown(*key.text()));
    }
    return suggest(wanted, keys);
  }

  XacroValue item(const XacroValue& object, const XacroValue& key) {
    if (object.map() != nullptr) {
      if (const XacroValue* found = find_xacro_key(*object.map(), key, at_)) return *found;
      const std::string wanted = xacro_text(key, at_);
      at_.fail("the map has no key '{}'{}", xml::shown(wanted), keys_text(*object.map(), wanted));
    }
    if (object.list() == nullptr && object.text() == nullptr)
      at_.fail("{} has no items; expected a list or a map", xacro_kind(object));
    if (key.integer() == nullptr) at_.fail("{} is not an index; expected a whole number", xacro_kind(key));
    const std::size_t size = object.list() != nullptr ? object.list()->size() : object.text()->size();
    const std::int64_t count = static_cast<std::int64_t>(size);
    const std::int64_t index =
        *key.integer() < 0 && *key.integer() >= -count ? *key.integer() + count : *key.integer();
    if (index < 0 || index >= count)
      at_.fail("there is no item {} in {} of {}", *key.integer(), xacro_kind(object), count);
    const auto i = static_cast<std::size_t>(index);
    return object.list() != nullptr ? (*object.list())[i] : XacroValue{object.text()->substr(i, 1)};
  }

  std::size_t slice_end(const XacroValue& end, std::size_t size, std::size_t omitted) {
    if (end.is_none()) return omitted;
    if (end.integer() == nullptr) at_.fail("{} is not an index; expected a whole number", xacro_kind(end));
    const auto count = static_cast<std::int64_t>(size);
    const std::int64_t index =
        *end.integer() < 0 ? std::max<std::int64_t>(*end.integer(), -count) + count : *end.integer();
    return static_cast<std::size_t>(std::min(index, count));
  }

  XacroValue slice(const XacroValue& object, const XacroValue& from, const XacroValue& to) {
    const std::string* text = object.text();
    const XacroList* list = object.list();
    if (text == nullptr && list == nullptr)
      at_.fail("{} has no items; expected a list or a text", xacro_kind(object));
    const std::size_t size = text != nullptr ? text->size() : list->size();
    const std::size_t begin = slice_end(from, size, 0), end = std::max(begin, slice_end(to, size, size));
    at_.spend(1 + (end - begin));
    if (text != nullptr) return {text->substr(begin, end - begin)};
    return make_xacro_list(
        {list->begin() + static_cast<std::ptrdiff_t>(begin), list->begin() + static_cast<std::ptrdiff_t>(end)});
  }

  XacroValue unary(const std::string& operation, const XacroValue& value) {
    if (operation == "not") return {!is_xacro_true(value)};
    if (!value.is_number()) at_.fail("'{}' needs a number, and got {}", operation, xacro_kind(value));
    return operation == "-" ? xacro_operation("-", {std::int64_t{0}}, value, at_) : value;
  }

  bool is_compared(const std::string& word, const XacroValue& a, const XacroValue& b) {
    if (word == "==") return xacro_equal(a, b, at_);
    if (word == "!=") return !xacro_equal(a, b, at_);
    if (word == "<") return xacro_less(a, b, at_);
    if (word == ">") return xacro_less(b, a, at_);
    if (word == "<=") return xacro_less(a, b, at_) || xacro_equal(a, b, at_);
    if (word == ">=") return xacro_less(b, a, at_) || xacro_equal(a, b, at_);
    return contains(b, a) == (word == "in");
  }

  bool contains(const XacroValue& whole, const XacroValue& part) {
    if (whole.map() != nullptr) return find_xacro_key(*whole.map(), part, at_) != nullptr;
    if (whole.text() != nullptr) {
      if (part.text() == nullptr) at_.fail("'in' looks for a text in a text, and got {}", xacro_kind(part));
      at_.budget.spend_text(whole.text()->size(), at_.place);
      return whole.text()->find(*part.text()) != std::string::npos;
    }
    if (whole.list() == nullptr) at_.fail("'in' needs a list, a map or a text, and got {}", xacro_kind(whole));
    for (const XacroValue& each : *whole.list()) {
      if (xacro_equal(each, part, at_)) return true;
    }
    return false;
  }

  bool compare(const XacroNode& node) {
    XacroValue left = evaluate(node.children[0]);
    for (std::size_t i = 0; i < node.words.size(); ++i) {
      XacroValue right = evaluate(node.children[i + 1]);
      if (!is_compared(node.words[i], left, right)) return false;
      left = std::move(right);
    }
    return true;
  }

  XacroValue comprehension(const XacroNode& node) {
    XacroList result;
    const auto outer = locals_;
    for (const XacroValue& each : xacro_items(evaluate(node.children[1]), at_)) {
      if (node.words.size() == 1) {
        locals_[node.words[0]] = each;
      } else {
        const XacroList parts = xacro_items(each, at_);
        if (parts.size() != node.words.size())
          at_.fail("an item of the list has {} parts; expected {}", parts.size(), node.words.size());
        for (std::size_t i = 0; i < parts.size(); ++i) locals_[node.words[i]] = parts[i];
      }
      const bool is_kept = node.children.size() < 3 || is_xacro_true(evaluate(node.children[2]));
      if (is_kept) result.push_back(evaluate(node.children[0]));
      if (result.size() > XacroBudget::kMaxItems)
        at_.fail("a list has more than {} items", XacroBudget::kMaxItems);
    }
    locals_ = outer;
    return make_xacro_list(std::move(result));
  }

  XacroValue call(const XacroNode& node) {
    const XacroNode& function = node.children[0];
    std::vector<XacroValue> arguments;
    for (std::size_t i = 1; i < node.children.size(); ++i) arguments.push_back(evaluate(node.children[i]));
    const bool is_method = function.kind == Kind::kAttribute && !is_module(function.children[0]);
    if (is_method) return call_xacro_method(evaluate(function.children[0]), function.text, arguments, at_);
    if (function.kind != Kind::kName && function.kind != Kind::kAttribute) at_.fail("this is not a function");
    if (function.text == "load_yaml") return names_.load_yaml(only_text(function.text, arguments), at_);
    if (function.text == "message" || function.text == "warning") {
      names_.warn(arguments.empty() ? "" : xacro_text(arguments[0], at_), at_);
      return {std::string()};
    }
    if (function.text == "arg") return names_.argument(only_text(function.text, arguments), at_);
    return call_xacro_function(function.text, arguments, node.words, at_);
  }

  std::string only_text(const std::string& function, const std::vector<XacroValue>& arguments) {
    if (arguments.size() != 1 || arguments[0].text() == nullptr) at_.fail("{}() needs one text", function);
    return *arguments[0].text();
  }

  XacroNames& names_;
  const XacroPlace& at_;
  std::map<std::string, XacroValue> locals_;  // of comprehensions
};

}  // namespace

XacroValue evaluate_xacro(std::string_view text, XacroNames& names, const XacroPlace& at) {
  return XacroEvaluator(names, at).evaluate(parse_xacro(text, at));
}

}  // namespace lockstep
