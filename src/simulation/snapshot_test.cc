#include "simulation/snapshot.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/hash.h"
#include "simulation/point_mass_testing.h"

namespace lockstep {
namespace {

Simulation make_simulation(const char* extra_signal = "command") {
  SimulationSetup setup;
  setup.model = PointMassWorld::make_model();
  setup.world = std::make_unique<PointMassWorld>(setup.model);
  setup.signals.add(extra_signal, "", SignalRole::kCommand);
  return Simulation(std::move(setup));
}

std::string rejection(std::span<const std::uint8_t> bytes, const char* extra_signal = "command") {
  Simulation simulation = make_simulation(extra_signal);
  try {
    restore_snapshot(simulation, bytes, "a.snap");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

std::vector<std::uint8_t> snapshot_after(std::int64_t steps) {
  Simulation simulation = make_simulation();
  EXPECT_TRUE(simulation.run(steps).ok());
  return make_snapshot(simulation, 42);
}

TEST(Snapshot, RestoresTheStateAndReturnsTheScenarioHash) {
  Simulation simulation = make_simulation();
  EXPECT_EQ(restore_snapshot(simulation, snapshot_after(17), "a.snap"), 42u);
  EXPECT_EQ(simulation.now().step, 17);
}

TEST(Snapshot, EveryChangedByteIsDetected) {
  const std::vector<std::uint8_t> good = snapshot_after(3);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::vector<std::uint8_t> bad = good;
    bad[i] ^= 0x10;
    EXPECT_NE(rejection(bad), "") << "byte " << i;
  }
}

TEST(Snapshot, EveryTruncationIsDetected) {
  const std::vector<std::uint8_t> good = snapshot_after(3);
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(rejection(std::span(good).first(size)), "") << size;
}

TEST(Snapshot, RejectionsGiveAReason) {
  std::vector<std::uint8_t> bytes = snapshot_after(3);
  EXPECT_EQ(rejection({}), "a.snap: error: not a snapshot; expected a file written by --save\n");
  EXPECT_EQ(rejection(bytes, "another"),
            "a.snap: error: the snapshot is of another scenario: bodies, joints, devices or the step differ\n");
  bytes[40] ^= 1;
  EXPECT_EQ(rejection(bytes), "a.snap: error: the snapshot is damaged: its checksum does not match\n");
  bytes[8] = 9;
  EXPECT_EQ(rejection(bytes), "a.snap: error: snapshot of format 9; this program reads format 2\n");
}

TEST(Snapshot, AFileIsWrittenCompletelyOrNotAtAll) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("lockstep-snapshot-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const auto bytes = snapshot_after(3);
  write_snapshot_file(folder / "a.snap", bytes);
  EXPECT_EQ(read_snapshot_file(folder / "a.snap"), bytes);
  EXPECT_THROW(write_snapshot_file(folder / "missing" / "a.snap", bytes), UserError);
  EXPECT_THROW(read_snapshot_file(folder), UserError);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++files;
  EXPECT_EQ(files, 1u) << "no temporary file is left behind";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace lockstep
