#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "scenario/fields.h"
#include "scenario/study.h"

/// The <study> element and what is in it. See lockstep/fields.h for what these functions are.
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
  v.text("min", p.min, {.doc = "Smallest value, with any unit that the attribute takes.", .required = true});
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
  v.text("maximize", o.maximize, {.doc = "Formula whose value is to become large."});
  v.text("minimize", o.minimize, {.doc = "Formula whose value is to become small, instead of maximize."});
  v.name("name", o.name, {.doc = "Name of its column in the results."});
  v.number("recorded", o.recorded, {.doc = "What a search found; written into the scenario of its winner."});
  v.check(o.maximize.empty() != o.minimize.empty(), "minimize",
          "expected either maximize or minimize, with a formula");
}

template <class V>
void describe(V& v, StudyConstraint& c) {
  v.text("value", c.value, {.doc = "Formula, as in an objective.", .required = true});
  v.text("min", c.min, {.doc = "Smallest value allowed, with a unit if you like."});
  v.text("max", c.max, {.doc = "Largest value allowed."});
  v.check(!c.min.empty() || !c.max.empty(), "value",
          "neither min nor max is given; expected at least one of them");
}

template <class V>
void describe(V& v, StudyLimits& l) {
  v.number("penetration", l.penetration,
           {.unit = "m", .min = 0.0, .above_min = true, .doc = "Deepest overlap of two shapes. Default: any."});
  v.number("energy", l.energy,
           {.unit = "J",
            .min = 0.0,
            .above_min = true,
            .doc = "Most mechanical energy, above that at the start. Default: any."});
}

template <class V>
void describe(V& v, StudyEdit& e) {
  v.text("path", e.path, {.doc = "XPath of what is set, as for --set.", .required = true});
  v.text("value", e.value, {.doc = "Its new value.", .required = true});
}

template <class V>
void describe(V& v, StudyRepetition& r) {
  v.name("name", r.name, {.doc = "Name for messages.", .required = true});
  v.children("set", r.edits, {.doc = "Changes the scenario for this repetition."});
}

/// What searches that keep a population have in common.
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
  v.choice("selection", s.selection, kSelections,
           {.doc = "Who has children. best: the first in rank. tournament: the best of two taken at random."});
  v.number(
      "survivors", s.survivors,
      {.min = 0.0, .max = 1.0, .above_min = true, .doc = "Share of the population that has children (best)."});
  v.choice(
      "crossover", s.crossover, kCrossovers,
      {.doc = "uniform: each number from either parent. cut: both are cut at one place and joined crosswise. "
              "exponential: a stretch of one parent. simulated-binary: numbers between those of the parents."});
  v.number("crossover_rate", s.crossover_rate, {.min = 0.0, .max = 1.0, .doc = "How likely a crossover is."});
  v.choice("mutation", s.mutation, kMutations,
           {.doc = "uniform: any value between the bounds. gaussian, polynomial: one near the old."});
  v.number("mutation_rate", s.mutation_rate,
           {.min = 0.0, .max = 1.0, .doc = "How likely a number is to change."});
  v.number(
      "mutation_width", s.mutation_width,
      {.min = 0.0, .max = 1.0, .above_min = true, .doc = "Of a gaussian mutation, as a share of the range."});
  v.check(s.crossover != GeneticCrossover::kSimulatedBinary || s.population % 2 == 0, "population",
          "population is odd; the crossover simulated-binary needs pairs");
}

template <class V>
void describe(V& v, AnnealingSearch& s) {
  v.integer("first", s.first,
            {.min = 2, .max = 1000, .doc = "Random candidates at first; the best of them is where it begins."});
  v.number(
      "begin", s.begin,
      {.min = 0.0,
       .above_min = true,
       .doc = "Temperature at first, in the unit of the objective. Default: how far the first candidates are "
              "apart."});
  v.number("end", s.end,
           {.min = 0.0,
            .above_min = true,
            .doc = "Temperature at the end. Default: a thousandth of that at first."});
  v.integer("moves", s.moves, {.min = 1, .max = 1000, .doc = "Moves along each parameter at one temperature."});
  v.number("range", s.range,
           {.min = 0.0, .max = 1.0, .above_min = true, .doc = "Of a first move, as a share of the range."});
  v.check(!s.begin || !s.end || *s.begin > *s.end, "end", "end is not below begin; temperatures must fall");
}

template <class V>
void describe(V& v, SwarmSearch& s) {
  describe_population(v, s, 2);
  v.number("inertia", s.inertia, {.min = 0.0, .max = 1.0, .doc = "How much of its velocity a particle keeps."});
  v.number("own_pull", s.own_pull, {.min = 0.0, .max = 4.0, .doc = "Towards the best it has seen itself."});
  v.number("swarm_pull", s.swarm_pull, {.min = 0.0, .max = 4.0, .doc = "Towards the best of its neighbours."});
  v.number("max_velocity", s.max_velocity,
           {.min = 0.0, .max = 1.0, .above_min = true, .doc = "Per generation, as a share of the range."});
}

template <class V>
void describe(V& v, DifferentialSearch& s) {
  describe_population(v, s, 5);
  v.number("weight", s.weight, {.min = 0.0, .max = 1.0, .doc = "Of the difference that is added (F)."});
  v.number("crossover_rate", s.crossover_rate,
           {.min = 0.0, .max = 1.0, .doc = "How likely a crossover is (CR)."});
}

template <class V>
void describe(V& v, CmaesSearch& s) {
  describe_population(v, s, 5);
  v.number("sigma", s.sigma,
           {.min = 0.0, .max = 1.0, .above_min = true, .doc = "First step width, as a share of the range."});
}

template <class V>
void describe(V& v, Nsga2Search& s) {
  describe_population(v, s, 8);
  v.number("crossover_rate", s.crossover_rate, {.min = 0.0, .max = 0.999, .doc = "How likely a crossover is."});
  v.number("mutation_rate", s.mutation_rate,
           {.min = 0.0, .max = 1.0, .doc = "How likely a number is to change."});
  v.check(s.population % 4 == 0, "population", "population is not a multiple of 4, which this search needs");
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
                                 "Simulated annealing: also takes worse candidates, less and less often. One "
                                 "objective; islands are independent."),
    search_kind<SwarmSearch>("swarm", "Particle swarm. One objective."),
    search_kind<DifferentialSearch>("differential", "Differential evolution. One objective."),
    search_kind<CmaesSearch>(
        "cmaes",
        "Covariance matrix adaptation: good where parameters depend on each other. One objective; "
        "islands are independent."),
    search_kind<Nsga2Search>("nsga2", "NSGA-II: finds the best compromises between several objectives."),
    search_kind<GridSearch>("grid", "Every combination of evenly spaced values."),
    search_kind<RandomSearch>("random", "Values at random."),
    search_kind<LatinSearch>("latin", "Latin hypercube: at random, but evenly spread along every parameter."),
};

inline constexpr std::array<std::pair<std::string_view, CombineRepetitions>, 2> kCombines = {{
    {"mean", CombineRepetitions::kMean},
    {"worst", CombineRepetitions::kWorst},
}};

template <class V>
void describe(V& v, Study& s) {
  v.name("name", s.name, {.doc = "Name for --study.", .required = true});
  v.integer("evaluations", s.evaluations,
            {.min = 1, .max = 1e8, .doc = "How many candidates are tried at most, on all islands together."});
  v.time("duration", s.duration,
         {.min = 0.0, .above_min = true, .doc = "Length of each run. Default: the duration of the scenario."});
  v.integer("seed", s.seed, {.doc = "The random numbers of the search come from it; those of runs do not."});
  v.integer(
      "islands", s.islands,
      {.min = 1,
       .max = 256,
       .doc = "Searches side by side. The result depends on their number, but not on the number of workers, of "
              "which at most so many are of use."});
  v.choice("combine", s.combine, kCombines, {.doc = "What counts of several repetitions."});
  v.children("parameter", s.parameters, {.doc = "Numbers of the scenario that are searched for."}, {1, 64});
  v.children("objective", s.objectives,
             {.doc = "What is to become large or small; several make a Pareto search."}, {1, 8});
  v.children("constraint", s.constraints, {.doc = "A value that must stay within bounds."}, {0, 32});
  v.child("limits", s.limits,
          {.doc = "Beyond them a result is an artefact of the simulation and counts for nothing."});
  v.children("repetition", s.repetitions,
             {.doc = "Every candidate is run once for each, with its edits: other seeds, other terrains."},
             {0, 64});
  v.children(kSearchKinds, s.methods);
  v.check(s.methods.size() == 1, "name",
          "expected exactly one of <genetic>, <annealing>, <swarm>, <differential>, <cmaes>, <nsga2>, <grid>, "
          "<random>, <latin>");
}

}  // namespace lockstep
