#include "signals/selection.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Pattern, StarsStandForAnyTextAndQuestionMarksForOneCharacter) {
  EXPECT_TRUE(fits_pattern("arm/*/angle", "arm/elbow/angle"));
  EXPECT_TRUE(fits_pattern("arm/*", "arm/elbow/angle"));
  EXPECT_TRUE(fits_pattern("*", ""));
  EXPECT_TRUE(fits_pattern("*ab*ab", "xabyabzab"));
  EXPECT_TRUE(fits_pattern("joint?/x", "joint3/x"));
  EXPECT_FALSE(fits_pattern("joint?/x", "joint12/x"));
  EXPECT_FALSE(fits_pattern("arm/*/angle", "arm/elbow/angles"));
  EXPECT_FALSE(fits_pattern("", "a"));
}

TEST(Pattern, OfManyStarsTakesNoLongerThanItsLengths) {
  // Trying every split of the text would take longer than the age of the world.
  EXPECT_FALSE(fits_pattern("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*ab", std::string(10'000, 'a')));
}

const std::vector<std::string> kNames = {"time", "arm/elbow/angle", "arm/elbow/speed", "leg/knee/angle"};

TEST(Selection, KeepsTheOrderOfTheTableAndEachNameOnce) {
  EXPECT_EQ(select_names("leg/* */angle time", kNames).indices, (std::vector<std::size_t>{0, 1, 3}));
}

TEST(Selection, InsideARobotMeansItsOwnSignalsFirst) {
  EXPECT_EQ(select_names("*/angle", kNames, "leg").indices, (std::vector<std::size_t>{3}));
  EXPECT_EQ(select_names("arm/elbow/angle", kNames, "leg").indices, (std::vector<std::size_t>{1}));
}

TEST(Selection, OfAnUnknownNameSuggestsTheRightOne) {
  EXPECT_EQ(select_names("arm/elbow/angel", kNames).error,
            "there is no signal 'arm/elbow/angel'; did you mean 'arm/elbow/angle'?");
}

}  // namespace
}  // namespace lockstep
