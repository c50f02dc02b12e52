#include "sensors/mount.h"

#include "device/context.h"

namespace lockstep {

std::optional<Mount> find_mount(const MountConfig& config, BuildContext& context) {
  if (!context.require_one(config.site, "site", config.body, "body")) return std::nullopt;
  if (!config.site.empty()) {
    const auto site = context.find_site(config.site);
    if (!site) return std::nullopt;
    return Mount{context.model.site(*site).body, context.model.site(*site).X_BS};
  }
  const auto body = context.find_body(config.body);
  if (!body) return std::nullopt;
  return Mount{*body, {}};
}

}  // namespace lockstep
