// The motion plan reader must answer any bytes with a table of finite numbers or a UserError, and what is made
// of it must stay within its control points.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "control/plan.h"
#include "control/plan_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  try {
    const PlanTable table = read_plan_table({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
    LOCKSTEP_CHECK(table.rows() >= 2 && table.cells.size() == table.rows() * table.columns);
    LOCKSTEP_CHECK(table.where.size() == table.cells.size());
    LOCKSTEP_CHECK(table.header.empty() || table.header.size() == table.columns);
    for (const double cell : table.cells) LOCKSTEP_CHECK(std::abs(cell) <= kMaxPlanNumber);
    // As a playback does: the first column as the only curve, one row per second.
    for (const auto interpolation : {Interpolation::kLinear, Interpolation::kCubic, Interpolation::kQuintic}) {
      Plan plan{interpolation, (size & 1) != 0, {}, {{}}};
      for (std::size_t row = 0; row < table.rows(); ++row) {
        plan.times.push_back(static_cast<double>(row));
        plan.curves[0].position.push_back(table.cell(row, 0));
      }
      complete(plan);
      for (std::size_t row = 0; row + 1 < table.rows(); ++row) {
        LOCKSTEP_CHECK(std::isfinite(plan.piece(0, row).value(0.5)));
        (void)find_excess(plan.piece(0, row), -1.0, 1.0);
      }
    }
  } catch (const UserError&) {
  }
  return 0;
}
