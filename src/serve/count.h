#pragma once

#include <utility>

namespace lockstep::serve {

/// Counts itself in a counter while it lives; moving it does not count twice.
class Count {
 public:
  explicit Count(int& counter) : counter_(&counter) { ++*counter_; }
  Count(Count&& other) noexcept : counter_(std::exchange(other.counter_, nullptr)) {}
  Count& operator=(Count&&) = delete;
  ~Count() {
    if (counter_ != nullptr) --*counter_;
  }

 private:
  int* counter_;
};

}  // namespace lockstep::serve
