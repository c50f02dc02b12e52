#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulation/runner.h"

/// A run as a file: all it takes to repeat it, and all it takes to say where a repetition differs.
///
///     "LOCKREC" and a digit, the version of this format; then chunks of
///       tag (4 bytes) · length of the payload (8) · checksum of tag and length (8) · payload · its checksum
///       (8)
///
///     HEAD  version of the program, fingerprint of the simulation, scenario as text (packed, every default
///           written out), names of the signals, how many of them the other side of each connection writes
///     STRT  the state at the start
///     EVNT  an event that came from outside, and the step before which it arrived
///     CONNECTION  inputs of one connection: its number, how many; then of each the step, what it holds (1
///     fresh, 2
///           connected, 4 counts, added), the counts of ConnectionCounts in their order, the values
///     ROWS  first step, rows of signals and hashes of the state after each step
///     DONE  last step and how the run ended
///
/// All numbers are little-endian. Rows, and before them the inputs of connections that led to them, are written
/// in blocks of kRowsPerBlock steps; a run that is killed loses the block it was filling, and what was written
/// before can be replayed.
namespace lockstep {

/// What is at the head of a recording.
struct RecordingHead {
  std::string version;   ///< of the program
  std::string scenario;  ///< stands alone
  std::uint64_t fingerprint = 0;
  std::vector<std::string> signals;
  std::vector<std::uint64_t> connection_widths;  ///< of each connection: how many signals the other side writes
  std::vector<std::uint8_t> start;               ///< Simulation::save() before the first step
};

/// Rows of consecutive steps. hashes[i] is that of the state after step first + i.
struct RecordedRows {
  std::int64_t first = 0;
  std::vector<double> values;  ///< row after row
  std::vector<std::uint64_t> hashes;
  std::uint64_t offset = 0;  ///< where in the file the block begins
  bool damaged = false;      ///< its checksum does not match: compare, but do not trust
};

struct RecordedEnd {
  std::int64_t step = 0;
  Outcome outcome = Outcome::kOk;
};

/// Writes a recording while the run goes on. The simulation must live as long.
class Recorder final : public StepHook {
 public:
  static constexpr std::size_t kRowsPerBlock = 256;

  /// Writes head and start. Throws UserError if the file cannot be written.
  Recorder(const std::filesystem::path& path, Simulation& simulation, const std::string& scenario,
           const std::string& version);

  Status after_step(const Simulation& simulation) override;
  /// After the last step: how the run ended.
  Status finish(Outcome outcome);

 private:
  /// What one connection took in since the last block.
  struct ConnectionBlock {
    std::int64_t last_step = 0;
    std::uint64_t count = 0;
    StateWriter inputs;
  };

  Status write_chunk(const char* tag, const StateWriter& payload);
  Status write_block();
  void note_inputs();

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  Simulation* simulation_;
  std::vector<ConnectionBlock> connections_;
  RecordedRows block_;
};

/// Reads a recording chunk by chunk; every length is checked before it is believed. Throws UserError that says
/// at which byte the file is damaged, and what is there.
class RecordingReader {
 public:
  explicit RecordingReader(const std::filesystem::path& path);
  RecordingReader(std::unique_ptr<std::istream> stream, std::string name);

  const RecordingHead& head() const { return head_; }

  /// The next block of rows; nothing at the end. What came from outside up to its end is in arrivals() and
  /// inputs() then, from where whoever has used it takes it out.
  std::optional<RecordedRows> next_rows();
  std::deque<Arrival>& arrivals() { return arrivals_; }
  std::deque<ConnectionInput>& inputs(std::size_t connection) { return inputs_[connection]; }

  /// After the last block: how the run ended. Nothing if the recording was cut short.
  const std::optional<RecordedEnd>& end() const { return end_; }

 private:
  struct Chunk {
    std::string tag;
    std::vector<std::uint8_t> payload;
    std::uint64_t offset = 0;
    bool damaged = false;
  };
  std::optional<Chunk> next_chunk();
  Chunk require_chunk(const char* tag);
  [[noreturn]] void reject(std::uint64_t offset, const std::string& why) const;
  void read_head();
  RecordedRows parse_rows(const Chunk& chunk) const;
  void read_inputs(StateReader& reader);

  std::unique_ptr<std::istream> stream_;
  std::string name_;
  std::uint64_t size_ = 0;
  std::uint64_t at_ = 0;
  RecordingHead head_;
  std::deque<Arrival> arrivals_;
  std::vector<std::deque<ConnectionInput>> inputs_;  // by connection
  std::optional<RecordedEnd> end_;
};

}  // namespace lockstep
