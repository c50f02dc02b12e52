#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "simulation/simulation.h"

/// A simulation's state as a file.
///
///     bytes  0…7   "LOCKSNAP"
///            8…11  version of this format
///           12…19  fingerprint of the simulation (names of bodies, joints, signals, devices; the step)
///           20…27  hash of the scenario with all defaults written out
///           28…35  length of the state
///           36…    the state
///           last 8 checksum of everything before it
///
/// All numbers are little-endian. A state may be restored into a scenario with other parameter values (to
/// branch a run), but not into one with other bodies, joints, signals or devices.
namespace lockstep {

inline constexpr std::uint32_t kSnapshotVersion = 2;

std::vector<std::uint8_t> make_snapshot(const Simulation& simulation, std::uint64_t scenario_hash);

/// Restores the simulation and returns the scenario hash the snapshot was taken with. Throws UserError if the
/// bytes are not a snapshot, damaged, or of another version or scenario. After a damaged file the simulation is
/// unchanged; after a content mismatch it must not be used further.
std::uint64_t restore_snapshot(Simulation& simulation, std::span<const std::uint8_t> bytes,
                               const std::string& file);

/// Writes a temporary file and renames it, so that the target file is always complete.
void write_snapshot_file(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
std::vector<std::uint8_t> read_snapshot_file(const std::filesystem::path& path);

inline constexpr std::size_t kMaxSnapshotBytes = 1u << 30;

}  // namespace lockstep
