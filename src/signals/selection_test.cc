#include "signals/selection.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

const std::vector<std::string> kNames = {"time", "arm/elbow/angle", "arm/elbow/speed", "leg/knee/angle"};

TEST(Selection, KeepsTheOrderOfTheTableAndEachNameOnce) {
  EXPECT_EQ(*select_names("leg/* */angle time", kNames), (std::vector<std::size_t>{0, 1, 3}));
}

TEST(Selection, InsideARobotMatchesItsOwnSignalsFirst) {
  EXPECT_EQ(*select_names("*/angle", kNames, "leg"), (std::vector<std::size_t>{3}));
  EXPECT_EQ(*select_names("arm/elbow/angle", kNames, "leg"), (std::vector<std::size_t>{1}));
}

TEST(Selection, SuggestsTheRightNameForAnUnknownOne) {
  EXPECT_EQ(select_names("arm/elbow/angel", kNames).error(),
            "there is no signal 'arm/elbow/angel'; did you mean 'arm/elbow/angle'?");
}

}  // namespace
}  // namespace lockstep
