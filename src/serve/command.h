#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lockstep/math.h"
#include "lockstep/signals.h"
#include "serve/view_formula.h"

/// Commands from viewers to a session, and messages from the session to viewers.
namespace lockstep::serve {

using Json = nlohmann::ordered_json;

/// Viewer that sent a command (0: none); receiver of a message (0: all viewers).
using ViewerId = std::uint64_t;

struct Play {
  std::optional<double> length;  ///< s of simulated time, above 0
};
struct Pause {};
struct StepOnce {
  std::int64_t count = 1;
};
struct SetSpeed {
  std::optional<double> factor;  ///< nullopt: as fast as possible
};
struct Reset {};
struct Seek {
  double time = 0.0;  ///< s
};
struct Save {
  std::string name;
};
struct DeleteSnapshot {
  std::string name;
};
struct Load {
  std::string name;
  std::vector<std::uint8_t> bytes{};  ///< of an uploaded snapshot, which is kept under the name
};
/// An uploaded recording.
struct OpenRecording {
  std::string name;
  std::string bytes;
};
enum class Downloadable { kSnapshot, kRecording, kScenario, kHtml };
struct Download {
  Downloadable what = Downloadable::kScenario;
  std::optional<std::string> name;  ///< of a snapshot; nullopt: the current state
};
struct WriteSignal {
  std::string signal;
  double value = 0.0;
};
struct MoveJoint {
  std::string joint;
  double position = 0.0;
};
struct Attach {
  std::string joint;
  bool attached = false;
};
struct PullBody {
  std::string body;
  Vec3 point = Vec3::Zero();
  std::optional<Vec3> target;  ///< nullopt: release the body
  std::optional<double> stiffness;
};
struct EditValue {
  std::string xpath;
  std::string value;
};
/// A scenario from a file or from an uploaded text.
struct Open {
  std::filesystem::path file;  ///< existing, readable file; empty: use `text`
  std::filesystem::path folder;
  std::string shown;  ///< path shown to viewers
  std::string text;
  bool is_trusted = false;               ///< the text does not come from a viewer
  std::vector<std::string> controllers;  ///< commands that start its controllers, each time connections open
};
struct Reload {};
/// A viewer has drawn its first image of the open scenario.
struct Ready {};
struct PredictPaths {};
struct ListEvents {};
/// The last image of a camera.
struct FindImage {
  std::string sensor;
};
/// The rows of signals over a past stretch, s.
struct FindRows {
  std::vector<Slot> signals;
  std::shared_ptr<const ViewFormulas> formulas;
  std::uint32_t scene = 0;  ///< scene that the slots belong to
  double from = 0.0;
  double to = 0.0;
};
/// The union of the subscriptions of all viewers. Has no answer.
struct Watch {
  std::shared_ptr<const std::vector<Slot>> signals;
  std::shared_ptr<const ViewFormulas> formulas;
  std::uint32_t scene = 0;   ///< scene that the slots belong to
  std::uint64_t number = 0;  ///< states published for this Watch carry it
  bool contacts = false;
  bool rays = false;
};

using Payload = std::variant<Play, Pause, StepOnce, SetSpeed, Reset, Seek, Save, DeleteSnapshot, Load, Download,
                             WriteSignal, MoveJoint, Attach, PullBody, EditValue, Open, OpenRecording, Reload,
                             Ready, PredictPaths, ListEvents, FindImage, FindRows, Watch>;

struct Command {
  ViewerId viewer = 0;
  std::int64_t id = 0;  ///< request id
  Payload payload;
};

/// A file that a viewer may download once.
struct DownloadFile {
  std::string name;
  std::string content_type;
  std::string bytes;
  bool is_immutable = false;  ///< its URL contains a hash of the content: may be cached permanently
  bool is_gzip = false;       ///< `bytes` are compressed
};

struct Scene;

/// Message to one viewer or to all. If `is_answer`, `json` is the answer to request `id`, without the id.
struct Message {
  ViewerId viewer = 0;
  ViewerId except = 0;  ///< to all viewers but this one
  bool is_answer = false;
  std::int64_t id = 0;
  Json json;
  std::optional<DownloadFile> file;
  std::shared_ptr<const Scene> scene;  ///< a new scene, for all viewers
};

}  // namespace lockstep::serve
