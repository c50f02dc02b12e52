#include "geometry/reader_protocol.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "lockstep/state.h"

namespace lockstep {
namespace {

constexpr std::size_t kMessageHeaderSize = 9;  // type, length
constexpr std::size_t kMaxFileName = 4096;
constexpr std::size_t kMaxText = 10'000;

bool send_all(int socket, const void* data, std::size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

/// Appends `size` bytes block by block: the announced size is untrusted.
bool receive_all(int socket, std::vector<std::uint8_t>& bytes, std::uint64_t size) {
  constexpr std::uint64_t kBlock = 1 << 20;
  while (size > 0) {
    const std::size_t at = bytes.size();
    const auto block = static_cast<std::size_t>(std::min(size, kBlock));
    bytes.resize(at + block);
    const ssize_t got = recv(socket, bytes.data() + at, block, 0);
    bytes.resize(at + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    size -= static_cast<std::uint64_t>(got);
  }
  return true;
}

void write(StateWriter& out, const std::optional<double>& value) {
  out.write(value.has_value());
  out.write(value.value_or(0.0));
}

std::optional<double> read_optional(StateReader& in) {
  const bool is_there = in.read<bool>();
  const auto value = in.read<double>();
  return is_there ? std::optional(value) : std::nullopt;
}

std::vector<std::uint8_t> copy(const StateWriter& out) {
  return {out.bytes().begin(), out.bytes().end()};
}

}  // namespace

bool send_message(int socket, ReaderMessageType type, std::span<const std::uint8_t> bytes) {
  StateWriter header;
  header.write(type);
  header.write(static_cast<std::uint64_t>(bytes.size()));
  return send_all(socket, header.bytes().data(), header.bytes().size()) &&
         send_all(socket, bytes.data(), bytes.size());
}

bool send_message(int socket, ReaderMessageType type, std::string_view text) {
  return send_message(socket, type, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

std::optional<ReaderMessage> receive_message(int socket, std::size_t max_bytes) {
  std::vector<std::uint8_t> header;
  if (!receive_all(socket, header, kMessageHeaderSize)) return std::nullopt;
  StateReader in(header);
  ReaderMessage message{.type = in.read<ReaderMessageType>(), .bytes = {}};
  const auto size = in.read<std::uint64_t>();
  if (size > max_bytes || !receive_all(socket, message.bytes, size)) return std::nullopt;
  return message;
}

std::vector<std::uint8_t> job_to_bytes(const ReadJob& job) {
  StateWriter out;
  out.write(std::string_view(job.file_name).substr(0, kMaxFileName));
  write(out, job.options.unit_length);
  write(out, job.options.deviation);
  out.write(job.options.turns_up);
  out.write(std::string_view(job.bytes));
  return copy(out);
}

ReadJob job_from_bytes(std::span<const std::uint8_t> bytes) {
  StateReader in(bytes);
  ReadJob job;
  job.file_name = in.read_string(kMaxFileName);
  job.options.unit_length = read_optional(in);
  job.options.deviation = read_optional(in);
  job.options.turns_up = in.read<bool>();
  job.bytes = in.read_string(kMaxShapeFileBytes);
  return job;
}

std::vector<std::uint8_t> failure_to_bytes(const ReadFailure& failure) {
  StateWriter out;
  out.write(std::int32_t{failure.line});
  out.write(std::string_view(failure.text).substr(0, kMaxText));
  return copy(out);
}

ReadFailure failure_from_bytes(std::span<const std::uint8_t> bytes) {
  StateReader in(bytes);
  ReadFailure failure;
  failure.line = in.read<std::int32_t>();
  failure.text = in.read_string(kMaxText);
  return failure;
}

}  // namespace lockstep
