// pagmo implementation of population.h, as a separate module.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/cmaes.hpp>
#include <pagmo/algorithms/de.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/algorithms/pso.hpp>
#include <pagmo/algorithms/sga.hpp>
#include <pagmo/algorithms/simulated_annealing.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/utils/multi_objective.hpp>

#include "base/overloaded.h"
#include "study/population.h"

namespace lockstep {
namespace {

using pagmo::vector_double;

/// A user-defined problem of pagmo. pagmo copies it freely, so it holds only pointers.
struct Question {
  const FitnessFunction* ask = nullptr;
  std::size_t dimensions = 1;
  std::size_t objectives = 1;

  vector_double fitness(const vector_double& x) const {
    vector_double answer(objectives);
    (*ask)(x, answer);
    return answer;
  }
  std::pair<vector_double, vector_double> get_bounds() const {
    return {vector_double(dimensions, 0.0), vector_double(dimensions, 1.0)};
  }
  vector_double::size_type get_nobj() const { return objectives; }
};

const char* name_of(GeneticCrossover crossover) {
  constexpr const char* kNames[] = {"binomial", "single", "exponential", "sbx"};
  return kNames[static_cast<std::size_t>(crossover)];
}
const char* name_of(GeneticMutation mutation) {
  constexpr const char* kNames[] = {"uniform", "gaussian", "polynomial"};
  return kNames[static_cast<std::size_t>(mutation)];
}

/// pagmo's defaults for options that a study does not have.
constexpr double kBlendIndex = 10.0, kPolynomialIndex = 20.0, kDefault = -1.0;
/// A population whose candidates differ by less has converged.
constexpr double kTolerance = 1e-9;
constexpr unsigned kRandToBestBin =
    8;  // variants of differential evolution and of swarms, as pagmo counts them
constexpr unsigned kConstriction = 5, kRing = 2, kNeighbours = 4;

/// Fitness of violated and invalid candidates is at least this.
constexpr double kUseless = 1e19;

std::size_t population_of(const SearchMethod& method) {
  return std::visit(
      [](const auto& s) -> std::size_t {
        if constexpr (requires { s.population; }) return static_cast<std::size_t>(s.population);
        if constexpr (requires { s.first; }) return static_cast<std::size_t>(s.first);
        return 0;
      },
      method.options);
}

class PagmoPopulation final : public Population {
 public:
  PagmoPopulation(const PopulationSpec& spec, FitnessFunction fitness)
      : spec_(spec),
        fitness_(std::move(fitness)),
        population_(pagmo::problem(Question{&fitness_, spec.dimensions, spec.objectives}),
                    population_of(spec.method), spec.seed) {}

  void evolve(std::int64_t generations) override {
    // Algorithms with state are kept while the number of generations stays the same.
    if (!algorithm_ || generations != generations_) {
      algorithm_ = make_algorithm(static_cast<unsigned>(generations));
      generations_ = generations;
    }
    population_ = algorithm_->evolve(population_);
  }

  Individual best() const override { return at(ranked().front()); }

  void replace_worst(const Individual& individual) override {
    population_.set_xf(ranked().back(), individual.x, individual.fitness);
  }

 private:
  Individual at(std::size_t i) const { return {population_.get_x()[i], population_.get_f()[i]}; }

  /// From the best to the worst.
  std::vector<std::size_t> ranked() const {
    const auto& f = population_.get_f();
    if (spec_.objectives > 1) return pagmo::sort_population_mo(f);
    std::vector<std::size_t> order(f.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return f[a][0] < f[b][0]; });
    return order;
  }

  pagmo::algorithm make_algorithm(unsigned generations) {
    const unsigned seed = spec_.seed ^ 0x9e3779b9u ^ (rounds_++ * 0x85ebca6bu);
    return std::visit(
        Overloaded{
            [&](const GeneticSearch& s) {
              const bool is_best = s.selection == GeneticSelection::kBest;
              const auto survivors = static_cast<unsigned>(
                  std::max(2.0, std::round(s.survivors * static_cast<double>(s.population))));
              const bool is_polynomial = s.mutation == GeneticMutation::kPolynomial;
              return pagmo::algorithm(pagmo::sga(
                  generations, s.crossover_rate, kBlendIndex, s.mutation_rate,
                  is_polynomial ? kPolynomialIndex : s.mutation_width, is_best ? survivors : 2u,
                  name_of(s.crossover), name_of(s.mutation), is_best ? "truncated" : "tournament", seed));
            },
            [&](const AnnealingSearch& s) { return make_annealing(s, seed); },
            [&](const SwarmSearch& s) {
              return pagmo::algorithm(pagmo::pso(generations, s.inertia, s.own_pull, s.swarm_pull,
                                                 s.max_velocity, kConstriction, kRing, kNeighbours, true,
                                                 seed));
            },
            [&](const DifferentialSearch& s) {
              return pagmo::algorithm(pagmo::de(generations, s.weight, s.crossover_rate, kRandToBestBin,
                                                kTolerance, kTolerance, seed));
            },
            [&](const CmaesSearch& s) {
              return pagmo::algorithm(pagmo::cmaes(generations, kDefault, kDefault, kDefault, kDefault, s.sigma,
                                                   kTolerance, kTolerance, true, true, seed));
            },
            [&](const Nsga2Search& s) {
              return pagmo::algorithm(pagmo::nsga2(generations, s.crossover_rate, kBlendIndex, s.mutation_rate,
                                                   kPolynomialIndex, seed));
            },
            [](const auto&) { return pagmo::algorithm(); },  // sampling methods have no algorithm
        },
        spec_.method.options);
  }

  /// One chain, cooled over all evaluations after the first candidates.
  pagmo::algorithm make_annealing(const AnnealingSearch& s, unsigned seed) const {
    const double begin = s.begin.value_or(s.end ? std::max(spread(), 2.0 * *s.end) : spread());
    const double end = std::min(s.end.value_or(1e-3 * begin), 0.5 * begin);
    const auto moves = static_cast<std::int64_t>(s.moves);
    const auto per_temperature = moves * static_cast<std::int64_t>(spec_.dimensions);
    const std::int64_t left = spec_.evaluations - s.first;
    const auto temperatures =
        static_cast<unsigned>(std::clamp<std::int64_t>(left / per_temperature, 1, 100'000));
    return pagmo::algorithm(
        pagmo::simulated_annealing(begin, end, temperatures, 1u, static_cast<unsigned>(moves), s.range, seed));
  }

  /// Spread of the valid candidates; never zero.
  double spread() const {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const vector_double& f : population_.get_f()) {
      if (f[0] >= kUseless) continue;
      low = std::min(low, f[0]);
      high = std::max(high, f[0]);
    }
    return high > low ? high - low : 1.0;
  }

  PopulationSpec spec_;
  FitnessFunction fitness_;
  pagmo::population population_;
  std::optional<pagmo::algorithm> algorithm_;
  std::int64_t generations_ = 0;
  unsigned rounds_ = 0;
};

}  // namespace
}  // namespace lockstep

extern "C" __attribute__((visibility("default"))) lockstep::Population* lockstep_make_population(
    const lockstep::PopulationSpec& spec, lockstep::FitnessFunction fitness) {
  return new lockstep::PagmoPopulation(spec, std::move(fitness));
}
