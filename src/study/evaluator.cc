#include "study/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "lockstep/device.h"
#include "lockstep/world.h"
#include "scenario/read.h"
#include "simulation/runner.h"

namespace lockstep {
namespace {

/// An attribute of a controller in the scenario: the controller element and the path below it.
struct DeviceTarget {
  std::size_t robot = kNoRobot;
  std::size_t controller = 0;
  std::size_t depth = 0;  // steps of the target's path that lead to the controller
  static constexpr std::size_t kNoRobot = static_cast<std::size_t>(-1);

  Element& element(Scenario& scenario) const {
    Devices& devices = robot == kNoRobot ? scenario.devices : scenario.robots[robot].devices;
    return devices.controllers[controller];
  }
};

const Element* child_of(const Element& element, const std::vector<std::size_t>& path, std::size_t depth) {
  return depth < path.size() && path[depth] < element.children.size() ? &element.children[path[depth]]
                                                                      : nullptr;
}

/// Nothing if the attribute does not belong to a controller, or if the scenario has another element there.
std::optional<DeviceTarget> find_controller(const Element& root, const Scenario& scenario,
                                            const AttributeTarget& target) {
  DeviceTarget found;
  const Element* at = child_of(root, target.path, 0);
  std::size_t depth = 1;
  if (at != nullptr && at->name == "robot") {
    const auto before = root.children.begin() + static_cast<std::ptrdiff_t>(target.path[0]);
    found.robot = static_cast<std::size_t>(std::count_if(
        root.children.begin(), before, [](const Element& child) { return child.name == "robot"; }));
    at = child_of(*at, target.path, depth++);
  }
  if (at == nullptr || at->name != "controllers") return std::nullopt;
  at = child_of(*at, target.path, depth);
  if (at == nullptr || (depth + 1 == target.path.size() && target.attribute == "name")) return std::nullopt;
  found.controller = target.path[depth];
  found.depth = depth + 1;
  if (found.robot != DeviceTarget::kNoRobot && found.robot >= scenario.robots.size()) return std::nullopt;
  const Devices& devices =
      found.robot == DeviceTarget::kNoRobot ? scenario.devices : scenario.robots[found.robot].devices;
  if (found.controller >= devices.controllers.size()) return std::nullopt;
  const Element& held = devices.controllers[found.controller];
  const bool is_same = held.name == at->name && to_string(held.place) == to_string(at->place);
  return is_same ? std::optional(found) : std::nullopt;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

Evaluation invalid(std::string reason) {
  return {
      .verdict = Evaluation::Verdict::kInvalid, .objectives = {}, .excess = 0.0, .reason = std::move(reason)};
}

double combined(const Study& study, const std::vector<std::vector<double>>& found, std::size_t formula,
                bool larger_is_worse) {
  double sum = 0.0, worst = found[0][formula];
  for (const std::vector<double>& values : found) {
    sum += values[formula];
    worst = larger_is_worse ? std::max(worst, values[formula]) : std::min(worst, values[formula]);
  }
  return study.combine == CombineRepetitions::kWorst ? worst : sum / static_cast<double>(found.size());
}

/// How far a value is beyond a bound, relative to the bound where that is large.
double excess_over(double value, double bound) {
  return std::max(0.0, value - bound) / std::max(1.0, std::abs(bound));
}

std::optional<double> bound_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return parse_numbers(text, kAnyUnit)->front();  // checked by set_up_study()
}

/// Combines the results of all repetitions. A constraint must hold in each of them.
Evaluation combine(const Study& study, const std::vector<std::vector<double>>& found) {
  Evaluation evaluation{.verdict = Evaluation::Verdict::kValid, .objectives = {}, .excess = 0.0, .reason = ""};
  const std::size_t objectives = study.objectives.size();
  for (std::size_t i = 0; i < objectives; ++i) {
    evaluation.objectives.push_back(combined(study, found, i, !is_maximized(study.objectives[i])));
  }
  for (std::size_t i = 0; i < study.constraints.size(); ++i) {
    const StudyConstraint& constraint = study.constraints[i];
    const auto min = bound_of(constraint.min), max = bound_of(constraint.max);
    for (const std::vector<double>& values : found) {
      const double value = values[objectives + i];
      double excess = 0.0;
      if (min) excess += excess_over(-value, -*min);
      if (max) excess += excess_over(value, *max);
      if (excess <= 0.0) continue;
      evaluation.verdict = Evaluation::Verdict::kViolated;
      evaluation.excess += excess;
      evaluation.reason = fmt::format("{} is {:.4g}", constraint.value, value);
    }
  }
  return evaluation;
}

/// Observes a run for a study: feeds its formulas, and checks its limits at each instant.
class StudyObserver final : public Observer {
 public:
  /// Borrowed.
  StudyObserver(RunFormulas& formulas, const StudyLimits& limits) : formulas_(formulas), limits_(limits) {}

  /// Before the first step of a run.
  void begin(const Simulation& simulation) {
    violation_.clear();
    energy_at_start_ = limits_.energy ? simulation.world().report({.energy = true}).energy.total() : 0.0;
    formulas_.begin(to_seconds(simulation.step_size()));
  }

  Status observe(const Observation& seen) override {
    const bool is_first = seen.now.step == 0;
    // The first row is always needed; then all, or only the last.
    if (is_first || formulas_.needs_every_row()) formulas_.see(seen.row, seen.world);
    // The start is not checked: nothing has moved yet.
    if (!is_first) check_limits(seen.world, seen.now.step);
    if (violation_.empty()) return {};
    return {Outcome::kInterrupted, seen.now.step, "", violation_};
  }

  /// After the last step: uses its row, because the final instant has none.
  void end(const Simulation& simulation) {
    if (!formulas_.needs_every_row()) formulas_.see(simulation.row(), simulation.world());
    check_limits(simulation.world(), simulation.now().step);
  }

  /// Why the run is invalid; empty if it is valid.
  const std::string& violation() const { return violation_; }

 private:
  void check_limits(const World& world, std::int64_t step) {
    if (limits_.penetration) {
      const double depth = world.report({.solver = true}).solver.largest_penetration;
      if (depth > *limits_.penetration) {
        violation_ = fmt::format("shapes overlap by {:.3g} m in step {}; at most {} m are allowed", depth, step,
                                 *limits_.penetration);
        return;
      }
    }
    if (limits_.energy) {
      const double gained = world.report({.energy = true}).energy.total() - energy_at_start_;
      if (gained > *limits_.energy) {
        violation_ = fmt::format("mechanical energy has grown by {:.3g} J in step {}; at most {} J are allowed",
                                 gained, step, *limits_.energy);
      }
    }
  }

  RunFormulas& formulas_;
  const StudyLimits& limits_;
  double energy_at_start_ = 0.0;
  std::string violation_;
};

}  // namespace

void add_formulas(const Study& study, RunFormulas& formulas, Diagnostics& diagnostics) {
  const auto add = [&](const Place& place, std::string_view subject, const std::string& text) {
    if (const auto added = formulas.add(text); !added) {
      diagnostics.error(place, "{} '{}': character {}: {}", subject, text, added.error().character,
                        added.error().text);
    }
  };
  for (const StudyObjective& objective : study.objectives)
    add(objective.place, "objective", formula_of(objective));
  for (const StudyConstraint& constraint : study.constraints)
    add(constraint.place, "constraint", constraint.value);
}

/// One repetition: its scenario, and a simulation of it that is reused where possible.
class Evaluator::Bench {
 public:
  Bench(const StudySetup& setup, const Variant& variant, const Registry& registry)
      : setup_(setup), registry_(registry), written_(variant.root), root_(variant.root) {}

  /// The values of all formulas, or the reason why there are none.
  struct Measured {
    std::vector<double> values;
    std::string failure;
  };

  Measured run(std::span<const double> values) try {
    if (values.empty()) {
      // Built separately: it may have values that no candidate has, and the candidates' simulation is kept.
      const std::unique_ptr<Built> start = make_built(written_);
      return simulate(*start);
    }
    prepare(values);
    return simulate(*built_);
  } catch (const UserError& error) {
    // A partly built simulation cannot be reused.
    built_.reset();
    return {{}, first_line(error.what())};
  }

  std::uint64_t hash() const { return hash_; }  // of the end of the last run, if hashes are kept
  void keep_hash() { keeps_hash_ = true; }

 private:
  /// A simulation, and the values that are built into it and cannot be changed later.
  struct Built {
    Built(Scenario read, const std::filesystem::path& folder, const Registry& registry, const Study& study)
        : scenario(std::move(read)),
          assets(scenario, folder),
          simulation(scenario, assets, registry),
          formulas(simulation.simulation().signals(), simulation.simulation().model()) {
      Diagnostics diagnostics;
      add_formulas(study, formulas, diagnostics);
      diagnostics.throw_if_errors();
      auto watching = std::make_unique<StudyObserver>(formulas, study.limits);
      observer = watching.get();
      simulation.simulation().add_observer({"study", std::move(watching), 1, 0});
    }
    Scenario scenario;
    Assets assets;
    RestartableSimulation simulation;
    RunFormulas formulas;
    StudyObserver* observer = nullptr;                // owned by the simulation
    std::vector<double> fixed;                        // values of the axes that are built in
    std::vector<std::vector<DeviceTarget>> adjusted;  // of each axis; none if it is built in
  };

  /// Makes a simulation with these values, at its start.
  void prepare(std::span<const double> values) {
    if (built_ && fixed_values(values) == built_->fixed) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        const SearchAxis& axis = setup_.axes[i];
        for (std::size_t t = 0; t < built_->adjusted[i].size(); ++t) {
          const DeviceTarget& target = built_->adjusted[i][t];
          set_number(target.element(built_->scenario), axis.targets[t], target.depth, axis, values[i]);
        }
      }
      if (built_->simulation.restart(built_->scenario, built_->assets, registry_)) return;
    }
    build(values);
  }

  void build(std::span<const double> values) {
    built_.reset();  // before the next one is made: two of a large model may need too much memory
    root_ = written_;
    for (std::size_t i = 0; i < values.size(); ++i) set_number(root_, setup_.axes[i], values[i]);
    built_ = make_built(root_);
    for (const SearchAxis& axis : setup_.axes) built_->adjusted.push_back(find_adjusted(axis));
    built_->fixed = fixed_values(values);
  }

  std::unique_ptr<Built> make_built(const Element& root) const {
    Diagnostics diagnostics;
    Scenario scenario = read_scenario(root, diagnostics);
    diagnostics.throw_if_errors();
    return std::make_unique<Built>(std::move(scenario), setup_.folder, registry_, setup_.study);
  }

  /// The controllers that an axis changes; nothing if it changes anything else.
  std::vector<DeviceTarget> find_adjusted(const SearchAxis& axis) const {
    std::vector<DeviceTarget> targets;
    for (const AttributeTarget& target : axis.targets) {
      const auto found = find_controller(root_, built_->scenario, target);
      if (!found) return {};
      targets.push_back(*found);
    }
    return targets;
  }

  std::vector<double> fixed_values(std::span<const double> values) const {
    std::vector<double> fixed;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (built_->adjusted[i].empty()) fixed.push_back(values[i]);
    }
    return fixed;
  }

  Measured simulate(Built& built) {
    Simulation& simulation = built.simulation.simulation();
    // The step itself may be a parameter.
    if (setup_.length % simulation.step_size() != Duration(0)) {
      return {{},
              fmt::format("the duration is not a multiple of the physics step ({} s)",
                          to_seconds(simulation.step_size()))};
    }
    built.observer->begin(simulation);
    Status status = Runner(simulation).advance(setup_.length / simulation.step_size()).status;
    if (status.ok()) status = simulation.check_energy();
    const bool has_run = status.ok() || status.outcome == Outcome::kStopped;
    if (has_run) built.observer->end(simulation);
    if (!built.observer->violation().empty()) return {{}, built.observer->violation()};
    if (!has_run) return {{}, to_string(status)};
    if (keeps_hash_) hash_ = simulation.hash();
    Measured measured;
    for (std::size_t i = 0; i < setup_.study.objectives.size() + setup_.study.constraints.size(); ++i) {
      measured.values.push_back(built.formulas.value(i));
      if (!std::isfinite(measured.values.back()))
        return {{}, fmt::format("formula {} is not a finite number", i + 1)};
    }
    return measured;
  }

  const StudySetup& setup_;
  const Registry& registry_;
  const Element written_;
  bool keeps_hash_ = false;
  std::uint64_t hash_ = 0;
  Element root_;  // with the values of the simulation that is built
  std::unique_ptr<Built> built_;
};

Evaluator::Evaluator(const StudySetup& setup, const Registry& registry) : setup_(setup) {
  for (const Variant& variant : setup.variants)
    benches_.push_back(std::make_unique<Bench>(setup, variant, registry));
}
Evaluator::~Evaluator() = default;

void Evaluator::keep_hashes() {
  keeps_hashes_ = true;
  for (const auto& bench : benches_) bench->keep_hash();
}

Evaluation Evaluator::evaluate(std::span<const double> values) {
  const Study& study = setup_.study;
  std::vector<std::vector<double>> found;  // by repetition
  hashes_.clear();
  for (std::size_t i = 0; i < benches_.size(); ++i) {
    Bench::Measured measured = benches_[i]->run(values);
    if (!measured.failure.empty()) {
      const std::string where = benches_.size() > 1 ? fmt::format("{}: ", setup_.variants[i].name) : "";
      return invalid(where + measured.failure);
    }
    if (keeps_hashes_) hashes_.push_back(benches_[i]->hash());
    found.push_back(std::move(measured.values));
  }
  return combine(study, found);
}

}  // namespace lockstep
