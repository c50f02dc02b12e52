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
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "…";
}

}  // namespace lockstep::serve
