#include "connection/access.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <grp.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "connection/transport.h"
#include "device/context.h"

namespace lockstep {
namespace {

bool is_loopback(const std::string& host) {
  return host.empty() || host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::optional<HostRange> parse_host_range(std::string_view word) {
  const std::size_t slash = word.find('/');
  const std::string host(word.substr(0, slash));
  HostRange range;
  if (inet_pton(AF_INET, host.c_str(), range.address.data()) == 1) {
    range.bits = 32;
  } else if (inet_pton(AF_INET6, host.c_str(), range.address.data()) == 1) {
    range.family = AF_INET6;
    range.bits = 128;
  } else {
    return std::nullopt;
  }
  if (slash == std::string_view::npos) return range;
  const std::string_view bits = word.substr(slash + 1);
  int count = -1;
  const auto [end, failure] = std::from_chars(bits.data(), bits.data() + bits.size(), count);
  if (failure != std::errc() || end != bits.data() + bits.size() || count < 0 || count > range.bits)
    return std::nullopt;
  range.bits = count;
  return range;
}

}  // namespace

Result<std::vector<HostRange>> parse_host_ranges(std::string_view text) {
  std::vector<HostRange> ranges;
  for (const std::string& word : split_words(std::string(text))) {
    const auto range = parse_host_range(word);
    if (!range)
      return Failure{fmt::format("'{}' is not an address; expected one such as 10.0.0.7 or 10.0.0.0/8", word)};
    ranges.push_back(*range);
  }
  return ranges;
}

bool is_permitted(const std::vector<HostRange>& ranges, const sockaddr* host) {
  const auto* bytes =
      host->sa_family == AF_INET
          ? reinterpret_cast<const std::uint8_t*>(&reinterpret_cast<const sockaddr_in*>(host)->sin_addr)
          : reinterpret_cast<const sockaddr_in6*>(host)->sin6_addr.s6_addr;
  const auto fits = [&](const HostRange& range) {
    if (range.family != host->sa_family) return false;
    const int whole = range.bits / 8, rest = range.bits % 8;
    if (std::memcmp(range.address.data(), bytes, static_cast<std::size_t>(whole)) != 0) return false;
    return rest == 0 || (range.address[static_cast<std::size_t>(whole)] ^ bytes[whole]) >> (8 - rest) == 0;
  };
  return ranges.empty() || std::any_of(ranges.begin(), ranges.end(), fits);
}

std::optional<AccessOptions> find_access(const AccessConfig& config, const Address& address,
                                         std::optional<std::string_view> token, BuildContext& context) {
  AccessOptions options;
  const std::size_t errors = context.diagnostics.error_count();
  const bool has_hosts = address.transport->form == AddressForm::kHostAndPort;
  if (!config.allow.empty() && !has_hosts) context.error_at("allow", "applies only to TCP and UDP");
  auto allow = parse_host_ranges(config.allow);
  if (allow) {
    options.allow = *std::move(allow);
  } else {
    context.error_at("allow", "{}", allow.error());
  }
  if (!config.group.empty()) {
    const ::group* found = getgrnam(config.group.c_str());
    if (has_hosts) {
      context.error_at("group", "does not apply to TCP and UDP");
    } else if (found == nullptr) {
      context.error_at("group", "there is no group '{}' on this machine", config.group);
    } else {
      options.group = found->gr_gid;
    }
  }
  if (has_hosts && !is_loopback(address.host)) {
    const bool is_guarded = token ? !token->empty() : !config.allow.empty();
    if (!is_guarded) {
      context.error_at("address", "other machines can reach '{}'; expected {} or a loopback address",
                       address.host, token ? "a 'token' that controllers must send" : "hosts in 'allow'");
    } else {
      const Attribute* at = context.element().find_attribute("address");
      context.diagnostics.warn(at != nullptr ? at->place : context.element().place,
                               "connection '{}': other machines can reach '{}', and nothing is encrypted",
                               context.name(), address.host);
    }
  }
  if (context.diagnostics.error_count() > errors) return std::nullopt;
  return options;
}

}  // namespace lockstep
