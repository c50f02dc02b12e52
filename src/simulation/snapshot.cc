#include "simulation/snapshot.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include "base/files.h"
#include "base/hash.h"

namespace lockstep {
namespace {

constexpr std::array<char, 8> kSnapshotMagic = {'L', 'O', 'C', 'K', 'S', 'N', 'A', 'P'};
constexpr std::size_t kHeaderBytes = 36;
constexpr std::size_t kSnapshotChecksumBytes = 8;

template <typename T>
T load(std::span<const std::uint8_t> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

}  // namespace

std::vector<std::uint8_t> make_snapshot(const Simulation& simulation, std::uint64_t scenario_hash) {
  StateWriter state;
  simulation.save(state);
  StateWriter file;
  for (const char c : kSnapshotMagic) file.write(c);
  file.write(kSnapshotVersion);
  file.write(simulation.fingerprint());
  file.write(scenario_hash);
  file.write(static_cast<std::uint64_t>(state.bytes().size()));
  file.write_bytes(state.bytes());
  file.write(hash_bytes(file.bytes()));
  return {file.bytes().begin(), file.bytes().end()};
}

std::uint64_t restore_snapshot(Simulation& simulation, std::span<const std::uint8_t> bytes,
                               const std::string& file) {
  const Place place{file, 0, 0};
  if (bytes.size() < kHeaderBytes + kSnapshotChecksumBytes ||
      !std::equal(kSnapshotMagic.begin(), kSnapshotMagic.end(), bytes.begin())) {
    throw_user_error(place, "not a snapshot; expected a file written by --save");
  }
  const auto version = load<std::uint32_t>(bytes, 8);
  if (version != kSnapshotVersion) {
    throw_user_error(place, "snapshot of format {}; this program reads format {}", version, kSnapshotVersion);
  }
  const std::span<const std::uint8_t> covered = bytes.first(bytes.size() - kSnapshotChecksumBytes);
  if (load<std::uint64_t>(bytes, covered.size()) != hash_bytes(covered)) {
    throw_user_error(place, "the snapshot is damaged: its checksum does not match");
  }
  if (load<std::uint64_t>(bytes, 28) != covered.size() - kHeaderBytes) {
    throw_user_error(place, "the snapshot is damaged: its length does not match");
  }
  if (load<std::uint64_t>(bytes, 12) != simulation.fingerprint()) {
    throw_user_error(place, "the snapshot is of another scenario: bodies, joints, devices or the step differ");
  }
  try {
    simulation.restore(covered.subspan(kHeaderBytes));
  } catch (const StateError& error) {
    throw_user_error(place, "the snapshot does not match this scenario: {}", error.what());
  }
  return load<std::uint64_t>(bytes, 20);
}

void write_snapshot_file(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  const Result<void> written = replace_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!written) throw_user_error({path.string(), 0, 0}, "cannot write the snapshot: {}", written.error());
}

std::vector<std::uint8_t> read_snapshot_file(const std::filesystem::path& path) {
  const Place place{path.string(), 0, 0};
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw_user_error(place, "no such file");
  const auto size = std::filesystem::file_size(path, error);
  if (error) throw_user_error(place, "cannot be read: {}", error.message());
  if (size > kMaxSnapshotBytes) throw_user_error(place, "too large for a snapshot: {} bytes", size);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
  std::ifstream stream(path, std::ios::binary);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!stream) throw_user_error(place, "cannot be read");
  return bytes;
}

}  // namespace lockstep
