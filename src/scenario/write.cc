#include "scenario/write.h"

#include <fmt/format.h>

#include "scenario/describe.h"
#include "scenario/describe_chain.h"
#include "scenario/xml_text.h"

namespace lockstep {

namespace {

void append(std::string& out, const Element& element, std::size_t depth) {
  out.append(2 * depth, ' ');
  out += fmt::format("<{}", element.name);
  for (const Attribute& attribute : element.attributes) {
    out += fmt::format(" {}=\"{}\"", attribute.name, xml::escape_attribute(attribute.value));
  }
  if (element.children.empty() && element.text.empty()) {
    out += "/>\n";
    return;
  }
  out += '>';
  out += xml::escape_text(element.text);
  if (!element.children.empty()) {
    out += '\n';
    for (const Element& child : element.children) append(out, child, depth + 1);
    out.append(2 * depth, ' ');
  }
  out += fmt::format("</{}>\n", element.name);
}

}  // namespace

std::string write_element(const Element& element) {
  std::string out;
  append(out, element, 0);
  return out;
}

std::string write_scenario(const Scenario& scenario, Defaults defaults) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         write_element(write_scenario_element(scenario, defaults));
}

Element write_scenario_element(const Scenario& scenario, Defaults defaults) {
  return write_fields("scenario", scenario, defaults);
}

Element write_chain_element(const Chain& chain, Defaults defaults) {
  return write_fields("chain", chain, defaults);
}

}  // namespace lockstep
