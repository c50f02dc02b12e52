#include "study/study_setup.h"

#include <gtest/gtest.h>

#include "study/study_testing.h"

namespace lockstep {
namespace {

std::string errors_of(const std::string& inside, std::string_view attributes = "evaluations='40'") {
  return StudyFile(driven_cart(inside, attributes)).errors();
}
std::string errors_of_parameter(std::string_view parameter) {
  return errors_of(fmt::format("{}{}<random/>", parameter, kFarthest));
}

TEST(StudySetup, AcceptsParametersInAnyUnit) {
  const StudySetup setup =
      StudyFile(driven_cart(fmt::format("{}{}{}<random/>", kAmplitude, kMass, kFarthest))).setup();
  ASSERT_EQ(setup.axes.size(), 2u);
  EXPECT_EQ(setup.axes[0].max, 0.5);
  EXPECT_EQ(setup.axes[0].start, 0.1);
  EXPECT_EQ(setup.axes[1].min, 0.5);
  EXPECT_EQ(setup.steps, 100);
}

TEST(StudySetup, RejectsAParameterThatMatchesNothingWithASuggestion) {
  EXPECT_EQ(
      errors_of_parameter("<parameter name='a' path='//sime/@amplitude' min='0' max='1'/>"),
      "t.xml:15:1: error: parameter 'a': XPath '//sime/@amplitude' selects nothing; did you mean 'sine'?\n");
  EXPECT_EQ(
      errors_of_parameter("<parameter name='a' path=\"//sine[@name='wav']/@amplitude\" min='0' max='1'/>"),
      "t.xml:15:1: error: parameter 'a': XPath '//sine[@name='wav']/@amplitude' selects nothing; did you mean "
      "'wave'?\n");
}

TEST(StudySetup, RejectsReversedBounds) {
  EXPECT_EQ(errors_of_parameter("<parameter name='a' path='//sine/@amplitude' min='1' max='50 cm'/>"),
            "t.xml:15:1: error: parameter 'a': bounds are reversed: min 1 is not below max 50 cm\n");
}

TEST(StudySetup, RejectsAnUnknownSignalInAnObjectiveWithItsPlace) {
  EXPECT_EQ(errors_of(fmt::format("{}\n<objective maximize='final(cart/rail/positio)'/><random/>", kAmplitude)),
            "t.xml:16:1: error: objective 'final(cart/rail/positio)': character 7: unknown signal "
            "'cart/rail/positio'; "
            "did you mean 'cart/rail/position'?\n");
}

TEST(StudySetup, ReportsAllErrorsAtOnce) {
  const std::string errors = errors_of(
      "<parameter name='a' path='//sime/@amplitude' min='2' max='1'/>\n<objective "
      "minimize='final(x)'/><random/>");
  EXPECT_NE(errors.find("selects nothing"), std::string::npos) << errors;
  EXPECT_NE(errors.find("reversed"), std::string::npos) << errors;
  EXPECT_NE(errors.find("unknown signal 'x'"), std::string::npos) << errors;
}

TEST(StudySetup, RejectsABoundThatTheAttributeRejects) {
  EXPECT_NE(errors_of_parameter("<parameter name='m' path='//box/@mass' min='-1' max='1'/>")
                .find("-1 cannot be used"),
            std::string::npos);
  EXPECT_NE(errors_of_parameter("<parameter name='m' path='//box/@mass' min='1 m' max='2 m'/>")
                .find("unit 'm' does not fit"),
            std::string::npos);
}

TEST(StudySetup, RejectsAnAttributeThatIsNotANumber) {
  EXPECT_NE(errors_of_parameter("<parameter name='s' path='//sine/@signal' min='0' max='1'/>")
                .find("which is not a number"),
            std::string::npos);
  EXPECT_NE(errors_of_parameter("<parameter name='s' path='//box/@size' min='0.1' max='1'/>")
                .find("select one with 'component'"),
            std::string::npos);
}

TEST(StudySetup, RejectsASearchThatDoesNotFitTheObjectives) {
  EXPECT_NE(errors_of(fmt::format("{}{}<nsga2/>", kAmplitude, kFarthest)).find("needs two objectives"),
            std::string::npos);
  EXPECT_NE(errors_of(fmt::format("{}{}{}<cmaes/>", kAmplitude, kFarthest,
                                  "<objective minimize='energy()' name='e'/>"))
                .find("this search takes one"),
            std::string::npos);
  EXPECT_NE(errors_of(fmt::format("{}{}", kAmplitude, kFarthest)).find("exactly one of"), std::string::npos);
  EXPECT_NE(
      errors_of(fmt::format("{}{}{}<grid points='10'/>", kAmplitude, kMass, kFarthest)).find("100 points"),
      std::string::npos);
}

TEST(SearchAxis, StepsAreCountedFromTheMinimum) {
  const SearchAxis axis{.min = 0.1, .max = 0.5, .step = 0.1};
  EXPECT_EQ(axis.count(), 5);
  EXPECT_EQ(axis.value_at(0.0), 0.1);
  EXPECT_EQ(axis.value_at(1.0), 0.1 + 0.1 * 4.0);
  EXPECT_EQ(axis.value_at(0.5), 0.1 + 0.1 * 2.0);
}

TEST(SearchAxis, TheMiddleOfALogarithmicScaleIsTheGeometricMean) {
  const SearchAxis axis{.min = 1.0, .max = 100.0, .scale = ParameterScale::kLog};
  EXPECT_NEAR(axis.value_at(0.5), 10.0, 1e-12);
  EXPECT_EQ(axis.value_at(2.0), 100.0);
}

TEST(WinnerText, HasTheValuesAndReadsBack) {
  const StudyFile file(driven_cart(fmt::format("{}{}{}<random/>", kAmplitude, kMass, kFarthest)));
  const StudySetup setup = file.setup();
  const StudyFile winner(winner_text(setup, std::vector{0.123456789012345678, 1.25}, std::vector{0.5}));
  const StudySetup again = winner.setup();
  EXPECT_EQ(again.axes[0].start, 0.123456789012345678);
  EXPECT_EQ(again.axes[1].start, 1.25);
  EXPECT_EQ(again.study.objectives[0].recorded, 0.5);
}

}  // namespace
}  // namespace lockstep
