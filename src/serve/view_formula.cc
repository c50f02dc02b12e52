#include "serve/view_formula.h"

#include <limits>

namespace lockstep::serve {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Result<ViewFormula, ExpressionError> ViewFormula::parse(std::string_view text, const SignalTable& signals) {
  ViewFormula made;
  FormulaScope scope{.signals = signals,
                     .find = [&](const std::string& name) { return signals.find(name); },
                     .known = signals.names(),
                     .functions = plain_functions()};
  scope.functions.push_back(
      {.name = "derivative", .follow = [&](RunningCall call) -> Result<RunningValue, ExpressionError> {
         const Unit unit = call.arguments.front().formula.unit() / Unit{.second = 1};
         made.derivatives_.push_back(std::move(call.arguments.front().formula));
         return RunningValue{Slot{made.derivatives_.size() - 1}, unit};
       }});
  // Where there are running functions, signals may appear only inside of them; a formula without any needs none.
  FormulaScope plain = scope;
  plain.functions.pop_back();
  Result<Expression, ExpressionError> parsed = parse_expression(text, Expression::Kind::kNumber, plain);
  if (!parsed && text.find("derivative") != std::string_view::npos)
    parsed = parse_expression(text, Expression::Kind::kNumber, scope);
  if (!parsed) return Failure{parsed.error()};
  made.formula_ = *std::move(parsed);
  return made;
}

double ViewFormula::value(const RowPair& rows) const {
  if (derivatives_.empty()) return formula_.value(rows.now);
  if (!rows.before || !(rows.seconds_between > 0.0)) return kUnknown;
  std::vector<double> values;
  for (const Expression& each : derivatives_)
    values.push_back((each.value(rows.now) - each.value(*rows.before)) / rows.seconds_between);
  return formula_.value(ConstRow(values));
}

std::string ViewFormula::unit() const {
  // The names that engineers use; to_text() has only base units.
  for (const char* name : {"N", "N*m", "J", "W", "Pa", "Hz", "V"}) {
    if (find_unit(name) == formula_.unit()) return name;
  }
  return to_text(formula_.unit());
}

double value_of(Slot slot, const ViewFormulas& formulas, const RowPair& rows) {
  const std::size_t signals = rows.now.values().size();
  const auto i = static_cast<std::size_t>(slot);
  if (i < signals) return rows.now[slot];
  return i - signals < formulas.size() ? formulas[i - signals]->value(rows) : kUnknown;
}

}  // namespace lockstep::serve
