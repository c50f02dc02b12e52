#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "geometry/assembly.h"

namespace lockstep {

struct ReadOptions {
  /// Metres per unit of the file. Empty: what the file says, and metres where it cannot say (OBJ, STL).
  std::optional<double> unit_length;
  /// Largest distance between a round surface of exact geometry and its mesh, m. Empty: 1/500 of the size of
  /// the shape, but at least 1 µm.
  std::optional<double> deviation;
  /// Whether a format that says which axis is up (DAE, glTF) is turned so that it is z. Robot descriptions take
  /// the numbers as they are.
  bool turns_up = true;
  std::size_t max_memory = std::size_t{3} << 30;  ///< bytes of the reading process
  int max_seconds = 120;                          ///< of time, and of work of the processor
};

/// Reads a STEP (AP203, AP214, AP242), OBJ, STL, DAE, glTF or GLB file. Contents say which it is, and the
/// ending where they do not. Metres, z up: formats that say which axis is up are turned, others are taken as
/// they are.
///
/// The file is read in a process of its own (`lockstep-reader`) with limits on memory and time, which can open
/// no file: a broken or hostile one costs an error. Files that it names (materials, buffers) are handed over if
/// they lie below its folder.
///
/// Throws UserError: "part.step: error: …".
Assembly read_assembly(const std::filesystem::path& file, const ReadOptions& options = {});

/// The same for a file in memory; those that it names are looked for below `folder`.
Assembly read_assembly(std::string_view bytes, std::string_view file_name, const std::filesystem::path& folder,
                       const ReadOptions& options = {});

}  // namespace lockstep
