#include <gtest/gtest.h>

#include <cmath>

#include "lockstep/state.h"

namespace lockstep {
namespace {

TEST(Random, FollowsThePublishedSequenceOfXoshiro256PlusPlus) {
  StateWriter writer;
  const std::array<std::uint64_t, 4> state{1, 2, 3, 4};
  writer.write(std::span<const std::uint64_t>(state));
  writer.write(0.0);
  writer.write(false);
  Random random(0, "");
  StateReader reader(writer.bytes());
  random.restore(reader);
  for (const std::uint64_t expected : {41943041ULL, 58720359ULL, 3588806011781223ULL, 3591011842654386ULL}) {
    EXPECT_EQ(random.bits(), expected);
  }
}

// From an independent implementation: SplitMix64 started at XXH64("arm/imu", 7).
TEST(Random, SeedAndStreamGiveTheSameNumbersOnEveryMachine) {
  Random random(7, "arm/imu");
  EXPECT_EQ(random.bits(), 0xe9ae23fe36bfb779ULL);
  EXPECT_EQ(random.bits(), 0xbc56edf83359bb27ULL);
  EXPECT_EQ(random.bits(), 0x8490a7e3354941deULL);
}

TEST(Random, StreamsDoNotDependOnTheOrderInWhichTheyAreUsed) {
  Random alone(7, "arm/imu");
  Random other(7, "arm/gyro");
  Random mixed(7, "arm/imu");
  for (int i = 0; i < 100; ++i) {
    other.bits();
    EXPECT_EQ(mixed.bits(), alone.bits());
  }
}

TEST(Random, DifferentSeedsAndStreamsGiveDifferentNumbers) {
  const std::uint64_t first = Random(7, "arm/imu").bits();
  EXPECT_NE(Random(8, "arm/imu").bits(), first);
  EXPECT_NE(Random(7, "arm/imv").bits(), first);
}

TEST(Random, UniformNumbersHaveMeanOneHalfAndVarianceOneTwelfth) {
  Random random(1, "uniform");
  constexpr int kCount = 1'000'000;
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kCount;
  constexpr double kFiveSigma = 5.0 * 0.2887 / 1000.0;  // sigma / sqrt(kCount)
  EXPECT_NEAR(mean, 0.5, kFiveSigma);
  EXPECT_NEAR(squares / kCount - mean * mean, 1.0 / 12.0, kFiveSigma);
}

TEST(Random, NormalNumbersHaveTheMomentsOfAGaussian) {
  Random random(1, "normal");
  constexpr int kCount = 1'000'000;
  double sum = 0.0, squares = 0.0, fourth = 0.0;
  int within_sigma = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    if (std::abs(x) < 1.0) ++within_sigma;
  }
  EXPECT_NEAR(sum / kCount, 0.0, 0.005);       // five times 1 / sqrt(kCount)
  EXPECT_NEAR(squares / kCount, 1.0, 0.0071);  // five times sqrt(2 / kCount)
  EXPECT_NEAR(fourth / kCount, 3.0, 0.049);    // five times sqrt(96 / kCount)
  EXPECT_NEAR(within_sigma / static_cast<double>(kCount), std::erf(std::sqrt(0.5)), 0.0024);
}

TEST(Random, ContinuesBitForBitAfterARestoreAlsoBetweenAPairOfNormals) {
  Random random(3, "restore");
  random.normal();  // the second of the pair is now cached
  StateWriter writer;
  random.save(writer);
  Random copy(99, "something else");
  StateReader reader(writer.bytes());
  copy.restore(reader);
  EXPECT_TRUE(reader.at_end());
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(copy.normal(), random.normal());
    EXPECT_EQ(copy.bits(), random.bits());
  }
}

}  // namespace
}  // namespace lockstep
