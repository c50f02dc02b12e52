#pragma once

namespace lockstep {

/// Combines several lambdas into one visitor for std::visit().
template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;  // clang 14 needs the deduction guide

}  // namespace lockstep
