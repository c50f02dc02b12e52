#pragma once

#include <filesystem>
#include <optional>

#include "geometry/fit.h"

namespace lockstep {

/// Results of choose_shapes() in a folder, by the content of the mesh and the options: importing a file again does
/// not fit its shapes again.
///
/// A file has a checksum and is replaced as a whole, so that several processes can use a folder at once; a damaged
/// or foreign file counts as missing. A folder that cannot be written to is ignored. The oldest files are removed
/// when there are too many.
class FitCache {
 public:
  /// Without a folder nothing is stored.
  explicit FitCache(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  /// The stored fit, or a new one, which is then stored.
  Fit choose(const Mesh& mesh, const FitOptions& options);

  std::size_t found() const { return found_; }  ///< fits that were stored already

  static constexpr std::size_t kMaxFiles = 5000;

 private:
  std::optional<std::filesystem::path> folder_;
  std::size_t found_ = 0;
};

/// $XDG_CACHE_HOME/lockstep/fits, else ~/.cache/lockstep/fits; empty if neither variable is set.
std::optional<std::filesystem::path> find_fit_cache_folder();

/// Serialization. fit_from_bytes() throws StateError unless every number is finite and every size above 0.
std::vector<std::uint8_t> fit_to_bytes(const Fit& fit);
Fit fit_from_bytes(std::span<const std::uint8_t> bytes);

}  // namespace lockstep
