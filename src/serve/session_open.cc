#include <fmt/format.h>

#include <algorithm>

#include "scenario/read.h"
#include "serve/session.h"
#include "simulation/recording.h"

namespace lockstep::serve {

Session::Candidate Session::assemble_candidate(const Document& document, bool has_live_links) {
  Diagnostics diagnostics;
  Candidate candidate{read_all(document, diagnostics), nullptr, {}};
  const AssembleOptions options{.output_folder = {}, .links = {.live = has_live_links, .cancelled = [this] {
                                                                 return is_link_wait_cancelled();
                                                               }}};
  const LoadedScenario& loaded = candidate.scenario.loaded;
  candidate.simulation.reset(
      new Simulation(assemble(loaded.scenario, loaded.assets, options_.registry, diagnostics, options)));
  for (const Diagnostic& diagnostic : diagnostics.list()) candidate.warnings.push_back(to_string(diagnostic));
  return candidate;
}

Document Session::read_document(const Open& open) {
  return open.file.empty() ? Document::read_text(open.text, open.shown, open.folder)
                           : Document::read_file(open.file);
}

/// Takes another simulation, at its start and paused, with its links still closed.
void Session::adopt(Candidate candidate) {
  close_links();
  simulation_ = std::move(candidate.simulation);
  scenario_ = std::move(candidate.scenario);
  StateWriter start;
  simulation_->save(start);
  initial_.assign(start.bytes().begin(), start.bytes().end());
  simulation_->keep_arrivals();
  add_tap();
  simulation_->track({.contact_forces = watch_.contacts});
  scene_ = make_scene(next_scene_++, source_.shown, *scenario_, *simulation_);
  watch_.signals = nullptr;
  shown_ = {};
  settle();
  history_.begin(*simulation_);
  outbox_.push({.scene = scene_});
  for (const std::string& warning : candidate.warnings) warn(warning);
}

void Session::open_links() {
  for (const auto& link : simulation_->links()) {
    const std::string fault = link.part->open();
    if (!fault.empty()) warn(fmt::format("link '{}': {}", link.name, fault));
    is_live_ = true;
  }
}

void Session::close_links() {
  if (!is_live_) return;
  is_live_ = false;
  for (const auto& link : simulation_->links()) link.part->close();
}

void Session::go_to(std::span<const std::uint8_t> state) {
  const bool was_live = is_live_;
  close_links();
  simulation_->drop_posted();
  (void)simulation_->take_arrivals();
  simulation_->restore(state);
  if (was_live) open_links();
  settle();
}

/// After a jump to another instant: time stands still there.
void Session::settle() {
  state_ = State::kPaused;
  outcome_.clear();
  simulation_->drop_posted();
  (void)simulation_->take_arrivals();
  (void)simulation_->take_event_log();
  pulled_.clear();
  shown_.drop_rows();
  shown_.has_lost_rows = false;
  last_row_ = -1;
  start_from_here();
}

/// Real time begins anew from here.
void Session::start_from_here() {
  pacer_.reset();
  for (const auto& link : simulation_->links()) link.part->set_pace(speed_);
  rtf_ = 0.0;
  rtf_since_ = Clock::now();
  rtf_from_ = simulation_->now().seconds;
}

void Session::leave_replay() {
  is_replay_ = false;
  hashes_.clear();
}

void Session::open_first(const Open& open) {
  Candidate candidate = assemble_candidate(read_document(open), true);
  source_ = open;
  adopt(std::move(candidate));
  open_links();
  publish_status();
}

void Session::replay_first(const std::filesystem::path& path) {
  RecordingReader recording(path);
  const RecordingHead& head = recording.head();
  std::filesystem::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  source_ = {.folder = folder, .shown = path.filename().string(), .text = head.scenario};
  Candidate candidate = assemble_candidate(read_document(source_), false);
  const Place place{path.string(), 0, 0};
  bool fits = head.fingerprint == candidate.simulation->fingerprint() &&
              head.link_widths.size() == candidate.simulation->links().size();
  for (std::size_t i = 0; fits && i < head.link_widths.size(); ++i) {
    fits = head.link_widths[i] == candidate.simulation->links()[i].part->writes().size();
  }
  if (!fits) {
    throw_user_error(place, "the recording does not fit its own scenario: it was made by version {}",
                     head.version);
  }
  adopt(std::move(candidate));
  try {
    simulation_->restore(head.start);
  } catch (const StateError& error) {
    throw_user_error(place, "the state at the start does not fit: {}", error.what());
  }
  settle();
  first_hash_ = simulation_->now().step;
  while (const auto rows = recording.next_rows()) {
    if (rows->first != first_hash_ + static_cast<std::int64_t>(hashes_.size())) {
      warn(fmt::format("{}: steps are missing from step {} on", path.string(),
                       first_hash_ + static_cast<std::int64_t>(hashes_.size())));
      break;
    }
    if (rows->damaged) warn(fmt::format("{}: byte {}: a checksum does not match", path.string(), rows->offset));
    hashes_.insert(hashes_.end(), rows->hashes.begin(), rows->hashes.end());
  }
  if (!recording.end()) warn(fmt::format("{}: the recording was cut short: it has no end", path.string()));
  std::vector<std::deque<LinkInput>> inputs;
  for (std::size_t i = 0; i < head.link_widths.size(); ++i) inputs.push_back(std::move(recording.inputs(i)));
  is_replay_ = true;
  history_.begin_replay(*simulation_, {recording.arrivals().begin(), recording.arrivals().end()},
                        std::move(inputs), first_hash_ + static_cast<std::int64_t>(hashes_.size()));
  publish_status();
}

}  // namespace lockstep::serve
