#include "serve/command_handler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/files.h"
#include "base/overloaded.h"
#include "base/text.h"
#include "geometry/image.h"
#include "serve/html_export.h"
#include "serve/jobs.h"
#include "serve/rejection.h"
#include "simulation/recording.h"
#include "simulation/snapshot.h"

namespace lockstep::serve {
namespace {

/// Maximum size of a file that is sent along with its errors.
constexpr std::size_t kMaxShownBytes = 1 << 20;
constexpr std::size_t kMaxDownloadBytes = 256u << 20;
/// Maximum numbers in one answer with rows; the viewer asks again for the rest.
constexpr std::size_t kMaxRowNumbers = 40'000;

/// Default stiffness of a pull: natural frequency of the pulled robot's mass on the spring, rad/s.
constexpr double kPullRate = 10.0;
/// Maximum stiffness as a fraction of m / dt^2; a stiffer spring is unstable.
constexpr double kStiffest = 0.05;

template <typename Id, typename Find>
Id find_or_reject(const char* what, const std::string& name, const std::vector<std::string>& names, Find find) {
  const std::optional<Id> id = find(name);
  if (!id) throw Rejection(fmt::format("there is no {} '{}'{}", what, shown_text(name), suggest(name, names)));
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

void CommandHandler::handle(const Command& command) {
  try {
    std::visit(Overloaded{[&](const Play& given) { answer(command, play(given)); },
                          [&](const Pause& given) { answer(command, pause(given)); },
                          [&](const StepOnce& given) { answer(command, step(given)); },
                          [&](const SetSpeed& given) { answer(command, set_speed(given)); },
                          [&](const Reset& given) { answer(command, reset(given)); },
                          [&](const Seek& given) { answer(command, seek(given)); },
                          [&](const Save& given) { answer(command, save(given)); },
                          [&](const DeleteSnapshot& given) { answer(command, delete_snapshot(given)); },
                          [&](const Load& given) { answer(command, load(given)); },
                          [&](const WriteSignal& given) { answer(command, write_signal(given)); },
                          [&](const MoveJoint& given) { answer(command, move_joint(given)); },
                          [&](const Attach& given) { answer(command, attach(given)); },
                          [&](const PullBody& given) { answer(command, pull(given)); },
                          [&](const EditValue& given) { answer(command, edit(given)); },
                          [&](const Open& given) { answer(command, open(given)); },
                          [&](const OpenRecording& given) { answer(command, open_upload(given)); },
                          [&](const Reload& given) { answer(command, reload(given)); },
                          [&](const Ready& given) { answer(command, ready(given)); },
                          [&](const Download& given) { download(command, given); },
                          [&](const PredictPaths&) { predict_paths(command); },
                          [&](const ListEvents& given) { answer(command, list_events(given)); },
                          [&](const FindImage& given) { find_image(command, given); },
                          [&](const FindRows& given) { find_rows(command, given); },
                          [&](const Watch& given) { watch(given); }},
               command.payload);
    tell_others(command);
  } catch (const Rejection& rejection) {
    reject(command, rejection.what());
  } catch (const UserError& error) {
    reject(command, error);
  } catch (const std::bad_alloc&) {
    reject(command, "out of memory");
  }
}

/// The other viewers of the run should know why it jumps.
void CommandHandler::tell_others(const Command& command) {
  if (command.viewer == 0 || publisher_.viewers() < 2) return;
  const std::string what = std::visit(
      Overloaded{[](const Reset&) -> std::string { return "reset the run"; },
                 [](const Load& load) { return fmt::format("loaded snapshot '{}'", load.name); },
                 [](const EditValue& edit) { return fmt::format("set {} to {}", edit.xpath, edit.value); },
                 [](const Open& open) { return fmt::format("opened {}", open.shown); },
                 [](const OpenRecording& open) { return fmt::format("opened {}", open.name); },
                 [](const Reload&) -> std::string { return "reloaded the scenario"; },
                 [](const Seek& seek) { return fmt::format("went to {:.6g} s", seek.time); },
                 [](const Pause&) -> std::string { return "paused the run"; },
                 [](const auto&) -> std::string { return ""; }},
      command.payload);
  if (what.empty()) return;
  outbox_.push(
      {.except = command.viewer, .json = {{"push", "notice"}, {"text", "Another viewer " + shown_text(what)}}});
}

void CommandHandler::answer(const Command& command, Json extra) {
  Json json = {{"ok", true}};
  if (extra.is_object()) json.update(extra);
  outbox_.push({.viewer = command.viewer, .is_answer = true, .id = command.id, .json = std::move(json)});
}

void CommandHandler::reject(const Command& command, const std::string& sentence) {
  outbox_.push({.viewer = command.viewer,
                .is_answer = true,
                .id = command.id,
                .json = {{"ok", false}, {"error", sentence}}});
}

void CommandHandler::reject(const Command& command, const UserError& error) {
  Json json = {{"ok", false}};
  json["error"] = "the scenario has errors";
  json["diagnostics"] = Json::array();
  const auto shown_file = [&](const std::string& file) {
    std::error_code code;
    const std::filesystem::path relative = std::filesystem::path(file).lexically_relative(options_.root);
    if (!relative.empty() && !relative.native().starts_with("..")) return relative.string();
    // Outside, as in the gallery: viewers need not know where that is.
    return std::filesystem::path(file).is_absolute() ? std::filesystem::path(file).filename().string() : file;
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
    const auto* open = std::get_if<Open>(&command.payload);
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

Json CommandHandler::play(const Play& play) {
  playback_.play(play.length);
  return {};
}

Json CommandHandler::pause(const Pause&) {
  playback_.pause();
  return {};
}

Json CommandHandler::step(const StepOnce& step) {
  playback_.step(step.count);
  return {};
}

Json CommandHandler::set_speed(const SetSpeed& speed) {
  playback_.set_speed(speed.factor);
  return {};
}

Json CommandHandler::reset(const Reset&) {
  const Simulation& simulation = opened_.simulation();
  if (playback_.is_replay()) {
    return seek({.time = to_seconds(simulation.step_size() * playback_.history().first())});
  }
  playback_.reset();
  return {};
}

Json CommandHandler::seek(const Seek& seek) {
  const std::int64_t step = playback_.find_step(seek.time);
  const Publisher::Mute mute(publisher_);
  playback_.seek(step, options_.is_overtaken);
  return {{"time", opened_.simulation().now().seconds}};
}

Json CommandHandler::save(const Save& save) {
  const Simulation& simulation = opened_.simulation();
  playback_.snapshots().save(save.name, simulation, opened_.scenario().loaded.hash);
  return {{"snapshots", playback_.snapshots().to_json()}};
}

Json CommandHandler::delete_snapshot(const DeleteSnapshot& given) {
  playback_.snapshots().remove(given.name);
  return {{"snapshots", playback_.snapshots().to_json()}};
}

Json CommandHandler::load(const Load& load) {
  const Simulation& simulation = opened_.simulation();
  if (!load.bytes.empty()) {
    playback_.require_live();
    NamedSnapshot uploaded{load.name, 0.0, 0, load.bytes};
    playback_.load(uploaded);
    uploaded.time = simulation.now().seconds;
    uploaded.step = simulation.now().step;
    playback_.snapshots().add(std::move(uploaded));
    return {{"time", simulation.now().seconds}};
  }
  const NamedSnapshot& snapshot = playback_.snapshots().find(load.name);
  if (playback_.is_replay()) return seek({.time = snapshot.time});
  playback_.load(snapshot);
  return {{"time", simulation.now().seconds}};
}

void CommandHandler::apply(const Action& action) {
  playback_.apply(action);
  if (!playback_.is_running()) publisher_.note_change();
}

Json CommandHandler::write_signal(const WriteSignal& set) {
  const SignalTable& signals = opened_.simulation().signals();
  const Slot slot = find_or_reject<Slot>("signal", set.signal, signals.names(),
                                         [&](const std::string& name) { return signals.find(name); });
  const CommandLimits& limits = signals.info(slot).limits;
  if (set.value < limits.lower || set.value > limits.upper) {
    throw Rejection(fmt::format("signal '{}': {} is out of its range, {} to {}", set.signal, set.value,
                                limits.lower, limits.upper));
  }
  apply(SetSignal{slot, set.value});
  return {};
}

Json CommandHandler::move_joint(const MoveJoint& move) {
  const Model& model = opened_.simulation().model();
  const JointId joint =
      find_or_reject<JointId>("joint", move.joint, model.joint_names(),
                              [&](const std::string& name) { return model.find_joint(name); });
  apply(SetJoint{joint, move.position});
  return {};
}

Json CommandHandler::attach(const Attach& attach) {
  const Model& model = opened_.simulation().model();
  const JointId joint =
      find_or_reject<JointId>("joint", attach.joint, model.joint_names(),
                              [&](const std::string& name) { return model.find_joint(name); });
  apply(SetAttached{joint, attach.attached});
  return {};
}

Json CommandHandler::pull(const PullBody& pull) {
  const Model& model = opened_.simulation().model();
  const BodyId body = find_or_reject<BodyId>("body", pull.body, model.body_names(),
                                             [&](const std::string& name) { return model.find_body(name); });
  Pull action{.body = body, .point = pull.point};
  if (pull.target) {
    const double step = to_seconds(model.step);
    const double mass = std::max(model.body(body).mass.mass, 1e-6);
    const double stiffest = kStiffest * mass / (step * step);
    if (pull.stiffness && *pull.stiffness > stiffest) {
      throw Rejection(fmt::format("stiffness {} N/m is too high for body '{}'; expected at most {:.3g} N/m",
                                  *pull.stiffness, pull.body, stiffest));
    }
    action.target = *pull.target;
    action.stiffness =
        pull.stiffness.value_or(std::min(stiffest, kPullRate * kPullRate * mass_of_tree(model, body)));
    action.damping = 2.0 * std::sqrt(action.stiffness * mass);
  }
  apply(action);
  return {{"stiffness", action.stiffness}};
}

Json CommandHandler::edit(const EditValue& edit) {
  const Simulation& before = opened_.simulation();
  playback_.require_live();
  const ReadScenario& scenario = opened_.scenario();
  Document document = Document::read_text(scenario.text, source_.shown, scenario.loaded.folder);
  document.set(edit.xpath, edit.value, "edit " + shown_text(edit.xpath));
  OpenedScenario::Candidate candidate = opened_.prepare_edited(document);
  StateWriter state;
  before.save(state);
  const bool was_running = playback_.is_running();
  const bool has_same_parts = candidate.simulation->fingerprint() == before.fingerprint();
  show(std::move(candidate));
  // Restart if the state does not fit the new values.
  const bool goes_on = has_same_parts && playback_.begin_from(state.bytes(), was_running);
  playback_.open_connections();
  return {{"restarted", !goes_on}};
}

Json CommandHandler::open(const Open& source) {
  OpenedScenario::Candidate candidate = opened_.prepare(source, true);
  source_ = source;
  playback_.snapshots().clear();
  show(std::move(candidate));
  playback_.open_connections();
  return {};
}

Json CommandHandler::reload(const Reload&) {
  (void)opened_.simulation();
  playback_.require_live();
  show(opened_.prepare(source_, true));
  playback_.open_connections();
  return {};
}

Json CommandHandler::ready(const Ready&) {
  if (opened_.is_open() && std::exchange(options_.plays_when_ready, false)) playback_.play(std::nullopt);
  return {};
}

/// Shows another simulation: at its start, paused, connections still closed.
void CommandHandler::show(OpenedScenario::Candidate candidate) {
  const std::vector<std::string> warnings = std::move(candidate.warnings);
  opened_.open(std::move(candidate), source_);
  publisher_.show_scene();
  playback_.begin();
  for (const std::string& warning : warnings) outbox_.warn(warning);
}

void CommandHandler::open_recording(const std::filesystem::path& path) {
  RecordingReader recording(path);
  std::filesystem::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  const Open source{.file = {},
                    .folder = folder,
                    .shown = path.filename().string(),
                    .text = recording.head().scenario,
                    .is_trusted = true,
                    .controllers = {}};
  show_recording(recording, source, path.string());
}

Json CommandHandler::open_upload(const OpenRecording& upload) {
  RecordingReader recording(std::make_unique<std::istringstream>(upload.bytes), upload.name);
  const Open source{.file = {},
                    .folder = options_.root,
                    .shown = upload.name,
                    .text = recording.head().scenario,
                    .controllers = {}};
  playback_.snapshots().clear();
  show_recording(recording, source, upload.name);
  return {};
}

void CommandHandler::show_recording(RecordingReader& recording, const Open& source, const std::string& path) {
  const RecordingHead& head = recording.head();
  OpenedScenario::Candidate candidate = opened_.prepare(source, false);
  const auto& connections = candidate.simulation->connections();
  const bool fits =
      head.fingerprint == candidate.simulation->fingerprint() &&
      std::equal(head.connection_widths.begin(), head.connection_widths.end(), connections.begin(),
                 connections.end(), [](std::uint64_t width, const auto& connection) {
                   return width == connection.device->writes().size();
                 });
  if (!fits) {
    throw_user_error({path, 0, 0}, "the recording does not match its scenario; it was made by version {}",
                     head.version);
  }
  source_ = source;
  show(std::move(candidate));
  playback_.begin_replay(recording, path);
}

void CommandHandler::download(const Command& command, const Download& download) {
  const Simulation& simulation = opened_.simulation();
  const LoadedScenario& loaded = opened_.scenario().loaded;
  DownloadFile file{.name = loaded.scenario.name, .content_type = "application/octet-stream", .bytes = {}};
  switch (download.what) {
    case Downloadable::kScenario:
      file.name += ".xml";
      file.content_type = "application/xml";
      file.bytes = packed_text(loaded, options_.registry);
      break;
    case Downloadable::kSnapshot: {
      file.name += ".snapshot";
      const std::vector<std::uint8_t> bytes = download.name ? playback_.snapshots().find(*download.name).bytes
                                                            : make_snapshot(simulation, loaded.hash);
      file.bytes.assign(bytes.begin(), bytes.end());
      break;
    }
    case Downloadable::kRecording:
      if (playback_.is_replay()) throw Rejection("the shown recording is already a file");
      file.name += ".rec";
      return download_recording(command, std::move(file), make_recording);
    case Downloadable::kHtml:
      file.name += ".html";
      return download_recording(command, std::move(file), make_html);
  }
  outbox_.push({.viewer = command.viewer,
                .is_answer = true,
                .id = command.id,
                .json = {{"ok", true}},
                .file = std::move(file)});
}

void CommandHandler::download_recording(const Command& command, DownloadFile file, MakeFile make) {
  if (opened_.is_live())
    throw Rejection("a run with controllers outside cannot be downloaded; use `lockstep run --record`");
  const LoadedScenario& loaded = opened_.scenario().loaded;
  const History& history = playback_.history();
  RecordingJob job{.scenario = packed_text(loaded, options_.registry),
                   .name = loaded.scenario.name,
                   .folder = loaded.folder,
                   .version = options_.version,
                   .start = history.start().state,
                   .arrivals = history.arrivals(),
                   .inputs = history.inputs(),
                   .end = history.end(),
                   .max_bytes = kMaxDownloadBytes};
  const bool is_posted =
      worker_.post([this, make, job = std::move(job), file, viewer = command.viewer, id = command.id] {
        Message message{.viewer = viewer, .is_answer = true, .id = id, .json = {{"ok", true}}};
        const Result<std::string> made = make(job, options_.registry, [this] { return worker_.is_ending(); });
        if (made) {
          message.file = file;
          message.file->bytes = *made;
        } else {
          message.json = {{"ok", false}, {"error", made.error()}};
        }
        outbox_.push(std::move(message));
      });
  if (!is_posted) throw Rejection("too many jobs are waiting; try again later");
}

void CommandHandler::find_image(const Command& command, const FindImage& find) {
  for (const auto& [name, seen] : opened_.simulation().images()) {
    if (name != find.sensor) continue;
    const Image image{seen.width, seen.height, {seen.rgb.begin(), seen.rgb.end()}};
    outbox_.push({.viewer = command.viewer,
                  .is_answer = true,
                  .id = command.id,
                  .json = {{"ok", true}, {"width", image.width}, {"height", image.height}},
                  .file = DownloadFile{.name = {}, .content_type = "image/png", .bytes = encode_png(image)}});
    return;
  }
  throw Rejection(fmt::format("there is no image of '{}'", shown_text(find.sensor)));
}

void CommandHandler::predict_paths(const Command& command) {
  (void)opened_.simulation();
  const ReadScenario& scenario = opened_.scenario();
  const bool is_posted = worker_.post(
      [this, text = scenario.text, folder = scenario.loaded.folder, viewer = command.viewer, id = command.id] {
        Json json = {{"ok", true}, {"paths", calc_paths(text, folder, options_.registry)}};
        outbox_.push({.viewer = viewer, .is_answer = true, .id = id, .json = std::move(json)});
      });
  if (!is_posted) throw Rejection("too many jobs are waiting; try again later");
}

Json CommandHandler::list_events(const ListEvents&) {
  return {{"events", opened_.is_open() ? publisher_.list_events() : Json::array()}};
}

void CommandHandler::find_rows(const Command& command, const FindRows& find) {
  if (!opened_.is_open() || find.scene != opened_.scene()->id) throw Rejection("another scenario was opened");
  const History& history = playback_.history();
  const double step = to_seconds(opened_.simulation().step_size());
  // Rows of an earlier run that the current one does not continue are not part of its past.
  const double from = std::max(find.from, step * (static_cast<double>(history.first()) - 0.5));
  const double to = std::min(find.to, step * (static_cast<double>(history.end()) - 0.5));
  RowStore::Part part = publisher_.rows().find(find.signals, *find.formulas, from, to,
                                               std::max(kMaxRowNumbers, 1 + find.signals.size()));
  const std::size_t width = 1 + find.signals.size();
  const bool is_posted =
      worker_.post([this, width, part = std::move(part), viewer = command.viewer, id = command.id] {
        Json rows = Json::array();
        for (std::size_t i = 0; i < part.numbers.size(); i += width) {
          rows.push_back(std::vector<double>(part.numbers.begin() + static_cast<std::ptrdiff_t>(i),
                                             part.numbers.begin() + static_cast<std::ptrdiff_t>(i + width)));
        }
        outbox_.push({.viewer = viewer,
                      .is_answer = true,
                      .id = id,
                      .json = {{"ok", true}, {"rows", std::move(rows)}, {"complete", part.is_complete}}});
      });
  if (!is_posted) throw Rejection("too many jobs are waiting; try again later");
}

void CommandHandler::watch(const Watch& watch) {
  const bool needs_contacts = publisher_.watch(watch);
  if (!needs_contacts || opened_.is_live() || playback_.is_running()) return;
  // Repeat the last step to compute its contacts.
  StateWriter now;
  opened_.simulation().save(now);
  opened_.simulation().restore(now.bytes());
}

}  // namespace lockstep::serve
