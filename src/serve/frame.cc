#include "serve/frame.h"

#include <bit>

namespace lockstep::serve {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// How many, then their numbers.
void append_list(std::string& bytes, const std::vector<float>& numbers, std::size_t width, bool is_wanted) {
  append(bytes, static_cast<std::uint32_t>(is_wanted ? numbers.size() / width : 0));
  if (is_wanted) bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
}

constexpr std::uint32_t kPoses = 1, kContacts = 2, kRays = 4, kRowsLost = 8;

}  // namespace

std::string encode_frame(const ViewState& state, const FrameParts& parts) {
  std::string bytes;
  bytes.reserve(64 +
                sizeof(float) *
                    (state.poses.size() + state.joints.size() + state.contacts.size() + state.rays.size()) +
                sizeof(double) * parts.rows.size());
  bytes += "LKV1";
  append(bytes, state.scene);
  append(bytes, state.step);
  append(bytes, state.time);
  append(bytes, (parts.poses ? kPoses : 0) | (parts.contacts ? kContacts : 0) | (parts.rays ? kRays : 0) |
                    (parts.has_lost_rows ? kRowsLost : 0));
  append_list(bytes, state.poses, 7, parts.poses);
  append_list(bytes, state.joints, 1, parts.poses);
  append_list(bytes, state.contacts, 6, parts.contacts);
  append_list(bytes, state.rays, 6, parts.rays);
  append(bytes, static_cast<std::uint32_t>(parts.rows.size() / (1 + parts.signals)));
  append(bytes, static_cast<std::uint32_t>(parts.signals));
  bytes.append(reinterpret_cast<const char*>(parts.rows.data()), parts.rows.size() * sizeof(double));
  return bytes;
}

}  // namespace lockstep::serve
