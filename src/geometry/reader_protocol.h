#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/assembly_reader.h"

/// What lockstep and lockstep-reader say to each other over a socket: frames of a type, a length and bytes.
///
///   lockstep → reader: kJob
///   reader → lockstep: kWantsFile, any number of times, each answered by kFile or kNoFile
///   reader → lockstep: kAssembly or kError, and the reader ends
namespace lockstep {

enum class ReaderMessage : std::uint8_t {
  kJob = 'J',        ///< ReadJob
  kWantsFile = 'W',  ///< a name, as the file has it
  kFile = 'F',       ///< the bytes of the file wanted
  kNoFile = 'N',     ///< why it is not given
  kAssembly = 'A',   ///< as of assembly_to_bytes()
  kError = 'E',      ///< ReadFailure
};

struct ReaderFrame {
  ReaderMessage type = ReaderMessage::kError;
  std::vector<std::uint8_t> bytes;

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

/// False if the other side is gone.
bool send_frame(int socket, ReaderMessage type, std::span<const std::uint8_t> bytes);
bool send_frame(int socket, ReaderMessage type, std::string_view text);
/// Nothing if the other side is gone or breaks the protocol.
std::optional<ReaderFrame> receive_frame(int socket, std::size_t max_bytes);

/// One file to read. Of the options, only those that say how.
struct ReadJob {
  std::string file_name;
  ReadOptions options;
  std::string bytes;
};

std::vector<std::uint8_t> job_to_bytes(const ReadJob& job);
ReadJob job_from_bytes(std::span<const std::uint8_t> bytes);  ///< throws StateError

struct ReadFailure {
  int line = 0;  ///< of the file; 0 means all of it
  std::string text;
};

std::vector<std::uint8_t> failure_to_bytes(const ReadFailure& failure);
ReadFailure failure_from_bytes(std::span<const std::uint8_t> bytes);  ///< throws StateError

inline constexpr std::size_t kMaxShapeFileBytes = std::size_t{256} << 20;  ///< of the file and of each it names
inline constexpr std::size_t kMaxResultBytes = std::size_t{1} << 30;

}  // namespace lockstep
