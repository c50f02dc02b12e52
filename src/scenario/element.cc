#include "lockstep/fields.h"

namespace lockstep {

const Attribute* Element::find_attribute(std::string_view attribute_name) const {
  for (const Attribute& attribute : attributes) {
    if (attribute.name == attribute_name) return &attribute;
  }
  return nullptr;
}

}  // namespace lockstep
