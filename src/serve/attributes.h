#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scenario/schema.h"
#include "serve/scene.h"

namespace lockstep::serve {

/// The scalar attributes of the elements with a name, explicit or default: [{"xpath", "name", "value", "unit",
/// "min", "max", "type", "step", "doc"}]. The name is that of a body, joint, site or device ("arm/elbow"), or of several of
/// them; "" is the scenario. What a generator such as <chain> has made has the attributes of the generator.
/// Includes unnamed child elements. Throws Rejection for an unknown name.
nlohmann::ordered_json list_attributes(const Scene& scene, const ElementSchema& schema,
                                       const std::string& name);

}  // namespace lockstep::serve
