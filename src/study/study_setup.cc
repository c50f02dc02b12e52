#include "study/study_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "assemble/assemble.h"
#include "assemble/consequences.h"
#include "base/hash.h"
#include "base/units.h"
#include "scenario/read.h"
#include "study/evaluator.h"

namespace lockstep {
namespace {

/// Part of the study hash: results of other rule versions are not comparable.
constexpr std::uint64_t kRulesVersion = 1;
/// Tolerance for rounding in (max - min) / step.
constexpr double kStepTolerance = 1e-9;
constexpr std::int64_t kMaxLatinPoints = 1'000'000;

void apply(const StudyRepetition& repetition, Document& document) {
  Diagnostics diagnostics;
  for (const StudyEdit& edit : repetition.edits) {
    try {
      document.set(edit.path, edit.value, to_string(edit.place));
    } catch (const UserError& error) {
      for (const Diagnostic& diagnostic : error.diagnostics().list())
        diagnostics.error(edit.place, "{}", diagnostic.text);
    }
  }
  diagnostics.throw_if_errors();
}

Document read_document(const std::filesystem::path& file, const std::vector<std::string>& edits,
                       const StudyRepetition* repetition) {
  Document document = Document::read_file(file);
  apply_edits(document, edits);
  if (repetition != nullptr) apply(*repetition, document);
  return document;
}

Study find_study(const Scenario& scenario, const std::string& name) {
  std::vector<std::string> names;
  for (const Study& study : scenario.studies) names.push_back(study.name);
  if (names.empty()) throw_user_error(scenario.place, "there is no <study> to run");
  if (name.empty() && names.size() > 1) {
    throw_user_error({"--study"}, "the scenario has several studies{}", suggest("", names));
  }
  for (const Study& study : scenario.studies) {
    if (name.empty() || study.name == name) return study;
  }
  throw_user_error({"--study"}, "there is no study '{}'{}", name, suggest(name, names));
}

/// Turns the parameters of a study into axes, and reports their errors.
class AxisReader {
 public:
  AxisReader(const Document& document, const Element& root, Diagnostics& diagnostics)
      : document_(document), root_(root), diagnostics_(diagnostics) {}

  SearchAxis read(const StudyParameter& parameter) {
    SearchAxis axis{.place = parameter.place,
                    .name = parameter.name,
                    .path = parameter.path,
                    .scale = parameter.scale,
                    .component = parameter.component};
    const std::size_t errors = diagnostics_.error_count();
    axis.min = read_number(parameter, "min", parameter.min);
    axis.max = read_number(parameter, "max", parameter.max);
    if (parameter.is_integer) axis.step = 1.0;
    if (!parameter.step.empty()) axis.step = read_number(parameter, "step", parameter.step);
    if (diagnostics_.error_count() == errors) check_range(parameter, axis);
    find_targets(axis);
    return axis;
  }

 private:
  double read_number(const StudyParameter& parameter, const char* what, const std::string& text) {
    const Result<std::vector<double>> parsed = parse_numbers(text, kAnyUnit);
    if (parsed && parsed->size() == 1) return parsed->front();
    diagnostics_.error(parameter.place, "parameter '{}': {} '{}': {}", parameter.name, what, text,
                       parsed ? "expected one number" : parsed.error());
    return 0.0;
  }

  void check_range(const StudyParameter& parameter, const SearchAxis& axis) {
    const auto error = [&](std::string text) {
      diagnostics_.error(parameter.place, "parameter '{}': {}", parameter.name, text);
    };
    if (!(axis.min < axis.max)) {
      error(fmt::format("bounds are reversed: min {} is not below max {}", parameter.min, parameter.max));
    }
    if (axis.step < 0.0 || (!parameter.step.empty() && axis.step == 0.0)) error("step is not above 0");
    if (axis.step > 0.0 && axis.step > (axis.max - axis.min) * (1.0 + kStepTolerance)) {
      error(fmt::format("step {} is larger than max minus min", format_number(axis.step)));
    }
    if (axis.scale == ParameterScale::kLog && !(axis.min > 0.0)) {
      error(fmt::format("scale 'log' needs a min above 0, found {}", parameter.min));
    }
    const bool has_whole_min = axis.min == std::floor(axis.min);
    if (parameter.is_integer && !has_whole_min)
      error(fmt::format("min {} is not a whole number", parameter.min));
  }

  void find_targets(SearchAxis& axis) try {
    axis.targets = document_.find_attributes(axis.path, to_string(axis.place));
    for (const AttributeTarget& target : axis.targets) check_target(axis, target);
  } catch (const UserError& error) {
    for (const Diagnostic& diagnostic : error.diagnostics().list()) {
      diagnostics_.error(axis.place, "parameter '{}': {}", axis.name, diagnostic.text);
    }
  }

  void check_target(SearchAxis& axis, const AttributeTarget& target) {
    const Element* element = &root_;
    for (const std::size_t child : target.path) element = &element->children[child];
    const Attribute* attribute = element->find_attribute(target.attribute);
    const Result<std::vector<double>> written =
        attribute != nullptr ? parse_numbers(attribute->value, kAnyUnit) : std::vector<double>{};
    if (!written) {
      diagnostics_.error(axis.place, "parameter '{}': {} of <{}> at {} is '{}', which is not a number",
                         axis.name, target.attribute, element->name, to_string(element->place),
                         attribute->value);
      return;
    }
    const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(axis.component, 1));
    if (axis.component == 0 ? written->size() > 1 : written->size() < wanted) {
      diagnostics_.error(
          axis.place, "parameter '{}': {} of <{}> at {} has {} numbers; select one with 'component'", axis.name,
          target.attribute, element->name, to_string(element->place), written->size());
      return;
    }
    if (!written->empty() && !axis.start) axis.start = (*written)[wanted - 1];
  }

  const Document& document_;
  const Element& root_;
  Diagnostics& diagnostics_;
};

void check_method(const Study& study, const std::vector<SearchAxis>& axes, Diagnostics& diagnostics) {
  const SearchMethod& method = study.methods.front();
  const bool samples = std::holds_alternative<GridSearch>(method.options) ||
                       std::holds_alternative<RandomSearch>(method.options) ||
                       std::holds_alternative<LatinSearch>(method.options);
  const bool is_pareto = std::holds_alternative<Nsga2Search>(method.options);
  if (!samples && is_pareto && study.objectives.size() < 2) {
    diagnostics.error(method.place,
                      "study '{}': <nsga2> needs two objectives or more; for one, use <genetic> or <cmaes>",
                      study.name);
  }
  if (!samples && !is_pareto && study.objectives.size() > 1) {
    diagnostics.error(method.place,
                      "study '{}': {} objectives, but this search takes one; for several, use <nsga2>",
                      study.name, study.objectives.size());
  }
  if (const auto* grid = std::get_if<GridSearch>(&method.options)) {
    double points = 1.0;
    for (const SearchAxis& axis : axes)
      points *= static_cast<double>(axis.count() > 0 ? axis.count() : grid->points);
    if (points > static_cast<double>(study.evaluations)) {
      diagnostics.error(method.place, "study '{}': the grid has {:.0f} points, but evaluations is {}",
                        study.name, points, study.evaluations);
    }
  }
  if (std::holds_alternative<LatinSearch>(method.options) && study.evaluations > kMaxLatinPoints) {
    diagnostics.error(method.place, "study '{}': evaluations is {}; <latin> takes at most {}", study.name,
                      study.evaluations, kMaxLatinPoints);
  }
}

void check_names(const Study& study, Diagnostics& diagnostics) {
  std::set<std::string> names = {"island", "evaluation", "verdict", "excess", "reason", "check"};
  const auto claim = [&](const Place& place, const std::string& name) {
    if (!names.insert(name).second)
      diagnostics.error(place, "study '{}': '{}' is already a column of the results", study.name, name);
  };
  const std::vector<std::string> objectives = objective_names(study);
  for (std::size_t i = 0; i < objectives.size(); ++i) claim(study.objectives[i].place, objectives[i]);
  for (const StudyParameter& parameter : study.parameters) claim(parameter.place, parameter.name);
}

void check_constraints(const Study& study, Diagnostics& diagnostics) {
  for (const StudyConstraint& constraint : study.constraints) {
    std::vector<double> bounds;
    for (const std::string& text : {constraint.min, constraint.max}) {
      if (text.empty()) continue;
      const Result<std::vector<double>> parsed = parse_numbers(text, kAnyUnit);
      if (!parsed || parsed->size() != 1) {
        diagnostics.error(constraint.place, "constraint: '{}': {}", text,
                          parsed ? "expected one number" : parsed.error());
      } else {
        bounds.push_back(parsed->front());
      }
    }
    if (bounds.size() == 2 && bounds[0] > bounds[1]) {
      diagnostics.error(constraint.place, "constraint: bounds are reversed: min {} is above max {}",
                        constraint.min, constraint.max);
    }
  }
}

/// Checks everything about a study that depends on the document alone.
std::vector<SearchAxis> read_axes(const Study& study, const Document& document, const Element& root,
                                  const Scenario& scenario, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.error_count();
  std::vector<SearchAxis> axes;
  AxisReader reader(document, root, diagnostics);
  for (const StudyParameter& parameter : study.parameters) axes.push_back(reader.read(parameter));
  check_names(study, diagnostics);
  check_constraints(study, diagnostics);
  const Duration length = study.duration.value_or(scenario.duration);
  if (length % scenario.step != Duration(0)) {
    diagnostics.error(study.place, "study '{}': duration {} s is not a multiple of the physics step ({} s)",
                      study.name, to_seconds(length), to_seconds(scenario.step));
  }
  if (diagnostics.error_count() == errors) check_method(study, axes, diagnostics);
  return axes;
}

/// Builds the unchanged scenario, and with each parameter at each of its bounds as written, so that a bound
/// that the attribute rejects, or with a wrong unit, is found before the search.
void try_out(const StudySetup& setup, const Variant& variant, const Registry& registry,
             Diagnostics& diagnostics) {
  const auto build = [&](const Element& root) {
    Diagnostics found;
    const Scenario scenario = read_scenario(root, found);
    found.throw_if_errors();
    return assemble(scenario, Assets(scenario, setup.folder), registry, found);
  };
  const Simulation simulation = build(variant.root);
  if (!simulation.connections().empty()) {
    diagnostics.error(setup.study.place,
                      "study '{}': the scenario has <connections>; a study cannot run controllers outside",
                      setup.study.name);
  }
  RunFormulas formulas(simulation.signals(), simulation.model());
  add_formulas(setup.study, formulas, diagnostics);
  for (std::size_t i = 0; i < setup.axes.size(); ++i) {
    const StudyParameter& parameter = setup.study.parameters[i];
    for (const std::string& bound : {parameter.min, parameter.max}) {
      Element root = variant.root;
      set_number(root, setup.axes[i], parse_numbers(bound, kAnyUnit)->front());
      // If the attribute is one number, try the text itself, to check its unit.
      if (parameter.component == 0) {
        for (const AttributeTarget& target : setup.axes[i].targets) {
          Element* element = &root;
          for (const std::size_t child : target.path) element = &element->children[child];
          for (Attribute& attribute : element->attributes) {
            if (attribute.name == target.attribute) attribute.value = bound;
          }
        }
      }
      try {
        build(root);
      } catch (const UserError& error) {
        const std::string& text = error.diagnostics().list().front().text;
        diagnostics.error(parameter.place, "parameter '{}': {} cannot be used: {}", parameter.name, bound,
                          text);
      }
    }
  }
}

}  // namespace

std::int64_t SearchAxis::count() const {
  if (step <= 0.0) return 0;
  return 1 +
         static_cast<std::int64_t>(std::floor((max - min) / step * (1.0 + kStepTolerance) + kStepTolerance));
}

double SearchAxis::value_at(double x) const {
  const double inside = std::isnan(x) ? 0.0 : std::clamp(x, 0.0, 1.0);
  const double value =
      scale == ParameterScale::kLog ? min * std::pow(max / min, inside) : min + inside * (max - min);
  if (step <= 0.0) return std::clamp(value, min, max);
  // Each value gets an equal section of [0, 1]; on a logarithmic scale, the nearest value is used.
  const std::int64_t most = count() - 1;
  const double which = scale == ParameterScale::kLog ? std::round((value - min) / step)
                                                     : std::floor(inside * static_cast<double>(most + 1));
  return min + step * std::clamp(which, 0.0, static_cast<double>(most));
}

std::vector<double> StudySetup::values_at(std::span<const double> x) const {
  std::vector<double> values;
  for (std::size_t i = 0; i < axes.size(); ++i) values.push_back(axes[i].value_at(x[i]));
  return values;
}

std::vector<std::string> objective_names(const Study& study) {
  std::vector<std::string> names;
  for (const StudyObjective& objective : study.objectives) {
    names.push_back(objective.name.empty() ? fmt::format("objective{}", names.size() + 1) : objective.name);
  }
  return names;
}

void set_number(Element& element, const AttributeTarget& target, std::size_t depth, const SearchAxis& axis,
                double value) {
  Element* at = &element;
  for (; depth < target.path.size(); ++depth) at = &at->children[target.path[depth]];
  const auto found =
      std::find_if(at->attributes.begin(), at->attributes.end(),
                   [&](const Attribute& attribute) { return attribute.name == target.attribute; });
  if (found == at->attributes.end()) {
    at->attributes.push_back({target.attribute, format_number(value), axis.place});
    return;
  }
  found->place = axis.place;
  if (axis.component == 0) {
    found->value = format_number(value);
    return;
  }
  std::vector<double> numbers = *parse_numbers(found->value, kAnyUnit);
  numbers[static_cast<std::size_t>(axis.component) - 1] = value;
  found->value.clear();
  for (const double number : numbers) found->value += (found->value.empty() ? "" : " ") + format_number(number);
}

void set_number(Element& root, const SearchAxis& axis, double value) {
  for (const AttributeTarget& target : axis.targets) set_number(root, target, 0, axis, value);
}

StudySetup set_up_study(const std::filesystem::path& file, const std::vector<std::string>& edits,
                        const std::string& name, const Registry& registry) {
  StudySetup setup;
  const Document document = read_document(file, edits, nullptr);
  const Scenario scenario = read_scenario(document);
  setup.study = find_study(scenario, name);
  setup.scenario_file = file.string();
  setup.folder = document.root_folder();
  setup.edits = edits;
  setup.hash = hash_text(pack(document), kRulesVersion);
  setup.hash = hash_text(setup.study.name, setup.hash);

  Diagnostics diagnostics;
  const Element root = document.root();
  setup.axes = read_axes(setup.study, document, root, scenario, diagnostics);
  setup.length = setup.study.duration.value_or(scenario.duration);
  setup.steps = setup.length / scenario.step;
  const bool can_build = !diagnostics.has_errors();

  if (setup.study.repetitions.empty()) setup.variants.push_back({"run", root});
  for (const StudyRepetition& repetition : setup.study.repetitions) {
    setup.variants.push_back({repetition.name, read_document(file, edits, &repetition).root()});
  }
  if (can_build) {
    for (const Variant& variant : setup.variants) try_out(setup, variant, registry, diagnostics);
  } else {
    // Formulas can be checked even if parameters are wrong.
    Diagnostics unused;
    const Simulation simulation = assemble(scenario, Assets(scenario, setup.folder), registry, unused);
    RunFormulas formulas(simulation.signals(), simulation.model());
    add_formulas(setup.study, formulas, diagnostics);
  }
  diagnostics.throw_if_errors();
  return setup;
}

void check_studies(const Document& document, const Scenario& scenario, const Model& model,
                   const SignalTable& signals, Diagnostics& diagnostics) {
  const Element root = document.root();
  Diagnostics found;
  for (const Study& study : scenario.studies) {
    // A search with errors has no method.
    if (!study.methods.empty()) read_axes(study, document, root, scenario, found);
    // Formulas that refer to a device with errors cannot be checked.
    Study checkable = study;
    const auto is_consequence = [&](const std::string& formula) {
      return diagnostics.has_errors() && references_broken(formula, "", model, diagnostics);
    };
    std::erase_if(checkable.objectives,
                  [&](const StudyObjective& objective) { return is_consequence(formula_of(objective)); });
    std::erase_if(checkable.constraints,
                  [&](const StudyConstraint& constraint) { return is_consequence(constraint.value); });
    RunFormulas formulas(signals, model);
    add_formulas(checkable, formulas, found);
  }
  Diagnostics own;
  for (const Diagnostic& error : found.list()) {
    if (!diagnostics.is_broken(error.place) && !diagnostics.has_error_at(error.place)) own.add(error);
  }
  diagnostics.add_all(own);
}

std::string winner_text(const StudySetup& setup, std::span<const double> values,
                        std::span<const double> objectives) {
  Document document = read_document(setup.scenario_file, setup.edits, nullptr);
  const std::string origin = "the winner";
  // Through the element tree, so that one component of several is written as in a run.
  Element root = document.root();
  for (std::size_t i = 0; i < setup.axes.size(); ++i) set_number(root, setup.axes[i], values[i]);
  for (const SearchAxis& axis : setup.axes) {
    for (const AttributeTarget& target : axis.targets) {
      const Element* element = &root;
      std::string path = "/*";
      for (const std::size_t child : target.path) {
        element = &element->children[child];
        path += fmt::format("/*[{}]", child + 1);
      }
      document.set(fmt::format("{}/@{}", path, target.attribute),
                   element->find_attribute(target.attribute)->value, origin);
    }
  }
  const std::string study = fmt::format("/scenario/study[@name='{}']", setup.study.name);
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    document.set(fmt::format("{}/objective[{}]/@recorded", study, i + 1), format_number(objectives[i]), origin);
  }
  if (setup.study.duration) {
    document.set("/scenario/@duration", fmt::format("{} ns", setup.study.duration->count()), origin);
  }
  return pack(document);
}

}  // namespace lockstep
