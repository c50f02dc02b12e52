#include "formats/common/xml_values.h"

#include <charconv>
#include <cmath>

#include "scenario/xml_text.h"

namespace lockstep {

namespace {

/// Parses a word as a number.
std::optional<double> parse(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

constexpr std::string_view kBlanks = " \t\r\n";

/// The default of "$(optenv NAME 1 2 3)", used if the variable is not set; empty for other text.
std::string_view default_of_variable(std::string_view text) {
  constexpr std::string_view kBegin = "$(optenv ";
  text = xml::trim(text);
  if (!text.starts_with(kBegin) || !text.ends_with(')')) return {};
  text = text.substr(kBegin.size(), text.size() - kBegin.size() - 1);
  const std::size_t name_end = text.find_first_of(kBlanks);
  return name_end == std::string_view::npos ? std::string_view() : text.substr(name_end);
}

}  // namespace

std::optional<std::vector<double>> XmlValues::numbers(const Element& element, std::string_view name,
                                                      std::size_t least, std::size_t most) {
  const Attribute* attribute = element.find_attribute(name);
  if (attribute == nullptr) return std::nullopt;
  const auto reject = [&](const std::string& problem) {
    diagnostics_.error(attribute->place, "{}: {} {}", subject_of(element), name, problem);
    return std::nullopt;
  };
  std::string_view rest = attribute->value;
  if (const std::string_view usual = default_of_variable(rest); !usual.empty()) {
    substitutions_.push_back(std::string(xml::trim(rest)));
    rest = usual;
  } else if (rest.find("$(") != std::string_view::npos || rest.find("${") != std::string_view::npos) {
    return reject(
        fmt::format("'{}' has a substitution left in it; expand the file with xacro first", xml::shown(rest)));
  }
  std::vector<double> values;
  while (true) {
    const std::size_t begin = rest.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(rest.find_first_of(kBlanks, begin), rest.size());
    const std::string_view word = rest.substr(begin, end - begin);
    rest.remove_prefix(end);
    const std::optional<double> value = parse(word);
    if (!value) return reject(fmt::format("'{}' is not a number", xml::shown(word)));
    if (!std::isfinite(*value) || std::abs(*value) > kMax)
      return reject(fmt::format("{} is out of range; expected -1e9 to 1e9", xml::shown(word)));
    if (values.size() == most) return reject(fmt::format("has more than {} numbers", most));
    values.push_back(*value);
  }
  if (values.size() < least) {
    return reject(
        fmt::format("has {} numbers; expected {}{}", values.size(), least == most ? "" : "at least ", least));
  }
  return values;
}

std::optional<double> XmlValues::number(const Element& element, std::string_view name) {
  const auto values = numbers(element, name, 1, 1);
  if (!values) return std::nullopt;
  return values->front();
}

std::optional<Vec3> XmlValues::vector(const Element& element, std::string_view name) {
  const auto values = numbers(element, name, 3, 3);
  if (!values) return std::nullopt;
  return Vec3((*values)[0], (*values)[1], (*values)[2]);
}

std::string XmlValues::text(const Element& element, std::string_view name) {
  const Attribute* attribute = element.find_attribute(name);
  return attribute == nullptr ? std::string() : attribute->value;
}

std::string XmlValues::needed_text(const Element& element, std::string_view name) {
  std::string value = text(element, name);
  if (value.empty()) diagnostics_.error(element.place, "<{}> needs an attribute '{}'", element.name, name);
  return value;
}

const Element* find_child(const Element& element, std::string_view name) {
  for (const Element& child : element.children) {
    if (child.name == name) return &child;
  }
  return nullptr;
}

std::string subject_of(const Element& element) {
  const Attribute* name = element.find_attribute("name");
  return name == nullptr ? fmt::format("<{}>", element.name)
                         : fmt::format("<{}> '{}'", element.name, xml::shown(name->value));
}

}  // namespace lockstep
