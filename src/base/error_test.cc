#include "base/error.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(Place, IsWrittenAsFarAsItIsKnown) {
  EXPECT_EQ(to_string(Place{"arm.xml", 12, 7}), "arm.xml:12:7");
  EXPECT_EQ(to_string(Place{"arm.xml"}), "arm.xml");
  EXPECT_EQ(to_string(Place{}), "");
}

TEST(Diagnostic, HasPlaceSeverityAndText) {
  EXPECT_EQ(to_string(Diagnostic{{"a.xml", 1, 2}, Severity::kError, "bad"}), "a.xml:1:2: error: bad");
  EXPECT_EQ(to_string(Diagnostic{{"a.xml", 1, 2}, Severity::kWarning, "odd"}), "a.xml:1:2: warning: odd");
  EXPECT_EQ(to_string(Diagnostic{{}, Severity::kNote, "by the way"}), "note: by the way");
}

TEST(Diagnostics, WarningsAloneDoNotThrow) {
  Diagnostics diagnostics;
  diagnostics.warn({"a.xml"}, "{} is odd", 1);
  diagnostics.note({"a.xml"}, "look");
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_NO_THROW(diagnostics.throw_if_errors());
}

TEST(Diagnostics, AUserErrorCarriesThemAll) {
  Diagnostics diagnostics;
  diagnostics.error({"a.xml", 1, 1}, "first");
  diagnostics.error({"a.xml", 2, 1}, "second");
  try {
    diagnostics.throw_if_errors();
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "a.xml:1:1: error: first\na.xml:2:1: error: second\n");
    EXPECT_EQ(error.diagnostics().list().size(), 2u);
  }
}

TEST(Diagnostics, EndlessErrorsAreCountedButNotKept) {
  Diagnostics diagnostics;
  for (int i = 0; i < 1000; ++i) diagnostics.error({}, "bad");
  EXPECT_EQ(diagnostics.error_count(), 1000u);
  EXPECT_EQ(diagnostics.list().size(), Diagnostics::kMaxErrors);
  EXPECT_TRUE(diagnostics.text().ends_with("… and 900 more errors\n"));
}

TEST(Diagnostics, AnErrorAfterEndlessWarningsIsStillShown) {
  Diagnostics diagnostics;
  for (int i = 0; i < 1000; ++i) diagnostics.warn({}, "odd");
  diagnostics.error({}, "bad");
  EXPECT_TRUE(diagnostics.text().ends_with("error: bad\n"));
}

TEST(ThrowUserError, FormatsItsText) {
  try {
    throw_user_error({"a.xml", 3, 4}, "sensor '{}': {}", "imu", 5);
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "a.xml:3:4: error: sensor 'imu': 5\n");
  }
}

TEST(Suggest, NamesTheCloseWord) {
  const std::vector<std::string> words{"noise", "rate", "site"};
  EXPECT_EQ(suggest("nosie", words), "; did you mean 'noise'?");
  EXPECT_EQ(suggest("rat", words), "; did you mean 'rate'?");
}

TEST(Suggest, ListsTheWordsWhenNoneIsClose) {
  EXPECT_EQ(suggest("colour", std::vector<std::string>{"noise", "rate"}), "; expected one of 'noise', 'rate'");
  EXPECT_EQ(suggest("colour", std::vector<std::string>{"noise"}), "; expected 'noise'");
  EXPECT_EQ(suggest("colour", std::vector<std::string>{}), "");
}

TEST(Suggest, ListsOnlyTheFirstFewOfMany) {
  std::vector<std::string> words;
  for (int i = 0; i < 100; ++i) words.push_back("name" + std::to_string(i));
  EXPECT_TRUE(suggest("quite another thing", words).ends_with("'name7', …"));
}

TEST(Suggest, OfAnEndlessWordListsTheWords) {
  EXPECT_EQ(suggest(std::string(1'000'000, 'x'), std::vector<std::string>{"noise"}), "; expected 'noise'");
}

TEST(Status, SaysWhatWhenAndWho) {
  EXPECT_EQ(to_string(Status{}), "ok");
  EXPECT_EQ(to_string(Status{Outcome::kDiverged, 17, "arm/elbow", "its speed is not finite"}),
            "diverged at step 17, 'arm/elbow': its speed is not finite");
  EXPECT_EQ(to_string(Status{Outcome::kStopped, 3, "", ""}), "stopped at step 3");
}

TEST(CheckDeathTest, AFailedCheckAbortsWithItsCondition) {
  EXPECT_DEATH(LOCKSTEP_CHECK(1 + 1 == 3), "internal error: check failed: 1 \\+ 1 == 3");
}

}  // namespace
}  // namespace lockstep
