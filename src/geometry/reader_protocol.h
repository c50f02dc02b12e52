#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/assembly_reader.h"

/// Protocol between lockstep and lockstep-reader over a socket: messages of a type, a length and bytes.
///
///   lockstep → reader: kJob
///   reader → lockstep: kWantsFile, any number of times, each answered by kFile or kNoFile
///   reader → lockstep: kAssembly or kError, and the reader ends
namespace lockstep {

enum class ReaderMessageType : std::uint8_t {
  kJob = 'J',        ///< ReadJob
  kWantsFile = 'W',  ///< a name, as in the file
  kFile = 'F',       ///< the bytes of the requested file
  kNoFile = 'N',     ///< why it is not available
  kAssembly = 'A',   ///< assembly_to_bytes()
  kError = 'E',      ///< ReadFailure
};

struct ReaderMessage {
  ReaderMessageType type = ReaderMessageType::kError;
  std::vector<std::uint8_t> bytes;

  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

/// False if the connection is closed.
bool send_message(int socket, ReaderMessageType type, std::span<const std::uint8_t> bytes);
bool send_message(int socket, ReaderMessageType type, std::string_view text);
/// Empty if the connection is closed or the message is invalid.
std::optional<ReaderMessage> receive_message(int socket, std::size_t max_bytes);

/// One file to read, and the options for reading it.
struct ReadJob {
  std::string file_name;
  ReadOptions options;
  std::string bytes;
};

std::vector<std::uint8_t> job_to_bytes(const ReadJob& job);
ReadJob job_from_bytes(std::span<const std::uint8_t> bytes);  ///< throws StateError

struct ReadFailure {
  int line = 0;  ///< of the file; 0 means the whole file
  std::string text;
};

std::vector<std::uint8_t> failure_to_bytes(const ReadFailure& failure);
ReadFailure failure_from_bytes(std::span<const std::uint8_t> bytes);  ///< throws StateError

inline constexpr std::size_t kMaxShapeFileBytes = std::size_t{256}
                                                  << 20;  ///< of the file and of each referenced file
inline constexpr std::size_t kMaxResultBytes = std::size_t{1} << 30;

}  // namespace lockstep
