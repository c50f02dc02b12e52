#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "scenario/schema.h"
#include "serve/scene.h"

namespace lockstep::serve {

/// The single numbers that the element behind a name has, written or by default:
/// [{"xpath", "name", "value", "unit", "min", "max", "doc"}]. A name may be that of a body, a joint, a site or
/// a device ("arm/elbow"), and of several of them at once; "" is the scenario. With the elements below that
/// have no name of their own. Throws Rejection if there is no such name.
nlohmann::ordered_json list_attributes(const Scene& scene, const ElementSchema& schema,
                                       const std::string& name);

}  // namespace lockstep::serve
