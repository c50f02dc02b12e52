#pragma once

#include <cstddef>
#include <memory>

#include "base/error.h"
#include "model/model.h"
#include "scenario/assets.h"
#include "scenario/scenario.h"

namespace lockstep {

/// Sizes beyond which a scenario is refused: an engine would run out of memory or time, or end the process.
inline constexpr std::size_t kMaxBodies = 5'000;
inline constexpr std::size_t kMaxShapes = 20'000;
inline constexpr std::size_t kMaxMaterials = 256;

/// Resolves names, computes masses, writes out defaults. Everything wrong goes into `diagnostics`; the model
/// is usable only if there are no errors.
std::shared_ptr<const Model> build_model(const Scenario& scenario, const Assets& assets,
                                         Diagnostics& diagnostics);

}  // namespace lockstep
