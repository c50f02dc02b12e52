#include "study/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lockstep/state.h"

namespace lockstep {
namespace {

/// The middle of the section of [0, 1] of one of `count` values, or evenly spaced with both bounds.
double grid_place(const SearchAxis& axis, std::int64_t which, std::int64_t count) {
  const auto position = static_cast<double>(which);
  if (axis.count() == 0 || axis.scale == ParameterScale::kLog) return position / static_cast<double>(count - 1);
  return (position + 0.5) / static_cast<double>(count);
}

class Grid final : public Samples {
 public:
  Grid(const StudySetup& setup, std::int64_t points) : setup_(setup) {
    for (const SearchAxis& axis : setup.axes) counts_.push_back(axis.count() > 0 ? axis.count() : points);
  }
  std::int64_t count() const override {
    return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{1}, std::multiplies<>());
  }
  std::vector<double> at(std::int64_t index) const override {
    std::vector<double> x(counts_.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = counts_[i] > 1 ? grid_place(setup_.axes[i], index % counts_[i], counts_[i]) : 0.0;
      index /= counts_[i];
    }
    return x;
  }

 private:
  const StudySetup& setup_;
  std::vector<std::int64_t> counts_;
};

class RandomSamples final : public Samples {
 public:
  explicit RandomSamples(const StudySetup& setup) : setup_(setup) {}
  std::int64_t count() const override { return setup_.study.evaluations; }
  std::vector<double> at(std::int64_t index) const override {
    Random random(setup_.study.seed, fmt::format("sample {}", index));
    std::vector<double> x(setup_.axes.size());
    for (double& number : x) number = random.uniform();
    return x;
  }

 private:
  const StudySetup& setup_;
};

/// Divides every axis into as many intervals as there are candidates; each interval gets one candidate.
class LatinSamples final : public Samples {
 public:
  explicit LatinSamples(const StudySetup& setup) : setup_(setup) {
    for (std::size_t i = 0; i < setup.axes.size(); ++i) pieces_.push_back(shuffled(i));
  }
  std::int64_t count() const override { return setup_.study.evaluations; }
  std::vector<double> at(std::int64_t index) const override {
    Random random(setup_.study.seed, fmt::format("sample {}", index));
    std::vector<double> x;
    for (const std::vector<std::int32_t>& pieces : pieces_) {
      const double piece = pieces[static_cast<std::size_t>(index)];
      x.push_back((piece + random.uniform()) / static_cast<double>(count()));
    }
    return x;
  }

 private:
  std::vector<std::int32_t> shuffled(std::size_t axis) const {
    std::vector<std::int32_t> pieces(static_cast<std::size_t>(count()));
    std::iota(pieces.begin(), pieces.end(), 0);
    Random random(setup_.study.seed, fmt::format("axis {}", axis));
    for (std::size_t i = pieces.size(); i > 1; --i) std::swap(pieces[i - 1], pieces[random.bits() % i]);
    return pieces;
  }

  const StudySetup& setup_;
  std::vector<std::vector<std::int32_t>> pieces_;
};

}  // namespace

std::unique_ptr<Samples> make_samples(const StudySetup& setup) {
  const auto& options = setup.study.methods.front().options;
  if (const auto* grid = std::get_if<GridSearch>(&options)) return std::make_unique<Grid>(setup, grid->points);
  if (std::holds_alternative<RandomSearch>(options)) return std::make_unique<RandomSamples>(setup);
  if (std::holds_alternative<LatinSearch>(options)) return std::make_unique<LatinSamples>(setup);
  return nullptr;
}

}  // namespace lockstep
