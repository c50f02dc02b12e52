#include "sensors/sensors.h"

#include <gtest/gtest.h>

#include "assemble/simulation_testing.h"
#include "lockstep/state.h"

namespace lockstep {
namespace {

TEST(Sensors, RestoredAtAnyStepReadTheSameBits) {
  const std::string everything = R"(
    <material name="rubber" restitution="0.5"/><ground material="rubber"/>
    <object name="ball" position="0.2 0 0.6"><sphere radius="0.1" mass="0.5" material="rubber"/></object>
    <robot name="r"><link name="base" position="0 0 0.5"/>
      <link name="arm" parent="base"><joint name="j" axis="0 1 0" initial="1"/>
        <box size="0.4 0.05 0.05" position="0.2 0 0" mass="1" material="rubber"/><site name="tip" position="0.4 0 0"/></link>
      <link name="tool" parent="arm" position="0.45 0 0"><joint name="lock" type="fixed" detachable="true"/>
        <sphere radius="0.03" mass="0.2"/></link>
      <sensors>
        <joint_state name="j" joint="j"><error noise="0.01" delay="7 ms"/></joint_state>
        <pose name="p" site="tip"><error signal="x z" noise="1 mm" resolution="1 mm"/></pose>
        <velocity name="v" site="tip" axes="own" period="3 ms"><error noise="0.1" delay="9 ms"/></velocity>
        <accelerometer name="a" site="tip"><error noise="0.1"/></accelerometer>
        <gyro name="g" site="tip"><error bias="0.1 rad/s"/></gyro>
        <distance name="d" site="tip" angle="30 deg" rays="9"><error noise="1 mm" delay="2 ms"/></distance>
        <force name="f" joint="lock"/><force name="h" joint="j"><error noise="1" signal="force_x"/></force>
        <touch name="t" body="arm"><error delay="4 ms"/></touch>
        <contact name="c" a="arm" b="ball"/><contact_force name="cf" body="arm"/>
      </sensors></robot>
    <event at="200 ms" action="detach" target="r/lock"/>)";
  constexpr std::int64_t kSteps = 600;
  Simulation straight = simulate(everything);
  Random random(3, "steps");
  std::vector<std::vector<std::uint8_t>> snapshots;
  std::vector<std::uint64_t> hashes;
  for (std::int64_t i = 0; i < kSteps; ++i) {
    if (random.uniform() < 0.03) {
      StateWriter writer;
      straight.save(writer);
      snapshots.emplace_back(writer.bytes().begin(), writer.bytes().end());
    }
    ASSERT_TRUE(straight.step().ok());
    hashes.push_back(straight.hash());
  }
  ASSERT_GT(snapshots.size(), 5u);
  for (const auto& snapshot : snapshots) {
    Simulation restored = simulate(everything);
    restored.restore(snapshot);
    while (restored.now().step < kSteps) {
      ASSERT_TRUE(restored.step().ok());
      ASSERT_EQ(restored.hash(), hashes[static_cast<std::size_t>(restored.now().step) - 1]);
    }
  }
}

}  // namespace
}  // namespace lockstep
