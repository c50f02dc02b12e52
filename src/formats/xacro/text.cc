#include "formats/xacro/text.h"

#include "scenario/xml_text.h"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxReferences = 200;  // of properties to each other
constexpr int kMaxFiles = 500;
constexpr std::size_t kMaxXacroBytes = 16u << 20;  // of one file

/// Sets a variable as long as it lives, and restores it also after an error.
template <typename T>
struct Temporary {
  Temporary(T& variable, T value) : variable_(variable), before_(std::exchange(variable, value)) {}
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() { variable_ = before_; }

 private:
  T& variable_;
  T before_;
};

/// The end of "{…}" or "(…)" that begins at `begin`, after its closing bracket; npos if it has none.
std::size_t end_of_brackets(std::string_view text, std::size_t begin) {
  const char open = text[begin], close = open == '{' ? '}' : ')';
  int level = 0;
  char quote = '\0';
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if ((c == '\'' || c == '"') && open == '{') {
      quote = c;
    } else if (c == open) {
      ++level;
    } else if (c == close && --level == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

/// Names of properties in expressions, in the scopes of a context.
class ScopedNames final : public XacroNames {
 public:
  ScopedNames(XacroTexts& texts, const XacroContext& context) : texts_(texts), context_(context) {}

  std::optional<XacroValue> find(const std::string& name, const XacroPlace& at) override {
    const auto [space, property] = split_last_dot(name);
    XacroScope* scope = context_.scope;
    if (!space.empty()) {
      XacroNamespace* found = context_.space->find(space);
      if (found == nullptr) return std::nullopt;
      scope = &found->scope;
    }
    return texts_.find_property(property, scope, context_, at);
  }
  bool is_namespace(const std::string& name) const override { return context_.space->find(name) != nullptr; }
  XacroValue load_yaml(const std::string& file, const XacroPlace& at) override {
    return texts_.load_yaml(file, context_, at);
  }
  XacroValue argument(const std::string& name, const XacroPlace& at) override {
    return {texts_.argument(name, at)};
  }
  void warn(const std::string& text, const XacroPlace& at) override { texts_.warn(text, at); }
  std::string suggestion(const std::string& name) const override {
    std::vector<std::string> known;
    for (const XacroScope* scope = context_.scope; scope != nullptr; scope = scope->parent) {
      for (const auto& [each, property] : scope->properties) known.push_back(each);
    }
    return suggest(name, known);
  }

 private:
  XacroTexts& texts_;
  const XacroContext& context_;
};

}  // namespace

XacroTexts::XacroTexts(const ImportSource& source, FormatReport& report)
    : source_(source),
      report_(report),
      given_(source.options.arguments.begin(), source.options.arguments.end()) {
  std::error_code error;
  files_.push_back({.name = source.name,
                    .path = fs::weakly_canonical(source.path, error),
                    .finder = AssetFinder(source),
                    .root = read_xml(source.bytes, source.name)});
  budget_.spend_text(source.bytes.size(), files_.front().root.place);
}

XacroValue XacroTexts::evaluate(std::string_view text, const XacroContext& context, const Place& place) {
  budget_.spend_text(text.size(), place);
  if (text.find('$') == std::string_view::npos) return {std::string(text)};
  const Temporary level(nesting_, nesting_ + 1);
  if (nesting_ > kMaxReferences) throw_user_error(place, "properties refer to each other too deeply");
  std::vector<XacroValue> pieces;
  std::string plain;
  const auto end_plain = [&] {
    if (!plain.empty()) pieces.push_back({std::exchange(plain, {})});
  };
  for (std::size_t i = 0; i < text.size();) {
    const bool is_begin = text[i] == '$' && i + 1 < text.size();
    if (is_begin && text[i + 1] == '$') {  // "$${" is "${" as text
      const std::size_t end = std::min(text.find_first_not_of('$', i), text.size());
      const bool is_escape = end < text.size() && (text[end] == '{' || text[end] == '(');
      plain += text.substr(i + (is_escape ? 1 : 0), end - i);
      i = end + (is_escape ? 1 : 0);
    } else if (is_begin && (text[i + 1] == '{' || text[i + 1] == '(')) {
      const std::size_t end = end_of_brackets(text, i + 1);
      if (end == std::string_view::npos)
        throw_user_error(place, "'{}' has no closing '{}'", xml::shown(text.substr(i)),
                         text[i + 1] == '{' ? '}' : ')');
      const std::string_view inside = text.substr(i + 2, end - i - 3);
      if (text[i + 1] == '(' && xml::trim(inside).starts_with("find ") && plain.ends_with("file://"))
        plain.resize(plain.size() - 7);  // the folder of a package is written as a URL itself
      end_plain();
      pieces.push_back(text[i + 1] == '{' ? expression(inside, context, place)
                                          : substitution(inside, context, place));
      i = end;
    } else {
      plain += text[i++];
    }
  }
  end_plain();
  if (pieces.size() == 1) return pieces[0];
  std::string joined;
  for (const XacroValue& piece : pieces) {
    joined += xacro_text(piece, at(place));
    if (joined.size() > XacroBudget::kMaxText)
      throw_user_error(place, "a text has more than {} bytes", XacroBudget::kMaxText);
  }
  return {std::move(joined)};
}

std::string XacroTexts::evaluate_text(std::string_view text, const XacroContext& context, const Place& place) {
  return xacro_text(evaluate(text, context, place), at(place));
}

XacroValue XacroTexts::expression(std::string_view inside, const XacroContext& context, const Place& place) {
  ScopedNames names(*this, context);
  if (inside.find('$') == std::string_view::npos) return evaluate_xacro(inside, names, at(place));
  const std::string text = evaluate_text(inside, context, place);
  return evaluate_xacro(text, names, at(place));
}

/// $(arg NAME), $(find PACKAGE) and so on.
XacroValue XacroTexts::substitution(std::string_view inside, const XacroContext& context, const Place& place) {
  const std::string text = evaluate_text(inside, context, place);
  const std::string_view trimmed = xml::trim(text);
  const std::size_t end = std::min(trimmed.find_first_of(" \t\r\n"), trimmed.size());
  const std::string_view kind = trimmed.substr(0, end);
  const std::string rest(xml::trim(trimmed.substr(end)));
  if (kind == "arg") return {argument(rest, at(place))};
  if (kind == "find" && !rest.empty()) return {"package://" + rest};
  if (kind == "dirname") return {context.file->path.parent_path().string()};
  if (kind == "eval") return expression(rest, context, place);
  if (kind == "optenv") {
    const std::size_t name_end = std::min(rest.find(' '), rest.size());
    report_.assumed.push_back(
        fmt::format("'$({})' is replaced by its default: the environment is not read", xml::shown(trimmed)));
    return {std::string(xml::trim(rest.substr(name_end)))};
  }
  if (kind == "env")
    throw_user_error(place, "$({}): the environment is not read; use <xacro:arg> and --arg",
                     xml::shown(trimmed));
  throw_user_error(
      place, "unknown substitution '$({})'; expected $(arg NAME), $(find PACKAGE), $(eval …) or $(dirname)",
      xml::shown(trimmed));
}

std::string XacroTexts::argument(const std::string& name, const XacroPlace& at) {
  used_.insert(name);
  if (const auto given = given_.find(name); given != given_.end()) return given->second;
  if (const auto usual = defaults_.find(name); usual != defaults_.end()) return usual->second;
  at.fail("the argument '{0}' has no value; give it with --arg {0}=VALUE", xml::shown(name));
}

std::optional<XacroValue> XacroTexts::find_property(const std::string& name, XacroScope* scope,
                                                    const XacroContext& context, const XacroPlace& at) {
  for (; scope != nullptr; scope = scope->parent) {
    const auto found = scope->properties.find(name);
    if (found == scope->properties.end()) continue;
    XacroProperty& property = found->second;
    if (property.is_lazy) {
      if (property.is_in_use) at.fail("the property '{}' is defined by itself", xml::shown(name));
      const Temporary use(property.is_in_use, true);
      const XacroContext own{scope, context.space, context.file};
      const std::string text = *property.value.text();
      XacroValue value = evaluate(text, own, property.place);
      property.value = value.text() != nullptr ? xacro_literal(*value.text()) : std::move(value);
      property.is_lazy = false;
    }
    return property.value;
  }
  return std::nullopt;
}

std::string XacroTexts::shown_path(const fs::path& path) const {
  const fs::path relative = path.lexically_relative(files_.front().path.parent_path());
  const fs::path shown = (fs::path(source_.name).parent_path() / relative).lexically_normal();
  return relative.empty() ? path.string() : shown.string();
}

Result<FileContent> XacroTexts::read_file(const std::string& uri, const XacroContext& context,
                                          const Place& place) {
  if (++file_count_ > kMaxFiles) throw_user_error(place, "the file reads more than {} others", kMaxFiles);
  Result<FileContent> file = context.file->finder.read(uri, place, kMaxXacroBytes);
  if (!file && context.file != &files_.front()) {
    Result<FileContent> other = files_.front().finder.read(uri, place, kMaxXacroBytes);
    if (other) file = std::move(other);
  }
  if (file) budget_.spend_text(file->bytes.size(), place);
  return file;
}

XacroValue XacroTexts::load_yaml(const std::string& uri, const XacroContext& context, const XacroPlace& at) {
  const Result<FileContent> file = read_file(uri, context, at.place);
  if (!file) at.fail("load_yaml(): file {}", file.error());
  const auto [known, is_new] = yaml_.emplace(file->path.string(), XacroValue{});
  if (is_new) known->second = read_yaml(file->bytes, shown_path(file->path), budget_);
  return known->second;
}

/// The rules for files that an included one names.
ImportSource XacroTexts::near_file(const fs::path& path) const {
  ImportSource source{.name = source_.name, .bytes = {}, .path = path, .options = source_.options};
  std::error_code error;
  // A package given by --package may be outside of the folder given by --root.
  if (source.options.root) {
    const fs::path root = fs::weakly_canonical(*source.options.root, error);
    if (*path.lexically_relative(root).begin() == "..") source.options.root.reset();
  }
  return source;
}

void XacroTexts::set_property(XacroScope& scope, const std::string& name, XacroValue value, bool is_lazy,
                              const Place& place) {
  if (value.text() != nullptr) value = xacro_literal(*value.text());
  const bool has_expression = value.text() != nullptr && value.text()->find('$') != std::string::npos;
  scope.properties[name] = {std::move(value), is_lazy && has_expression, false, place};
}

void XacroTexts::define_argument(const std::string& name, std::optional<std::string> usual) {
  used_.insert(name);
  if (usual) defaults_.emplace(name, std::move(*usual));
}

void XacroTexts::check_arguments(Diagnostics& diagnostics) const {
  const std::vector<std::string> known(used_.begin(), used_.end());
  for (const auto& [name, value] : given_) {
    if (!used_.contains(name))
      diagnostics.error({"--arg"}, "the file has no argument '{}'{}", xml::shown(name), suggest(name, known));
  }
}

void XacroTexts::report_arguments() const {
  std::string usual;
  for (const auto& [name, value] : defaults_) {
    if (!given_.contains(name))
      usual += fmt::format("{}{}={}", usual.empty() ? "" : ", ", name, xml::shown(value));
  }
  if (!usual.empty()) report_.assumed.push_back("arguments of the file have their defaults (--arg): " + usual);
}

void XacroTexts::warn(const std::string& text, const XacroPlace& at) {
  constexpr std::size_t kMaxWarnings = 100;
  if (++warning_count_ > kMaxWarnings) return;
  report_.suspicious.push_back(fmt::format("{}: the file warns: {}", to_string(at.place), xml::shown(text)));
}

const XacroFile& XacroTexts::add_file(const FileContent& file) {
  const std::string name = shown_path(file.path);
  return files_.emplace_back(XacroFile{.name = name,
                                       .path = file.path,
                                       .finder = AssetFinder(near_file(file.path)),
                                       .root = read_xml(file.bytes, name)});
}

}  // namespace lockstep
