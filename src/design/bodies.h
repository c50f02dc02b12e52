#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "design/operation.h"

/// Finds the bodies of a design by name, for operations.
namespace lockstep {

/// The link of that name. Throws UserError at `place` if there is none.
DesignBody& find_link(Design& design, std::string_view name, const Place& place, std::string_view subject);
const DesignBody& find_link(const Design& design, std::string_view name, const Place& place,
                            std::string_view subject);

/// Links and objects that match one of the patterns, at least one for each pattern.
std::vector<DesignBody*> find_bodies(Design& design, std::string_view patterns, const Place& place,
                                     std::string_view subject);

/// Throws UserError if a link or object of that name already exists.
void require_new_body(const Design& design, std::string_view name, const Place& place,
                      std::string_view subject);
void require_new_joint(const Design& design, std::string_view name, const Place& place);
void require_new_site(const Design& design, std::string_view name, const Place& place);

/// Whether `link` is `ancestor` or one of its descendants.
bool is_descendant(const Design& design, const DesignBody& link, std::string_view ancestor);

/// A joint with its anchor and axis resolved.
Joint make_joint(const Assembly& assembly, const JointSetting& setting);

}  // namespace lockstep
