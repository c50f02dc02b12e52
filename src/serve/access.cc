#include "serve/access.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "serve/token.h"

namespace lockstep::serve {
namespace {

constexpr std::size_t kMinToken = 16;
constexpr std::size_t kMaxToken = 128;

/// The value of a key in "a=1&b=2" or "a=1; b=2".
std::string_view find_value(std::string_view list, char separator, std::string_view name) {
  while (!list.empty()) {
    std::string_view part = list.substr(0, list.find(separator));
    list.remove_prefix(std::min(list.size(), part.size() + 1));
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=') {
      return part.substr(name.size() + 1);
    }
  }
  return {};
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

bool is_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

std::string find_token_error(const std::string& token) {
  if (token.size() < kMinToken || token.size() > kMaxToken) {
    return fmt::format("it has {} characters; expected {} to {}", token.size(), kMinToken, kMaxToken);
  }
  const bool is_plain = std::all_of(token.begin(), token.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-._~").find(c) != std::string_view::npos;
  });
  return is_plain ? "" : "expected only letters, digits, '-', '.', '_' and '~'";
}

AccessRules::AccessRules(const std::string& address, std::uint16_t port, std::string token)
    : address_(address), port_(port), token_(std::move(token)) {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) == 0) machine_ = lower(name.data());
}

std::string AccessRules::cookie_name() const {
  return fmt::format("lockstep-{}", port_);
}

Access AccessRules::judge(const Credentials& credentials) const {
  if (!is_our_host(credentials.host)) return Access::kBadHost;
  const std::string own = "http://" + lower(credentials.host);
  if (credentials.origin && lower(*credentials.origin) != own) return Access::kBadOrigin;
  if (!has_token(credentials)) return Access::kBadToken;
  return Access::kGranted;
}

bool AccessRules::is_our_host(std::string_view given) const {
  std::string host = lower(given);
  const std::string port = fmt::format(":{}", port_);
  constexpr std::uint16_t kHttp = 80;
  if (host.ends_with(port)) {
    host.resize(host.size() - port.size());
  } else if (port_ != kHttp) {
    return false;
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (is_loopback(address_))
    return host == "localhost" || host == "127.0.0.1" || host == "::1" || host == address_;
  // A numeric address in Host cannot be the result of DNS rebinding.
  return host == "localhost" || is_address(host) || (!machine_.empty() && host == machine_);
}

bool AccessRules::has_token(const Credentials& credentials) const {
  if (token_.empty()) return true;
  constexpr std::string_view kBearer = "Bearer ";
  std::string_view bearer = credentials.authorization;
  bearer = bearer.starts_with(kBearer) ? bearer.substr(kBearer.size()) : std::string_view();
  return has_token_in_query(credentials.query) ||
         is_same_secret(find_value(credentials.cookie, ';', cookie_name()), token_) ||
         is_same_secret(bearer, token_);
}

bool AccessRules::has_token_in_query(std::string_view query) const {
  return !token_.empty() && is_same_secret(find_value(query, '&', "token"), token_);
}

std::string safe_name(const std::string& name) {
  std::string safe;
  for (const char c : name) {
    const bool is_safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                         c == '.' || c == '-' || c == '_';
    safe += is_safe ? c : '_';
  }
  return safe;
}

}  // namespace lockstep::serve
