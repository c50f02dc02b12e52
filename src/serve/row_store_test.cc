#include "serve/row_store.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lockstep::serve {
namespace {

/// Rows of two signals, 10 step and 20 step, at a second per step.
void add(RowStore& store, std::int64_t step) {
  const double values[] = {10.0 * static_cast<double>(step), 20.0 * static_cast<double>(step)};
  store.add(step, static_cast<double>(step), ConstRow(values));
}

std::vector<double> find(const RowStore& store, double from, double to) {
  return store.find({Slot{1}}, {}, from, to, 1000).numbers;
}

TEST(RowStore, GivesTheRowsOfAnyStretchAndSignal) {
  RowStore store(RowStore::kMaxBytes);
  store.clear(2);
  for (std::int64_t step = 0; step < 5; ++step) add(store, step);
  EXPECT_EQ(find(store, 1.5, 3.0), (std::vector<double>{2, 40, 3, 60}));
  const RowStore::Part part = store.find({Slot{0}, Slot{1}}, {}, 0.0, 9.0, 7);
  EXPECT_EQ(part.numbers, (std::vector<double>{0, 0, 0, 1, 10, 20}));
  EXPECT_FALSE(part.is_complete);
}

TEST(RowStore, EvaluatesFormulasOverItsRows) {
  SignalTable signals;
  signals.add("a", "m", SignalRole::kMeasurement);
  signals.add("b", "m", SignalRole::kMeasurement);
  ViewFormulas formulas;
  for (const char* text : {"a + b", "derivative(b)"})
    formulas.push_back(std::make_shared<const ViewFormula>(*ViewFormula::parse(text, signals)));
  RowStore store(RowStore::kMaxBytes);
  store.clear(2);
  for (const std::int64_t step : {0, 1, 2, 5}) add(store, step);
  const std::vector<double> sums = store.find({Slot{2}}, formulas, 1.0, 2.0, 1000).numbers;
  EXPECT_EQ(sums, (std::vector<double>{1, 30, 2, 60}));
  // The slope is 20 per second; it is unknown at the first row and after a hole.
  const std::vector<double> slopes = store.find({Slot{3}}, formulas, 0.0, 9.0, 1000).numbers;
  ASSERT_EQ(slopes.size(), 8u);
  EXPECT_TRUE(std::isnan(slopes[1]));
  EXPECT_EQ(slopes[3], 20.0);
  EXPECT_EQ(slopes[5], 20.0);
  EXPECT_TRUE(std::isnan(slopes[7]));
}

TEST(RowStore, ReplacesWhatCameAfterAJumpBackAndIgnoresARepeatedPast) {
  RowStore store(RowStore::kMaxBytes);
  store.clear(2);
  for (std::int64_t step = 0; step < 5; ++step) add(store, step);
  add(store, 2);
  EXPECT_EQ(find(store, 4.0, 9.0), (std::vector<double>{4, 80}));
  store.cut(2);
  add(store, 2);
  EXPECT_EQ(find(store, 0.5, 9.0), (std::vector<double>{1, 20, 2, 40}));
}

TEST(RowStore, DropsTheOldestRowsWhenItIsFull) {
  RowStore store(1000);
  store.clear(2);
  for (std::int64_t step = 0; step < 1000; ++step) add(store, step);
  const std::vector<double> kept = find(store, 0.0, 1e9);
  EXPECT_LE(kept.size() * sizeof(double), 1000u);
  EXPECT_EQ(kept.back(), 20.0 * 999);
  EXPECT_GT(kept.size(), 4u);
}

}  // namespace
}  // namespace lockstep::serve
