#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulation/simulation.h"

/// A run as a file: all it takes to repeat it, and all it takes to say where a repetition differs.
///
///     "LOCKREC" and a digit, the version of this format; then chunks of
///       tag (4 bytes) · length of the payload (8) · checksum of tag and length (8) · payload · its checksum
///       (8)
///
///     HEAD  version of the program, fingerprint of the simulation, scenario as text (packed, every default
///           written out), names and units of the signals
///     STRT  the state at the start
///     EVNT  an event that came from outside, and the step before which it arrived
///     ROWS  first step, rows of signals and hashes of the state after each step
///     DONE  last step and how the run ended
///
/// All numbers are little-endian. Rows are written in blocks of kRowsPerBlock steps; a run that is killed loses
/// the block it was filling, and what was written before can be replayed.
namespace lockstep {

/// What stands at the head of a recording.
struct RecordingHead {
  std::string version;   ///< of the program
  std::string scenario;  ///< stands alone
  std::uint64_t fingerprint = 0;
  std::vector<std::string> signals;
  std::vector<std::uint8_t> start;  ///< Simulation::save() before the first step
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

/// Writes a recording while the run goes on.
class Recorder {
 public:
  static constexpr std::size_t kRowsPerBlock = 256;

  /// Writes head and start. Throws UserError if the file cannot be written.
  Recorder(const std::filesystem::path& path, const Simulation& simulation, const std::string& scenario,
           const std::string& version);

  /// After every step, and after the last one once more through finish().
  Status record(const Simulation& simulation);
  Status finish(const Simulation& simulation, Outcome outcome);

 private:
  Status write_chunk(const char* tag, const StateWriter& payload, std::int64_t step);
  Status write_arrivals(const Simulation& simulation);
  Status write_rows(std::int64_t step);

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::size_t arrivals_written_ = 0;
  RecordedRows block_;
};

/// Reads a recording chunk by chunk; every length is checked before it is believed. Throws UserError that says
/// at which byte the file is damaged, and what stands there.
class RecordingReader {
 public:
  explicit RecordingReader(const std::filesystem::path& path);
  RecordingReader(std::unique_ptr<std::istream> stream, std::string name);

  const RecordingHead& head() const { return head_; }

  /// The next block of rows, with all events that arrived up to its end in arrivals(); nothing at the end.
  std::optional<RecordedRows> next_rows();
  const std::vector<Arrival>& arrivals() const { return arrivals_; }

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
  [[noreturn]] void refuse(std::uint64_t offset, const std::string& why) const;
  void read_head();
  RecordedRows parse_rows(const Chunk& chunk) const;

  std::unique_ptr<std::istream> stream_;
  std::string name_;
  std::uint64_t size_ = 0;
  std::uint64_t at_ = 0;
  RecordingHead head_;
  std::vector<Arrival> arrivals_;
  std::optional<RecordedEnd> end_;
};

}  // namespace lockstep
