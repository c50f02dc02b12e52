#pragma once

#include <set>
#include <string>
#include <string_view>

namespace lockstep {

/// Letters, digits, '_', '-' and '.', at most 64 of them: the allowed characters of a name in a scenario. Letters
/// with accents lose them ("é" is "e"); characters of other scripts become their number ("关" is "u5173").
std::string made_name(std::string_view text);

/// Makes valid and unique scenario names out of any text.
class Names {
 public:
  std::string make(std::string_view wanted);

 private:
  std::set<std::string> taken_;
};

}  // namespace lockstep
