#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/error.h"

namespace lockstep {

/// A motion plan as read from its file: rows of numbers, with an optional header.
struct PlanTable {
  std::string file;                  ///< for places
  std::vector<std::string> header;   ///< names of the columns; empty if the file has none
  int header_line = 0;               ///< line of the header, from 1
  std::size_t columns = 0;           ///< at least 1
  std::vector<double> cells;         ///< row by row; each finite and at most kMaxPlanNumber
  std::vector<int> lines;            ///< line of each row, from 1
  std::vector<std::uint32_t> where;  ///< text column in which each cell begins, from 1

  std::size_t rows() const { return lines.size(); }
  double cell(std::size_t row, std::size_t column) const { return cells[row * columns + column]; }
  Place place(std::size_t row, std::size_t column) const {
    return {file, lines[row], static_cast<int>(where[row * columns + column])};
  }
};

/// Reads a plan of two rows or more. Cells are separated by ';', ',', tabs or blanks: by the first of these
/// that the first row contains. Empty lines and comments ('#' to the end of the line) are skipped; CRLF, a byte
/// order mark and quotes around a cell are accepted. The first row is a header if no cell of it is a number.
///
/// Throws UserError with the place of every wrong cell. Sizes are checked before memory is allocated.
PlanTable read_plan_table(std::string_view text, const std::string& file);

inline constexpr std::size_t kMaxPlanBytes = 64u << 20;
inline constexpr std::size_t kMaxPlanRows = 1'000'000;
inline constexpr std::size_t kMaxPlanColumns = 256;
inline constexpr std::size_t kMaxPlanCells = 4'000'000;
inline constexpr double kMaxPlanNumber = 1e12;

}  // namespace lockstep
