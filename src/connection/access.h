#pragma once

#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/fields.h"

/// Who may connect: hosts, a token, and a group of users.
namespace lockstep {

struct Address;
class BuildContext;

/// Hosts that may connect: all whose first `bits` are those of the address.
struct HostRange {
  int family = AF_INET;
  std::array<std::uint8_t, 16> address{};
  int bits = 0;
};

/// Blank-separated addresses, each with an optional "/BITS": "192.168.0.0/24 10.0.0.7 fd00::/8".
Result<std::vector<HostRange>> parse_host_ranges(std::string_view text);

/// An empty list permits all.
bool is_permitted(const std::vector<HostRange>& ranges, const sockaddr* host);

/// Attributes of a connection.
struct AccessConfig {
  std::string allow;
  std::string group;
};

template <class V>
void describe(V& v, AccessConfig& c) {
  v.text(
      "allow", c.allow,
      {.doc =
           "TCP and UDP: hosts that may connect, as addresses with an optional number of leading bits, such as "
           "'192.168.0.0/24 10.0.0.7'. Default: all that reach the address."});
  v.text("group", c.group,
         {.doc = "Unix sockets, pipes and shared memory: group of users that may connect. Default: only the "
                 "user of the "
                 "simulation."});
}

struct AccessOptions {
  std::vector<HostRange> allow{};
  std::optional<unsigned> group{};  ///< id
};

/// Resolves the attributes, and reports errors. An address that other machines can reach needs a token or, for kinds of
/// connections that have none, `allow`; then it is a warning.
std::optional<AccessOptions> find_access(const AccessConfig& config, const Address& address,
                                         std::optional<std::string_view> token, BuildContext& context);

}  // namespace lockstep
