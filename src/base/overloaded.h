#pragma once

namespace lockstep {

/// One visitor for std::visit() out of several lambdas.
template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;  // clang 14 does not deduce this by itself

}  // namespace lockstep
