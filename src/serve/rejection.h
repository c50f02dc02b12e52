#pragma once

#include <stdexcept>
#include <string>

namespace lockstep::serve {

/// A rejected request; what() is the error text of the answer.
class Rejection : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace lockstep::serve
