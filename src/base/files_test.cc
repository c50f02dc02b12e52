#include "base/files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder_testing.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

class ReplaceFile : public testing::Test {
 protected:
  std::string text(const std::string& name) const { return read_any_file(folder_.path() / name, 1000)->bytes; }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
  }

  TemporaryFolder folder_;
};

TEST_F(ReplaceFile, ReplacesTheOldFile) {
  ASSERT_TRUE(replace_file(folder_.path() / "a", "old").ok());
  ASSERT_TRUE(replace_file(folder_.path() / "a", "new", Durability::kMachine).ok());
  EXPECT_EQ(text("a"), "new");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(ReplaceFile, ReportsTheSystemError) {
  EXPECT_EQ(replace_file(folder_.path() / "missing" / "a", "x").error(), "No such file or directory");
  EXPECT_EQ(replace_file("/dev/full", "x").error(), "No space left on device");
}

TEST_F(ReplaceFile, KeepsTheOldFileUntilCommit) {
  ASSERT_TRUE(replace_file(folder_.path() / "a", "old").ok());
  {
    const FileReplacement replacement(folder_.path() / "a");
    std::ofstream(replacement.path()) << "half";
    EXPECT_EQ(text("a"), "old");
  }
  EXPECT_EQ(text("a"), "old");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(ReplaceFile, FollowsLinksAndKeepsPermissions) {
  ASSERT_TRUE(replace_file(folder_.path() / "a", "old").ok());
  fs::permissions(folder_.path() / "a", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("a", folder_.path() / "link");
  ASSERT_TRUE(replace_file(folder_.path() / "link", "new").ok());
  EXPECT_TRUE(fs::is_symlink(folder_.path() / "link"));
  EXPECT_EQ(text("a"), "new");
  EXPECT_EQ(fs::status(folder_.path() / "a").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

}  // namespace
}  // namespace lockstep
