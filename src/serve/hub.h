#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/schema.h"
#include "serve/command.h"
#include "serve/request.h"
#include "serve/scene.h"
#include "serve/session.h"

namespace lockstep::serve {

/// One connected viewer (a browser page). Buffers what it cannot send at once, up to a limit; beyond that it
/// closes itself.
class Viewer {
 public:
  virtual ~Viewer() = default;
  virtual void send_text(std::shared_ptr<const std::string> text) = 0;
  /// Whether the last state message has been sent; call send_state() only then.
  virtual bool can_take_state() const = 0;
  virtual void send_state(std::string bytes) = 0;
  virtual void close(const std::string& why) = 0;
};

/// Connects the viewers to the session, on the server thread. The protocol is in docs/viewer-protocol.md.
///
///     Viewer ── receive() ──► answered here: hello, files, subscribe, source, attributes
///                     └────► Session::post() ──► Outbox ── pump() ──► answer to that viewer, pushes to all
///     StateSlot ── pump() ──► per viewer: collect its rows, send a state message at its rate
///
/// A viewer's first request must be a valid 'hello'; otherwise it is closed. A slow viewer gets only the latest
/// state; rows beyond kMaxRowBytes are dropped, and the next state message says so.
class Hub {
 public:
  struct Options {
    std::filesystem::path root;
    std::optional<std::filesystem::path> gallery;
    std::map<std::string, std::string> controllers{};  ///< commands for scenarios of the gallery, by name
    ElementSchema schema;
    std::string version;
    std::string token;  ///< empty: none is needed
  };

  Hub(Options options, Session& session);

  ViewerId add(std::shared_ptr<Viewer> viewer);
  void remove(ViewerId viewer);

  /// Handles a text message from a viewer.
  void receive(ViewerId viewer, std::string_view text);

  /// Unanswered requests of a viewer; the server stops reading from a viewer with too many.
  int open_requests(ViewerId viewer) const;

  /// Sends pending messages and states. True if a state message is due later: call again after a short time.
  bool pump();

  /// The file at a URL path: meshes and heightmaps of the scene, thumbnails, downloads (once).
  std::optional<DownloadFile> find_file(std::string_view path);

  static constexpr std::size_t kMaxRowBytes = 64 << 10;  ///< per viewer
  static constexpr std::size_t kMaxDownloads = 16;
  static constexpr std::size_t kMaxDownloadBytes = 512u << 20;

 private:
  using Clock = std::chrono::steady_clock;
  struct Subscription {
    std::vector<std::string> names;
    std::vector<Slot> signals;
    bool poses = false;
    bool contacts = false;
    bool rays = false;
    double rate = 60.0;
  };
  struct Entry {
    std::shared_ptr<Viewer> viewer;
    bool has_said_hello = false;
    int open_requests = 0;
    std::optional<Subscription> subscription;
    std::deque<double> rows;  ///< 1 + signals numbers each
    bool has_lost_rows = false;
    std::uint64_t sent = 0;   ///< number of the last state sent
    std::uint64_t watch = 0;  ///< states made for an earlier Watch lack its signals
    Clock::time_point last_state{};
  };
  struct Waiting {
    std::string path;
    DownloadFile file;
    Clock::time_point expires;
  };

  Json answer_here(ViewerId id, const Request& request);
  std::optional<Payload> payload_of(const Request& request);
  Json hello(Entry& entry, const Request& request);
  Json files(const Request& request) const;
  Json subscribe(Entry& entry, const Request& request);
  Payload open(const Request& request) const;
  std::vector<Slot> find_signals(const std::vector<std::string>& names);
  Slot find_formula(const std::string& name);
  ViewFormula parse_formula(const std::string& text) const;
  void send(Entry& entry, const Json& json);
  void send_to_all(const Json& json, ViewerId except = 0);
  void deliver(Message& message);
  void change_scene(std::shared_ptr<const Scene> scene);
  void watch();
  void sort_rows();
  bool send_state_if_due(Entry& entry, Clock::time_point now);
  std::string keep(DownloadFile file);

  Options options_;
  Session& session_;
  std::map<ViewerId, Entry> viewers_;
  ViewerId next_viewer_ = 1;
  std::shared_ptr<const Scene> scene_;
  std::vector<std::string> formula_names_;  // of this scene, "=a + b"
  std::shared_ptr<const ViewFormulas> formulas_ = std::make_shared<const ViewFormulas>();  // in the same order
  std::string status_ = R"({"state":"empty"})";
  std::deque<std::string> warnings_;  // of this scene, for viewers that connect later
  ViewState state_;
  std::uint64_t state_number_ = 0;
  std::uint64_t watch_number_ = 0;
  std::deque<Waiting> downloads_;
};

}  // namespace lockstep::serve
