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

/// A study that is checked and ready to run.
namespace lockstep {

/// A parameter: the search uses [0, 1], the scenario gets numbers in SI units.
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
  std::optional<double> start;  ///< the value in the scenario, if it is given there

  std::int64_t count() const;       ///< number of values, 0 if there is no step
  double value_at(double x) const;  ///< for x in [0, 1]; outside, the nearest bound
};

/// The scenario of one repetition.
struct Variant {
  std::string name;
  Element root;
};

struct StudySetup {
  std::string scenario_file;
  std::filesystem::path folder;  ///< base folder of assets
  Study study;
  std::vector<SearchAxis> axes;
  std::vector<Variant> variants;   ///< at least one
  Duration length{0};              ///< of each run
  std::int64_t steps = 0;          ///< of each run
  std::uint64_t hash = 0;          ///< of everything that the results depend on
  std::vector<std::string> edits;  ///< as given on the command line

  std::vector<double> values_at(std::span<const double> x) const;
};

/// Reads a scenario, applies edits, selects the study of this name (the only one if it is ""), and checks
/// everything that can be checked before the first evaluation. Throws UserError with all errors.
StudySetup set_up_study(const std::filesystem::path& file, const std::vector<std::string>& edits,
                        const std::string& name, const Registry& registry);

/// Checks the studies of a scenario without running it. The scenario itself may have errors. Called by
/// assemble().
void check_studies(const Document& document, const Scenario& scenario, const Model& model,
                   const SignalTable& signals, Diagnostics& diagnostics);

/// Column names of the objectives: their names, or "objective1" and so on.
std::vector<std::string> objective_names(const Study& study);
inline bool is_maximized(const StudyObjective& objective) {
  return !objective.maximize.empty();
}
inline const std::string& formula_of(const StudyObjective& objective) {
  return is_maximized(objective) ? objective.maximize : objective.minimize;
}

/// Writes a value into an attribute of a scenario, or into one component of it.
void set_number(Element& root, const SearchAxis& axis, double value);
void set_number(Element& element, const AttributeTarget& target, std::size_t depth, const SearchAxis& axis,
                double value);

/// The scenario with these values, one for each axis, ready to run: with the duration of the study, the
/// recorded objectives, and all files embedded.
std::string winner_text(const StudySetup& setup, std::span<const double> values,
                        std::span<const double> objectives);

}  // namespace lockstep
