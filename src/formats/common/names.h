#pragma once

#include <set>
#include <string>
#include <string_view>

namespace lockstep {

/// Letters, digits, '_', '-' and '.', at most 64 of them: what a name in a scenario may have.
std::string made_name(std::string_view text);

/// Makes names that a scenario allows out of any text, each of them only once.
class Names {
 public:
  std::string make(std::string_view wanted);

 private:
  std::set<std::string> taken_;
};

}  // namespace lockstep
