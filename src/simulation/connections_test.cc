#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/temporary_folder_testing.h"
#include "connection/function_peer_testing.h"
#include "connection/remote_controller.h"
#include "simulation/point_mass_testing.h"
#include "simulation/recording.h"
#include "simulation/replay.h"
#include "simulation/runner.h"

namespace lockstep {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

struct ConnectionSetup {
  ConnectionTiming timing;
  std::int64_t every = 1;
  FunctionPeer::Function function;  ///< empty: the connection is fed
};

/// A cart at 0.5 N whose position is read and whose force is written by a controller outside.
Simulation make_cart(const ConnectionSetup& connection) {
  SimulationSetup setup;
  setup.model = PointMassWorld::make_model();
  setup.world = std::make_unique<PointMassWorld>(setup.model);
  setup.signals.add("time", "s", SignalRole::kInternal);
  const Slot force = setup.signals.add("cart/force", "N", SignalRole::kCommand, 0.5);
  const Slot position = setup.signals.add("cart/position", "m", SignalRole::kMeasurement);
  RemoteController::Signals signals{.reads = {position}, .writes = {force}, .initial = {0.5}};
  for (std::size_t i = 0; i < signals.health.size(); ++i) {
    signals.health[i] =
        setup.signals.add(fmt::format("plc/{}", RemoteController::kHealth[i]), "", SignalRole::kHealth);
  }
  setup.sensors.push_back({"cart", std::make_unique<CartSensor>(position), 1, 0});
  setup.actuators.push_back({"cart", std::make_unique<Push1D>(force), 1, 0});
  std::unique_ptr<Peer> peer;
  if (connection.function) peer = std::make_unique<FunctionPeer>(connection.function);
  setup.connections.push_back(
      {"plc",
       std::make_unique<RemoteController>(
           "plc", std::move(signals),
           RemoteController::Settings{
               .timing = connection.timing, .every = connection.every, .step = milliseconds(1)},
           std::move(peer)),
       1, 0});
  return Simulation(std::move(setup));
}

double value(const Simulation& simulation, const char* name) {
  return simulation.row()[*simulation.signals().find(name)];
}

PeerReply answer(Duration waited = Duration(0)) {
  return {.is_fresh = true, .is_connected = true, .counts = {}, .waited = waited};
}

/// A spring to 1 m, which sometimes does not answer or answers twice.
FunctionPeer::Function moody_spring() {
  return [n = 0](const PeerRequest& request, std::span<double> commands) mutable {
    PeerReply reply = answer();
    reply.is_fresh = ++n % 17 != 0;
    reply.counts.duplicate = n % 5 == 0 ? 1 : 0;
    reply.is_connected = n % 34 != 0;
    if (reply.is_fresh) commands[0] = 30.0 * (1.0 - request.measured[0]);
    return reply;
  };
}

const ConnectionTiming kForgiving{.silence = Silence::kHold, .interpolation = CommandShape::kSmooth};

class RecordedConnection : public testing::Test {
 protected:
  /// Records `steps` steps with an unreliable controller every 2 ms.
  std::uint64_t record(int steps = 600) {
    Simulation simulation = make_cart({kForgiving, 2, moody_spring()});
    EXPECT_EQ(simulation.connections()[0].device->open(), "");
    Recorder recorder(file_, simulation, "<scenario/>", "1.2.3");
    for (int i = 0; i < steps; ++i) {
      EXPECT_TRUE(simulation.step().ok());
      EXPECT_TRUE(recorder.after_step(simulation).ok());
    }
    EXPECT_TRUE(recorder.finish(Outcome::kOk).ok());
    EXPECT_GT(value(simulation, "plc/late"), 0.0);
    return simulation.hash();
  }

  ReplayReport replay_file() const {
    Simulation simulation = make_cart({kForgiving, 2, {}});
    RecordingReader reader(file_);
    return replay(simulation, reader);
  }

  PlantReport serve(FunctionPeer::Function function, double tolerance = 0.0) const {
    Simulation simulation = make_cart({kForgiving, 2, std::move(function)});
    EXPECT_EQ(simulation.connections()[0].device->open(), "");
    RecordingReader reader(file_);
    return replay_as_plant(simulation, reader, tolerance);
  }

  std::string read_bytes() const {
    std::ostringstream bytes;
    bytes << std::ifstream(file_, std::ios::binary).rdbuf();
    return bytes.str();
  }
  void write_bytes(const std::string& bytes) const { std::ofstream(file_, std::ios::binary) << bytes; }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "connection.rec";
};

TEST_F(RecordedConnection, ReplaysToTheSameHashWithoutTheController) {
  const std::uint64_t hash = record();
  const ReplayReport report = replay_file();
  EXPECT_TRUE(report.same());
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.steps, 600);
  EXPECT_EQ(report.hash, hash);
}

TEST_F(RecordedConnection, EveryChangedByteOfItsInputsIsDetected) {
  record(40);
  const std::string whole = read_bytes();
  const std::size_t begin = whole.find("CONN"), end = whole.find("ROWS");
  ASSERT_LT(begin, end);
  for (std::size_t at = begin; at < end; ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    write_bytes(bytes);
    EXPECT_THROW(replay_file(), UserError) << "byte " << at;
  }
}

TEST_F(RecordedConnection, AMissingInputIsFoundAtItsStep) {
  record(40);
  // Without the chunk the command keeps its value; the row differs at the first step.
  const std::string whole = read_bytes();
  const std::size_t begin = whole.find("CONN"), end = whole.find("ROWS");
  write_bytes(whole.substr(0, begin) + whole.substr(end));
  const ReplayReport report = replay_file();
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->step, 0);
  EXPECT_EQ(report.difference->signal, "plc/connected");
}

TEST_F(RecordedConnection, ARunThatLostItsControllerLosesItAgain) {
  Simulation simulation = make_cart({{}, 1, [n = 0](const PeerRequest&, std::span<double> commands) mutable {
                                       commands[0] = 1.0;
                                       PeerReply reply = answer();
                                       reply.is_fresh = ++n <= 256;  // ends at the end of a block
                                       return reply;
                                     }});
  ASSERT_EQ(simulation.connections()[0].device->open(), "");
  Recorder recorder(file_, simulation, "<scenario/>", "1.2.3");
  Status status;
  for (int i = 0; i < 300 && status.ok(); ++i) {
    status = simulation.step();
    if (status.ok()) status = recorder.after_step(simulation);
  }
  EXPECT_EQ(status.outcome, Outcome::kControllerLost);
  EXPECT_TRUE(recorder.finish(status.outcome).ok());

  Simulation again = make_cart({{}, 1, {}});
  RecordingReader reader(file_);
  const ReplayReport report = replay(again, reader);
  EXPECT_TRUE(report.same());
  EXPECT_EQ(report.status.outcome, Outcome::kControllerLost);
  EXPECT_EQ(report.status.cause, status.cause);
  EXPECT_EQ(report.steps, 256);
  EXPECT_EQ(report.hash, simulation.hash());
  EXPECT_EQ(report.hash, simulation.hash());
}

TEST_F(RecordedConnection, AsPlantTheSameControllerHasNoDifference) {
  record();
  const PlantReport report = serve(moody_spring());
  EXPECT_TRUE(report.same());
  // Of 300 exchanges every 17th had no command.
  EXPECT_EQ(report.exchanges, 300 - 300 / 17);
}

TEST_F(RecordedConnection, AsPlantTheFirstDifferentCommandIsReported) {
  record();
  const auto changed = [spring = moody_spring(), n = 0](const PeerRequest& request,
                                                        std::span<double> commands) mutable {
    const PeerReply reply = spring(request, commands);
    if (++n >= 100) commands[0] += 0.25;
    return reply;
  };
  const PlantReport report = serve(changed);
  ASSERT_TRUE(report.difference);
  EXPECT_TRUE(report.plant.same());
  EXPECT_EQ(report.difference->exchange, 100);
  EXPECT_EQ(report.difference->step, 198);
  EXPECT_EQ(report.difference->signal, "cart/force");
  EXPECT_EQ(report.difference->received, report.difference->recorded + 0.25);
  EXPECT_TRUE(serve(changed, 0.3).same());
}

TEST_F(RecordedConnection, AsPlantAControllerThatDoesNotAnswerDiffers) {
  record();
  const PlantReport report =
      serve([n = 0, spring = moody_spring()](const PeerRequest& request, std::span<double> commands) mutable {
        PeerReply reply = spring(request, commands);
        if (++n == 5) reply.is_fresh = false;
        return reply;
      });
  ASSERT_TRUE(report.difference);
  EXPECT_TRUE(report.difference->is_missing);
  EXPECT_EQ(report.difference->exchange, 5);
}

TEST(Connections, AnswerInTheStepOfTheRequest) {
  Simulation simulation = make_cart({{}, 1, [](const PeerRequest& request, std::span<double> commands) {
                                       commands[0] = 2.0 + request.measured[0];
                                       return answer();
                                     }});
  ASSERT_EQ(simulation.connections()[0].device->open(), "");
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(simulation.step().ok());
    ASSERT_EQ(value(simulation, "cart/force"), 2.0 + value(simulation, "cart/position"));
  }
}

TEST(Connections, TheirHealthIsSavedButNotPartOfTheHash) {
  const auto spring = [](std::int64_t duplicates, Duration waited) {
    return [=](const PeerRequest& request, std::span<double> commands) {
      commands[0] = 30.0 * (1.0 - request.measured[0]);
      PeerReply reply = answer(waited);
      reply.counts = {.lost = duplicates, .duplicate = duplicates, .bad = duplicates, .reconnects = duplicates};
      return reply;
    };
  };
  Simulation calm = make_cart({{}, 2, spring(0, Duration(1))});
  Simulation busy = make_cart({{}, 2, spring(3, milliseconds(20))});
  for (Simulation* each : {&calm, &busy}) {
    EXPECT_EQ(each->connections()[0].device->open(), "");
    each->connections()[0].device->set_pace(each == &busy ? std::optional(1.0) : std::nullopt);
    EXPECT_TRUE(each->run(100).ok());
  }
  EXPECT_EQ(value(busy, "plc/duplicate"), 150.0);
  EXPECT_EQ(value(busy, "plc/late"), 49.0);  // the first exchange waits for the controller to connect
  EXPECT_EQ(calm.hash(), busy.hash());
  StateWriter saved;
  busy.save(saved);
  calm.restore(saved.bytes());
  EXPECT_EQ(value(calm, "plc/duplicate"), 150.0);
  EXPECT_EQ(calm.connections()[0].device->report().counts.duplicate, 150);
}

TEST(Connections, AStepWithoutAnAnswerIsTakenBackAndCanBeRepeated) {
  bool is_silent = false;
  const auto spring = [&](const PeerRequest& request, std::span<double> commands) {
    if (is_silent) return PeerReply{.is_fresh = false, .is_connected = true};
    commands[0] = 30.0 * (1.0 - request.measured[0]);
    return answer();
  };
  Simulation steady = make_cart({{}, 2, spring}), broken = make_cart({{}, 2, spring});
  for (Simulation* each : {&steady, &broken}) {
    EXPECT_EQ(each->connections()[0].device->open(), "");
    EXPECT_TRUE(each->run(100).ok());
  }
  const std::vector<double> row(broken.row().values().begin(), broken.row().values().end());
  is_silent = true;
  EXPECT_EQ(broken.step().outcome, Outcome::kControllerLost);
  EXPECT_EQ(broken.now().step, 100);
  EXPECT_EQ(broken.hash(), steady.hash());
  EXPECT_TRUE(std::equal(row.begin(), row.end(), broken.row().values().begin()));
  is_silent = false;
  EXPECT_TRUE(steady.run(100).ok() && broken.run(100).ok());
  EXPECT_EQ(broken.hash(), steady.hash());
}

TEST(Connections, ASignalThatIsNotFiniteEndsTheRunByItsName) {
  Simulation simulation = make_cart({{}, 1, [](const PeerRequest&, std::span<double> commands) {
                                       commands[0] = std::numeric_limits<double>::infinity();
                                       return answer();
                                     }});
  EXPECT_EQ(simulation.connections()[0].device->open(), "");
  const Status status = simulation.step();
  EXPECT_EQ(status.outcome, Outcome::kInvalidInput);
  EXPECT_EQ(status.subject, "cart/force");
}

TEST(Connections, ARestoredRunContinuesWithANewController) {
  const FunctionPeer::Function spring = [](const PeerRequest& request, std::span<double> commands) {
    commands[0] = 30.0 * (1.0 - request.measured[0]);
    return answer();
  };
  Simulation whole = make_cart({kForgiving, 2, spring});
  Simulation first = make_cart({kForgiving, 2, spring});
  Simulation second = make_cart({kForgiving, 2, spring});
  ASSERT_EQ(whole.connections()[0].device->open(), "");
  ASSERT_EQ(first.connections()[0].device->open(), "");
  ASSERT_TRUE(whole.run(500).ok());
  ASSERT_TRUE(first.run(251).ok());
  StateWriter state;
  first.save(state);
  second.restore(state.bytes());
  ASSERT_EQ(second.connections()[0].device->open(), "");
  ASSERT_TRUE(second.run(249).ok());
  EXPECT_EQ(second.hash(), whole.hash());
}

TEST(Connections, TheirRoundTripIsASignalButNotPartOfTheState) {
  const auto make = [](Duration waited) {
    return make_cart({{}, 1, [waited](const PeerRequest&, std::span<double>) { return answer(waited); }});
  };
  Simulation quick = make(microseconds(10)), slow = make(milliseconds(7));
  for (Simulation* simulation : {&quick, &slow}) {
    ASSERT_EQ(simulation->connections()[0].device->open(), "");
    ASSERT_TRUE(simulation->run(5).ok());
  }
  EXPECT_EQ(value(quick, "plc/round_trip"), 10e-6);
  EXPECT_EQ(value(slow, "plc/round_trip"), 7e-3);
  EXPECT_EQ(quick.hash(), slow.hash());
}

/// A thousand overruns in 40,000 steps of 1 ms: 1 to 7 cycles and a bit instead of 0.2.
class ThousandOverruns {
 public:
  Duration next(std::int64_t step) {
    if (step % 37 != 5 || injected == 1000) return microseconds(200);
    const std::int64_t cycles = 1 + injected++ % 7;
    missed += cycles;
    return cycles * milliseconds(1) + microseconds(400);
  }
  std::int64_t injected = 0, missed = 0;
};

struct PacedRun {
  RunReport report;
  double late = 0.0, missed = 0.0;
};

template <typename ConnectionTime, typename LoopTime>
PacedRun run_paced(ConnectionTime connection_time, LoopTime loop_time) {
  FakeClock clock;
  Simulation simulation =
      make_cart({{}, 1, [&, n = std::int64_t{0}](const PeerRequest&, std::span<double>) mutable {
                   const Duration waited = connection_time(n++);
                   clock.pass(waited);
                   return answer(waited);
                 }});
  EXPECT_EQ(simulation.connections()[0].device->open(), "");
  StepFunction work([&](const Simulation& stepped) {
    clock.pass(loop_time(stepped.now().step - 1));
    return Status{};
  });
  Runner runner(simulation, {.pacing = PacingOptions{}, .clock = &clock});
  runner.add_hook(work);
  const RunReport report = runner.advance(40'000);
  return {report, value(simulation, "plc/late"), value(simulation, "plc/missed")};
}

TEST(ConnectionsInRealTime, AThousandControllerOverrunsAreNotCountedForTheLoop) {
  ThousandOverruns overruns;
  const PacedRun run = run_paced([&](std::int64_t step) { return overruns.next(step); },
                                 [](std::int64_t) { return microseconds(300); });
  EXPECT_EQ(overruns.injected, 1000);
  EXPECT_EQ(run.late, 1000.0);
  EXPECT_EQ(run.missed, static_cast<double>(overruns.missed));
  EXPECT_EQ(run.report.pacing.overruns, 0);
  EXPECT_EQ(run.report.pacing.missed_cycles, 0);
}

TEST(ConnectionsInRealTime, AThousandLoopOverrunsAreNotCountedForTheController) {
  ThousandOverruns overruns;
  const PacedRun run = run_paced([](std::int64_t) { return microseconds(300); },
                                 [&](std::int64_t step) { return overruns.next(step); });
  EXPECT_EQ(overruns.injected, 1000);
  EXPECT_EQ(run.report.pacing.overruns, 1000);
  EXPECT_EQ(run.report.pacing.missed_cycles, overruns.missed);
  EXPECT_EQ(run.late, 0.0);
  EXPECT_EQ(run.missed, 0.0);
}

TEST(ConnectionsInRealTime, AfterAPauseTheClockRestarts) {
  FakeClock clock;
  Simulation simulation = make_cart(
      {{.silence = Silence::kPause}, 1, [&, n = 0](const PeerRequest& request, std::span<double>) mutable {
         const bool is_gone = ++n >= 100 && n < 110;
         if (!is_gone) return answer();
         clock.pass(request.wait);
         PeerReply reply = answer(request.wait);
         reply.is_fresh = false;
         return reply;
       }});
  ASSERT_EQ(simulation.connections()[0].device->open(), "");
  const RunReport report = Runner(simulation, {.pacing = PacingOptions{}, .clock = &clock}).advance(1000);
  // Ten times the timeout of 1 s, and 999 cycles up to the start of the last step, without the two after which
  // the clock restarted: after connecting and after the pause.
  EXPECT_NEAR(report.wall_seconds, 10.997, 1e-9);
  EXPECT_EQ(report.pacing.overruns, 0);
  EXPECT_EQ(report.pacing.worst_lateness, Duration(0));
}

}  // namespace
}  // namespace lockstep
