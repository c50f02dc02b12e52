#pragma once

#include "log/log_file.h"

namespace lockstep {

/// An HDF5 file of plain arrays:
///
///     /time   [rows]            s
///     /data   [rows, signals]   the other columns
///     /names  [signals]         their names, and
///     /units  [signals]         their units, as text
///
/// and attributes of the file: lockstep (version), scenario, step, period, seed, flush_rows, and `rows`, the
/// number of rows that are complete. After an orderly end the arrays have exactly so many; a killed process can
/// leave up to flush_rows more behind them, which hold NaN or part of the next flush.
OpenedLog open_hdf5_file(const std::filesystem::path& path, const LogHeader& header);

}  // namespace lockstep
