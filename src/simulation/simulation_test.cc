#include "simulation/simulation.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "simulation/point_mass_testing.h"

namespace lockstep {
namespace {

using Calls = std::vector<std::string>;

struct LoggingSensor final : Sensor {
  explicit LoggingSensor(Calls& log) : calls(log) {}
  void sense(const World&, const Instant& now, Row) override {
    calls.push_back("sense " + std::to_string(now.step));
  }
  Calls& calls;
};
struct LoggingController final : Controller {
  explicit LoggingController(Calls& log) : calls(log) {}
  Status decide(const Instant& now, Row) override {
    calls.push_back("decide " + std::to_string(now.step));
    return {};
  }
  Calls& calls;
};
struct LoggingActuator final : Actuator {
  explicit LoggingActuator(Calls& log) : calls(log) {}
  void actuate(const Instant& now, Row, World&) override {
    calls.push_back("actuate " + std::to_string(now.step));
  }
  Calls& calls;
};
struct LoggingSubsystem final : Subsystem {
  explicit LoggingSubsystem(Calls& log) : calls(log) {}
  void advance(const Instant& now, Duration, Row, World& world) override {
    calls.push_back("advance " + std::to_string(now.step));
    EXPECT_EQ(world.step_count(), now.step) << "subsystems act before the world steps";
  }
  Calls& calls;
};
struct LoggingObserver final : Observer {
  explicit LoggingObserver(Calls& log) : calls(log) {}
  Status observe(const Observation& seen) override {
    calls.push_back("observe " + std::to_string(seen.now.step));
    return {};
  }
  Calls& calls;
};

/// Drives the rail with the command signal.
struct ForceActuator final : Actuator {
  explicit ForceActuator(Slot slot) : command(slot) {}
  void actuate(const Instant&, Row row, World& world) override {
    const double force = row[command];
    world.add_joint_force(JointId{0}, {&force, 1});
  }
  Slot command;
};

/// A device with state: counts its calls.
struct CountingController final : Controller {
  explicit CountingController(Slot slot) : out(slot) {}
  Status decide(const Instant&, Row row) override {
    row[out] = static_cast<double>(++count);
    return {};
  }
  void save(StateWriter& writer) const override { writer.write(count); }
  void restore(StateReader& reader) override { count = reader.read<std::int64_t>(); }
  Slot out;
  std::int64_t count = 0;
};

SimulationSetup point_mass() {
  SimulationSetup setup;
  setup.model = PointMassWorld::make_model();
  setup.world = std::make_unique<PointMassWorld>(setup.model);
  return setup;
}

/// A cart driven by the command "force", with a measured signal.
struct Cart {
  Cart() {
    SimulationSetup setup = point_mass();
    command = setup.signals.add("force", "N", SignalRole::kCommand);
    count = setup.signals.add("count", "", SignalRole::kMeasurement);
    setup.actuators.push_back({"motor", std::make_unique<ForceActuator>(command), 1, 0});
    setup.controllers.push_back({"counter", std::make_unique<CountingController>(count), 3, 0});
    simulation = std::make_unique<Simulation>(std::move(setup));
  }
  double speed() const { return simulation->world().joint_velocity(JointId{0})[0]; }
  std::vector<std::uint8_t> save() const {
    StateWriter writer;
    simulation->save(writer);
    return {writer.bytes().begin(), writer.bytes().end()};
  }
  Slot command{};
  Slot count{};
  std::unique_ptr<Simulation> simulation;
};

TEST(Simulation, AStepSensesDecidesActuatesObservesAndAdvancesInThisOrder) {
  Calls calls;
  SimulationSetup setup = point_mass();
  setup.observers.push_back({"o", std::make_unique<LoggingObserver>(calls), 1, 0});
  setup.subsystems.push_back({"y", std::make_unique<LoggingSubsystem>(calls), 1, 0});
  setup.actuators.push_back({"a", std::make_unique<LoggingActuator>(calls), 1, 0});
  setup.controllers.push_back({"c", std::make_unique<LoggingController>(calls), 1, 0});
  setup.sensors.push_back({"s", std::make_unique<LoggingSensor>(calls), 1, 0});
  Simulation simulation(std::move(setup));
  ASSERT_TRUE(simulation.run(1).ok());
  EXPECT_EQ(calls, (Calls{"sense 0", "decide 0", "actuate 0", "observe 0", "advance 0"}));
}

TEST(Simulation, ADeviceWithAPeriodIsCalledAtItsMultiplesOnly) {
  Calls calls;
  SimulationSetup setup = point_mass();
  setup.sensors.push_back({"s", std::make_unique<LoggingSensor>(calls), 3, 0});
  Simulation simulation(std::move(setup));
  ASSERT_TRUE(simulation.run(8).ok());
  EXPECT_EQ(calls, (Calls{"sense 0", "sense 3", "sense 6"}));
}

TEST(Simulation, TimeIsCountedNotAccumulated) {
  Cart cart;
  ASSERT_TRUE(cart.simulation->run(100'000).ok());
  EXPECT_EQ(cart.simulation->now().time, std::chrono::seconds(100));
  EXPECT_EQ(cart.simulation->now().seconds, 100.0);
}

TEST(Simulation, AnEventIsAppliedBeforeItsStepEvenTheFirst) {
  Cart cart;
  ASSERT_TRUE(cart.simulation->post({0, 0, SetSignal{cart.command, 2.0}}).ok());
  ASSERT_TRUE(cart.simulation->post({10, 0, SetSignal{cart.command, 0.0}}).ok());
  ASSERT_TRUE(cart.simulation->run(20).ok());
  EXPECT_NEAR(cart.speed(), 2.0 * 10 * 1e-3, 1e-15);
  ASSERT_EQ(cart.simulation->event_log().size(), 2u);
  EXPECT_EQ(cart.simulation->event_log()[1].step, 10);
}

TEST(Simulation, EventsOfOneStepAreOrderedByPriorityThenArrival) {
  Cart cart;
  for (const auto& [priority, value] :
       {std::pair(0, 1.0), std::pair(5, 2.0), std::pair(0, 3.0), std::pair(5, 4.0)}) {
    ASSERT_TRUE(cart.simulation->post({4, priority, SetSignal{cart.command, value}}).ok());
  }
  ASSERT_TRUE(cart.simulation->run(5).ok());
  std::vector<double> order;
  for (const EventRecord& record : cart.simulation->event_log())
    order.push_back(std::get<SetSignal>(record.action).value);
  EXPECT_EQ(order, (std::vector<double>{2.0, 4.0, 1.0, 3.0}));
}

TEST(Simulation, ALateEventIsAppliedAtOnceAndRecordedThere) {
  Cart cart;
  ASSERT_TRUE(cart.simulation->run(7).ok());
  ASSERT_TRUE(cart.simulation->post({2, 0, SetSignal{cart.command, 1.0}}).ok());
  ASSERT_TRUE(cart.simulation->run(2).ok());
  ASSERT_EQ(cart.simulation->event_log().size(), 1u);
  EXPECT_EQ(cart.simulation->event_log()[0].step, 8);
}

TEST(Simulation, APushChangesMomentumByForceTimesTime) {
  Cart cart;
  ASSERT_TRUE(cart.simulation->post({3, 0, Push{BodyId{1}, {Vec3(5.0, 0, 0), Vec3::Zero()}, 100}}).ok());
  ASSERT_TRUE(cart.simulation->run(500).ok());
  EXPECT_NEAR(cart.simulation->world().report({.momentum = true}).momentum.linear.x(), 5.0 * 0.1, 1e-12);
}

TEST(Simulation, APullMovesABodyToItsTargetAndReleasesIt) {
  Cart cart;
  // Critically damped, 10 rad/s: after 2 s the remaining distance is about e^-20 of the initial one.
  const Pull pull{.body = BodyId{1}, .target = {0.3, 0, 0}, .stiffness = 100.0, .damping = 20.0};
  ASSERT_TRUE(cart.simulation->post({0, 0, pull}).ok());
  ASSERT_TRUE(cart.simulation->run(2000).ok());
  EXPECT_NEAR(cart.simulation->world().joint_position(JointId{0})[0], 0.3, 1e-6);
  ASSERT_TRUE(cart.simulation->post({0, 0, Pull{.body = BodyId{1}}}).ok());
  ASSERT_TRUE(cart.simulation->post({0, 0, SetSignal{cart.command, 1.0}}).ok());
  ASSERT_TRUE(cart.simulation->run(1001).ok());
  EXPECT_NEAR(cart.speed(), 1.0, 1e-5);
}

TEST(Simulation, APullIsPartOfTheState) {
  Cart original, copy;
  ASSERT_TRUE(original.simulation->post({0, 0, Pull{BodyId{1}, Vec3::Zero(), {1, 0, 0}, 50.0, 1.0}}).ok());
  ASSERT_TRUE(original.simulation->run(20).ok());
  copy.simulation->restore(original.save());
  ASSERT_TRUE(original.simulation->run(50).ok());
  ASSERT_TRUE(copy.simulation->run(50).ok());
  EXPECT_GT(copy.speed(), 0.1);
  EXPECT_EQ(copy.simulation->hash(), original.simulation->hash());
}

TEST(Simulation, EventsPostedBetweenStepsCanBeAppliedAtOnce) {
  Cart cart;
  ASSERT_TRUE(cart.simulation->run(5).ok());
  ASSERT_TRUE(cart.simulation->post({0, 0, SetSignal{cart.command, 3.0}}).ok());
  cart.simulation->apply_posted();
  EXPECT_EQ(cart.simulation->row()[cart.command], 3.0);
  ASSERT_TRUE(cart.simulation->post({0, 0, SetSignal{cart.command, 4.0}}).ok());
  cart.simulation->drop_posted();
  ASSERT_TRUE(cart.simulation->run(2).ok());
  EXPECT_EQ(cart.simulation->row()[cart.command], 3.0);
  EXPECT_EQ(cart.simulation->take_event_log().size(), 1u);
  EXPECT_TRUE(cart.simulation->event_log().empty());
}

TEST(Simulation, RejectsInvalidEvents) {
  Cart cart;
  Simulation& simulation = *cart.simulation;
  EXPECT_EQ(simulation.post({0, 0, SetSignal{Slot{99}, 1.0}}).error(), "unknown signal");
  EXPECT_EQ(simulation.post({0, 0, SetSignal{cart.count, 1.0}}).error(),
            "signal 'count' is measured; only command signals can be set");
  EXPECT_EQ(simulation.post({0, 0, SetSignal{cart.command, std::numeric_limits<double>::quiet_NaN()}}).error(),
            "signal 'force': the value is not a finite number");
  EXPECT_EQ(simulation.post({0, 0, SetAttached{JointId{7}, false}}).error(), "unknown joint");
  EXPECT_EQ(simulation.post({0, 0, Push{BodyId{-1}, {}, 1}}).error(), "unknown body");
  EXPECT_EQ(simulation.post({0, 0, Push{BodyId{1}, {}, 0}}).error(), "a push must last at least one step");
  EXPECT_EQ(simulation.post({0, 0, Pull{BodyId{0}}}).error(), "body 'world' is fixed; it cannot be pulled");
  EXPECT_EQ(simulation.post({0, 0, Pull{.body = BodyId{1}, .stiffness = -1.0}}).error(),
            "body 'cart': stiffness and damping of a pull must be 0 or more");
  EXPECT_EQ(simulation.post({0, 0, SetJoint{JointId{0}, 1.0}}).error(),
            "joint 'rail' cannot be moved; expected a hinge or slide that is not detachable");
  ASSERT_TRUE(simulation.run(2).ok());
  EXPECT_TRUE(simulation.event_log().empty());
}

TEST(Simulation, AStopEventEndsTheRunAfterItsStep) {
  Cart cart;
  ASSERT_TRUE(cart.simulation->post({5, 0, Stop{}}).ok());
  const Status status = cart.simulation->run(100);
  EXPECT_EQ(status.outcome, Outcome::kStopped);
  EXPECT_EQ(cart.simulation->now().step, 5);
}

TEST(Simulation, ANonFiniteCommandIsAStatusAndTheWorldDoesNotMove) {
  struct NonsenseController final : Controller {
    explicit NonsenseController(Slot slot) : out(slot) {}
    Status decide(const Instant& now, Row row) override {
      row[out] = now.step < 5 ? 1.0 : std::numeric_limits<double>::quiet_NaN();
      return {};
    }
    Slot out;
  };
  SimulationSetup setup = point_mass();
  const Slot command = setup.signals.add("force", "N", SignalRole::kCommand);
  setup.controllers.push_back({"c", std::make_unique<NonsenseController>(command), 1, 0});
  setup.actuators.push_back({"a", std::make_unique<ForceActuator>(command), 1, 0});
  Simulation simulation(std::move(setup));
  const Status status = simulation.run(10);
  EXPECT_EQ(status.outcome, Outcome::kInvalidInput);
  EXPECT_EQ(simulation.now().step, 5);
}

TEST(Simulation, ARestoredStateContinuesBitForBitWithActivePushesAndWaitingEvents) {
  Cart original;
  ASSERT_TRUE(original.simulation->post({2, 0, Push{BodyId{1}, {Vec3(1.5, 0, 0), Vec3::Zero()}, 40}}).ok());
  ASSERT_TRUE(original.simulation->post({30, 0, SetSignal{original.command, -0.7}}).ok());
  ASSERT_TRUE(original.simulation->post({30, 1, SetAttached{JointId{0}, false}}).ok());
  ASSERT_TRUE(original.simulation->run(11).ok());
  const auto saved = original.save();

  Cart copy;
  copy.simulation->restore(saved);
  EXPECT_EQ(copy.simulation->hash(), original.simulation->hash());
  ASSERT_TRUE(original.simulation->run(50).ok());
  ASSERT_TRUE(copy.simulation->run(50).ok());
  EXPECT_EQ(copy.simulation->hash(), original.simulation->hash());
  EXPECT_FALSE(copy.simulation->world().is_attached(JointId{0}));
}

TEST(Simulation, ObserversDoNotChangeTheHash) {
  Calls calls;
  Cart plain;
  Cart observed;
  observed.simulation->add_observer({"o", std::make_unique<LoggingObserver>(calls), 2, 0});
  ASSERT_TRUE(plain.simulation->run(100).ok());
  ASSERT_TRUE(observed.simulation->run(100).ok());
  EXPECT_EQ(plain.simulation->hash(), observed.simulation->hash());
  EXPECT_EQ(calls.size(), 50u);
}

TEST(Simulation, ATruncatedOrOverlongStateIsRejected) {
  Cart cart;
  ASSERT_TRUE(cart.simulation->run(3).ok());
  std::vector<std::uint8_t> state = cart.save();
  for (std::size_t size = 0; size < state.size(); ++size) {
    Cart copy;
    EXPECT_THROW(copy.simulation->restore(std::span(state).first(size)), StateError) << size;
  }
  state.push_back(0);
  EXPECT_THROW(cart.simulation->restore(state), StateError);
}

TEST(SimulationThreads, EventsPostedFromOtherThreadsAreAllAppliedBetweenSteps) {
  Cart cart;
  constexpr int kEach = 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i)
        EXPECT_TRUE(cart.simulation->post({0, 0, SetSignal{cart.command, 1.0 * i}}).ok());
    });
  }
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(cart.simulation->step().ok());
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(cart.simulation->run(2).ok());
  EXPECT_EQ(cart.simulation->event_log().size(), 2u * kEach);
}

}  // namespace
}  // namespace lockstep
