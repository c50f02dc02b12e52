#pragma once

#include <cstddef>
#include <memory>

#include "lockstep/error.h"
#include "lockstep/model.h"
#include "scenario/assets.h"
#include "scenario/scenario.h"

namespace lockstep {

/// Sizes beyond which a scenario is rejected: an engine would run out of memory or time, or end the process.
inline constexpr std::size_t kMaxBodies = 5'000;
inline constexpr std::size_t kMaxShapes = 20'000;
inline constexpr std::size_t kMaxMaterials = 256;

/// Resolves names, computes masses, writes out defaults. Everything wrong goes into `diagnostics`; the model
/// can be simulated only if there are no errors. Otherwise it has what could be made, so that devices can be
/// checked against it; what is broken in the diagnostics is not checked again. Throws UserError if it is too
/// large.
std::shared_ptr<const Model> build_model(const Scenario& scenario, const Assets& assets,
                                         Diagnostics& diagnostics);

/// Whether where the body is and how it moves follows from elements that are wrong: its own, or those of the
/// bodies and joints that lead to it.
bool is_doubtful(const Model& model, BodyId body, const Diagnostics& diagnostics);

}  // namespace lockstep
