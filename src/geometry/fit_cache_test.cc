#include "geometry/fit_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "base/temporary_folder_testing.h"
#include "geometry/tessellate.h"
#include "lockstep/state.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

/// A cross of two bars: two boxes fit it, one shape does not.
Mesh make_cross() {
  Mesh cross = tessellated(Box{{1.0, 0.1, 0.1}});
  const auto first = static_cast<std::uint32_t>(cross.vertices.size());
  const Mesh bar = tessellated(Box{{0.1, 1.0, 0.1}});
  for (const Vec3& vertex : bar.vertices) cross.vertices.push_back(vertex + Vec3(0.0, 0.0, 0.1));
  for (const auto& [a, b, c] : bar.faces) cross.faces.push_back({a + first, b + first, c + first});
  return cross;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

TEST(FitCache, ReturnsTheSameFitTheSecondTime) {
  const TemporaryFolder folder;
  FitCache cache(folder.path() / "fits");
  const Fit first = cache.choose(make_cross(), {});
  EXPECT_EQ(cache.found(), 0u);
  const Fit second = cache.choose(make_cross(), {});
  EXPECT_EQ(cache.found(), 1u);
  EXPECT_EQ(fit_to_bytes(first), fit_to_bytes(second));
  EXPECT_EQ(fit_to_bytes(first), fit_to_bytes(choose_shapes(make_cross())));
  EXPECT_EQ(first.shapes.size(), 2u);
}

TEST(FitCache, DistinguishesMeshesAndOptions) {
  const TemporaryFolder folder;
  FitCache cache(folder.path());
  cache.choose(make_cross(), {});
  Mesh other = make_cross();
  other.vertices[0].x() += 1e-15;
  cache.choose(other, {});
  FitOptions single;
  single.max_shapes = 1;
  EXPECT_EQ(cache.choose(make_cross(), single).shapes.size(), 1u);
  EXPECT_EQ(cache.found(), 0u);
  EXPECT_EQ(files_in(folder.path()).size(), 3u);
}

TEST(FitCache, FitsAgainIfItsFileIsDamagedOrBelongsToAnotherMesh) {
  const TemporaryFolder folder;
  FitCache cache(folder.path());
  const Fit fit = cache.choose(make_cross(), {});
  const fs::path file = files_in(folder.path()).at(0);
  const auto size = fs::file_size(file);
  for (std::uintmax_t damage = 0; damage < size; damage += 7) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(damage));
    const int byte = stream.get();
    stream.seekp(static_cast<std::streamoff>(damage));
    stream.put(static_cast<char>(byte ^ 0x10));
    stream.close();
    EXPECT_EQ(fit_to_bytes(cache.choose(make_cross(), {})), fit_to_bytes(fit)) << damage;
  }
  EXPECT_EQ(cache.found(), 0u);
  fs::resize_file(file, size / 2);
  cache.choose(make_cross(), {});
  fs::resize_file(file, 0);
  cache.choose(make_cross(), {});
  EXPECT_EQ(cache.found(), 0u);
  Mesh other = make_cross();
  other.vertices[0].x() -= 0.1;
  cache.choose(other, {});
  for (const fs::path& each : files_in(folder.path())) {
    if (each != file) fs::copy_file(file, each, fs::copy_options::overwrite_existing);
  }
  cache.choose(other, {});
  EXPECT_EQ(cache.found(), 0u);
}

TEST(FitCache, MayBeUsedBySeveralAtOnce) {
  const TemporaryFolder folder;
  const auto expected = fit_to_bytes(choose_shapes(make_cross()));
  std::vector<std::thread> threads;
  std::atomic<int> equal = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      FitCache cache(folder.path());
      for (int round = 0; round < 5; ++round) equal += fit_to_bytes(cache.choose(make_cross(), {})) == expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, 20);
  EXPECT_EQ(files_in(folder.path()).size(), 1u);
}

TEST(FitCache, WorksWithoutAFolderAndWithOneThatCannotBeMade) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "not a folder";
  FitCache none(std::nullopt), blocked(folder.path() / "file/fits");
  EXPECT_EQ(none.choose(make_cross(), {}).shapes.size(), 2u);
  EXPECT_EQ(blocked.choose(make_cross(), {}).shapes.size(), 2u);
}

}  // namespace
}  // namespace lockstep
