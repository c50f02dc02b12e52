#include "serve/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "serve/rejection.h"

namespace lockstep::serve {
namespace {

constexpr double kFarthest = 1e9;
constexpr std::int64_t kMaxId = 1LL << 53;

nlohmann::json parse(std::string_view text) {
  std::size_t values = 0;
  const auto watch = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth > Request::kMaxDepth) throw Rejection("the request is nested too deeply");
    if (++values > Request::kMaxValues) throw Rejection("the request has too many values");
    return true;
  };
  try {
    return nlohmann::json::parse(text, watch);
  } catch (const nlohmann::json::exception& error) {
    throw Rejection(fmt::format("the request is not JSON: {}", shown_text(error.what())));
  }
}

}  // namespace

Request::Request(std::string_view text) : json_(parse(text)) {
  if (!json_.is_object()) throw Rejection("expected an object with 'id' and 'do'");
  id_ = integer("id", 0, kMaxId);
  what_ = this->text("do", 32);
}

std::optional<std::int64_t> Request::find_id(std::string_view text) {
  try {
    const nlohmann::json json = parse(text);
    if (json.is_object() && json.contains("id") && json["id"].is_number_integer()) return json["id"];
  } catch (const Rejection&) {
  }
  return std::nullopt;
}

void Request::allow(std::initializer_list<std::string_view> fields) const {
  for (const auto& [name, _] : json_.items()) {
    const bool is_known = name == "id" || name == "do" || std::count(fields.begin(), fields.end(), name) > 0;
    if (!is_known) throw Rejection(fmt::format("'{}' has no field '{}'", what_, shown_text(name)));
  }
}

const nlohmann::json& Request::field(std::string_view name) const {
  const auto found = json_.find(std::string(name));
  if (found == json_.end()) throw Rejection(fmt::format("missing field '{}'", name));
  return *found;
}

bool Request::has(std::string_view name) const {
  const auto found = json_.find(std::string(name));
  return found != json_.end() && !found->is_null();
}

bool Request::is_null(std::string_view name) const {
  const auto found = json_.find(std::string(name));
  return found != json_.end() && found->is_null();
}

std::string Request::text(std::string_view name, std::size_t max_bytes) const {
  const nlohmann::json& value = field(name);
  if (!value.is_string()) throw Rejection(fmt::format("'{}' must be a text", name));
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > max_bytes)
    throw Rejection(fmt::format("'{}' is too long; expected at most {} bytes", name, max_bytes));
  return text;
}

double Request::number(std::string_view name, double least, double most) const {
  const nlohmann::json& value = field(name);
  if (!value.is_number()) throw Rejection(fmt::format("'{}' must be a number", name));
  const auto number = value.get<double>();
  if (!(number >= least && number <= most)) {
    throw Rejection(fmt::format("'{}' is out of range: {}; expected {} to {}", name, number, least, most));
  }
  return number;
}

std::int64_t Request::integer(std::string_view name, std::int64_t least, std::int64_t most) const {
  const nlohmann::json& value = field(name);
  if (!value.is_number_integer()) throw Rejection(fmt::format("'{}' must be an integer", name));
  const bool fits =
      !value.is_number_unsigned() || value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
  const auto number = fits ? value.get<std::int64_t>() : most;
  if (!fits || number < least || number > most) {
    throw Rejection(fmt::format("'{}' is out of range; expected {} to {}", name, least, most));
  }
  return number;
}

bool Request::flag(std::string_view name) const {
  const nlohmann::json& value = field(name);
  if (!value.is_boolean()) throw Rejection(fmt::format("'{}' must be true or false", name));
  return value.get<bool>();
}

Vec3 Request::vector(std::string_view name) const {
  const nlohmann::json& value = field(name);
  const auto is_good = [](const nlohmann::json& each) {
    return each.is_number() && std::abs(each.get<double>()) <= kFarthest;
  };
  if (!value.is_array() || value.size() != 3 || !std::all_of(value.begin(), value.end(), is_good)) {
    throw Rejection(fmt::format("'{}' must be three numbers from {} to {}", name, -kFarthest, kFarthest));
  }
  return {value[0].get<double>(), value[1].get<double>(), value[2].get<double>()};
}

std::vector<std::string> Request::texts(std::string_view name, std::size_t max_count,
                                        std::size_t max_bytes) const {
  const nlohmann::json& value = field(name);
  if (!value.is_array() || value.size() > max_count) {
    throw Rejection(fmt::format("'{}' must be a list of at most {} texts", name, max_count));
  }
  std::vector<std::string> texts;
  for (const nlohmann::json& each : value) {
    if (!each.is_string() || each.get_ref<const std::string&>().size() > max_bytes) {
      throw Rejection(fmt::format("'{}' must be a list of texts of at most {} bytes", name, max_bytes));
    }
    texts.push_back(each.get<std::string>());
  }
  return texts;
}

}  // namespace lockstep::serve
