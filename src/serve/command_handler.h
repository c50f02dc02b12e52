#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "serve/command.h"
#include "serve/jobs.h"
#include "serve/opened_scenario.h"
#include "serve/outbox.h"
#include "serve/playback.h"
#include "serve/publisher.h"
#include "serve/worker.h"
#include "simulation/recording.h"

namespace lockstep::serve {

/// Executes the commands of viewers one after the other, between two steps, and answers each. Long jobs (making
/// a recording to download, predicting paths) run on a worker thread and are answered later.
class CommandHandler {
 public:
  struct Options {
    const Registry& registry;
    std::string version;                 ///< of the program, for recordings
    std::filesystem::path root;          ///< errors name files relative to it
    std::function<bool()> is_overtaken;  ///< a newer seek request is waiting
    bool plays_when_ready = false;       ///< start the run when the first viewer is ready
  };

  CommandHandler(Options options, OpenedScenario& opened, Playback& playback, Publisher& publisher,
                 Outbox& outbox)
      : options_(std::move(options)),
        opened_(opened),
        playback_(playback),
        publisher_(publisher),
        outbox_(outbox) {}

  void handle(const Command& command);

  /// As the commands, but errors are thrown as UserError.
  Json open(const Open& source);
  void open_recording(const std::filesystem::path& path);
  Json open_upload(const OpenRecording& upload);

 private:
  Json play(const Play& play);
  Json pause(const Pause&);
  Json step(const StepOnce& step);
  Json set_speed(const SetSpeed& speed);
  Json reset(const Reset&);
  Json seek(const Seek& seek);
  Json save(const Save& save);
  Json delete_snapshot(const DeleteSnapshot& given);
  Json load(const Load& load);
  Json write_signal(const WriteSignal& set);
  Json move_joint(const MoveJoint& move);
  Json attach(const Attach& attach);
  Json pull(const PullBody& pull);
  Json edit(const EditValue& edit);
  Json reload(const Reload&);
  Json ready(const Ready&);
  void download(const Command& command, const Download& download);
  /// Repeats the run in the background to make a file of it, and sends that.
  using MakeFile = Result<std::string> (*)(const RecordingJob& job, const Registry& registry,
                                           const std::function<bool()>& is_cancelled);
  void download_recording(const Command& command, DownloadFile file, MakeFile make);
  void predict_paths(const Command& command);
  Json list_events(const ListEvents& given);
  void find_image(const Command& command, const FindImage& find);
  void find_rows(const Command& command, const FindRows& find);
  void watch(const Watch& watch);

  void show_recording(RecordingReader& recording, const Open& source, const std::string& path);
  void tell_others(const Command& command);
  void show(OpenedScenario::Candidate candidate);
  void apply(const Action& action);
  void answer(const Command& command, Json extra = Json::object());
  void reject(const Command& command, const std::string& error);
  void reject(const Command& command, const UserError& error);

  Options options_;
  OpenedScenario& opened_;
  Playback& playback_;
  Publisher& publisher_;
  Outbox& outbox_;
  Open source_;    // of the open scenario
  Worker worker_;  // last member: its jobs end before the members they use
};

}  // namespace lockstep::serve
