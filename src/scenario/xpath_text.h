#pragma once

#include <optional>
#include <string_view>
#include <vector>

/// Analyses an XPath as text, without evaluating it.
namespace lockstep::xml {

/// Offsets of the characters of `wanted` that are outside quotes, brackets and parentheses.
std::vector<std::size_t> find_outside(std::string_view xpath, std::string_view wanted);

/// "//joint[1]/@damping" is the attribute "damping" of the elements "//joint[1]".
struct AttributeStep {
  std::string_view elements;
  std::string_view attribute;
};

/// Empty if the path does not end in one plain attribute of elements that the rest selects.
std::optional<AttributeStep> find_attribute_step(std::string_view xpath);

/// The prefixes of a path that are paths themselves, shortest first: "/a", "/a/b[1]", "/a/b[1]/c".
std::vector<std::string_view> leading_paths(std::string_view xpath);

/// "//joint[@name='elbo']" selects each "//joint" with the name "elbo".
struct NameStep {
  std::string_view elements;
  std::string_view name;
};
std::optional<NameStep> find_name_step(std::string_view xpath);

/// The element name in the last step, if the step is only a name.
std::optional<std::string_view> find_last_name(std::string_view xpath);

}  // namespace lockstep::xml
