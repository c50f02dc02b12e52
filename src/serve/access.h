#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Who may talk to the server.
namespace lockstep::serve {

/// What a request says of itself, as it came.
struct Credentials {
  std::string_view host;                   ///< header Host
  std::optional<std::string_view> origin;  ///< header Origin
  std::string_view query;                  ///< after the '?' of the target
  std::string_view cookie;                 ///< header Cookie
  std::string_view authorization;          ///< header Authorization
};

enum class Access {
  kGranted,
  kBadHost,  ///< a name that is not ours: a page elsewhere may have had its name point here
  kBadOrigin,
  kBadToken,
};

class AccessRules {
 public:
  /// `address` is what the server listens on, as a number. Without a token none is needed.
  AccessRules(const std::string& address, std::uint16_t port, std::string token);

  Access judge(const Credentials& credentials) const;

  const std::string& token() const { return token_; }
  /// Cookies do not tell ports apart, so their names do.
  std::string cookie_name() const;
  /// Whether the token came in the query, so that a cookie is worth setting.
  bool has_token_in_query(std::string_view query) const;

 private:
  bool is_our_host(std::string_view host) const;
  bool has_token(const Credentials& credentials) const;

  std::string address_;
  std::uint16_t port_;
  std::string token_;
  std::string machine_;  // its name
};

/// Whether nobody but this machine can reach an address.
bool is_loopback(const std::string& address);
/// "127.0.0.1", "::1": not a name.
bool is_address(const std::string& text);

/// Letters, digits and "-._~" of a sensible number: safe in a URL and a cookie, and hard to guess. Empty if it
/// will do, else why not.
std::string find_token_fault(const std::string& token);

}  // namespace lockstep::serve
