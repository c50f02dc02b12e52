#include "serve/html_export.h"

#include <algorithm>
#include <cmath>

#include "scenario/base64.h"
#include "serve/bytes.h"
#include "serve/event_texts.h"
#include "serve/gzip.h"
#include "serve/history.h"
#include "serve/opened_scenario.h"
#include "serve/page.h"
#include "serve/poses.h"
#include "serve/view_state.h"
#include "simulation/replay.h"

namespace lockstep::serve {
namespace {

constexpr double kFramesPerSecond = 30.0;
/// Numbers of all rows and of all frames; beyond, every second one is dropped.
constexpr std::size_t kMaxHtmlRowNumbers = 4'000'000;
constexpr std::size_t kMaxHtmlFrameNumbers = 8'000'000;
constexpr std::size_t kMaxEvents = 2000;

/// Keeps every second record of `width` numbers, beginning with the first.
template <typename T>
void thin_out(std::vector<T>& values, std::size_t width) {
  const std::size_t count = values.size() / std::max<std::size_t>(width, 1);
  for (std::size_t i = 2; i < count; i += 2) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                values.begin() + static_cast<std::ptrdiff_t>(i / 2 * width));
  }
  values.resize((count + 1) / 2 * width);
}

/// Collects what a viewer needs of a run.
class Capture final : public StepHook {
 public:
  explicit Capture(const Simulation& simulation)
      : bodies_(simulation.model().bodies.size()),
        joints_(simulation.model().joints.size()),
        row_width_(1 + simulation.signals().size()),
        row_every_(row_period(simulation.step_size()) / simulation.step_size()),
        frame_every_(std::max<std::int64_t>(
            1, std::llround(1.0 / (kFramesPerSecond * to_seconds(simulation.step_size()))))) {}

  Status begin(const Simulation& simulation) override {
    first_ = simulation.now().step;
    add_frame(simulation);
    return {};
  }

  Status after_step(const Simulation& simulation) override {
    const std::int64_t done = simulation.now().step - 1;  // the row is of the step that was taken
    if ((done - first_) % row_every_ == 0) add_row(simulation, done);
    if ((simulation.now().step - first_) % frame_every_ == 0) add_frame(simulation);
    add_events(simulation);
    return {};
  }

  /// The element's bytes, before compression.
  std::string bytes(const Scene& scene, const std::string& version, const Simulation& simulation) const {
    Json json = {{"version", version}, {"scene", Json::parse(scene.json)}, {"events", events_}};
    json["assets"] = Json::object();
    for (const auto& [url, asset] : scene.assets) json["assets"][url] = encode_base64(*asset);
    json["end"] = simulation.now().seconds;
    json["frames"] = times_.size();
    json["rows"] = rows_.size() / row_width_;
    json["row_period"] = to_seconds(simulation.step_size() * row_every_);
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.append((8 - text.size() % 8) % 8, ' ');
    std::string bytes;
    append_numbers(bytes, std::vector<std::uint32_t>{static_cast<std::uint32_t>(text.size()), 0});
    bytes += text;
    append_numbers(bytes, times_);
    append_numbers(bytes, steps_);
    append_numbers(bytes, rows_);
    append_numbers(bytes, poses_);
    append_numbers(bytes, positions_);
    return bytes;
  }

 private:
  void add_row(const Simulation& simulation, std::int64_t step) {
    rows_.push_back(to_seconds(simulation.step_size() * step));
    const auto values = simulation.row().values();
    rows_.insert(rows_.end(), values.begin(), values.end());
    if (rows_.size() <= kMaxHtmlRowNumbers) return;
    thin_out(rows_, row_width_);
    row_every_ *= 2;
  }

  void add_frame(const Simulation& simulation) {
    const World& world = simulation.world();
    times_.push_back(simulation.now().seconds);
    steps_.push_back(static_cast<double>(simulation.now().step));
    append_poses(poses_, world);
    append_joint_positions(positions_, world);
    if (poses_.size() + positions_.size() <= kMaxHtmlFrameNumbers) return;
    thin_out(times_, 1);
    thin_out(steps_, 1);
    thin_out(poses_, 7 * bodies_);
    thin_out(positions_, joints_);
    frame_every_ *= 2;
  }

  void add_events(const Simulation& simulation) {
    const auto& log = simulation.event_log();
    if (log.size() < seen_events_) seen_events_ = 0;
    for (; seen_events_ < log.size(); ++seen_events_) {
      const EventRecord& event = log[seen_events_];
      const std::string text = texts_.describe(event.action, simulation);
      if (text.empty() || events_.size() >= kMaxEvents) continue;
      events_.push_back({{"time", to_seconds(simulation.step_size() * event.step)}, {"text", text}});
    }
  }

  std::size_t bodies_;
  std::size_t joints_;
  std::size_t row_width_;
  std::int64_t row_every_;    // steps
  std::int64_t frame_every_;  // steps
  std::int64_t first_ = 0;
  std::vector<double> times_, steps_, rows_;
  std::vector<float> poses_, positions_;
  EventTexts texts_;
  Json events_ = Json::array();
  std::size_t seen_events_ = 0;
};

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

/// The file that an element of the page refers to, and the element: from `begin` to the end of `end`.
struct Reference {
  std::size_t at = 0;
  std::size_t length = 0;
  std::string content;
};

Reference find_reference(const std::string& html, std::string_view begin, std::string_view path_begin,
                         std::string_view end) {
  const std::size_t at = html.find(begin);
  const std::size_t path = html.find(path_begin, at);
  const std::size_t last = html.find(end, path);
  if (at == std::string::npos || path == std::string::npos || last == std::string::npos)
    throw_user_error({}, "this build of lockstep has no page; build it with './dev build'");
  const std::size_t from = path + path_begin.size();
  const std::string name = html.substr(from, html.find('"', from) - from);
  const PageFile* file = find_page_file(name);
  if (file == nullptr) throw_user_error({}, "the page refers to '{}', which this build does not have", name);
  return {.at = at, .length = last + end.size() - at, .content = decompress(file->gzip)};
}

/// The page with its script and style in place, and an element with the run.
std::string inline_page(std::string_view run) {
  std::string html = decompress(find_page_file("/")->gzip);
  Reference script = find_reference(html, "<script type=\"module\"", "src=\".", "</script>");
  // Neither may end the element; both mean the same in a string or an expression of the script.
  replace_all(script.content, "</script", "<\\/script");
  replace_all(script.content, "<!--", "<\\!--");
  html.replace(script.at, script.length, "");
  const Reference style = find_reference(html, "<link rel=\"stylesheet\"", "href=\".", ">");
  html.replace(style.at, style.length, "<style>" + style.content + "</style>");
  // Nothing is fetched from anywhere, whatever the run contains.
  const std::string policy =
      R"(<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; )"
      R"(style-src 'unsafe-inline'; img-src data: blob:; media-src blob:">)";
  std::string tail = "<script type=\"application/gzip\" id=\"recording\">";
  tail += encode_base64(compress(run));
  tail += "</script>\n<script type=\"module\">" + script.content + "</script>\n";
  const std::size_t head = html.find("<head>");
  if (head != std::string::npos) html.insert(head + 6, "\n" + policy);
  const std::size_t end = html.rfind("</body>");
  html.insert(end == std::string::npos ? html.size() : end, tail);
  return html;
}

OpenedScenario::Candidate prepare_recorded(const Registry& registry, const Open& source) {
  const OpenedScenario opened(
      {.registry = registry, .is_wait_cancelled = [] { return false; }, .socket_folder = {}});
  return opened.prepare(source, false);
}

std::string finish_html(const Capture& capture, const OpenedScenario::Candidate& candidate,
                        const std::string& path, const std::string& version) {
  const auto scene = make_scene(1, path, candidate.scenario, *candidate.simulation, nullptr);
  return inline_page(capture.bytes(*scene, version, *candidate.simulation));
}

}  // namespace

Result<std::string> make_html(const RecordingJob& job, const Registry& registry,
                              const std::function<bool()>& is_cancelled) try {
  const OpenedScenario::Candidate candidate =
      prepare_recorded(registry, {.folder = job.folder, .shown = job.name, .text = job.scenario});
  Simulation& simulation = *candidate.simulation;
  simulation.restore(job.start);
  History history;
  history.begin_replay(simulation, job.arrivals, job.inputs, job.end);
  HistoryFeed feed(history);
  Capture capture(simulation);
  StepFunction limit([&](const Simulation& stepped) -> Status {
    if (!is_cancelled()) return {};
    return {Outcome::kInterrupted, stepped.now().step, "", "the server is shutting down"};
  });
  Runner runner(simulation);
  runner.add_hook(feed);
  runner.add_hook(capture);
  runner.add_hook(limit);
  Status status;
  // A run that was stopped by an event may have continued afterwards.
  while (simulation.now().step < job.end && (status.ok() || status.outcome == Outcome::kStopped)) {
    status = runner.advance(job.end - simulation.now().step).status;
  }
  if (status.outcome == Outcome::kInterrupted) return Failure{status.cause};
  return finish_html(capture, candidate, job.name, job.version);
} catch (const std::exception& error) {
  return Failure{error.what()};
}

std::string make_html(const std::filesystem::path& path, const Registry& registry) {
  RecordingReader recording(path);
  std::filesystem::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  const OpenedScenario::Candidate candidate = prepare_recorded(
      registry, {.folder = folder, .shown = path.filename().string(), .text = recording.head().scenario});
  Capture capture(*candidate.simulation);
  const ReplayReport report = replay(*candidate.simulation, recording, &capture);
  if (report.difference)
    throw_user_error({path.string(), 0, 0}, "the replay differs from the recording at step {}",
                     report.difference->step);
  return finish_html(capture, candidate, path.filename().string(), recording.head().version);
}

}  // namespace lockstep::serve
