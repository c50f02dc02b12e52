#include "scenario/field_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/units.h"
#include "scenario/xml_text.h"

namespace lockstep {

using xml::shown;

namespace {

/// suggest() for elements: "; did you mean <joint>?"
std::string suggest_element(std::string_view found, std::span<const std::string> names) {
  std::string text = suggest(found, names);
  bool opens = true;
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += opens ? '<' : '>';
      opens = !opens;
    } else {
      out += c;
    }
  }
  return out;
}

/// Line breaks and indentation in the file do not matter.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : xml::trim(text)) {
    const bool blank = xml::is_blank(c);
    if (!blank || !line.ends_with(' ')) line += blank ? ' ' : c;
  }
  return line;
}

}  // namespace

FieldReader::FieldReader(const Element& element, Diagnostics& diagnostics)
    : element_(element),
      diagnostics_(diagnostics),
      is_attribute_known_(element.attributes.size()),
      is_child_known_(element.children.size()),
      errors_before_(diagnostics.error_count()) {}

bool FieldReader::has_own_errors() const {
  return diagnostics_.error_count() > errors_before_ + errors_inside_;
}

void FieldReader::mark_names_missing(const Element& element) {
  if (const Attribute* name = element.find_attribute("name")) diagnostics_.mark_missing(name->value);
  for (const Element& child : element.children) mark_names_missing(child);
}

std::string FieldReader::subject() const {
  const Attribute* name = element_.find_attribute("name");
  if (name == nullptr || name->value.empty()) return fmt::format("<{}>", element_.name);
  return fmt::format("{} '{}'", element_.name, shown(name->value));
}

const Attribute* FieldReader::take(std::string_view name, bool required) {
  known_attributes_.emplace_back(name);
  for (std::size_t i = 0; i < element_.attributes.size(); ++i) {
    if (element_.attributes[i].name != name) continue;
    is_attribute_known_[i] = true;
    return &element_.attributes[i];
  }
  if (required) {
    doubts_.push_back(
        {element_.place, std::string(name), fmt::format("<{}> needs an attribute '{}'", element_.name, name)});
  }
  return nullptr;
}

std::vector<const Element*> FieldReader::take_children(std::string_view name, Count count) {
  const std::vector<std::pair<std::size_t, const Element*>> found = take_kinds(std::span(&name, 1));
  std::vector<const Element*> elements;
  for (const auto& [kind, element] : found) elements.push_back(element);
  if (elements.size() < count.min) {
    doubts_.push_back({element_.place, std::string(name),
                       fmt::format("<{}> contains {} <{}>; expected at least {}", element_.name,
                                   elements.size(), name, count.min)});
  }
  if (elements.size() > count.max) {
    diagnostics_.error(elements[count.max]->place, "<{}> contains {} <{}>; expected at most {}", element_.name,
                       elements.size(), name, count.max);
    for (std::size_t i = count.max; i < elements.size(); ++i) mark_names_missing(*elements[i]);
    elements.resize(count.max);
  }
  return elements;
}

const Element* FieldReader::take_child(std::string_view name, bool required) {
  const std::vector<const Element*> found =
      take_children(name, {required ? std::size_t{1} : std::size_t{0}, 1});
  return found.empty() ? nullptr : found.front();
}

std::vector<std::pair<std::size_t, const Element*>> FieldReader::take_kinds(
    std::span<const std::string_view> names) {
  known_children_.insert(known_children_.end(), names.begin(), names.end());
  std::vector<std::pair<std::size_t, const Element*>> found;
  for (std::size_t i = 0; i < element_.children.size(); ++i) {
    const auto name = std::find(names.begin(), names.end(), element_.children[i].name);
    if (name == names.end()) continue;
    is_child_known_[i] = true;
    found.emplace_back(static_cast<std::size_t>(name - names.begin()), &element_.children[i]);
  }
  return found;
}

void FieldReader::no_meaning(std::string_view name, std::string_view where) {
  if (const Attribute* attribute = take(name, false)) error(*attribute, "{} does not apply to {}", name, where);
  // Do not suggest it as a correction either.
  known_attributes_.pop_back();
}

void FieldReader::check(bool is_right, std::string_view name, std::string_view text) {
  if (is_right) return;
  const Attribute* attribute = element_.find_attribute(name);
  const Place& place = attribute != nullptr ? attribute->place : element_.place;
  doubts_.push_back({place, "", fmt::format("{}: {}", subject(), text)});
}

void FieldReader::finish() {
  // A misspelt attribute is not also reported as missing.
  const auto drop_doubt = [&](const std::string& suggestion) {
    std::erase_if(doubts_, [&](const Doubt& doubt) {
      return suggestion == fmt::format("; did you mean '{}'?", doubt.missing);
    });
  };
  for (std::size_t i = 0; i < element_.attributes.size(); ++i) {
    if (is_attribute_known_[i]) continue;
    const Attribute& attribute = element_.attributes[i];
    const std::string suggestion = suggest(attribute.name, known_attributes_);
    diagnostics_.error(attribute.place, "<{}> has no attribute '{}'{}", element_.name, attribute.name,
                       suggestion);
    drop_doubt(suggestion);
  }
  for (std::size_t i = 0; i < element_.children.size(); ++i) {
    if (is_child_known_[i]) continue;
    const Element& child = element_.children[i];
    mark_names_missing(child);
    // Elements after a missing end tag may belong elsewhere.
    if (diagnostics_.is_incomplete() && diagnostics_.is_broken(element_.place)) continue;
    // Everywhere else it has already been expanded.
    if (child.name == "include") {
      diagnostics_.error(child.place, "<{}> cannot contain <include>, which is in <scenario> only",
                         element_.name);
      continue;
    }
    // Whether it belongs to the engine in use is checked once that is known.
    if (engine_children_ != nullptr) {
      engine_children_->push_back(child);
      continue;
    }
    diagnostics_.error(child.place, "<{}> cannot contain <{}>{}", element_.name, child.name,
                       suggest_element(child.name, known_children_));
    drop_doubt(suggest(child.name, known_children_));
  }
  if (!may_have_text_ && !element_.text.empty()) {
    diagnostics_.error(element_.place, "<{}> contains the text '{}'; expected {}", element_.name,
                       shown(element_.text), known_children_.empty() ? "none" : "only elements");
  }
  report_doubts();
  if (has_own_errors()) diagnostics_.mark_broken(element_.place);
}

void FieldReader::report_doubts() {
  if (diagnostics_.is_broken(element_.place)) return;  // it could not be read completely
  const bool has_others = has_own_errors();
  for (const Doubt& doubt : doubts_) {
    if (doubt.missing.empty() && has_others) continue;
    diagnostics_.error(doubt.place, "{}", doubt.text);
  }
}

void FieldReader::flag(std::string_view name, bool& value, const FieldSpec& spec) {
  const Attribute* attribute = take(name, spec.required);
  if (attribute == nullptr) return;
  if (attribute->value == "true" || attribute->value == "false") {
    value = attribute->value == "true";
  } else {
    error(*attribute, "{} '{}' is not a truth value; expected 'true' or 'false'", name,
          shown(attribute->value));
  }
}

void FieldReader::text(std::string_view name, std::string& value, const FieldSpec& spec) {
  const Attribute* attribute = take(name, spec.required);
  if (attribute == nullptr) return;
  value = attribute->value;
  if (spec.required && value.empty()) error(*attribute, "{} is empty", name);
}

void FieldReader::name(std::string_view name, std::string& value, const FieldSpec& spec) {
  const Attribute* attribute = take(name, spec.required);
  // Other elements may reference it.
  const bool is_own = name == "name" && spec.required;
  if (is_own) value = kNoName;
  if (attribute == nullptr) {
    if (is_own) diagnostics_.mark_nameless(element_.name);
    return;
  }
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  const std::string& given = attribute->value;
  if (given.empty()) {
    error(*attribute, "{} is empty", name);
  } else if (!std::all_of(given.begin(), given.end(), is_allowed)) {
    diagnostics_.error(attribute->place,
                       "<{}>: {} '{}' has a character other than letters, digits, '_', '-' and '.'",
                       element_.name, name, shown(given));
  } else if (given.size() > kMaxName) {
    diagnostics_.error(attribute->place, "<{}>: {} '{}' has {} characters; expected at most {}", element_.name,
                       name, shown(given), given.size(), kMaxName);
  } else {
    value = given;
    return;
  }
  if (is_own) diagnostics_.mark_missing(given);
}

void FieldReader::prose(std::string_view name, std::string& value, const FieldSpec& spec) {
  const Element* element = take_child(name, false);
  const Attribute* attribute = take(name, spec.required && element == nullptr);
  if (element != nullptr && attribute != nullptr) {
    diagnostics_.error(element->place, "{} is given as attribute and as element; expected one of them", name);
  } else if (attribute != nullptr) {
    value = one_line(attribute->value);
  } else if (element != nullptr) {
    value = one_line(element->text);
    FieldReader inside(*element, diagnostics_);
    inside.may_have_text_ = true;
    inside.finish();
  }
}

void FieldReader::content(std::string& value, const FieldSpec& spec) {
  may_have_text_ = true;
  value = element_.text;
  if (spec.required && value.empty()) diagnostics_.error(element_.place, "{}: contains no text", subject());
}

void FieldReader::container(std::string_view name, std::vector<Element>& value, const FieldSpec& spec) {
  const Element* element = take_child(name, spec.required);
  if (element == nullptr) return;
  value = element->children;
  FieldReader inside(*element, diagnostics_);
  inside.is_child_known_.assign(element->children.size(), true);
  inside.known_children_.emplace_back("…");  // any element, but no text
  inside.finish();
}

void FieldReader::engine_children(EngineHost, std::vector<Element>& value) {
  engine_children_ = &value;
}

std::optional<std::size_t> FieldReader::read_choice(std::string_view name, std::span<const std::string> texts,
                                                    const FieldSpec& spec) {
  const Attribute* attribute = take(name, spec.required);
  if (attribute == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i] == attribute->value) return i;
  }
  error(*attribute, "unknown {} '{}'{}", name, shown(attribute->value), suggest(attribute->value, texts));
  return std::nullopt;
}

}  // namespace lockstep
