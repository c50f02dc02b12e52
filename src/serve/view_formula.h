#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "signals/expression.h"

namespace lockstep::serve {

/// Two neighbouring rows of the run.
struct RowPair {
  ConstRow now;
  std::optional<ConstRow> before;  ///< none: the row before is not known
  double seconds_between = 0.0;
};

/// A formula over signals that viewers plot like a signal. The language is that of signals/expression.h with the
/// plain functions, and
///
///     derivative(x) = (x - x of the row before) / time between the two
///
/// A formula with derivatives has signals only inside of them. Its value is NaN where the row before is not known.
class ViewFormula {
 public:
  static Result<ViewFormula, ExpressionError> parse(std::string_view text, const SignalTable& signals);

  double value(const RowPair& rows) const;
  std::string unit() const;  ///< "W", or in base units

 private:
  Expression formula_;
  std::vector<Expression> derivatives_;  // if there are any, the row that formula_ is evaluated with
};

/// The formulas of the viewers of one scene. Their slots follow those of its signals.
using ViewFormulas = std::vector<std::shared_ptr<const ViewFormula>>;

/// The value of a signal or of a formula.
double value_of(Slot slot, const ViewFormulas& formulas, const RowPair& rows);

}  // namespace lockstep::serve
