// Random MuJoCo models move as in MuJoCo itself, or the report of the import says why they do not.

#include "random_mjcf.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/temporary_folder_testing.h"
#include "native_comparison.h"

namespace lockstep {
namespace {

/// LOCKSTEP_RANDOM_MODELS: how many to try instead; LOCKSTEP_RANDOM_FOLDER: where to keep those that fail.
std::uint64_t count_models() {
  const char* text = std::getenv("LOCKSTEP_RANDOM_MODELS");
  return text == nullptr ? 120 : std::strtoull(text, nullptr, 10);
}

TEST(RandomMjcf, ModelsAreTheSameAsInMujocoOrDifferAsReported) {
  const TemporaryFolder folder;
  const char* keep = std::getenv("LOCKSTEP_RANDOM_FOLDER");
  std::uint64_t loaded = 0, same = 0, reported = 0;
  std::string failures;
  for (std::uint64_t seed = 1; seed <= count_models(); ++seed) {
    const std::filesystem::path file = folder.path() / fmt::format("random{}.xml", seed);
    std::ofstream(file) << RandomMjcf(seed).make();
    std::string failure;
    try {
      (void)Native(file);
    } catch (const std::runtime_error& error) {
      if (keep != nullptr) fmt::print("{}: not loaded: {}\n", file.filename().string(), error.what());
      continue;
    }
    ++loaded;
    try {
      const Difference difference = compare(file, "", 0.5);
      if (difference.largest < kSame) {
        ++same;
      } else if (difference.is_reported) {
        ++reported;
      } else {
        failure = fmt::format("{} {}", difference.largest, difference.joint);
      }
    } catch (const std::exception& error) {
      failure = error.what();
    }
    if (failure.empty()) continue;
    failures += fmt::format("{}: {}\n", file.filename().string(), failure);
    if (keep != nullptr)
      std::filesystem::copy_file(file, std::filesystem::path(keep) / file.filename(),
                                 std::filesystem::copy_options::overwrite_existing);
  }
  fmt::print("{} models, {} the same, {} different as reported\n", loaded, same, reported);
  EXPECT_GT(loaded, count_models() * 9 / 10);
  EXPECT_GT(same, loaded / 2);
  EXPECT_GE(static_cast<double>(same + reported), 0.97 * static_cast<double>(loaded)) << failures;
  if (keep != nullptr) fmt::print("{}", failures);
}

}  // namespace
}  // namespace lockstep
