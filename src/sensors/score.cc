#include "sensors/score.h"

#include "device/context.h"

namespace lockstep {

std::unique_ptr<Sensor> make_score(const ScoreConfig& config, BuildContext& context) {
  const auto find = [&](const std::string& name) {
    const auto own = context.scope.empty() ? std::nullopt : context.signals.find(context.scope + "/" + name);
    return own ? own : context.signals.find(name);
  };
  Result<Expression, ExpressionError> parsed =
      parse_expression(config.formula, Expression::Kind::kNumber,
                       {.signals = context.signals,
                        .find = find,
                        .known = context.short_names(context.signals.names()),
                        .functions = plain_functions()});
  if (!parsed) {
    context.error_at("formula", "formula, character {}: {}", parsed.error().character, parsed.error().text);
    return nullptr;
  }
  if (!(parsed->unit() == Unit{})) {
    context.error_at("formula", "the formula is a quantity with a unit; expected a plain number of points");
    return nullptr;
  }
  const auto points = context.add_signal("points", "", SignalRole::kMeasurement);
  if (!points) return nullptr;
  return std::make_unique<Score>(*std::move(parsed), *points);
}

}  // namespace lockstep
