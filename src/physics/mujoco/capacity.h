#pragma once

#include "lockstep/model.h"
#include "physics/mujoco/closures.h"
#include "physics/mujoco/model_options.h"
#include "physics/mujoco/tree_layout.h"

/// Memory that MuJoCo allocates, and limits of what it can simulate.
namespace lockstep {

struct SolverCapacity {
  int contacts = 0;
  int rows = 0;   ///< of the constraint Jacobian
  int stack = 0;  ///< numbers in MuJoCo's stack
};

inline constexpr std::size_t kMaxMujocoBodies = 20'000;  ///< MuJoCo numbers pairs of bodies in 2 × 15 bits
inline constexpr std::size_t kMaxDepth = 1'000;          ///< links in a chain; its reader is recursive
inline constexpr std::size_t kMaxMeshFiles = 1'900;      ///< its virtual file system holds 2000
inline constexpr std::size_t kMaxDegreesOfFreedom = 10'000;

/// Capacity at the start: for all contacts the shapes can make, within reason. MujocoOptions::max_contacts
/// overrides it.
SolverCapacity calc_capacity(const Model& model, const MujocoOptions& options, const Closures& closures);

/// Capacity for when `contacts` are not enough: some more, if memory allows and the shapes can make them.
/// MujocoOptions::max_contacts is final.
SolverCapacity calc_larger_capacity(const Model& model, const MujocoOptions& options, const Closures& closures,
                                    int contacts);

/// MuJoCo counts bytes of its main buffer in an int. Memory grows with the square of the rows.
inline constexpr double kMaxWorldBytes = 1.5e9;

/// Unused stack pages take no physical memory, so this bounds address space rather than memory.
inline constexpr double kMaxStackBytes = 8e9;

/// Reports where the model exceeds a limit of MuJoCo.
void check_limits(const Model& model, const MujocoOptions& options, const Closures& closures,
                  const TreeLayout& layout, Diagnostics& diagnostics);

}  // namespace lockstep
