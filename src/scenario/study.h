#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/time.h"

/// <study>: a parameter search, as plain structs. Paths, formulas and bounds are still text; `optimize/`
/// evaluates them.
namespace lockstep {

enum class ParameterScale { kLinear, kLog };

/// <parameter>: a number of the scenario to optimize.
struct StudyParameter {
  Place place;
  std::string name;  ///< column of the results
  std::string path;  ///< XPath of the attributes that get the value
  std::string min;   ///< in any unit that the attribute accepts
  std::string max;
  std::string step;  ///< "" for any value between min and max
  bool is_integer = false;
  ParameterScale scale = ParameterScale::kLinear;
  std::int64_t component = 0;  ///< which number of the attribute, from 1; 0: it is the only one
};

/// <objective>: what to maximize or minimize. Exactly one of the two is given.
struct StudyObjective {
  Place place;
  std::string maximize;
  std::string minimize;
  std::string name;                ///< column of the results; "" for "objective1" and so on
  std::optional<double> recorded;  ///< value found by the search, in the scenario of the best candidate
};

/// <constraint>: a value that must stay within bounds.
struct StudyConstraint {
  Place place;
  std::string value;
  std::string min;  ///< "" for no bound
  std::string max;
};

/// <limits>: a result beyond them is an artefact of the simulation and is discarded.
struct StudyLimits {
  Place place;
  std::optional<double> penetration;  ///< m, maximum penetration of two shapes
  std::optional<double> energy;       ///< J, mechanical energy above the initial one
};

/// <set> in a <repetition>: an edit, like --set.
struct StudyEdit {
  Place place;
  std::string path;
  std::string value;
};

/// <repetition>: every candidate is run once per repetition, with these edits.
struct StudyRepetition {
  Place place;
  std::string name;
  std::vector<StudyEdit> edits;
};

enum class GeneticSelection { kBest, kTournament };
enum class GeneticCrossover { kUniform, kCut, kExponential, kSimulatedBinary };
enum class GeneticMutation { kUniform, kGaussian, kPolynomial };

struct GeneticSearch {
  std::int64_t population = 20;
  std::int64_t exchange = 5;  ///< generations between exchanges of islands; 0: never
  GeneticSelection selection = GeneticSelection::kBest;
  double survivors = 0.25;  ///< share of the population that reproduces
  GeneticCrossover crossover = GeneticCrossover::kUniform;
  double crossover_rate = 0.5;
  GeneticMutation mutation = GeneticMutation::kUniform;
  double mutation_rate = 0.1;
  double mutation_width = 0.1;
};
struct AnnealingSearch {
  std::int64_t first = 8;       ///< random candidates; the search starts at the best of them
  std::optional<double> begin;  ///< temperature, in the unit of the objective
  std::optional<double> end;
  std::int64_t moves = 5;  ///< of each parameter at one temperature
  double range = 0.3;      ///< size of the first moves, as a share of the range
};
struct SwarmSearch {
  std::int64_t population = 20;
  std::int64_t exchange = 5;
  double inertia = 0.7298;
  double own_pull = 2.05;
  double swarm_pull = 2.05;
  double max_velocity = 0.5;
};
struct DifferentialSearch {
  std::int64_t population = 20;
  std::int64_t exchange = 5;
  double weight = 0.8;
  double crossover_rate = 0.9;
};
struct CmaesSearch {
  std::int64_t population = 12;
  double sigma = 0.3;
};
struct Nsga2Search {
  std::int64_t population = 24;
  std::int64_t exchange = 5;
  double crossover_rate = 0.95;
  double mutation_rate = 0.1;
};
struct GridSearch {
  std::int64_t points = 5;  ///< along each parameter that has no step
};
struct RandomSearch {};
struct LatinSearch {};

/// Search method: <genetic>, <annealing>, …
struct SearchMethod {
  Place place;
  std::variant<GeneticSearch, AnnealingSearch, SwarmSearch, DifferentialSearch, CmaesSearch, Nsga2Search,
               GridSearch, RandomSearch, LatinSearch>
      options;
};

enum class CombineRepetitions { kMean, kWorst };

struct Study {
  Place place;
  std::string name;
  std::int64_t evaluations = 1000;
  std::optional<Duration> duration;  ///< of each run; default: that of the scenario
  std::uint64_t seed = 1;            ///< of the search; runs use the scenario's
  std::int64_t islands = 4;
  CombineRepetitions combine = CombineRepetitions::kMean;
  std::vector<StudyParameter> parameters;
  std::vector<StudyObjective> objectives;
  std::vector<StudyConstraint> constraints;
  StudyLimits limits;
  std::vector<StudyRepetition> repetitions;
  std::vector<SearchMethod> methods;  ///< one
};

}  // namespace lockstep
