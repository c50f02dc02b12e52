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

/// What viewers ask of a session, as values, and what it says to them.
namespace lockstep::serve {

using Json = nlohmann::ordered_json;

/// Who asked; 0 is nobody, and in a message everybody.
using ViewerId = std::uint64_t;

struct Play {
  std::optional<double> length;  ///< s of simulated time, above 0
};
struct Pause {};
struct StepOnce {
  std::int64_t count = 1;
};
struct SetSpeed {
  std::optional<double> factor;  ///< nothing: as fast as can be
};
struct Reset {};
struct Seek {
  double time = 0.0;  ///< s
};
struct Save {
  std::string name;
};
struct Load {
  std::string name;
};
enum class Downloadable { kSnapshot, kRecording, kScenario };
struct Download {
  Downloadable what = Downloadable::kScenario;
  std::optional<std::string> name;  ///< of a snapshot; nothing: the state now
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
  std::optional<Vec3> target;  ///< nothing: let go
  std::optional<double> stiffness;
};
struct EditValue {
  std::string xpath;
  std::string value;
};
/// A scenario from a file, or from a text that was uploaded.
struct Open {
  std::filesystem::path file;  ///< exists and may be read; empty: `text`
  std::filesystem::path folder;
  std::string shown;  ///< path as viewers know it
  std::string text;
};
struct Reload {};
struct PredictPaths {};
/// What the streams of all viewers together hold. Has no answer.
struct Watch {
  std::shared_ptr<const std::vector<Slot>> signals;
  std::uint32_t scene = 0;   ///< that the slots are of
  std::uint64_t number = 0;  ///< states that were made for this one carry it
  bool contacts = false;
  bool rays = false;
};

using Wish = std::variant<Play, Pause, StepOnce, SetSpeed, Reset, Seek, Save, Load, Download, WriteSignal,
                          MoveJoint, Attach, PullBody, EditValue, Open, Reload, PredictPaths, Watch>;

struct Command {
  ViewerId viewer = 0;
  std::int64_t id = 0;  ///< of the request
  Wish wish;
};

/// A file that a viewer may fetch once.
struct DownloadFile {
  std::string name;
  std::string content_type;
  std::string bytes;
};

struct Scene;

/// To a viewer, or to all. An answer (`is_answer`) is the object that answers request `id`, but for that id.
struct Message {
  ViewerId viewer = 0;
  bool is_answer = false;
  std::int64_t id = 0;
  Json json;
  std::optional<DownloadFile> file;
  std::shared_ptr<const Scene> scene;  ///< a new one, for all
};

}  // namespace lockstep::serve
