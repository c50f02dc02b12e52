#include "formats/common/xml_values.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "scenario/xml_text.h"

namespace lockstep {

namespace {

/// Parses a word as a number; one that is too large for a double is infinite.
std::optional<double> parse(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Also reported for numbers too close to zero.
    const bool is_tiny = word.find("e-") != std::string_view::npos || word.find("E-") != std::string_view::npos;
    if (is_tiny) return 0.0;
    return word.starts_with('-') ? -std::numeric_limits<double>::infinity()
                                 : std::numeric_limits<double>::infinity();
  }
  return value;
}

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kBlanksAndCommas = " \t\r\n,";

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
    this->reject(element, *attribute, problem);
    return std::nullopt;
  };
  std::string_view rest = attribute->value;
  if (const std::string_view usual = default_of_variable(rest); !usual.empty()) {
    substitutions_.push_back(std::string(xml::trim(rest)));
    rest = usual;
  } else if (rest.find("$(") != std::string_view::npos || rest.find("${") != std::string_view::npos) {
    diagnostics_.error(attribute->place,
                       "{}: {} '{}' has a substitution left in it; expand the file with xacro first",
                       subject_of(element), name, xml::shown(rest));
    return std::nullopt;
  }
  const std::string_view separators = report_ != nullptr ? kBlanksAndCommas : kBlanks;
  if (report_ != nullptr && rest.find(',') != std::string_view::npos) {
    report_->suspicious.push_back(fmt::format("{}: {}: {} '{}' has commas, which are read as spaces",
                                              to_string(attribute->place), subject_of(element), name,
                                              xml::shown(rest)));
  }
  std::vector<double> values;
  while (true) {
    const std::size_t begin = rest.find_first_not_of(separators);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(rest.find_first_of(separators, begin), rest.size());
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

void XmlValues::reject(const Element& element, const Attribute& attribute, const std::string& problem) {
  if (report_ == nullptr) {
    diagnostics_.error(attribute.place, "{}: {} {}", subject_of(element), attribute.name, problem);
    return;
  }
  report_->suspicious.push_back(fmt::format("{}: {}: {} {}; it is ignored", to_string(attribute.place),
                                            subject_of(element), attribute.name, problem));
}

std::optional<double> XmlValues::limit(const Element& element, std::string_view name) {
  const Attribute* attribute = element.find_attribute(name);
  if (attribute == nullptr) return std::nullopt;
  const std::optional<double> value = parse(xml::trim(attribute->value));
  if (!value || std::isnan(*value)) return number(element, name);
  if (std::abs(*value) <= kMax) return value;
  return std::copysign(std::numeric_limits<double>::infinity(), *value);
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
