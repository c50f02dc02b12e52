#pragma once

#include <cstddef>
#include <memory>

#include "lockstep/error.h"
#include "lockstep/model.h"
#include "scenario/assets.h"
#include "scenario/scenario.h"

namespace lockstep {

/// Size limits of a scenario: beyond them an engine would run out of memory or time, or end the process.
inline constexpr std::size_t kMaxBodies = 5'000;
inline constexpr std::size_t kMaxShapes = 20'000;
inline constexpr std::size_t kMaxMaterials = 256;

/// Resolves names, computes masses, writes out defaults. Errors go into `diagnostics`; the model can be
/// simulated only if there are no errors. Otherwise it is incomplete, but devices can be checked against it;
/// elements marked as broken are not checked again. Which joints are driven follows from the actuators, which are
/// made later. Throws UserError if the scenario is too large.
std::shared_ptr<Model> build_model(const Scenario& scenario, const Assets& assets, Diagnostics& diagnostics);

/// Whether the pose or motion of a body depends on elements with errors: its own, or those of the bodies and
/// joints between it and the root.
bool depends_on_errors(const Model& model, BodyId body, const Diagnostics& diagnostics);

}  // namespace lockstep
