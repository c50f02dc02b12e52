#pragma once

#include <stdexcept>
#include <string>

namespace lockstep::serve {

/// A request that cannot be done; the sentence is the answer.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Text from a viewer for a message: long ones are cut.
inline std::string shortened(const std::string& text) {
  constexpr std::size_t kLongest = 100;
  if (text.size() <= kLongest) return text;
  std::string start(text, 0, kLongest);
  return start.append("…");
}

}  // namespace lockstep::serve
