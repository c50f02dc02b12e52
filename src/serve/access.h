#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Access control of the server: Host, Origin and token of a request.
namespace lockstep::serve {

/// The headers of a request that decide about access.
struct Credentials {
  std::string_view host;                   ///< header Host
  std::optional<std::string_view> origin;  ///< header Origin
  std::string_view query;                  ///< after the '?' of the target
  std::string_view cookie;                 ///< header Cookie
  std::string_view authorization;          ///< header Authorization
};

enum class Access {
  kGranted,
  kBadHost,  ///< not our host name: protects against DNS rebinding
  kBadOrigin,
  kBadToken,
};

class AccessRules {
 public:
  /// `address` is the numeric listen address. An empty token means that none is needed.
  AccessRules(const std::string& address, std::uint16_t port, std::string token);

  Access judge(const Credentials& credentials) const;

  const std::string& token() const { return token_; }
  /// Cookies are shared by all ports of a host, so the name contains the port.
  std::string cookie_name() const;
  /// Whether the query contains the valid token; then the response sets the cookie.
  bool has_token_in_query(std::string_view query) const;

 private:
  bool is_our_host(std::string_view host) const;
  bool has_token(const Credentials& credentials) const;

  std::string address_;
  std::uint16_t port_;
  std::string token_;
  std::string machine_;  // host name
};

/// Whether an address can be reached only from this machine.
bool is_loopback(const std::string& address);
/// Whether the text is a numeric address ("127.0.0.1", "::1"), not a host name.
bool is_address(const std::string& text);

/// Checks a token: only letters, digits and "-._~" (safe in a URL and a cookie), and long enough to be hard to
/// guess. Empty if valid, else the reason.
std::string find_token_error(const std::string& token);

/// A file name that is safe in a header.
std::string safe_name(const std::string& name);

}  // namespace lockstep::serve
