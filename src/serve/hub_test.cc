#include "serve/hub.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "base/temporary_folder_testing.h"
#include "serve/state_message.h"
#include "simulation/snapshot.h"

namespace lockstep::serve {
namespace {

constexpr const char* kPendulum = R"(<scenario name="pendulum" step="1 ms" duration="100000 s">
  <robot name="p">
    <link name="base"/>
    <link name="rod" parent="base" position="0 0 1">
      <joint name="hinge" axis="0 1 0" initial="0.5"/>
      <capsule radius="0.02" length="0.5" position="0 0 -0.25" mass="1"/>
      <site name="tip" position="0 0 -0.5"/>
    </link>
    <sensors><joint_state name="hinge" joint="hinge"/></sensors>
    <actuators><torque name="motor" joint="hinge" limit="5"/></actuators>
  </robot>
</scenario>)";

/// A viewer in the same process.
class FakeViewer final : public Viewer {
 public:
  void send_text(std::shared_ptr<const std::string> text) override { texts.push_back(Json::parse(*text)); }
  bool can_take_state() const override { return !is_stuck || states.empty(); }
  void send_state(std::string bytes) override { states.push_back(std::move(bytes)); }
  void close(const std::string& why) override { closed = why; }

  bool is_stuck = false;  ///< accepts one state message and no more
  std::vector<Json> texts;
  std::vector<std::string> states;
  std::string closed;
};

/// A session with its hub; the test calls pump().
class HubThreads : public testing::Test {
 protected:
  HubThreads() {
    folder_.write("pendulum.xml", kPendulum);
    session_.emplace(
        Session::Options{.registry = registry_, .version = "test", .wake = {}, .root = folder_.path()});
    session_->open_first(
        {.file = folder_.path() / "pendulum.xml", .folder = folder_.path(), .shown = "pendulum.xml"});
    hub_.emplace(Hub::Options{.root = folder_.path(),
                              .gallery = {},
                              .schema = scenario_schema(registry_),
                              .version = "test",
                              .token = {}},
                 *session_);
    session_->start();
    viewer_ = std::make_shared<FakeViewer>();
    id_ = hub_->add(viewer_);
    EXPECT_TRUE(ask({{"do", "hello"}})["ok"].get<bool>());
    EXPECT_TRUE(ask({{"do", "speed"}, {"factor", nullptr}})["ok"].get<bool>());
  }
  ~HubThreads() override { session_->quit(); }

  /// Pumps until a condition holds.
  void wait_until(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "timeout";
      hub_->pump();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  Json ask(Json request) { return ask_as(id_, *viewer_, std::move(request)); }
  Json ask_as(ViewerId id, FakeViewer& viewer, Json request) {
    const int number = ++last_request_;
    request["id"] = number;
    hub_->receive(id, request.dump());
    Json answer;
    wait_until([&] {
      for (const Json& text : viewer.texts) {
        if (text.contains("id") && text["id"] == number) answer = text;
      }
      return !answer.is_null();
    });
    return answer;
  }

  void run_to(std::int64_t step) {
    EXPECT_TRUE(ask({{"do", "step"}, {"count", step - session_->step()}})["ok"].get<bool>());
    wait_until([&] { return session_->step() == step; });
  }

  std::uint64_t hash_of_a_plain_run(std::int64_t steps) {
    const LoadedScenario loaded = load_scenario(folder_.path() / "pendulum.xml", registry_);
    Diagnostics diagnostics;
    Simulation simulation = assemble(loaded.scenario, loaded.assets, registry_, diagnostics);
    EXPECT_TRUE(simulation.run(steps).ok());
    return simulation.hash();
  }

  Registry registry_ = default_registry();
  TemporaryFolder folder_;
  std::optional<Session> session_;
  std::optional<Hub> hub_;
  std::shared_ptr<FakeViewer> viewer_;
  ViewerId id_ = 0;
  int last_request_ = 0;
};

TEST_F(HubThreads, ListsOnlyFilesWhoseRootIsAScenario) {
  folder_.write("design.xml",
                "<?xml version=\"1.0\"?>\n<!-- <scenario> -->\n<design><scenario name=\"x\"/></design>");
  folder_.write("commented.xml", "<!-- a <design> --> <scenario name=\"with a comment\" step=\"1 ms\"/>");
  const Json files = ask({{"do", "files"}})["files"];
  ASSERT_EQ(files.size(), 2u) << files;
  EXPECT_EQ(files[0]["name"], "with a comment");
  EXPECT_EQ(files[1]["path"], "pendulum.xml");
}

TEST_F(HubThreads, ARunWithViewersHasTheSameHashAsOneWithout) {
  ask({{"do", "subscribe"}, {"poses", true}, {"contacts", true}, {"signals", {"time", "p/hinge/angle"}}});
  run_to(3000);
  session_->quit();
  EXPECT_EQ(session_->hash(), hash_of_a_plain_run(3000));
}

TEST_F(HubThreads, AStuckViewerGetsOneStateAndBlocksNoOtherViewer) {
  const auto stuck = std::make_shared<FakeViewer>();
  stuck->is_stuck = true;
  const ViewerId id = hub_->add(stuck);
  ask_as(id, *stuck, {{"do", "hello"}});
  ask_as(id, *stuck, {{"do", "subscribe"}, {"poses", true}, {"signals", {"time"}}});
  ask({{"do", "subscribe"}, {"poses", true}});
  ask({{"do", "play"}});
  wait_until([&] { return viewer_->states.size() > 20; });
  EXPECT_EQ(stuck->states.size(), 1u);
  // Then it continues to read: dropped rows are reported, and memory is bounded.
  wait_until([&] { return session_->step() > 20'000; });
  stuck->states.clear();
  wait_until([&] { return stuck->states.size() == 1; });
  EXPECT_LE(stuck->states[0].size(), Hub::kMaxRowBytes + 1000);
  std::uint32_t flags = 0;
  std::memcpy(&flags, stuck->states[0].data() + 24, 4);
  EXPECT_EQ(flags, 1u | 8u);
}

TEST_F(HubThreads, TheFirstStateOfAViewerHasItsSubscribedSignals) {
  ask({{"do", "subscribe"}, {"poses", true}});
  wait_until([&] { return !viewer_->states.empty(); });
  // The pending state was made before the viewer subscribed to signals.
  const auto other = std::make_shared<FakeViewer>();
  const ViewerId id = hub_->add(other);
  ask_as(id, *other, {{"do", "hello"}});
  ask_as(id, *other, {{"do", "subscribe"}, {"signals", {"time"}}});
  wait_until([&] { return !other->states.empty(); });
  // Head, no bodies, no joints, no contacts, no rays; then the number of rows.
  std::uint32_t rows = 0;
  std::memcpy(&rows, other->states[0].data() + 28 + 4 * 4, 4);
  EXPECT_EQ(rows, 1u);
}

TEST_F(HubThreads, StatesAreSentAtTheRequestedRate) {
  ask({{"do", "subscribe"}, {"poses", true}, {"rate", 10}});
  ask({{"do", "play"}});
  wait_until([&] { return viewer_->states.size() >= 2; });
  const auto begin = std::chrono::steady_clock::now();
  viewer_->states.clear();
  wait_until([&] { return viewer_->states.size() >= 5; });
  EXPECT_GT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(300));
}

TEST_F(HubThreads, SeekingBackGivesTheSameBitsWithAllEvents) {
  run_to(200);
  EXPECT_TRUE(ask({{"do", "set"}, {"signal", "p/motor/torque"}, {"value", 2.0}})["ok"].get<bool>());
  run_to(500);
  EXPECT_TRUE(ask({{"do", "joint"}, {"joint", "p/hinge"}, {"position", -0.4}})["ok"].get<bool>());
  EXPECT_TRUE(ask({{"do", "pull"}, {"body", "p/rod"}, {"point", {0, 0, -0.5}}, {"target", {1, 0, 1}}})["ok"]
                  .get<bool>());
  run_to(900);
  EXPECT_TRUE(ask({{"do", "save"}, {"name", "end"}})["ok"].get<bool>());
  for (const double time : {0.1, 0.9, 0.5, 0.7, 0.0, 0.9}) {
    const Json answer = ask({{"do", "seek"}, {"time", time}});
    EXPECT_TRUE(answer["ok"].get<bool>()) << answer;
  }
  session_->quit();
  const std::uint64_t sought = session_->hash();
  // The same commands at the same steps, without seeking.
  const LoadedScenario loaded = load_scenario(folder_.path() / "pendulum.xml", registry_);
  Diagnostics diagnostics;
  Simulation simulation = assemble(loaded.scenario, loaded.assets, registry_, diagnostics);
  ASSERT_TRUE(simulation.run(200).ok());
  (void)simulation.post({.action = SetSignal{*simulation.signals().find("p/motor/torque"), 2.0}});
  simulation.apply_posted();
  ASSERT_TRUE(simulation.run(300).ok());
  (void)simulation.post({.action = SetJoint{*simulation.model().find_joint("p/hinge"), -0.4}});
  // A body of 1 kg is pulled by a critically damped spring with a natural frequency of 10 rad/s.
  (void)simulation.post({.action = Pull{.body = *simulation.model().find_body("p/rod"),
                                        .point = {0.0, 0.0, -0.5},
                                        .target = {1.0, 0.0, 1.0},
                                        .stiffness = 100.0,
                                        .damping = 20.0}});
  simulation.apply_posted();
  ASSERT_TRUE(simulation.run(400).ok());
  EXPECT_EQ(sought, simulation.hash());
}

TEST_F(HubThreads, RejectionsGiveAReason) {
  const auto error = [&](const Json& request) { return ask(request)["error"].get<std::string>(); };
  EXPECT_EQ(error({{"do", "joint"}, {"joint", "p/hing"}, {"position", 0}}),
            "there is no joint 'p/hing'; did you mean 'p/hinge'?");
  EXPECT_EQ(error({{"do", "set"}, {"signal", "p/hinge/angle"}, {"value", 0}}),
            "signal 'p/hinge/angle' is measured; only command signals can be set");
  EXPECT_EQ(error({{"do", "set"}, {"signal", "p/motor/torque"}, {"value", 6}}),
            "signal 'p/motor/torque': 6 is out of its range, -5 to 5");
  EXPECT_EQ(error({{"do", "open"}, {"path", "../outside.xml"}}),
            "'../outside.xml' leaves the folder of the scenario; expected a file below it");
  EXPECT_EQ(error({{"do", "pause"}, {"now", true}}), "'pause' has no field 'now'");
  EXPECT_EQ(error({{"do", "speed"}, {"factor", 1000}}), "'factor' is out of range: 1000; expected 0.01 to 100");
  EXPECT_EQ(error({{"do", "seek"}, {"time", 5}}), "5 s is not recorded; expected 0 to 0 s");
  EXPECT_EQ(error({{"do", "pull"}, {"body", "p/base"}, {"point", {0, 0, 0}}, {"target", {0, 0, 0}}}),
            "body 'p/base' is fixed; it cannot be pulled");
}

TEST_F(HubThreads, AnEditKeepsTheRunIfTheStateStillFits) {
  run_to(100);
  const Json found = ask({{"do", "attributes"}, {"path", "p/hinge"}})["attributes"];
  const auto damping =
      std::find_if(found.begin(), found.end(), [](const Json& each) { return each["name"] == "damping"; });
  ASSERT_NE(damping, found.end());
  EXPECT_EQ((*damping)["unit"], "N*m*s/rad");
  EXPECT_EQ(ask({{"do", "edit"}, {"xpath", (*damping)["xpath"]}, {"value", "0.1"}})["restarted"], false);
  EXPECT_EQ(ask({{"do", "edit"}, {"xpath", "//sensors/joint_state/@name"}, {"value", "other"}})["restarted"],
            true);
}

TEST_F(HubThreads, AHistoryOfManyStepsHasBoundedSize) {
  ask({{"do", "play"}});
  wait_until([&] { return session_->step() > 50'000; });
  const Json answer = ask({{"do", "seek"}, {"time", 0.005}});
  EXPECT_TRUE(answer["ok"].get<bool>()) << answer;
  session_->quit();
  EXPECT_EQ(session_->hash(), hash_of_a_plain_run(5));
}

TEST(History, HasABoundedNumberOfKeyframes) {
  TemporaryFolder folder;
  folder.write("pendulum.xml", kPendulum);
  const LoadedScenario loaded = load_scenario(folder.path() / "pendulum.xml", default_registry());
  Diagnostics diagnostics;
  Simulation simulation = assemble(loaded.scenario, loaded.assets, default_registry(), diagnostics);
  simulation.keep_arrivals();
  History history({.keyframes = 10, .bytes = 1 << 20, .arrivals = 20});
  history.begin(simulation);
  for (int i = 0; i < 5000; ++i) {
    if (i % 100 == 0)
      (void)simulation.post({.action = SetSignal{*simulation.signals().find("p/motor/torque"), 0.1}});
    ASSERT_TRUE(simulation.run(1).ok());
    history.note(simulation);
  }
  EXPECT_EQ(history.end(), 5000);
  EXPECT_LE(history.arrivals().size(), 20u);
  EXPECT_GT(history.first(), 0) << "too many events: the oldest part is dropped";
  EXPECT_LT(history.first(), 5000);
  // From any keyframe, the remaining steps lead to the same state.
  const std::uint64_t end = simulation.hash();
  const std::vector<std::uint8_t> start = history.before(history.first() + 10).state;
  simulation.restore(start);
  while (simulation.now().step < 5000) {
    history.feed(simulation);
    ASSERT_TRUE(simulation.run(1).ok());
  }
  EXPECT_EQ(simulation.hash(), end);
}

TEST_F(HubThreads, PlotsFormulasLikeSignalsWithTheirPast) {
  EXPECT_EQ(ask({{"do", "formula"}, {"text", "derivative(p/hinge/angle)"}})["unit"], "rad/s");
  const Json wrong = ask({{"do", "formula"}, {"text", "p/hinge/angle + 1 m"}});
  EXPECT_FALSE(wrong["ok"].get<bool>());
  EXPECT_TRUE(wrong["error"].get<std::string>().starts_with("formula: character ")) << wrong;
  EXPECT_FALSE(ask({{"do", "subscribe"}, {"signals", {"=p/hinge/angel"}}})["ok"].get<bool>());
  run_to(100);
  const Json rows = ask({{"do", "rows"},
                         {"signals", {"p/hinge/angle", "=2 * p/hinge/angle", "=derivative(p/hinge/angle)"}},
                         {"from", 0},
                         {"to", 1}})["rows"];
  ASSERT_EQ(rows.size(), 100u);
  EXPECT_TRUE(rows[0][3].is_null()) << "there is no row before the first one";
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double angle = rows[i][1], before = rows[i - 1][1];
    EXPECT_EQ(rows[i][2].get<double>(), 2.0 * angle);
    EXPECT_NEAR(rows[i][3].get<double>(), (angle - before) / 1e-3, 1e-9);
  }
}

TEST_F(HubThreads, ListsTheEventsOfTheRun) {
  run_to(20);
  EXPECT_TRUE(ask({{"do", "set"}, {"signal", "p/motor/torque"}, {"value", 2}})["ok"].get<bool>());
  run_to(40);
  const Json events = ask({{"do", "events"}})["events"];
  ASSERT_EQ(events.size(), 1u) << events;
  EXPECT_NEAR(events[0]["time"].get<double>(), 0.02, 1.5e-3);
  EXPECT_EQ(events[0]["text"], "signal 'p/motor/torque' set to 2 N*m");
}

TEST_F(HubThreads, TellsHowStiffAPullIs) {
  // 100 / s^2 times the mass of the robot, 1 kg.
  const Json pulled =
      ask({{"do", "pull"}, {"body", "p/rod"}, {"point", {0, 0, -0.5}}, {"target", {1, 0, 0.5}}});
  EXPECT_NEAR(pulled["stiffness"].get<double>(), 100.0, 1e-9);
}

TEST(StateSlot, CollectsRowsOfStatesThatWereNotTaken) {
  StateSlot slot;
  const auto signals = std::make_shared<const std::vector<Slot>>(1, Slot{0});
  ViewState made, taken;
  for (const double time : {1.0, 2.0, 3.0}) {
    made.signals = signals;
    made.rows = {time, 10.0 * time};
    ASSERT_TRUE(slot.try_publish(made));
  }
  ASSERT_TRUE(slot.take(taken));
  EXPECT_EQ(taken.rows, (std::vector<double>{1, 10, 2, 20, 3, 30}));
  EXPECT_FALSE(taken.has_lost_rows);
  EXPECT_FALSE(slot.take(taken));
}

}  // namespace
}  // namespace lockstep::serve
