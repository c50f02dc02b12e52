#pragma once

#include <stdexcept>
#include <string>

namespace lockstep::serve {

/// A request that cannot be done; the sentence is the answer.
class Rejection : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace lockstep::serve
