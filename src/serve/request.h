#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/math.h"
#include "serve/command.h"

namespace lockstep::serve {

/// One request of a viewer: an object of JSON, taken apart with care. Every function that reads a field throws
/// Rejection with a sentence if the field is missing, of another type or out of range.
class Request {
 public:
  /// Throws Rejection if the text is not an object with `id` and `do`, is nested too deeply or has too many
  /// parts.
  explicit Request(std::string_view text);

  std::int64_t id() const { return id_; }
  const std::string& what() const { return what_; }

  /// Rejects any field beside these.
  void allow(std::initializer_list<std::string_view> fields) const;

  bool has(std::string_view field) const;      ///< it is there, and not null
  bool is_null(std::string_view field) const;  ///< it is there as null
  std::string text(std::string_view field, std::size_t longest) const;
  double number(std::string_view field, double least, double most) const;
  std::int64_t integer(std::string_view field, std::int64_t least, std::int64_t most) const;
  bool flag(std::string_view field) const;
  Vec3 vector(std::string_view field) const;
  std::vector<std::string> texts(std::string_view field, std::size_t most, std::size_t longest) const;

  /// The id of a text that cannot be understood otherwise, if it has one.
  static std::optional<std::int64_t> find_id(std::string_view text);

  static constexpr int kMaxDepth = 8;
  static constexpr std::size_t kMaxParts = 20'000;

 private:
  const nlohmann::json& field(std::string_view name) const;

  nlohmann::json json_;  // sorted by key: a list that is searched would be slow for hostile ones
  std::int64_t id_ = 0;
  std::string what_;
};

}  // namespace lockstep::serve
