#include "study/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "base/svg.h"
#include "base/text.h"
#include "base/units.h"
#include "study/chart.h"

namespace lockstep {

// report.html and report.css, by cmake/embed_text.cmake.
extern const std::string_view kReportHtml, kReportCss;

namespace {

/// A page about one study.
class Page {
 public:
  Page(const Results& results, std::string file)
      : head_(results.head), file_(std::move(file)), leaders_(head_) {
    for (const EvaluationRecord& record : results.records) {
      leaders_.see(record);
      if (record.island > 0) records_.push_back(&record);
      if (record.island > 0 && record.outcome.verdict == Evaluation::Verdict::kInvalid)
        ++reasons_[record.outcome.reason];
    }
    // Interleave the islands, as if all had been equally fast.
    std::sort(records_.begin(), records_.end(), [](const auto* a, const auto* b) {
      return std::tuple(a->evaluation, a->island) < std::tuple(b->evaluation, b->island);
    });
    importance_ = calc_importance(results);
  }

  std::string text() const {
    const std::string subtitle = fmt::format("{} · {} search on {} island{} · {}",
                                             escape_markup(head_.scenario), escape_markup(head_.method),
                                             head_.islands, head_.islands == 1 ? "" : "s", objectives_text());
    const std::string content =
        tiles() + convergence() + front() + winner() + importance() + scatter() + invalid() + commands();
    return fmt::format(fmt::runtime(kReportHtml), fmt::arg("title", "Study " + escape_markup(head_.study)),
                       fmt::arg("style", kReportCss), fmt::arg("subtitle", subtitle),
                       fmt::arg("content", content));
  }

 private:
  bool is_valid(const EvaluationRecord& record) const {
    return record.outcome.verdict == Evaluation::Verdict::kValid;
  }
  bool is_pareto() const { return head_.objectives.size() > 1; }
  const std::string& first_objective() const { return head_.objectives.front().name; }

  std::string objectives_text() const {
    std::string text;
    for (const auto& objective : head_.objectives) {
      text += fmt::format("{}{} <code>{}</code>", text.empty() ? "" : ", ",
                          objective.is_maximized ? "maximize" : "minimize", escape_markup(objective.formula));
    }
    return text;
  }

  static std::string tile(std::string_view value, std::string_view label, bool leads = false) {
    return fmt::format("<div class=\"tile{}\"><b>{}</b><span>{}</span></div>\n", leads ? " lead" : "", value,
                       label);
  }

  std::string tiles() const {
    std::string html = "<div class=\"tiles\">\n";
    const bool has_start = leaders_.start() && is_valid(*leaders_.start());
    for (std::size_t i = 0; i < head_.objectives.size(); ++i) {
      const std::string name = escape_markup(head_.objectives[i].name);
      if (leaders_.best()) {
        html += tile(shown_number(leaders_.best()->outcome.objectives[i]), name + " of the winner", i == 0);
      }
      if (has_start)
        html += tile(shown_number(leaders_.start()->outcome.objectives[i]), name + " at the start");
    }
    if (has_start && leaders_.best() && !is_pareto()) {
      const double start = leaders_.start()->outcome.objectives[0],
                   best = leaders_.best()->outcome.objectives[0];
      if (start > 0.0 && best > 0.0) html += tile(fmt::format("{:.2f} ×", best / start), "winner over start");
    }
    html += tile(fmt::format("{}", leaders_.count()), fmt::format("evaluations of {}", head_.evaluations));
    const std::int64_t bad = leaders_.invalid_count() + leaders_.violated_count();
    html += tile(fmt::format("{}", bad), fmt::format("not usable: {} invalid, {} violated",
                                                     leaders_.invalid_count(), leaders_.violated_count()));
    return html + "</div>\n";
  }

  std::string convergence() const {
    Chart chart{.width = 980.0, .height = 330.0, .x_label = "evaluation", .y_label = first_objective()};
    chart.has_steps = true;
    double best = 0.0;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (!is_valid(*records_[i])) continue;
      const auto x = static_cast<double>(i + 1);
      const double y = records_[i]->outcome.objectives[0];
      chart.dots.push_back({x, y});
      const bool is_better = head_.objectives[0].is_maximized ? y > best : y < best;
      if (!chart.line.empty() && !is_better) continue;
      best = y;
      chart.line.push_back({x, y});
    }
    if (!chart.line.empty()) chart.line.push_back({static_cast<double>(records_.size()), best});
    if (leaders_.start() && is_valid(*leaders_.start())) {
      chart.level = leaders_.start()->outcome.objectives[0];
      chart.level_label = "start";
    }
    return "<h2>Convergence</h2>\n<p class=\"note\">Every valid evaluation, and the best so far.</p>\n" +
           draw(chart);
  }

  std::string front() const {
    if (!is_pareto()) return "";
    std::string html = fmt::format(
        "<h2>Pareto front</h2>\n<p class=\"note\">{} candidates; no other is better in every objective. "
        "The winner is the best of them by {}.</p>\n<div class=\"{}\">\n",
        leaders_.front().size(), escape_markup(first_objective()),
        head_.objectives.size() > 2 ? "multiples" : "wide");
    for (std::size_t other = 1; other < head_.objectives.size(); ++other) {
      Chart chart{.width = 620.0,
                  .height = 360.0,
                  .x_label = first_objective(),
                  .y_label = head_.objectives[other].name};
      for (const EvaluationRecord* record : records_) {
        if (is_valid(*record))
          chart.dots.push_back({record->outcome.objectives[0], record->outcome.objectives[other]});
      }
      for (const EvaluationRecord& record : leaders_.front()) {
        chart.marks.push_back({record.outcome.objectives[0], record.outcome.objectives[other]});
      }
      if (head_.objectives.size() == 2) chart.line = chart.marks;
      html += "<figure>" + draw(chart) + "</figure>\n";
    }
    return html + "</div>\n";
  }

  /// A small bar that shows a value between its bounds.
  std::string place_of(const ResultsHead::Parameter& parameter, std::optional<double> start,
                       double winner) const {
    const auto at = [&](double value) {
      const double share = parameter.is_log
                               ? std::log(value / parameter.min) / std::log(parameter.max / parameter.min)
                               : (value - parameter.min) / (parameter.max - parameter.min);
      return 6.0 + 148.0 * std::clamp(share, 0.0, 1.0);
    };
    SvgWriter svg;
    svg.begin("svg", {{"viewBox", "0 0 160 14"}, {"style", "width:160px"}});
    svg.draw("rect", {{"class", "track"}, {"x", 6.0}, {"y", 6.0}, {"width", 148.0}, {"height", 2.0}});
    if (start) svg.draw("circle", {{"class", "dot"}, {"r", 4.0}, {"cx", at(*start), 1}, {"cy", 7.0}});
    svg.draw("circle", {{"class", "mark"}, {"r", 5.0}, {"cx", at(winner), 1}, {"cy", 7.0}});
    return svg.end("svg").take();
  }

  std::string winner() const {
    if (!leaders_.best()) return "<h2>Winner</h2>\n<p>No evaluation was valid.</p>\n";
    const EvaluationRecord& best = *leaders_.best();
    std::string html = fmt::format(
        "<h2>Winner compared with the start</h2>\n<p class=\"note\">Evaluation {} of island {}. SI "
        "units.</p>\n<table><tr>"
        "<th>parameter</th><th class=\"number\">start</th><th class=\"number\">winner</th><th>between the "
        "bounds</th>"
        "<th>what it sets</th></tr>\n",
        best.evaluation, best.island);
    for (std::size_t i = 0; i < head_.parameters.size(); ++i) {
      const auto& parameter = head_.parameters[i];
      html += fmt::format(
          "<tr><td>{}</td><td class=\"number\">{}</td><td "
          "class=\"number\">{}</td><td>{}</td><td><code>{}</code></td></tr>\n",
          escape_markup(parameter.name), parameter.start ? shown_number(*parameter.start) : "default",
          shown_number(best.values[i]), place_of(parameter, parameter.start, best.values[i]),
          escape_markup(parameter.path));
    }
    return html + "</table>\n";
  }

  static std::string draw_share(double share, bool is_first) {
    SvgWriter svg;
    svg.begin("svg", {{"viewBox", "0 0 500 12"}, {"style", "width:500px;max-width:50vw"}});
    svg.draw("rect", {{"class", "track"}, {"width", 500.0}, {"height", 12.0}, {"rx", 3.0}});
    svg.draw("rect", {{"class", is_first ? "bar first" : "bar"},
                      {"width", 500.0 * share, 1},
                      {"height", 12.0},
                      {"rx", 3.0}});
    return svg.end("svg").take();
  }

  std::string importance() const {
    std::vector<std::size_t> order(importance_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return importance_[a] > importance_[b]; });
    std::string html = fmt::format(
        "<h2>What matters</h2>\n<p class=\"note\">How much of the variance of {} each parameter explains by "
        "itself, among "
        "the candidates that were tried. A search samples good regions more densely, so this describes "
        "those.</p>\n<table>\n",
        escape_markup(first_objective()));
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      const double share = importance_[order[rank]];
      html += fmt::format("<tr><td>{}</td><td class=\"number\">{:.0f} %</td><td>{}</td></tr>\n",
                          escape_markup(head_.parameters[order[rank]].name), 100.0 * share,
                          draw_share(share, rank == 0));
    }
    return html + "</table>\n";
  }

  std::string scatter() const {
    std::string html = fmt::format(
        "<h2>{} by parameter</h2>\n<p class=\"note\">Every valid evaluation; the winner is marked, "
        "the dashed line is where the start was.</p>\n<div class=\"multiples\">\n",
        escape_markup(first_objective()));
    for (std::size_t i = 0; i < head_.parameters.size(); ++i) {
      const auto& parameter = head_.parameters[i];
      Chart chart{.width = 420.0,
                  .height = 240.0,
                  .x_label = parameter.name,
                  .y_label = first_objective(),
                  .is_log_x = parameter.is_log};
      for (const EvaluationRecord* record : records_) {
        if (is_valid(*record)) chart.dots.push_back({record->values[i], record->outcome.objectives[0]});
      }
      if (leaders_.best())
        chart.marks.push_back({leaders_.best()->values[i], leaders_.best()->outcome.objectives[0]});
      const bool can_show_start = parameter.start && (!parameter.is_log || *parameter.start > 0.0);
      if (can_show_start && !chart.dots.empty()) chart.upright = parameter.start;
      html += "<figure>" + draw(chart) + "</figure>\n";
    }
    return html + "</div>\n";
  }

  std::string invalid() const {
    if (reasons_.empty()) return "";
    constexpr std::size_t kMaxShown = 8;
    std::vector<std::pair<std::int64_t, std::string>> list;
    for (const auto& [reason, count] : reasons_) list.emplace_back(-count, reason);
    std::sort(list.begin(), list.end());
    std::string html = "<h2>Why candidates were rejected</h2>\n<table>\n";
    for (std::size_t i = 0; i < std::min(kMaxShown, list.size()); ++i) {
      html += fmt::format("<tr><td class=\"number\">{}</td><td>{}</td></tr>\n", -list[i].first,
                          escape_markup(list[i].second));
    }
    html += "</table>\n";
    if (list.size() > kMaxShown)
      html += fmt::format("<p class=\"note\">and {} more reasons</p>\n", list.size() - kMaxShown);
    return html;
  }

  std::string commands() const {
    if (!leaders_.best()) return "";
    const std::string best = escape_markup(file_) + ".best.xml";
    std::string html = fmt::format(
        "<h2>Run it again</h2>\n<p class=\"note\">The winner with exactly what was recorded; the winner with a "
        "log of all "
        "signals; the winner by edits of the scenario.</p>\n<pre>lockstep optimize {} --replay-best\nlockstep "
        "run {} --log winner.csv\n",
        best, best);
    html += command_for(*leaders_.best()) + "</pre>\n";
    if (!is_pareto()) return html;
    html += "<p class=\"note\">The other Pareto-optimal candidates, sorted by the first objective.</p>\n<pre>";
    constexpr std::size_t kMaxShown = 40;
    for (std::size_t i = 1; i < std::min(kMaxShown, leaders_.front().size()); ++i)
      html += command_for(leaders_.front()[i]);
    return html + "</pre>\n";
  }

  std::string command_for(const EvaluationRecord& record) const {
    std::string command = fmt::format("lockstep run {}", head_.scenario);
    for (std::size_t i = 0; i < head_.parameters.size(); ++i) {
      command += fmt::format(" --set \"{}={}\"", head_.parameters[i].path, format_number(record.values[i]));
    }
    return escape_markup(command) + "\n";
  }

  const ResultsHead& head_;
  std::string file_;
  Leaders leaders_;
  std::vector<const EvaluationRecord*> records_;
  std::map<std::string, std::int64_t> reasons_;
  std::vector<double> importance_;
};

}  // namespace

std::vector<double> calc_importance(const Results& results) {
  std::vector<const EvaluationRecord*> valid;
  for (const EvaluationRecord& record : results.records) {
    if (record.island > 0 && record.outcome.verdict == Evaluation::Verdict::kValid) valid.push_back(&record);
  }
  std::vector<double> shares(results.head.parameters.size(), 0.0);
  // The mean of a small bin is mostly noise.
  constexpr std::size_t kMinInBin = 5, kMaxBins = 12;
  const std::size_t bins = std::min(kMaxBins, valid.size() / kMinInBin);
  if (bins < 2) return shares;
  const auto objective = [](const EvaluationRecord* record) { return record->outcome.objectives[0]; };
  double mean = 0.0, variance = 0.0;
  for (const auto* record : valid) mean += objective(record) / static_cast<double>(valid.size());
  for (const auto* record : valid) variance += std::pow(objective(record) - mean, 2);
  if (!(variance > 0.0)) return shares;
  for (std::size_t p = 0; p < shares.size(); ++p) {
    std::stable_sort(valid.begin(), valid.end(),
                     [&](const auto* a, const auto* b) { return a->values[p] < b->values[p]; });
    double between = 0.0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const std::size_t begin = bin * valid.size() / bins, end = (bin + 1) * valid.size() / bins;
      double sum = 0.0;
      for (std::size_t i = begin; i < end; ++i) sum += objective(valid[i]);
      const auto count = static_cast<double>(end - begin);
      between += count * std::pow(sum / count - mean, 2);
    }
    shares[p] = std::min(1.0, between / variance);
  }
  return shares;
}

std::string make_report(const Results& results, const std::string& file) {
  return Page(results, file).text();
}

}  // namespace lockstep
