#include "serve/state_message.h"

#include "serve/bytes.h"

namespace lockstep::serve {
namespace {

/// Writes the count, then the numbers.
void append_list(std::string& bytes, const std::vector<float>& numbers, std::size_t width, bool is_wanted) {
  append_number(bytes, static_cast<std::uint32_t>(is_wanted ? numbers.size() / width : 0));
  if (is_wanted) bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
}

constexpr std::uint32_t kPoses = 1, kContacts = 2, kRays = 4, kRowsLost = 8, kPast = 16;

}  // namespace

std::string encode_state_message(const ViewState& state, const StateContent& content) {
  std::string bytes;
  bytes.reserve(64 +
                sizeof(float) *
                    (state.poses.size() + state.joints.size() + state.contacts.size() + state.rays.size()) +
                sizeof(double) * content.rows.size());
  bytes += "LKV1";
  append_number(bytes, state.scene);
  append_number(bytes, state.step);
  append_number(bytes, state.time);
  append_number(bytes, (content.poses ? kPoses : 0) | (content.contacts ? kContacts : 0) |
                           (content.rays ? kRays : 0) | (content.has_lost_rows ? kRowsLost : 0) |
                           (state.is_past ? kPast : 0));
  append_list(bytes, state.poses, 7, content.poses);
  append_list(bytes, state.joints, 1, content.poses);
  append_list(bytes, state.contacts, 6, content.contacts);
  append_list(bytes, state.rays, 6, content.rays);
  append_number(bytes, static_cast<std::uint32_t>(content.rows.size() / (1 + content.signals)));
  append_number(bytes, static_cast<std::uint32_t>(content.signals));
  bytes.append(reinterpret_cast<const char*>(content.rows.data()), content.rows.size() * sizeof(double));
  return bytes;
}

}  // namespace lockstep::serve
