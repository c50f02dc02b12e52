#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "assemble/registry.h"
#include "lockstep/model.h"
#include "lockstep/signals.h"
#include "scenario/document.h"
#include "scenario/scenario.h"

/// A study that has been checked and is ready to run.
namespace lockstep {

/// A parameter: the search moves in [0, 1], the scenario gets numbers in SI units.
struct SearchAxis {
  Place place;
  std::string name;
  std::string path;
  double min = 0.0;
  double max = 1.0;
  double step = 0.0;  ///< 0: any value
  ParameterScale scale = ParameterScale::kLinear;
  std::int64_t component = 0;  ///< as in StudyParameter
  std::vector<AttributeTarget> targets;
  std::optional<double> start;  ///< what the scenario has, if it is written there

  std::int64_t count() const;       ///< of values, 0 if there is no step
  double value_at(double x) const;  ///< of a place in [0, 1]; outside, that of the nearest bound
};

/// The scenario as one repetition has it.
struct Variant {
  std::string name;
  Element root;
};

struct StudySetup {
  std::string scenario_file;
  std::filesystem::path folder;  ///< that assets are relative to
  Study study;
  std::vector<SearchAxis> axes;
  std::vector<Variant> variants;   ///< at least one
  Duration length{0};              ///< of each run
  std::int64_t steps = 0;          ///< of each run
  std::uint64_t hash = 0;          ///< of everything that the results depend on
  std::vector<std::string> edits;  ///< as given on the command line

  std::vector<double> values_at(std::span<const double> x) const;
};

/// Reads a scenario, applies edits, takes the study of that name (the only one if it is ""), and checks all
/// that can be known before the first evaluation. Throws UserError with everything that is wrong.
StudySetup set_up_study(const std::filesystem::path& file, const std::vector<std::string>& edits,
                        const std::string& name, const Registry& registry);

/// What can be found wrong with the studies of a scenario without running it, for a scenario that may have
/// errors itself: to be called by assemble().
void check_studies(const Document& document, const Scenario& scenario, const Model& model,
                   const SignalTable& signals, Diagnostics& diagnostics);

/// The objectives' columns: their names, or "objective1" and so on.
std::vector<std::string> objective_names(const Study& study);
inline bool is_maximized(const StudyObjective& objective) {
  return !objective.maximize.empty();
}
inline const std::string& formula_of(const StudyObjective& objective) {
  return is_maximized(objective) ? objective.maximize : objective.minimize;
}

/// Writes numbers of a scenario: the attribute gets the value, or its component does.
void set_number(Element& root, const SearchAxis& axis, double value);
void set_number(Element& element, const AttributeTarget& target, std::size_t depth, const SearchAxis& axis,
                double value);

/// The scenario with these values, one for each axis, ready to run: its duration is that of the study, the
/// objectives have what was found, and every file is inside.
std::string winner_text(const StudySetup& setup, std::span<const double> values,
                        std::span<const double> objectives);

}  // namespace lockstep
