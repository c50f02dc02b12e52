#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/field.h"
#include "connection/link.h"
#include "connection/link_faults.h"
#include "connection/peer.h"
#include "connection/round_trips.h"

namespace lockstep {

/// What a link does when no command comes for `timeout`.
enum class Silence {
  kHold,   ///< keeps the last commands
  kZero,   ///< sets all commands to zero, at once
  kPause,  ///< lets simulated time stand still until a command comes
  kStop,   ///< ends the run
};

/// How commands go from one exchange to the next. With u the fraction of the period since the exchange, 0…1,
/// a command is old + (new - old) s(u):
enum class CommandShape {
  kHold,    ///< s = 1: the new value at once
  kLinear,  ///< s = u: continuous
  kSmooth,  ///< s = 2 u² up to the middle, then 1 - 2 (1 - u)²: with a continuous rate, zero at both ends
};

inline constexpr std::array<std::pair<std::string_view, LinkMode>, 2> kLinkModes = {
    {{"lockstep", LinkMode::kLockStep}, {"realtime", LinkMode::kRealTime}}};
inline constexpr std::array<std::pair<std::string_view, Silence>, 4> kSilences = {
    {{"hold", Silence::kHold}, {"zero", Silence::kZero}, {"pause", Silence::kPause}, {"stop", Silence::kStop}}};
inline constexpr std::array<std::pair<std::string_view, CommandShape>, 3> kCommandShapes = {
    {{"hold", CommandShape::kHold}, {"linear", CommandShape::kLinear}, {"smooth", CommandShape::kSmooth}}};

/// What the elements of all links have in common.
struct LinkTiming {
  LinkMode mode = LinkMode::kLockStep;
  Duration timeout = std::chrono::seconds(1);
  Duration connect_timeout = std::chrono::seconds(10);
  Silence silence = Silence::kStop;
  CommandShape interpolation = CommandShape::kHold;
};

template <class V>
void describe(V& v, LinkTiming& c) {
  // An hour is longer than anybody waits, and far from where nanoseconds end.
  constexpr double kLongest = 3600.0;
  v.choice("mode", c.mode, kLinkModes,
           {.doc = "lockstep: the simulation waits for every command. realtime: it never waits, and uses the "
                   "newest command that has come."});
  v.time("timeout", c.timeout,
         {.min = 0.0,
          .max = kLongest,
          .above_min = true,
          .doc = "How long no command may come before the controller counts as silent: on the wall in lock "
                 "step, of simulated time in real time."});
  v.time("connect_timeout", c.connect_timeout,
         {.min = 0.0,
          .max = kLongest,
          .doc = "How long on the wall the first exchange waits for a controller to connect and answer."});
  v.choice("silence", c.silence, kSilences,
           {.doc = "What happens when the controller is silent. hold: its last commands stay. zero: all become "
                   "zero. pause: simulated time stands still until it answers. stop: the run ends."});
  v.choice("interpolation", c.interpolation, kCommandShapes,
           {.doc = "How commands go from one exchange to the next. hold: at once. linear: in a straight line "
                   "over one period. smooth: over one period with a continuous rate."});
}

/// A controller at the other end of a Peer. At every exchange it hands over what is read, takes in what comes,
/// and writes the commands, shaped between the exchanges. It writes them only while they change, so that events
/// may set them in between.
class RemoteController final : public ControllerLink {
 public:
  /// The signals that tell how the link does; all but the last two are counts.
  static constexpr std::array<std::string_view, kLinkCounts.size() + 2> kHealth = {
      "late", "lost", "duplicate", "bad", "reconnects", "missed", "connected", "silent"};

  struct Signals {
    std::vector<Slot> reads;
    std::vector<Slot> writes;
    std::vector<double> initial;  ///< of what is written
    std::array<Slot, kHealth.size()> health{};
  };
  struct Settings {
    LinkTiming timing;
    std::int64_t every = 1;  ///< steps between two exchanges
    Duration step{0};
    std::function<bool()> cancelled;  ///< whether the run is to end; asked while nobody answers
    LinkFaults faults{};
  };

  /// Without a peer it can only be fed.
  RemoteController(std::string name, Signals signals, Settings settings, std::unique_ptr<Peer> peer);

  std::string open() override;
  void close() override;
  std::string address() const override { return peer_ ? peer_->address() : ""; }
  LinkMode mode() const override { return settings_.timing.mode; }
  Status exchange(const Instant& now, Row row) override;
  void feed(const LinkInput& input) override;
  const LinkInput& last_input() const override { return takes_fed_ ? fed_ : answer_; }
  const LinkInput& last_answer() const override { return answer_; }
  std::span<const Slot> writes() const override { return signals_.writes; }
  void set_pace(std::optional<double> speed) override { speed_ = speed; }
  Duration waited() const override { return waited_; }
  bool has_paused() const override { return has_paused_; }
  LinkReport report() const override;
  void save(StateWriter& writer) const override;
  void restore(StateReader& reader) override;

 private:
  bool is_cancelled() const { return settings_.cancelled && settings_.cancelled(); }
  bool ask(const Instant& now);
  void put_question(PeerRequest& request);
  void measure(const Instant& now, Row row);
  void begin_shape(std::int64_t step, std::span<const double> commands);
  Duration time_to_wait() const;
  void judge(bool is_connecting, bool is_overdue);
  bool is_silence(const Instant& now) const;
  Status take_in(const Instant& now);
  void write_commands(const Instant& now, Row row);
  void write_health(Row row) const;

  std::string name_;
  Signals signals_;
  Settings settings_;
  std::unique_ptr<Peer> peer_;

  // Of the wall and of this run alone.
  bool is_open_ = false;
  bool is_connecting_ = false;  // nobody was asked yet since it is open
  bool is_awake_ = false;       // somebody who was silent shows signs of life
  bool is_fed_ = false;
  std::optional<double> speed_;
  Duration waited_{0};
  bool has_paused_ = false;
  RoundTrips round_trips_;
  std::vector<double> present_;  // what is measured now
  std::vector<double> arrived_;  // room for commands that come late
  ExchangeFaults spoiled_;       // of this exchange
  LinkInput answer_, fed_;
  bool takes_fed_ = false;  // the input of the last exchange was fed

  // Part of the state.
  std::vector<double> measured_;  // as the other side gets it; what was sent last only counts if it can be late
  std::optional<DelayLine> late_measurements_, late_commands_;  // if there are faults that delay
  std::int64_t exchanges_ = 0;
  LinkCounts counts_;
  std::vector<double> old_, new_;  // commands that the shape goes from and to
  std::int64_t shape_begin_ = 0;   // step
  bool is_shaping_ = false;        // the commands do not stand at `new_` yet
  bool is_connected_ = false;
  bool is_silent_ = false;
  std::int64_t quiet_since_ = -1;    // step of the last answer or else of the first exchange
  std::int64_t last_answered_ = -1;  // step of the last answer
};

}  // namespace lockstep
