#include "simulation/recording.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "base/hash.h"

namespace lockstep {
namespace {

constexpr std::string_view kMagic = "LOCKREC3";
constexpr std::size_t kTagBytes = 4;
constexpr std::size_t kChunkHeaderBytes = kTagBytes + 8 + 8;
constexpr std::size_t kChecksumBytes = 8;
constexpr std::uint64_t kMaxChunkBytes = 1ull << 30;
constexpr std::size_t kMaxTextBytes = 512u << 20;
constexpr std::size_t kMaxSignals = 1'000'000;
constexpr std::size_t kMaxNameBytes = 1 << 12;
constexpr std::size_t kMaxArrivals = 10'000'000;
constexpr std::size_t kMaxConnections = 1000;
constexpr std::int64_t kMaxCount = 1'000'000'000;  // of messages in one exchange

// Flags of an input in a CONNECTION chunk.
constexpr std::uint8_t kFresh = 1, kConnected = 2, kCounts = 4;

template <typename T>
T load(const std::uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

}  // namespace

Recorder::Recorder(const std::filesystem::path& path, Simulation& simulation, const std::string& scenario,
                   const std::string& version)
    : path_(path), file_(std::fopen(path.c_str(), "wb"), &std::fclose), simulation_(&simulation) {
  const Place place{path.string(), 0, 0};
  if (!file_) throw_user_error(place, "cannot be written: {}", std::strerror(errno));
  simulation.keep_arrivals();
  std::fwrite(kMagic.data(), 1, kMagic.size(), file_.get());
  StateWriter head;
  head.write(version);
  head.write(simulation.fingerprint());
  head.write(scenario);
  const auto signals = simulation.state_signals();
  head.write(static_cast<std::uint64_t>(signals.size()));
  for (const SignalInfo& signal : signals) head.write(signal.name);
  std::vector<std::uint64_t> connection_widths;
  for (const auto& connection : simulation.connections())
    connection_widths.push_back(connection.device->writes().size());
  head.write(std::span<const std::uint64_t>(connection_widths));
  StateWriter start;
  simulation.save(start);
  for (const auto& [tag, payload] : {std::pair("HEAD", &head), std::pair("STRT", &start)}) {
    const Status status = write_chunk(tag, *payload);
    if (!status.ok()) throw_user_error(place, "cannot be written: {}", status.cause);
  }
  connections_.resize(simulation.connections().size());
  for (ConnectionBlock& connection : connections_) connection.last_step = simulation.now().step - 1;
  block_.values.reserve(kRowsPerBlock * signals.size());
  block_.hashes.reserve(kRowsPerBlock);
}

Status Recorder::after_step(const Simulation&) {
  if (block_.hashes.empty()) block_.first = simulation_->now().step - 1;
  const auto row = simulation_->row().values().first(simulation_->state_signals().size());
  block_.values.insert(block_.values.end(), row.begin(), row.end());
  block_.hashes.push_back(simulation_->hash());
  note_inputs();
  return block_.hashes.size() < kRowsPerBlock ? Status{} : write_block();
}

Status Recorder::finish(Outcome outcome) {
  // A step may have failed because of its inputs, so record them.
  note_inputs();
  if (Status status = write_block(); !status.ok()) return status;
  StateWriter done;
  done.write(simulation_->now().step);
  done.write(outcome);
  return write_chunk("DONE", done);
}

void Recorder::note_inputs() {
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    const ConnectionInput& input = simulation_->connections()[i].device->last_input();
    ConnectionBlock& connection = connections_[i];
    if (input.step <= connection.last_step) continue;
    connection.last_step = input.step;
    ++connection.count;
    const bool has_counts = std::any_of(kConnectionCounts.begin(), kConnectionCounts.end(),
                                        [&](auto count) { return input.counts.*count != 0; });
    connection.inputs.write(input.step);
    connection.inputs.write(static_cast<std::uint8_t>(
        (input.is_fresh ? kFresh : 0) | (input.is_connected ? kConnected : 0) | (has_counts ? kCounts : 0)));
    for (const auto count : kConnectionCounts) {
      if (has_counts) connection.inputs.write(input.counts.*count);
    }
    for (const double value : input.values) {
      if (input.is_fresh) connection.inputs.write(value);
    }
  }
}

Status Recorder::write_block() {
  for (const Arrival& arrival : simulation_->take_arrivals()) {
    StateWriter payload;
    payload.write(arrival.step);
    write_event(payload, arrival.event);
    if (Status status = write_chunk("EVNT", payload); !status.ok()) return status;
  }
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    ConnectionBlock& connection = connections_[i];
    if (connection.count == 0) continue;
    StateWriter payload;
    payload.write(static_cast<std::uint64_t>(i));
    payload.write(connection.count);
    payload.write_bytes(connection.inputs.bytes());
    connection.count = 0;
    connection.inputs.clear();
    if (Status status = write_chunk("CONN", payload); !status.ok()) return status;
  }
  if (block_.hashes.empty()) return {};
  StateWriter payload;
  payload.write(block_.first);
  payload.write(std::span<const double>(block_.values));
  payload.write(std::span<const std::uint64_t>(block_.hashes));
  block_.values.clear();
  block_.hashes.clear();
  return write_chunk("ROWS", payload);
}

Status Recorder::write_chunk(const char* tag, const StateWriter& payload) {
  std::array<std::uint8_t, kChunkHeaderBytes> header{};
  const std::uint64_t length = payload.bytes().size();
  std::memcpy(header.data(), tag, kTagBytes);
  std::memcpy(header.data() + kTagBytes, &length, 8);
  const std::uint64_t header_check = hash_bytes(std::span(header).first(kTagBytes + 8));
  std::memcpy(header.data() + kTagBytes + 8, &header_check, 8);
  const std::uint64_t check = hash_bytes(payload.bytes());
  const bool complete =
      std::fwrite(header.data(), 1, header.size(), file_.get()) == header.size() &&
      std::fwrite(payload.bytes().data(), 1, payload.bytes().size(), file_.get()) == payload.bytes().size() &&
      std::fwrite(&check, 1, sizeof(check), file_.get()) == sizeof(check) && std::fflush(file_.get()) == 0;
  if (complete) return {};
  return {Outcome::kOutputFailed, simulation_->now().step, path_.string(), std::strerror(errno)};
}

RecordingReader::RecordingReader(const std::filesystem::path& path) : name_(path.string()) {
  const Place place{name_, 0, 0};
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw_user_error(place, "no such file");
  stream_ = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*stream_) throw_user_error(place, "cannot be read: {}", std::strerror(errno));
  read_head();
}

RecordingReader::RecordingReader(std::unique_ptr<std::istream> stream, std::string name)
    : stream_(std::move(stream)), name_(std::move(name)) {
  read_head();
}

void RecordingReader::reject(std::uint64_t offset, const std::string& why) const {
  throw_user_error({name_, 0, 0}, "the recording is damaged at byte {}: {}", offset, why);
}

void RecordingReader::read_head() {
  stream_->seekg(0, std::ios::end);
  size_ = static_cast<std::uint64_t>(std::max<std::streamoff>(0, stream_->tellg()));
  stream_->seekg(0);
  std::array<char, kMagic.size()> magic{};
  stream_->read(magic.data(), magic.size());
  const std::string_view found(magic.data(), magic.size());
  if (!*stream_ || found.substr(0, 7) != kMagic.substr(0, 7)) {
    throw_user_error({name_, 0, 0}, "not a recording; expected a file written by --record");
  }
  if (found != kMagic) {
    throw_user_error({name_, 0, 0}, "recording of format '{}'; this program reads format {}",
                     static_cast<int>(static_cast<unsigned char>(found[7])) - '0', kMagic[7]);
  }
  at_ = kMagic.size();
  const Chunk head = require_chunk("HEAD");
  const Chunk start = require_chunk("STRT");
  try {
    StateReader reader(head.payload);
    head_.version = reader.read_string(kMaxNameBytes);
    head_.fingerprint = reader.read<std::uint64_t>();
    head_.scenario = reader.read_string(kMaxTextBytes);
    const auto count = reader.read<std::uint64_t>();
    if (count > kMaxSignals) throw StateError("there are too many signals");
    for (std::uint64_t i = 0; i < count; ++i) head_.signals.push_back(reader.read_string(kMaxNameBytes));
    head_.connection_widths = reader.read_vector<std::uint64_t>(kMaxConnections);
    inputs_.resize(head_.connection_widths.size());
    if (!reader.at_end()) throw StateError("unexpected data after the connections");
  } catch (const StateError& error) {
    reject(head.offset, error.what());
  }
  head_.start = start.payload;
}

RecordingReader::Chunk RecordingReader::require_chunk(const char* tag) {
  std::optional<Chunk> chunk = next_chunk();
  if (!chunk) throw_user_error({name_, 0, 0}, "the recording ends before its first step");
  if (chunk->tag != tag) reject(chunk->offset, fmt::format("expected {}", tag));
  if (chunk->damaged) reject(chunk->offset, fmt::format("the checksum of {} does not match", tag));
  return std::move(*chunk);
}

std::optional<RecordingReader::Chunk> RecordingReader::next_chunk() {
  Chunk chunk;
  chunk.offset = at_;
  if (size_ - at_ < kChunkHeaderBytes) return std::nullopt;  // at the end, or truncated
  std::array<std::uint8_t, kChunkHeaderBytes> header{};
  stream_->read(reinterpret_cast<char*>(header.data()), header.size());
  if (!*stream_) reject(at_, "it cannot be read");
  if (load<std::uint64_t>(header.data() + kTagBytes + 8) !=
      hash_bytes(std::span(header).first(kTagBytes + 8))) {
    reject(at_, "no chunk begins here");
  }
  chunk.tag.assign(header.begin(), header.begin() + kTagBytes);
  const auto length = load<std::uint64_t>(header.data() + kTagBytes);
  if (length > kMaxChunkBytes) reject(at_, fmt::format("{} is too long", chunk.tag));
  at_ += kChunkHeaderBytes;
  if (size_ - at_ < length + kChecksumBytes) return std::nullopt;  // truncated
  chunk.payload.resize(static_cast<std::size_t>(length));
  std::array<std::uint8_t, kChecksumBytes> check{};
  stream_->read(reinterpret_cast<char*>(chunk.payload.data()), static_cast<std::streamsize>(length));
  stream_->read(reinterpret_cast<char*>(check.data()), check.size());
  if (!*stream_) reject(at_, "it cannot be read");
  chunk.damaged = load<std::uint64_t>(check.data()) != hash_bytes(chunk.payload);
  at_ += length + kChecksumBytes;
  return chunk;
}

std::optional<RecordedRows> RecordingReader::next_rows() {
  while (std::optional<Chunk> chunk = next_chunk()) {
    if (end_) reject(chunk->offset, "unexpected data after the end");
    if (chunk->tag == "ROWS") return parse_rows(*chunk);
    if (chunk->damaged) reject(chunk->offset, fmt::format("the checksum of {} does not match", chunk->tag));
    try {
      StateReader reader(chunk->payload);
      if (chunk->tag == "EVNT") {
        if (arrivals_.size() >= kMaxArrivals) throw StateError("there are too many events");
        const auto step = reader.read<std::int64_t>();
        arrivals_.push_back({step, read_event(reader)});
      } else if (chunk->tag == "CONN") {
        read_inputs(reader);
      } else if (chunk->tag == "DONE") {
        end_.emplace();
        end_->step = reader.read<std::int64_t>();
        end_->outcome = reader.read<Outcome>();
      } else {
        throw StateError("unknown kind of chunk");
      }
      if (!reader.at_end()) throw StateError("it is too long");
    } catch (const StateError& error) {
      reject(chunk->offset, fmt::format("{}: {}", chunk->tag, error.what()));
    }
  }
  return std::nullopt;
}

void RecordingReader::read_inputs(StateReader& reader) {
  const auto connection = reader.read<std::uint64_t>();
  if (connection >= inputs_.size()) throw StateError("unknown connection");
  const auto count = reader.read<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {  // ends at the latest at the end of the chunk
    ConnectionInput input;
    input.step = reader.read<std::int64_t>();
    const auto holds = reader.read<std::uint8_t>();
    if (holds > (kFresh | kConnected | kCounts)) throw StateError("unknown kind of input");
    input.is_fresh = (holds & kFresh) != 0;
    input.is_connected = (holds & kConnected) != 0;
    for (const auto each : kConnectionCounts) {
      if ((holds & kCounts) == 0) break;
      input.counts.*each = reader.read<std::int64_t>();
      if (input.counts.*each < 0 || input.counts.*each > kMaxCount) throw StateError("a count is out of range");
    }
    if (input.is_fresh) {
      input.values = reader.read_array<double>(head_.connection_widths[connection]);
      for (const double value : input.values) {
        if (!std::isfinite(value)) throw StateError("a command is not a finite number");
      }
    }
    inputs_[connection].push_back(std::move(input));
  }
}

RecordedRows RecordingReader::parse_rows(const Chunk& chunk) const {
  RecordedRows rows;
  rows.offset = chunk.offset;
  rows.damaged = chunk.damaged;
  try {
    StateReader reader(chunk.payload);
    rows.first = reader.read<std::int64_t>();
    rows.values = reader.read_vector<double>(chunk.payload.size());
    rows.hashes = reader.read_vector<std::uint64_t>(chunk.payload.size());
    if (!reader.at_end() || rows.values.size() != rows.hashes.size() * head_.signals.size()) {
      throw StateError("rows do not match the signals");
    }
  } catch (const StateError& error) {
    reject(chunk.offset, fmt::format("ROWS: {}", error.what()));
  }
  return rows;
}

}  // namespace lockstep
