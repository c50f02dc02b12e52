#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "geometry/assembly.h"

namespace lockstep {

struct ReadOptions {
  /// Metres per unit of the file. Empty: the unit of the file, or metres if it has none (OBJ, STL).
  std::optional<double> unit_length;
  /// Maximum distance between a round surface of exact geometry and its mesh, m. Empty: 1/500 of the size of
  /// the shape, but at least 1 µm.
  std::optional<double> deviation;
  /// Whether a format with an up axis (DAE, glTF) is rotated to z up. Robot descriptions use the numbers
  /// unchanged.
  bool turns_up = true;
  std::size_t max_memory = std::size_t{3} << 30;  ///< bytes of the reading process
  int max_seconds = 120;                          ///< real time, and CPU time
};

/// Reads a STEP (AP203, AP214, AP242), OBJ, STL, DAE, glTF or GLB file. The format is detected by
/// content, else by extension. Metres, z up: formats with an up axis are rotated, others are unchanged.
///
/// A separate process (`lockstep-reader`) reads the file, with limits on memory and time and without access to
/// the file system, so that a broken or hostile file is only an error. It gets referenced files (materials,
/// buffers) only if they are below the folder of the file.
///
/// Throws UserError: "part.step: error: …".
Assembly read_assembly(const std::filesystem::path& file, const ReadOptions& options = {});

/// The same for a file in memory; referenced files are searched below `folder`.
Assembly read_assembly(std::string_view bytes, std::string_view file_name, const std::filesystem::path& folder,
                       const ReadOptions& options = {});

}  // namespace lockstep
