#include "simulation/recording.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "simulation/point_mass_testing.h"
#include "simulation/replay.h"

namespace lockstep {
namespace {

Simulation make_cart() {
  SimulationSetup setup;
  setup.model = PointMassWorld::make_model();
  setup.world = std::make_unique<PointMassWorld>(setup.model);
  setup.signals.add("time", "s", SignalRole::kInternal);
  const Slot force = setup.signals.add("cart/force", "N", SignalRole::kCommand, 0.5);
  const Slot position = setup.signals.add("cart/position", "m", SignalRole::kMeasurement);
  setup.sensors.push_back({"cart", std::make_unique<CartSensor>(position), 1, 0});
  setup.actuators.push_back({"cart", std::make_unique<Push1D>(force), 1, 0});
  return Simulation(std::move(setup));
}

class Recording : public testing::Test {
 protected:
  ~Recording() override { std::filesystem::remove(file_); }

  /// 600 steps with events from outside: immediate, scheduled, and several for one step.
  std::uint64_t record() {
    Simulation simulation = make_cart();
    const Slot force = *simulation.signals().find("cart/force");
    Recorder recorder(file_, simulation, "<scenario/>", "1.2.3");
    EXPECT_TRUE(simulation.post({0, 0, SetSignal{force, 1.5}}).ok());
    for (int i = 0; i < 600; ++i) {
      if (i == 100) {
        EXPECT_TRUE(simulation.post({300, 0, SetSignal{force, -2.0}}).ok());
      }
      if (i == 250) {
        EXPECT_TRUE(simulation.post({0, 0, SetSignal{force, 7.0}}).ok());
        EXPECT_TRUE(simulation.post({0, 5, SetSignal{force, 8.0}}).ok());
        EXPECT_TRUE(simulation.post({0, 0, Push{BodyId{1}, {.force = Vec3::UnitX()}, 20}}).ok());
      }
      EXPECT_TRUE(simulation.step().ok());
      EXPECT_TRUE(recorder.after_step(simulation).ok());
    }
    EXPECT_TRUE(recorder.finish(Outcome::kOk).ok());
    return simulation.hash();
  }

  ReplayReport replay_file() const {
    Simulation simulation = make_cart();
    RecordingReader reader(file_);
    return replay(simulation, reader);
  }

  std::string read_bytes() const {
    std::ifstream stream(file_, std::ios::binary);
    std::ostringstream bytes;
    bytes << stream.rdbuf();
    return bytes.str();
  }
  void write_bytes(const std::string& bytes) const { std::ofstream(file_, std::ios::binary) << bytes; }

  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / fmt::format("recording_test_{}.rec", getpid());
};

TEST_F(Recording, ReplaysToTheSameHashWithEventsFromOutside) {
  const std::uint64_t hash = record();
  const ReplayReport report = replay_file();
  EXPECT_TRUE(report.same());
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.steps, 600);
  EXPECT_EQ(report.hash, hash);
}

TEST_F(Recording, AMissingEventIsFoundInTheStateBeforeAnySignal) {
  record();
  Simulation simulation = make_cart();
  RecordingReader reader(file_);
  EXPECT_TRUE(simulation.post({400, 0, SetSignal{*simulation.signals().find("cart/force"), 3.0}}).ok());
  const ReplayReport report = replay(simulation, reader);
  ASSERT_TRUE(report.difference);
  // The waiting event is part of the state at once, before any signal changes.
  EXPECT_EQ(report.difference->step, 0);
  EXPECT_EQ(report.difference->signal, "");
}

TEST_F(Recording, AChangedValueIsFoundWithStepSignalAndBothValues) {
  record();
  std::string bytes = read_bytes();
  // The position of step 300 in the second block: 256 rows before it, three signals each.
  const std::size_t block = bytes.find("ROWS", bytes.find("ROWS") + 4);
  const std::size_t at = block + 20 + 8 + 8 + (44 * 3 + 2) * 8;
  double value = 0.0;
  std::memcpy(&value, bytes.data() + at, 8);
  const double changed = value + 0.25;
  std::memcpy(bytes.data() + at, &changed, 8);
  write_bytes(bytes);
  const ReplayReport report = replay_file();
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->step, 300);
  EXPECT_EQ(report.difference->signal, "cart/position");
  EXPECT_EQ(report.difference->recorded, changed);
  EXPECT_EQ(report.difference->replayed, value);
  EXPECT_EQ(report.damage,
            fmt::format("byte {}: the checksum of the rows of steps 256 to 511 does not match", block));
}

TEST_F(Recording, EveryChangedByteIsDetected) {
  record();
  const std::string whole = read_bytes();
  for (std::size_t at = 0; at < whole.size(); at += at < 700 ? 1 : 97) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    write_bytes(bytes);
    try {
      EXPECT_FALSE(replay_file().same()) << "byte " << at;
    } catch (const UserError&) {
    }
  }
}

TEST_F(Recording, ATruncatedRecordingReplaysUpToItsLastCompleteBlock) {
  record();
  const std::string whole = read_bytes();
  const std::size_t third = whole.find("ROWS", whole.find("ROWS", whole.find("ROWS") + 4) + 4);
  write_bytes(whole.substr(0, third + 500));
  const ReplayReport report = replay_file();
  EXPECT_TRUE(report.same());
  EXPECT_FALSE(report.complete);
  EXPECT_EQ(report.steps, 512);
}

TEST_F(Recording, RejectsAFileThatIsNotARecording) {
  write_bytes("hello, this is not a recording at all");
  try {
    RecordingReader reader(file_);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()),
              file_.string() + ": error: not a recording; expected a file written by --record\n");
  }
}

TEST(RecordingOnAFullDisk, EndsWithAStatus) {
  Simulation simulation = make_cart();
  // /dev/full fails every write, like a full disk.
  EXPECT_THROW(Recorder("/dev/full", simulation, "<scenario/>", "1"), UserError);
}

}  // namespace
}  // namespace lockstep
