#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "suite/run_suite.h"

namespace lockstep {

std::string write_junit(const Suite& suite, const std::vector<CaseResult>& results) {
  const auto count = [&](Verdict verdict) {
    return std::count_if(results.begin(), results.end(),
                         [&](const CaseResult& result) { return result.verdict == verdict; });
  };
  double time = 0.0;
  for (const CaseResult& result : results) time += result.time;
  const std::string title = escape_markup(suite.name.empty() ? "suite" : suite.name);
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{:.6f}\"",
                                         results.size(), count(Verdict::kFailed), count(Verdict::kError), time);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {1}>\n  <testsuite name=\"{0}\" {1}>\n", title,
      counts);
  for (const CaseResult& result : results) {
    text += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"", title,
                        escape_markup(result.name), result.time);
    if (result.verdict == Verdict::kPassed) {
      text += "/>\n";
      continue;
    }
    const char* const element = result.verdict == Verdict::kFailed ? "failure" : "error";
    std::string reasons;
    for (const CaseFailure& failure : result.failures) reasons += escape_markup(to_string(failure)) + "\n";
    const std::string first = result.failures.empty() ? "" : escape_markup(result.failures.front().text);
    text += fmt::format(">\n      <{0} message=\"{1}\">{2}</{0}>\n", element, first, reasons);
    if (!result.recording.empty()) {
      text +=
          fmt::format("      <system-out>lockstep replay {}</system-out>\n", escape_markup(result.recording));
    }
    text += "    </testcase>\n";
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace lockstep
