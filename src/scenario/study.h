#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/time.h"

/// <study>: a search for better values of a scenario's numbers, as plain structs. Paths, formulas and bounds
/// are still text; `optimize/` makes sense of them.
namespace lockstep {

enum class ParameterScale { kLinear, kLog };

/// <parameter>: numbers of the scenario that are searched for.
struct StudyParameter {
  Place place;
  std::string name;  ///< column of the results
  std::string path;  ///< XPath of the attributes that get the value
  std::string min;   ///< with any unit that the attribute takes
  std::string max;
  std::string step;  ///< "" for any value between min and max
  bool is_integer = false;
  ParameterScale scale = ParameterScale::kLinear;
  std::int64_t component = 0;  ///< which number of the attribute, from 1; 0: it is the only one
};

/// <objective>: what is to become large, or small. Exactly one of the two is given.
struct StudyObjective {
  Place place;
  std::string maximize;
  std::string minimize;
  std::string name;                ///< column of the results; "" for "objective1" and so on
  std::optional<double> recorded;  ///< what the search found, in the scenario of a winner
};

/// <constraint>: a value that must stay within bounds.
struct StudyConstraint {
  Place place;
  std::string value;
  std::string min;  ///< "" for no bound
  std::string max;
};

/// <limits>: beyond them a result is an artefact of the simulation and counts for nothing.
struct StudyLimits {
  Place place;
  std::optional<double> penetration;  ///< m, deepest overlap of two shapes
  std::optional<double> energy;       ///< J, mechanical energy above that at the start
};

/// <set> in a <repetition>: an edit, as --set makes one.
struct StudyEdit {
  Place place;
  std::string path;
  std::string value;
};

/// <repetition>: every candidate is run once for each, with these edits.
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
  double survivors = 0.25;  ///< share of the population that has children
  GeneticCrossover crossover = GeneticCrossover::kUniform;
  double crossover_rate = 0.5;
  GeneticMutation mutation = GeneticMutation::kUniform;
  double mutation_rate = 0.1;
  double mutation_width = 0.1;
};
struct AnnealingSearch {
  std::int64_t first = 8;       ///< random candidates; the best of them is the beginning
  std::optional<double> begin;  ///< temperature, in the unit of the objective
  std::optional<double> end;
  std::int64_t moves = 5;  ///< of each parameter at one temperature
  double range = 0.3;      ///< of a first move, as a share of the range between the bounds
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

/// How candidates are found: <genetic>, <annealing>, …
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
