#include <gtest/gtest.h>

#include <memory>

#include "lockstep/error.h"

namespace lockstep {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return Failure{"the number is odd"};
  return number / 2;
}

Result<void> expect_small(int number) {
  if (number > 9) return Failure{fmt::format("{} is more than 9", number)};
  return {};
}

TEST(Result, HoldsAValueOrAnError) {
  EXPECT_TRUE(half(4).ok());
  EXPECT_EQ(*half(4), 2);
  EXPECT_FALSE(half(3).ok());
  EXPECT_EQ(half(3).error(), "the number is odd");
}

TEST(Result, OfVoidHoldsOnlyTheError) {
  EXPECT_TRUE(expect_small(9).ok());
  EXPECT_EQ(expect_small(12).error(), "12 is more than 9");
}

TEST(Result, DistinguishesATextFromAnError) {
  const Result<std::string> text = "all is well";
  const Result<std::string> failure = Failure{"nothing is"};
  EXPECT_EQ(*text, "all is well");
  EXPECT_FALSE(failure.ok());
}

TEST(Result, MovesOutMoveOnlyValues) {
  struct Base {
    virtual ~Base() = default;
  };
  struct Derived : Base {};
  Result<std::unique_ptr<Base>> made = std::make_unique<Derived>();
  const std::unique_ptr<Base> taken = *std::move(made);
  EXPECT_NE(taken, nullptr);
}

TEST(Result, ReadingTheValueOfAFailureIsABug) {
  EXPECT_DEATH((void)*half(3), "check failed");
  EXPECT_DEATH((void)half(4).error(), "check failed");
}

}  // namespace
}  // namespace lockstep
