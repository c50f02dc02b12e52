#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/files.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "serve/jobs.h"
#include "serve/refusal.h"
#include "serve/session.h"
#include "simulation/snapshot.h"

namespace lockstep::serve {
namespace {

/// The file of an error is shown up to this size.
constexpr std::size_t kMaxShownBytes = 1 << 20;
constexpr std::size_t kMaxDownloadBytes = 256u << 20;

/// A pull without a stiffness moves a robot of this mass like a pendulum of this rate, rad/s.
constexpr double kPullRate = 10.0;
/// A spring that is stiffer than this part of m / dt^2 would set the body swinging.
constexpr double kStiffest = 0.05;

template <typename Id, typename Find>
Id find_or_refuse(const char* what, const std::string& name, const std::vector<std::string>& names, Find find) {
  const std::optional<Id> id = find(name);
  if (!id) throw Refusal(fmt::format("there is no {} '{}'{}", what, shown_text(name), suggest(name, names)));
  return *id;
}

/// Mass of the robot or object that a body belongs to.
double mass_of_tree(const Model& model, BodyId body) {
  const auto root_of = [&](BodyId id) {
    while (model.body(id).parent != kWorldBody) id = model.body(id).parent;
    return id;
  };
  const BodyId root = root_of(body);
  double mass = 0.0;
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    if (root_of(BodyId{static_cast<int>(i)}) == root) mass += model.bodies[i].mass.mass;
  }
  return mass;
}

}  // namespace

void Session::obey(Command& command) {
  const auto answer_by = [&](auto member) {
    return [this, &command, member](const auto& wish) {
      answer_with(command, [&] { return (this->*member)(wish); });
    };
  };
  try {
    std::visit(
        Overloaded{[&](const Play& wish) { answer_by (&Session::play)(wish); },
                   [&](const Pause& wish) { answer_by (&Session::pause)(wish); },
                   [&](const StepOnce& wish) { answer_with(command, [&] { return step(wish); }); },
                   [&](const SetSpeed& wish) { answer_by (&Session::set_speed)(wish); },
                   [&](const Reset& wish) { answer_by (&Session::reset)(wish); },
                   [&](const Seek& wish) { answer_by (&Session::seek)(wish); },
                   [&](const Save& wish) { answer_by (&Session::save)(wish); },
                   [&](const Load& wish) { answer_by (&Session::load)(wish); },
                   [&](const WriteSignal& wish) { answer_by (&Session::write_signal)(wish); },
                   [&](const MoveJoint& wish) { answer_by (&Session::move_joint)(wish); },
                   [&](const Attach& wish) { answer_by (&Session::attach)(wish); },
                   [&](const PullBody& wish) { answer_by (&Session::pull)(wish); },
                   [&](const EditValue& wish) { answer_by (&Session::edit)(wish); },
                   [&](const Open& wish) { answer_by (&Session::open)(wish); },
                   [&](const Reload& wish) { answer_by (&Session::reload)(wish); },
                   [&](const Download& wish) { download(command, wish); },
                   [&](const ForeseePaths&) { foresee(command); }, [&](const Watch& wish) { watch(wish); }},
        command.wish);
  } catch (const Refusal& refusal) {
    refuse(command, refusal.what());
  }
}

template <typename Do>
void Session::answer_with(const Command& command, Do action) {
  try {
    answer(command, action());
  } catch (const UserError& error) {
    refuse(command, error);
  } catch (const std::bad_alloc&) {
    refuse(command, "there is not enough memory");
  }
}

void Session::answer(const Command& command, Json extra) {
  Json json = {{"ok", true}};
  if (extra.is_object()) json.update(extra);
  outbox_.push({.viewer = command.viewer, .is_answer = true, .id = command.id, .json = std::move(json)});
}

void Session::refuse(const Command& command, const std::string& sentence) {
  outbox_.push({.viewer = command.viewer,
                .is_answer = true,
                .id = command.id,
                .json = {{"ok", false}, {"error", sentence}}});
}

void Session::refuse(const Command& command, const UserError& error) {
  Json json = {{"ok", false}};
  json["error"] = "the scenario has errors";
  json["diagnostics"] = Json::array();
  const auto shown_file = [&](const std::string& file) {
    std::error_code code;
    const std::filesystem::path relative = std::filesystem::path(file).lexically_relative(options_.root);
    return relative.empty() || relative.native().starts_with("..") ? file : relative.string();
  };
  const char* severities[] = {"error", "warning", "note"};
  bool has_text = false;
  for (const Diagnostic& each : error.diagnostics().list()) {
    json["diagnostics"].push_back({{"file", shown_file(each.place.file)},
                                   {"line", each.place.line},
                                   {"column", each.place.column},
                                   {"severity", severities[static_cast<std::size_t>(each.severity)]},
                                   {"text", each.text}});
    if (each.severity != Severity::kError || has_text) continue;
    has_text = true;
    json["error"] = each.text;
    const auto* open = std::get_if<Open>(&command.wish);
    const Open& source = open != nullptr ? *open : source_;
    if (source.file.empty() && each.place.file == source.shown) {
      if (source.text.size() <= kMaxShownBytes) json["text"] = source.text;
    } else if (!source.folder.empty()) {
      const auto name = std::filesystem::path(each.place.file).lexically_relative(source.folder).string();
      const Result<FileContent> file = read_file_below(source.folder, name, kMaxShownBytes);
      if (file) json["text"] = file->bytes;
    }
  }
  outbox_.push({.viewer = command.viewer, .is_answer = true, .id = command.id, .json = std::move(json)});
}

void Session::warn(const std::string& text) {
  outbox_.push({.json = {{"push", "warning"}, {"text", text}}});
}

Simulation& Session::simulation() {
  if (!simulation_) throw Refusal("no scenario is open");
  return *simulation_;
}

void Session::require_live() const {
  if (is_replay_) throw Refusal("a recording is shown; it cannot be changed");
}

Json Session::play(const Play& play) {
  const Instant& now = simulation().now();
  if (state_ == State::kFailed) throw Refusal("the run has failed; reset it or load a snapshot");
  if (is_replay_ && now.step >= history_.end())
    throw Refusal("the recording ends here; go back to play it again");
  if (!is_replay_) history_.branch(*simulation_);
  until_ = std::numeric_limits<std::int64_t>::max();
  if (play.length) {
    const double steps = std::ceil(*play.length / to_seconds(simulation_->step_size()) - 1e-9);
    until_ = now.step + std::max<std::int64_t>(1, std::llround(steps));
  }
  if (state_ != State::kRunning) start_from_here();
  state_ = State::kRunning;
  return {};
}

Json Session::pause(const Pause&) {
  (void)simulation();
  if (state_ == State::kRunning) state_ = State::kPaused;
  rtf_ = 0.0;
  return {};
}

Json Session::step(const StepOnce& step) {
  const Instant& now = simulation().now();
  if (state_ == State::kRunning) throw Refusal("the run goes on; pause it before single steps");
  if (state_ == State::kFailed) throw Refusal("the run has failed; reset it or load a snapshot");
  if (!is_replay_) history_.branch(*simulation_);
  until_ = now.step + step.count;
  start_from_here();
  state_ = State::kRunning;
  return {};
}

Json Session::set_speed(const SetSpeed& speed) {
  speed_ = speed.factor;
  if (simulation_) start_from_here();
  return {};
}

Json Session::reset(const Reset&) {
  (void)simulation();
  if (is_replay_) return seek({.time = to_seconds(simulation_->step_size() * history_.first())});
  go_to(initial_);
  history_.begin(*simulation_);
  return {};
}

Json Session::seek(const Seek& seek) {
  const double step_size = to_seconds(simulation().step_size());
  if (is_live_) throw Refusal("a controller outside cannot go back in time; there is nothing to seek in");
  const double first = step_size * static_cast<double>(history_.first());
  const double end = step_size * static_cast<double>(history_.end());
  // Half a step of grace, because times are rounded on their way.
  if (seek.time < first - 0.5 * step_size || seek.time > end + 0.5 * step_size) {
    throw Refusal(fmt::format("{:.9g} s is not recorded; expected {:.9g} to {:.9g} s", seek.time, first, end));
  }
  const std::int64_t target =
      std::clamp<std::int64_t>(std::llround(seek.time / step_size), history_.first(), history_.end());
  const History::Keyframe& start = history_.before(target);
  const std::int64_t here = simulation_->now().step;
  // From here it may be nearer than from the last state that was kept; but not where events were left waiting.
  const bool is_nearer = is_replay_ && state_ != State::kFailed && here <= target && here >= start.step;
  if (!is_nearer) go_to(start.state);
  state_ = State::kPaused;
  is_muted_ = true;
  Status status;
  while (simulation_->now().step < target && status.ok() && !is_overtaken()) {
    if (is_replay_) {
      status = take_replayed_step();
      history_.note_state(*simulation_);
    } else {
      history_.feed(*simulation_);
      status = simulation_->run(1);
      (void)simulation_->take_arrivals();
      if (status.outcome == Outcome::kStopped) status = {};
    }
  }
  report_events();
  is_muted_ = false;
  last_row_ = -1;
  if (!status.ok() && status.outcome != Outcome::kStopped) throw Refusal(to_string(status));
  // Whoever drags along a time line wants to see the last place, not all before it.
  if (simulation_->now().step < target) throw Refusal("another request came first");
  return {{"time", simulation_->now().seconds}};
}

Json Session::snapshots_json() const {
  Json list = Json::array();
  for (const Snapshot& snapshot : snapshots_) {
    list.push_back({{"name", snapshot.name}, {"time", snapshot.time}, {"step", snapshot.step}});
  }
  return list;
}

Json Session::save(const Save& save) {
  Snapshot snapshot{save.name, simulation().now().seconds, simulation_->now().step,
                    make_snapshot(*simulation_, scenario_->loaded.hash)};
  std::erase_if(snapshots_, [&](const Snapshot& each) { return each.name == save.name; });
  std::size_t bytes = snapshot.bytes.size();
  for (const Snapshot& each : snapshots_) bytes += each.bytes.size();
  if (snapshots_.size() >= kMaxSnapshots || bytes > kMaxSnapshotBytes) {
    throw Refusal(fmt::format("there are {} snapshots already; download what you need", snapshots_.size()));
  }
  snapshots_.push_back(std::move(snapshot));
  return {{"snapshots", snapshots_json()}};
}

Json Session::load(const Load& load) {
  (void)simulation();
  const auto found = std::find_if(snapshots_.begin(), snapshots_.end(),
                                  [&](const Snapshot& each) { return each.name == load.name; });
  if (found == snapshots_.end()) throw Refusal(fmt::format("there is no snapshot '{}'", shown_text(load.name)));
  if (is_replay_) return seek({.time = found->time});
  close_links();
  try {
    restore_snapshot(*simulation_, found->bytes, found->name);
  } catch (const UserError&) {
    open_links();  // of other parts, before an edit: the run stays where it is
    throw;
  }
  open_links();
  settle();
  history_.begin(*simulation_);
  return {{"time", simulation_->now().seconds}};
}

void Session::post_event(const Action& action) {
  require_live();
  // The least of all priorities: what the scenario plans for an instant comes before what viewers do in it.
  const Result<void> posted =
      simulation_->post({.step = 0, .priority = std::numeric_limits<std::int32_t>::min(), .action = action});
  if (!posted) throw Refusal(posted.error());
  if (state_ == State::kRunning) return;
  // Time stands still between two steps, which is where events are applied: it shows at once.
  history_.branch(*simulation_);
  simulation_->apply_posted();
  history_.note_events(*simulation_);
  report_events();
  last_row_ = -1;
}

Json Session::write_signal(const WriteSignal& set) {
  const SignalTable& signals = simulation().signals();
  const Slot slot = find_or_refuse<Slot>("signal", set.signal, signals.names(),
                                         [&](const std::string& name) { return signals.find(name); });
  const CommandLimits& limits = signals.info(slot).limits;
  if (set.value < limits.lower || set.value > limits.upper) {
    throw Refusal(fmt::format("signal '{}': {} is out of its range, {} to {}", set.signal, set.value,
                              limits.lower, limits.upper));
  }
  post_event(SetSignal{slot, set.value});
  return {};
}

Json Session::move_joint(const MoveJoint& move) {
  const Model& model = simulation().model();
  const JointId joint =
      find_or_refuse<JointId>("joint", move.joint, model.joint_names(),
                              [&](const std::string& name) { return model.find_joint(name); });
  post_event(SetJoint{joint, move.position});
  return {};
}

Json Session::attach(const Attach& attach) {
  const Model& model = simulation().model();
  const JointId joint =
      find_or_refuse<JointId>("joint", attach.joint, model.joint_names(),
                              [&](const std::string& name) { return model.find_joint(name); });
  post_event(SetAttached{joint, attach.attached});
  return {};
}

Json Session::pull(const PullBody& pull) {
  const Model& model = simulation().model();
  const BodyId body = find_or_refuse<BodyId>("body", pull.body, model.body_names(),
                                             [&](const std::string& name) { return model.find_body(name); });
  Pull action{.body = body, .point = pull.point};
  if (pull.target) {
    const double step = to_seconds(model.step);
    const double mass = std::max(model.body(body).mass.mass, 1e-6);
    const double stiffest = kStiffest * mass / (step * step);
    if (pull.stiffness && *pull.stiffness > stiffest) {
      throw Refusal(fmt::format("stiffness {} N/m is too much for body '{}'; expected at most {:.3g} N/m",
                                *pull.stiffness, pull.body, stiffest));
    }
    action.target = *pull.target;
    action.stiffness =
        pull.stiffness.value_or(std::min(stiffest, kPullRate * kPullRate * mass_of_tree(model, body)));
    action.damping = 2.0 * std::sqrt(action.stiffness * mass);
  }
  post_event(action);
  return {};
}

Json Session::edit(const EditValue& edit) {
  (void)simulation();
  require_live();
  Document document = Document::read_text(scenario_->text, source_.shown, scenario_->loaded.folder);
  document.set(edit.xpath, edit.value, "edit " + shown_text(edit.xpath));
  Candidate candidate = assemble_candidate(document, true);
  StateWriter now;
  simulation_->save(now);
  const State state = state_;
  const bool has_same_parts = candidate.simulation->fingerprint() == simulation_->fingerprint();
  adopt(std::move(candidate));
  bool has_restarted = true;
  if (has_same_parts) {
    try {
      simulation_->restore(now.bytes());
      has_restarted = false;
    } catch (const StateError&) {
      // The state cannot go on with the new values: then from the beginning.
      simulation_->restore(initial_);
    }
  }
  open_links();
  if (!has_restarted && state == State::kRunning) state_ = state;
  start_from_here();
  history_.begin(*simulation_);
  return {{"restarted", has_restarted}};
}

Json Session::open(const Open& open) {
  Candidate candidate = assemble_candidate(read_document(open), true);
  source_ = open;
  snapshots_.clear();
  leave_replay();
  adopt(std::move(candidate));
  open_links();
  return {};
}

Json Session::reload(const Reload&) {
  (void)simulation();
  require_live();
  Candidate candidate = assemble_candidate(read_document(source_), true);
  adopt(std::move(candidate));
  open_links();
  return {};
}

void Session::download(const Command& command, const Download& download) {
  (void)simulation();
  DownloadFile file{
      .name = scenario_->loaded.scenario.name, .content_type = "application/octet-stream", .bytes = {}};
  const auto hand_over = [&, this] {
    outbox_.push({.viewer = command.viewer,
                  .is_answer = true,
                  .id = command.id,
                  .json = {{"ok", true}},
                  .file = std::move(file)});
  };
  switch (download.what) {
    case Downloadable::kScenario:
      file.name += ".xml";
      file.content_type = "application/xml";
      try {
        file.bytes = packed_text(scenario_->loaded);
      } catch (const UserError& error) {
        return refuse(command, error);
      }
      return hand_over();
    case Downloadable::kSnapshot: {
      file.name += ".snapshot";
      std::vector<std::uint8_t> bytes;
      if (download.name) {
        const auto found = std::find_if(snapshots_.begin(), snapshots_.end(),
                                        [&](const Snapshot& each) { return each.name == *download.name; });
        if (found == snapshots_.end()) {
          throw Refusal(fmt::format("there is no snapshot '{}'", shown_text(*download.name)));
        }
        bytes = found->bytes;
      } else {
        bytes = make_snapshot(*simulation_, scenario_->loaded.hash);
      }
      file.bytes.assign(bytes.begin(), bytes.end());
      return hand_over();
    }
    case Downloadable::kRecording:
      break;
  }
  if (is_replay_) throw Refusal("the recording that is shown is a file already");
  if (is_live_) throw Refusal("a run with controllers outside is recorded by `lockstep run --record`");
  file.name += ".rec";
  RecordingJob job{.scenario = packed_text(scenario_->loaded),
                   .name = scenario_->loaded.scenario.name,
                   .folder = scenario_->loaded.folder,
                   .version = options_.version,
                   .start = history_.start().state,
                   .arrivals = history_.arrivals(),
                   .end = history_.end(),
                   .max_bytes = kMaxDownloadBytes};
  const bool is_posted =
      worker_.post([this, job = std::move(job), file, viewer = command.viewer, id = command.id] {
        Message message{.viewer = viewer, .is_answer = true, .id = id, .json = {{"ok", true}}};
        const Result<std::string> recording =
            make_recording(job, options_.registry, [this] { return worker_.is_ending(); });
        if (recording) {
          message.file = file;
          message.file->bytes = *recording;
        } else {
          message.json = {{"ok", false}, {"error", recording.error()}};
        }
        outbox_.push(std::move(message));
      });
  if (!is_posted) throw Refusal("too much is being prepared already; ask again later");
}

void Session::foresee(const Command& command) {
  (void)simulation();
  const bool is_posted = worker_.post([this, text = scenario_->text, folder = scenario_->loaded.folder,
                                       viewer = command.viewer, id = command.id] {
    Json json = {{"ok", true}, {"paths", foresee_paths(text, folder, options_.registry)}};
    outbox_.push({.viewer = viewer, .is_answer = true, .id = id, .json = std::move(json)});
  });
  if (!is_posted) throw Refusal("too much is being prepared already; ask again later");
}

void Session::watch(const Watch& watch) {
  const bool had_contacts = watch_.contacts;
  watch_ = watch;
  // Slots of another scene mean nothing here; whoever sent them hears of the new scene and asks again.
  if (!scene_ || watch.scene != scene_->id) watch_.signals = nullptr;
  shown_.drop_rows();
  shown_.has_lost_rows = false;
  shown_.signals = watch_.signals;
  last_row_ = -1;
  if (!simulation_ || watch_.contacts == had_contacts) return;
  simulation_->track({.contact_forces = watch_.contacts});
  if (!watch_.contacts || is_live_ || state_ == State::kRunning) return;
  // Taking the last step again shows its contacts.
  StateWriter now;
  simulation_->save(now);
  simulation_->restore(now.bytes());
}

}  // namespace lockstep::serve
