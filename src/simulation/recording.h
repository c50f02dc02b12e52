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

/// A recorded run as a file: everything needed to repeat it and to find where a repetition differs.
///
///     "LOCKREC" and a digit, the version of this format; then chunks of
///       tag (4 bytes) · length of the payload (8) · checksum of tag and length (8) · payload · its checksum
///       (8)
///
///     HEAD  version of the program, fingerprint of the simulation, scenario as text (packed, every default
///           written out), names of the signals, how many of them each connection writes
///     STRT  the state at the start
///     EVNT  an event from outside, and the step before which it arrived
///     CONNECTION  inputs of one connection: its index, their number; then for each the step, flags (1 fresh,
///           2 connected, 4 counts), the counts of ConnectionCounts in order, the values
///     ROWS  first step, rows of signals and hashes of the state after each step
///     DONE  last step and how the run ended
///
/// All numbers are little-endian. Rows, each preceded by the inputs of connections, are written in blocks of
/// kRowsPerBlock steps; a killed run loses only the block being filled, and the rest can be replayed.
namespace lockstep {

/// The head of a recording.
struct RecordingHead {
  std::string version;   ///< of the program
  std::string scenario;  ///< self-contained text
  std::uint64_t fingerprint = 0;
  std::vector<std::string> signals;
  std::vector<std::uint64_t> connection_widths;  ///< per connection: number of signals it writes
  std::vector<std::uint8_t> start;               ///< Simulation::save() before the first step
};

/// Rows of consecutive steps. hashes[i] is that of the state after step first + i.
struct RecordedRows {
  std::int64_t first = 0;
  std::vector<double> values;  ///< row after row
  std::vector<std::uint64_t> hashes;
  std::uint64_t offset = 0;  ///< of the block in the file
  bool damaged = false;      ///< its checksum does not match: compare, but report it
};

struct RecordedEnd {
  std::int64_t step = 0;
  Outcome outcome = Outcome::kOk;
};

/// Writes a recording during a run. Borrows the simulation, which must outlive it.
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
  /// Inputs of one connection since the last block.
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

/// Reads a recording chunk by chunk; every length is checked before use. Throws UserError with the byte offset
/// and kind of damage.
class RecordingReader {
 public:
  explicit RecordingReader(const std::filesystem::path& path);
  RecordingReader(std::unique_ptr<std::istream> stream, std::string name);

  const RecordingHead& head() const { return head_; }

  /// The next block of rows; nullopt at the end. Afterwards arrivals() and inputs() hold the external inputs up
  /// to the end of the block; the caller removes those it has used.
  std::optional<RecordedRows> next_rows();
  std::deque<Arrival>& arrivals() { return arrivals_; }
  std::deque<ConnectionInput>& inputs(std::size_t connection) { return inputs_[connection]; }

  /// After the last block: how the run ended. Nullopt if the recording is truncated.
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
