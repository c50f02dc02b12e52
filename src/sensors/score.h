#pragma once

#include <memory>
#include <string>
#include <utility>

#include "lockstep/device.h"
#include "lockstep/fields.h"
#include "lockstep/world.h"
#include "signals/expression.h"

namespace lockstep {

class BuildContext;

struct ScoreConfig {
  std::string formula;
};

template <class V>
void describe(V& v, ScoreConfig& c) {
  v.text(
      "formula", c.formula,
      {.doc = "Plain number computed from signals, such as '5 * zone/count + min(20, 2 * bin/count)'; abs, min "
              "and max may be used.",
       .required = true});
}

/// Points of a game: a formula over signals. It sees the measurements of the same instant, and the commands of the step
/// before.
class Score final : public Sensor {
 public:
  Score(Expression formula, Slot points) : formula_(std::move(formula)), points_(points) {}

  void sense(const World&, const Instant&, Row row) override { row[points_] = formula_.value(row); }

 private:
  Expression formula_;
  Slot points_;
};

std::unique_ptr<Sensor> make_score(const ScoreConfig& config, BuildContext& context);

}  // namespace lockstep
