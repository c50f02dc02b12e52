#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "study/study_setup.h"

namespace lockstep {

/// Candidates that do not depend on earlier results: a grid, random numbers, a Latin hypercube.
class Samples {
 public:
  virtual ~Samples() = default;
  virtual std::int64_t count() const = 0;
  virtual std::vector<double> at(std::int64_t index) const = 0;  ///< in [0, 1]
};

/// Null if the method of the study is a search.
std::unique_ptr<Samples> make_samples(const StudySetup& setup);

}  // namespace lockstep
