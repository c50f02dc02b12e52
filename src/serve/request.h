#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/math.h"
#include "serve/command.h"

namespace lockstep::serve {

/// One request of a viewer: an untrusted JSON object. Every function that reads a field throws Rejection if the
/// field is missing, has another type or is out of range.
class Request {
 public:
  /// Throws Rejection if the text is not an object with `id` and `do`, is nested too deeply or has too many
  /// values.
  explicit Request(std::string_view text);

  std::int64_t id() const { return id_; }
  const std::string& what() const { return what_; }

  /// Rejects any other field.
  void allow(std::initializer_list<std::string_view> fields) const;

  bool has(std::string_view field) const;      ///< present and not null
  bool is_null(std::string_view field) const;  ///< present and null
  std::string text(std::string_view field, std::size_t max_bytes) const;
  double number(std::string_view field, double least, double most) const;
  std::int64_t integer(std::string_view field, std::int64_t least, std::int64_t most) const;
  bool flag(std::string_view field) const;
  Vec3 vector(std::string_view field) const;
  std::vector<std::string> texts(std::string_view field, std::size_t max_count, std::size_t max_bytes) const;

  /// The id of an otherwise invalid request, if it has one.
  static std::optional<std::int64_t> find_id(std::string_view text);

  static constexpr int kMaxDepth = 8;
  static constexpr std::size_t kMaxValues = 20'000;

 private:
  const nlohmann::json& field(std::string_view name) const;

  nlohmann::json json_;  // a map: searching a list would be slow for hostile requests
  std::int64_t id_ = 0;
  std::string what_;
};

}  // namespace lockstep::serve
