#include "scenario/xsd.h"

#include <fmt/format.h>

#include <map>

#include "scenario/xml_text.h"

namespace lockstep {

namespace {

constexpr std::string_view kNumber = R"([+\-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+\-]?[0-9]+)?)";
constexpr std::string_view kUnit = R"(( ?[A-Za-z1][A-Za-z0-9*/.^\-]*)?)";

std::string documentation(std::string_view doc) {
  if (doc.empty()) return "";
  return fmt::format("<xs:annotation><xs:documentation>{}</xs:documentation></xs:annotation>",
                     xml::escape_text(doc));
}

/// The allowed values of an attribute in one line, for tooltips of editors.
std::string explain(const AttributeSchema& attribute) {
  std::string text = attribute.doc;
  if (!attribute.unit.empty()) text += fmt::format(" In {}.", attribute.unit);
  if (!attribute.range.empty()) text += fmt::format(" Range: {}.", attribute.range);
  if (attribute.default_text && !attribute.default_text->empty() && !attribute.required) {
    text += fmt::format(" Default: {}.", *attribute.default_text);
  }
  return text;
}

/// Writes one named type for each distinct element and value type, however often it occurs.
class XsdWriter {
 public:
  std::string write(const ElementSchema& root) {
    std::string elements;
    add_roots(root, elements);
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    out += "<!-- Made by Lockstep; every change here is lost. -->\n";
    out += "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n";
    return out + elements + types_ + "</xs:schema>\n";
  }

 private:
  void add_roots(const ElementSchema& element, std::string& elements) {
    if (element.is_file_root) {
      elements += fmt::format("  <xs:element name=\"{}\" type=\"{}\"/>\n", element.name, element_type(element));
    }
    for (const ChildSchema& child : element.children) add_roots(child.element, elements);
  }

  std::string element_type(const ElementSchema& element) {
    std::string body;
    const std::string_view mixed = element.has_text ? " mixed=\"true\"" : "";
    if (!element.children.empty()) {
      body += "    <xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">\n";
      for (const ChildSchema& child : element.children) {
        body += fmt::format("      <xs:element name=\"{}\" type=\"{}\"/>\n", child.element.name,
                            element_type(child.element));
      }
      body += "    </xs:choice>\n";
    } else if (element.is_container || element.engine_host) {
      body +=
          "    <xs:sequence>\n      <xs:any minOccurs=\"0\" maxOccurs=\"unbounded\" "
          "processContents=\"skip\"/>\n"
          "    </xs:sequence>\n";
    }
    for (const AttributeSchema& attribute : element.attributes) {
      body += fmt::format("    <xs:attribute name=\"{}\" type=\"{}\"{}>{}</xs:attribute>\n", attribute.name,
                          value_type(attribute), attribute.required ? " use=\"required\"" : "",
                          documentation(explain(attribute)));
    }
    return named_type(element.name, "xs:complexType", fmt::format("{}>\n", mixed),
                      fmt::format("    {}\n{}", documentation(element.doc), body));
  }

  std::string value_type(const AttributeSchema& attribute) {
    const std::string one = fmt::format("{}{}", kNumber, kUnit);
    switch (attribute.type) {
      case ValueType::kNumber:
      case ValueType::kTime:
        return pattern_type("number", one);
      case ValueType::kNumbers:
        return numbers_type(attribute, one);
      case ValueType::kInteger:
        return pattern_type("integer", "-?[0-9]+");
      case ValueType::kFlag:
        return pattern_type("flag", "true|false");
      case ValueType::kText:
        return "xs:string";
      case ValueType::kName:
        return pattern_type("name", R"([A-Za-z0-9_.\-]{1,64})");
      case ValueType::kColor:
        return pattern_type("color",
                            fmt::format("#[0-9a-fA-F]{{6}}([0-9a-fA-F]{{2}})?|{0} {0} {0}( {0})?", kNumber));
      case ValueType::kChoice: {
        std::string body = "    <xs:restriction base=\"xs:token\">\n";
        for (const std::string& choice : attribute.choices) {
          body += fmt::format("      <xs:enumeration value=\"{}\"/>\n", xml::escape_attribute(choice));
        }
        return named_type(attribute.name, "xs:simpleType", ">\n", body + "    </xs:restriction>\n");
      }
    }
    return "xs:string";
  }

  std::string numbers_type(const AttributeSchema& attribute, const std::string& one) {
    if (attribute.max_count == 0) return "xs:string";
    const std::size_t least = attribute.min_count > 0 ? attribute.min_count - 1 : 0;
    const bool is_open = attribute.max_count > 1000;
    const std::string most = is_open ? "" : fmt::format("{}", attribute.max_count - 1);
    const std::string pattern = fmt::format("{0}( {0}){{{1},{2}}}", one, least, most);
    return pattern_type("numbers", attribute.min_count == 0 ? fmt::format("({})?", pattern) : pattern);
  }

  /// A token: leading, trailing and repeated spaces do not matter.
  std::string pattern_type(std::string_view name, std::string_view pattern) {
    return named_type(name, "xs:simpleType", ">\n",
                      fmt::format("    <xs:restriction base=\"xs:token\">\n      <xs:pattern value=\"{}\"/>\n"
                                  "    </xs:restriction>\n",
                                  xml::escape_attribute(pattern)));
  }

  /// The name of the type with this content, which is written on first use.
  std::string named_type(std::string_view name, std::string_view tag, std::string_view rest_of_tag,
                         const std::string& body) {
    const std::string key = fmt::format("{} {} {}", name, tag, body);
    const auto found = names_.find(key);
    if (found != names_.end()) return found->second;
    const int count = ++counts_[std::string(name)];
    std::string type_name = count == 1 ? fmt::format("{}", name) : fmt::format("{}.{}", name, count);
    types_ += fmt::format("  <{} name=\"{}\"{}{}  </{}>\n", tag, type_name, rest_of_tag, body, tag);
    names_.emplace(key, type_name);
    return type_name;
  }

  std::string types_;
  std::map<std::string, std::string> names_;
  std::map<std::string, int> counts_;
};

}  // namespace

std::string write_xsd(const ElementSchema& root) {
  return XsdWriter().write(root);
}

}  // namespace lockstep
