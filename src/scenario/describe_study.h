#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "scenario/fields.h"
#include "scenario/study.h"

/// The <study> element and what is in it. See lockstep/fields.h for how these functions are used.
namespace lockstep {

inline constexpr std::array<std::pair<std::string_view, ParameterScale>, 2> kParameterScales = {{
    {"linear", ParameterScale::kLinear},
    {"log", ParameterScale::kLog},
}};

template <class V>
void describe(V& v, StudyParameter& p) {
  v.name("name", p.name, {.doc = "Name of its column in the results.", .required = true});
  v.text("path", p.path,
         {.doc = "XPath of the attributes that get the value, such as //gait/@pitch_amplitude.",
          .required = true});
  v.text("min", p.min, {.doc = "Smallest value, in any unit that the attribute accepts.", .required = true});
  v.text("max", p.max, {.doc = "Largest value.", .required = true});
  v.text("step", p.step, {.doc = "Distance between values, counted from min. Default: any value."});
  v.flag("integer", p.is_integer, {.doc = "Only whole numbers: a step of 1."});
  v.choice("scale", p.scale, kParameterScales,
           {.doc = "log: the same number of tries between 1 and 10 as between 10 and 100."});
  v.integer(
      "component", p.component,
      {.min = 0, .max = 16, .doc = "Which number of an attribute that has several, from 1; 0 if it has one."});
  v.check(!p.is_integer || p.step.empty(), "step", "step and integer are both given; expected one of them");
}

template <class V>
void describe(V& v, StudyObjective& o) {
  v.text("maximize", o.maximize, {.doc = "Formula to maximize."});
  v.text("minimize", o.minimize, {.doc = "Formula to minimize, instead of maximize."});
  v.name("name", o.name, {.doc = "Name of its column in the results."});
  v.number("recorded", o.recorded,
           {.doc = "Value found by the search; written into the scenario of the best candidate."});
  v.check(o.maximize.empty() != o.minimize.empty(), "minimize",
          "expected either maximize or minimize, with a formula");
}

template <class V>
void describe(V& v, StudyConstraint& c) {
  v.text("value", c.value, {.doc = "Formula, as in an objective.", .required = true});
  v.text("min", c.min, {.doc = "Smallest value allowed, with an optional unit."});
  v.text("max", c.max, {.doc = "Largest value allowed."});
  v.check(!c.min.empty() || !c.max.empty(), "value",
          "neither min nor max is given; expected at least one of them");
}

template <class V>
void describe(V& v, StudyLimits& l) {
  v.number("penetration", l.penetration,
           {.unit = "m",
            .min = 0.0,
            .above_min = true,
            .doc = "Maximum penetration of two shapes. Default: no limit."});
  v.number("energy", l.energy,
           {.unit = "J",
            .min = 0.0,
            .above_min = true,
            .doc = "Maximum mechanical energy above the initial one. Default: no limit."});
}

template <class V>
void describe(V& v, StudyEdit& e) {
  v.text("path", e.path, {.doc = "XPath of the attribute, as for --set.", .required = true});
  v.text("value", e.value, {.doc = "New value.", .required = true});
}

template <class V>
void describe(V& v, StudyRepetition& r) {
  v.name("name", r.name, {.doc = "Name for messages.", .required = true});
  v.children("set", r.edits, {.doc = "Changes the scenario for this repetition."});
}

/// Common to all population-based searches.
template <class V, class Search>
void describe_population(V& v, Search& s, std::int64_t least) {
  v.integer("population", s.population,
            {.min = static_cast<double>(least), .max = 10'000, .doc = "Candidates of each island."});
  if constexpr (requires { s.exchange; }) {
    v.integer("exchange", s.exchange,
              {.min = 0,
               .max = 1e6,
               .doc = "Generations after which each island sends its best to the next; 0 means never."});
  }
}

inline constexpr std::array<std::pair<std::string_view, GeneticSelection>, 2> kSelections = {{
    {"best", GeneticSelection::kBest},
    {"tournament", GeneticSelection::kTournament},
}};
inline constexpr std::array<std::pair<std::string_view, GeneticCrossover>, 4> kCrossovers = {{
    {"uniform", GeneticCrossover::kUniform},
    {"cut", GeneticCrossover::kCut},
    {"exponential", GeneticCrossover::kExponential},
    {"simulated-binary", GeneticCrossover::kSimulatedBinary},
}};
inline constexpr std::array<std::pair<std::string_view, GeneticMutation>, 3> kMutations = {{
    {"uniform", GeneticMutation::kUniform},
    {"gaussian", GeneticMutation::kGaussian},
    {"polynomial", GeneticMutation::kPolynomial},
}};

template <class V>
void describe(V& v, GeneticSearch& s) {
  describe_population(v, s, 4);
  v.choice(
      "selection", s.selection, kSelections,
      {.doc =
           "Selection of parents. best: the highest ranked. tournament: the better of two random candidates."});
  v.number(
      "survivors", s.survivors,
      {.min = 0.0, .max = 1.0, .above_min = true, .doc = "Share of the population that reproduces (best)."});
  v.choice(
      "crossover", s.crossover, kCrossovers,
      {.doc = "uniform: each number from either parent. cut: one-point crossover. "
              "exponential: a stretch of one parent. simulated-binary: numbers between those of the parents."});
  v.number("crossover_rate", s.crossover_rate, {.min = 0.0, .max = 1.0, .doc = "Probability of a crossover."});
  v.choice("mutation", s.mutation, kMutations,
           {.doc = "uniform: any value within the bounds. gaussian, polynomial: a value near the old one."});
  v.number("mutation_rate", s.mutation_rate,
           {.min = 0.0, .max = 1.0, .doc = "Probability that a number mutates."});
  v.number(
      "mutation_width", s.mutation_width,
      {.min = 0.0, .max = 1.0, .above_min = true, .doc = "Of a gaussian mutation, as a share of the range."});
  v.check(s.crossover != GeneticCrossover::kSimulatedBinary || s.population % 2 == 0, "population",
          "population is odd; the crossover simulated-binary needs pairs");
}

template <class V>
void describe(V& v, AnnealingSearch& s) {
  v.integer(
      "first", s.first,
      {.min = 2, .max = 1000, .doc = "Initial random candidates; the search starts at the best of them."});
  v.number(
      "begin", s.begin,
      {.min = 0.0,
       .above_min = true,
       .doc = "Initial temperature, in the unit of the objective. Default: how far the first candidates are "
              "apart."});
  v.number(
      "end", s.end,
      {.min = 0.0, .above_min = true, .doc = "Final temperature. Default: a thousandth of the initial one."});
  v.integer("moves", s.moves, {.min = 1, .max = 1000, .doc = "Moves along each parameter at one temperature."});
  v.number(
      "range", s.range,
      {.min = 0.0, .max = 1.0, .above_min = true, .doc = "Size of the first moves, as a share of the range."});
  v.check(!s.begin || !s.end || *s.begin > *s.end, "end", "end is not below begin; temperatures must fall");
}

template <class V>
void describe(V& v, SwarmSearch& s) {
  describe_population(v, s, 2);
  v.number("inertia", s.inertia,
           {.min = 0.0, .max = 1.0, .doc = "Share of its velocity that a particle keeps."});
  v.number("own_pull", s.own_pull,
           {.min = 0.0, .max = 4.0, .doc = "Attraction to the particle's own best position."});
  v.number("swarm_pull", s.swarm_pull,
           {.min = 0.0, .max = 4.0, .doc = "Attraction to the best position of its neighbours."});
  v.number("max_velocity", s.max_velocity,
           {.min = 0.0,
            .max = 1.0,
            .above_min = true,
            .doc = "Maximum speed per generation, as a share of the range."});
}

template <class V>
void describe(V& v, DifferentialSearch& s) {
  describe_population(v, s, 5);
  v.number("weight", s.weight, {.min = 0.0, .max = 1.0, .doc = "Weight of the difference vector (F)."});
  v.number("crossover_rate", s.crossover_rate,
           {.min = 0.0, .max = 1.0, .doc = "Probability of a crossover (CR)."});
}

template <class V>
void describe(V& v, CmaesSearch& s) {
  describe_population(v, s, 5);
  v.number("sigma", s.sigma,
           {.min = 0.0, .max = 1.0, .above_min = true, .doc = "Initial step size, as a share of the range."});
}

template <class V>
void describe(V& v, Nsga2Search& s) {
  describe_population(v, s, 8);
  v.number("crossover_rate", s.crossover_rate,
           {.min = 0.0, .max = 0.999, .doc = "Probability of a crossover."});
  v.number("mutation_rate", s.mutation_rate,
           {.min = 0.0, .max = 1.0, .doc = "Probability that a number mutates."});
  v.check(s.population % 4 == 0, "population", "population is not a multiple of 4, as this search requires");
}

template <class V>
void describe(V& v, GridSearch& s) {
  v.integer("points", s.points,
            {.min = 2, .max = 1e6, .doc = "Values along each parameter that has no step, bounds included."});
}
template <class V>
void describe(V&, RandomSearch&) {}
template <class V>
void describe(V&, LatinSearch&) {}

template <class V>
void describe(V& v, SearchMethod& m) {
  std::visit([&](auto& options) { describe(v, options); }, m.options);
}

template <class S>
constexpr ChildKind<SearchMethod> search_kind(std::string_view name, std::string_view doc) {
  return {name, [] { return SearchMethod{.place = {}, .options = S{}}; },
          [](const SearchMethod& method) { return std::holds_alternative<S>(method.options); }, doc};
}

inline constexpr std::array kSearchKinds = {
    search_kind<GeneticSearch>("genetic", "Genetic algorithm: selection, crossover, mutation. One objective."),
    search_kind<AnnealingSearch>("annealing",
                                 "Simulated annealing: also accepts worse candidates, less and less often. One "
                                 "objective; islands are independent."),
    search_kind<SwarmSearch>("swarm", "Particle swarm. One objective."),
    search_kind<DifferentialSearch>("differential", "Differential evolution. One objective."),
    search_kind<CmaesSearch>(
        "cmaes",
        "Covariance matrix adaptation: good where parameters depend on each other. One objective; "
        "islands are independent."),
    search_kind<Nsga2Search>("nsga2", "NSGA-II: finds the Pareto front of several objectives."),
    search_kind<GridSearch>("grid", "Every combination of evenly spaced values."),
    search_kind<RandomSearch>("random", "Random values."),
    search_kind<LatinSearch>("latin", "Latin hypercube: random, but evenly spread along every parameter."),
};

inline constexpr std::array<std::pair<std::string_view, CombineRepetitions>, 2> kCombines = {{
    {"mean", CombineRepetitions::kMean},
    {"worst", CombineRepetitions::kWorst},
}};

template <class V>
void describe(V& v, Study& s) {
  v.name("name", s.name, {.doc = "Name for --study.", .required = true});
  v.integer("evaluations", s.evaluations,
            {.min = 1, .max = 1e8, .doc = "Maximum number of candidates, on all islands together."});
  v.time("duration", s.duration,
         {.min = 0.0, .above_min = true, .doc = "Length of each run. Default: the duration of the scenario."});
  v.integer("seed", s.seed, {.doc = "Seed of the search; runs use the seed of the scenario."});
  v.integer(
      "islands", s.islands,
      {.min = 1,
       .max = 256,
       .doc = "Parallel searches. The result depends on their number, but not on the number of workers; more "
              "workers than islands do not help."});
  v.choice("combine", s.combine, kCombines, {.doc = "How results of several repetitions are combined."});
  v.children("parameter", s.parameters, {.doc = "Number of the scenario to optimize."}, {1, 64});
  v.children("objective", s.objectives, {.doc = "What to maximize or minimize; several make a Pareto search."},
             {1, 8});
  v.children("constraint", s.constraints, {.doc = "A value that must stay within bounds."}, {0, 32});
  v.child("limits", s.limits,
          {.doc = "A result beyond these limits is an artefact of the simulation and is discarded."});
  v.children(
      "repetition", s.repetitions,
      {.doc = "Every candidate is run once per repetition, with its edits: other seeds, other terrains."},
      {0, 64});
  v.children(kSearchKinds, s.methods);
  v.check(s.methods.size() == 1, "name",
          "expected exactly one of <genetic>, <annealing>, <swarm>, <differential>, <cmaes>, <nsga2>, <grid>, "
          "<random>, <latin>");
}

}  // namespace lockstep
