#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "scenario/study.h"

/// The door to the search algorithms, which live in a module of their own: their library takes longer to load
/// than the rest of the program takes to start, and few commands need it.
namespace lockstep {

/// A candidate with what it is worth: numbers in [0, 1], and one fitness for each objective, smaller is better.
struct Individual {
  std::vector<double> x;
  std::vector<double> fitness;
};

/// Asks for the fitness of a candidate. What it throws goes through.
using FitnessFunction = std::function<void(std::span<const double> x, std::span<double> fitness)>;

struct PopulationSpec {
  SearchMethod method;
  std::size_t dimensions = 1;
  std::size_t objectives = 1;
  std::int64_t evaluations = 0;  ///< that it may use in all; annealing plans its cooling by it
  std::uint32_t seed = 0;
};

/// The candidates of one island. The same spec and the same fitness give the same questions in the same order.
class Population {
 public:
  virtual ~Population() = default;
  virtual void evolve(std::int64_t generations) = 0;
  virtual Individual best() const = 0;
  virtual void replace_worst(const Individual& individual) = 0;
};

/// Loads the module, unless it is loaded. To be called before other threads start: they may throw, which takes
/// the locks of the dynamic linker, and under ThreadSanitizer loading a library at the same time can hang.
/// Throws UserError if the module is missing.
void load_search_module();

/// Makes a population; its first generation is evaluated at once. Throws UserError if the module is missing.
std::unique_ptr<Population> make_population(const PopulationSpec& spec, FitnessFunction fitness);

/// What the module offers under this name.
using MakePopulation = Population* (*)(const PopulationSpec&, FitnessFunction);
inline constexpr const char* kMakePopulation = "lockstep_make_population";

}  // namespace lockstep
