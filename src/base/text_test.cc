#include "base/text.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(ShownText, KeepsShortPlainText) {
  EXPECT_EQ(shown_text(""), "");
  EXPECT_EQ(shown_text("Grüße, 世界 🦾"), "Grüße, 世界 🦾");
}

TEST(ShownText, IsCutBetweenTwoCharacters) {
  EXPECT_EQ(shown_text(std::string(kMaxShownText, 'x')), std::string(kMaxShownText, 'x'));
  EXPECT_EQ(shown_text(std::string(kMaxShownText + 1, 'x')), std::string(kMaxShownText, 'x') + "…");
  EXPECT_EQ(shown_text(std::string(kMaxShownText - 1, 'x') + "äy"), std::string(kMaxShownText - 1, 'x') + "…");
}

TEST(ShownText, ReplacesControlCharacters) {
  EXPECT_EQ(shown_text("a\nb\x1B[2Jc\x7F"), "a b [2Jc ");
  EXPECT_EQ(shown_text("a\xC2\x9B"
                       "2J"),
            "a 2J");
}

TEST(ShownText, IsAlwaysUtf8) {
  EXPECT_EQ(shown_text("\xFFx\xC3"), "?x?");
  EXPECT_EQ(shown_text("\xC0\xAF"), "??");            // '/' in two bytes
  EXPECT_EQ(shown_text("\xED\xA0\x80"), "???");       // half of a pair of UTF-16
  EXPECT_EQ(shown_text("\xF4\x90\x80\x80"), "????");  // beyond the last character
}

TEST(EscapeMarkup, EscapesAllMarkup) {
  EXPECT_EQ(escape_markup("<a href=\"x\">&\n"), "&lt;a href=&quot;x&quot;&gt;&amp; ");
}

TEST(Pattern, StarsMatchAnyTextAndQuestionMarksOneCharacter) {
  EXPECT_TRUE(fits_pattern("arm/*/angle", "arm/elbow/angle"));
  EXPECT_TRUE(fits_pattern("arm/*", "arm/elbow/angle"));
  EXPECT_TRUE(fits_pattern("*", ""));
  EXPECT_TRUE(fits_pattern("*ab*ab", "xabyabzab"));
  EXPECT_TRUE(fits_pattern("joint?/x", "joint3/x"));
  EXPECT_FALSE(fits_pattern("joint?/x", "joint12/x"));
  EXPECT_FALSE(fits_pattern("arm/*/angle", "arm/elbow/angles"));
  EXPECT_FALSE(fits_pattern("", "a"));
}

TEST(Pattern, WithManyStarsTakesLinearTime) {
  // Trying every split of the text would take exponential time.
  EXPECT_FALSE(fits_pattern("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*ab", std::string(10'000, 'a')));
}

}  // namespace
}  // namespace lockstep
