#include "lockstep/error.h"

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

TEST(Diagnostics, AUserErrorContainsThemAll) {
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

TEST(Diagnostics, ErrorsBeyondTheLimitAreOnlyCounted) {
  Diagnostics diagnostics;
  for (int i = 0; i < 1000; ++i) diagnostics.error({}, "bad");
  EXPECT_EQ(diagnostics.error_count(), 1000u);
  EXPECT_EQ(diagnostics.list().size(), Diagnostics::kMaxErrors);
  EXPECT_TRUE(diagnostics.text().ends_with("… and 900 more errors\n"));
}

TEST(Diagnostics, AnErrorAfterManyWarningsIsShown) {
  Diagnostics diagnostics;
  for (int i = 0; i < 1000; ++i) diagnostics.warn({}, "odd");
  diagnostics.error({}, "bad");
  EXPECT_TRUE(diagnostics.text().ends_with("error: bad\n"));
}

TEST(Diagnostics, AreShownByFileLineAndColumn) {
  Diagnostics diagnostics;
  diagnostics.error({"b.xml", 1, 1}, "other file");
  diagnostics.error({"a.xml", 10, 1}, "line 10");
  diagnostics.error({"a.xml", 9, 5}, "column 5");
  diagnostics.error({"a.xml", 9, 3}, "column 3");
  diagnostics.error({"a.xml", 9, 3}, "column 3, found later");
  diagnostics.error({"a.xml"}, "whole file");
  EXPECT_EQ(diagnostics.text(),
            "a.xml: error: whole file\na.xml:9:3: error: column 3\na.xml:9:3: error: column 3, found later\n"
            "a.xml:9:5: error: column 5\na.xml:10:1: error: line 10\nb.xml:1:1: error: other file\n");
}

TEST(Diagnostics, NamesBelowAMissingNameAreMissing) {
  Diagnostics diagnostics;
  EXPECT_FALSE(diagnostics.is_missing({"joint"}, "arm/*"));
  diagnostics.mark_missing("elbow");
  diagnostics.mark_missing("leg/knee");
  for (const char* name : {"elbow", "arm/elbow", "arm/elbow/angle", "leg/knee/angle", "arm/*"})
    EXPECT_TRUE(diagnostics.is_missing({"joint"}, name)) << name;
  for (const char* name : {"elbows", "arm/elbo", "leg", "knee", "arm/leg"})
    EXPECT_FALSE(diagnostics.is_missing({"joint"}, name)) << name;
}

TEST(Diagnostics, ANamelessElementMatchesAnyNameOfItsKind) {
  Diagnostics diagnostics;
  diagnostics.mark_nameless("joint");
  EXPECT_TRUE(diagnostics.is_missing({"joint", "object"}, "elbow"));
  EXPECT_FALSE(diagnostics.is_missing({"site"}, "elbow"));
}

TEST(Diagnostics, RewindingRemovesLaterErrors) {
  Diagnostics diagnostics;
  diagnostics.error({"a.xml", 1, 1}, "cause");
  const Diagnostics::Mark mark = diagnostics.mark();
  diagnostics.error({"a.xml", 2, 1}, "consequence");
  diagnostics.error({"a.xml", 3, 1}, "its own");
  diagnostics.rewind(mark, {"a.xml", 3, 1});
  EXPECT_EQ(diagnostics.text(), "a.xml:1:1: error: cause\na.xml:3:1: error: its own\n");
  EXPECT_EQ(diagnostics.error_count(), 2u);
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

TEST(Suggest, ListsTheMostSimilarFirst) {
  const std::vector<std::string> words{"camera", "servo", "speed-servo", "lock"};
  EXPECT_EQ(suggest("servomotor", words), "; expected one of 'servo', 'speed-servo', 'camera', 'lock'");
}

TEST(Suggest, ListsOnlyTheFirstFewOfMany) {
  std::vector<std::string> words;
  for (int i = 0; i < 100; ++i) words.push_back("name" + std::to_string(i));
  EXPECT_TRUE(suggest("quite another thing", words).ends_with("'name7', …"));
}

TEST(Suggest, ListsTheWordsForAVeryLongWord) {
  EXPECT_EQ(suggest(std::string(1'000'000, 'x'), std::vector<std::string>{"noise"}), "; expected 'noise'");
}

TEST(Status, HasOutcomeStepAndSubject) {
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
