#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "scenario/study.h"

/// Interface to the search algorithms, which are in a separate module: their library takes longer to load than
/// the rest of the program takes to start, and few commands need it.
namespace lockstep {

/// A candidate and its fitness: numbers in [0, 1], and one fitness per objective, smaller is better.
struct Individual {
  std::vector<double> x;
  std::vector<double> fitness;
};

/// Computes the fitness of a candidate. Exceptions propagate to the caller of the population.
using FitnessFunction = std::function<void(std::span<const double> x, std::span<double> fitness)>;

struct PopulationSpec {
  SearchMethod method;
  std::size_t dimensions = 1;
  std::size_t objectives = 1;
  std::int64_t evaluations = 0;  ///< total budget; determines the cooling schedule of annealing
  std::uint32_t seed = 0;
};

/// The candidates of one island. The same spec and the same fitness give the same candidates in the same order.
class Population {
 public:
  virtual ~Population() = default;
  virtual void evolve(std::int64_t generations) = 0;
  virtual Individual best() const = 0;
  virtual void replace_worst(const Individual& individual) = 0;
};

/// Loads the module if it is not loaded. Call it before other threads start: they may throw, which takes locks
/// of the dynamic linker, and under ThreadSanitizer loading a library at the same time can deadlock. Throws
/// UserError if the module is missing.
void load_search_module();

/// Makes a population and evaluates its first generation. Throws UserError if the module is missing.
std::unique_ptr<Population> make_population(const PopulationSpec& spec, FitnessFunction fitness);

/// Entry point of the module, and its symbol.
using MakePopulation = Population* (*)(const PopulationSpec&, FitnessFunction);
inline constexpr const char* kMakePopulation = "lockstep_make_population";

}  // namespace lockstep
