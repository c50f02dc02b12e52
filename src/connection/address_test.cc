#include "connection/address.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "base/temporary_folder_testing.h"

namespace lockstep {
namespace {

std::string parse_and_print(const std::string& text) {
  std::string error;
  const auto address = parse_address(text, error);
  return address ? to_string(*address) : error;
}

TEST(Address, IsReadAndWrittenAlike) {
  for (const char* text : {"tcp:127.0.0.1:7000", "udp:localhost:0", "tcp:[::1]:65535", "unix:/tmp/a socket",
                           "pipe:relative/path", "shm:name"})
    EXPECT_EQ(parse_and_print(text), text);
}

TEST(Address, ThatIsWrongIsRefusedWithWhatWouldBeRight) {
  EXPECT_EQ(
      parse_and_print("http://x"),
      "address 'http://x' names no transport; expected tcp:HOST:PORT, udp:HOST:PORT, unix:PATH, pipe:PATH or "
      "shm:NAME");
  EXPECT_EQ(parse_and_print("tcp:7000"), "address 'tcp:7000' has no port");
  EXPECT_EQ(parse_and_print("tcp:host:70000"),
            "address 'tcp:host:70000' has the port '70000'; expected 0 to 65535");
  EXPECT_EQ(parse_and_print("tcp:host:"), "address 'tcp:host:' has the port ''; expected 0 to 65535");
  EXPECT_EQ(parse_and_print("tcp:::1:7000"),
            "address 'tcp:::1:7000' has an IPv6 host without brackets; expected [HOST]:PORT");
  EXPECT_EQ(parse_and_print("shm:a/b"), "address 'shm:a/b' has a '/' in its name");
  EXPECT_EQ(parse_and_print("shm:.."), "address 'shm:..' has no usable name");
  EXPECT_EQ(parse_and_print("pipe:"), "address 'pipe:' has no path");
  EXPECT_NE(parse_and_print("unix:/" + std::string(107, 'a')).find("a Unix socket may have 107"),
            std::string::npos);
}

class Listening : public testing::Test {
 protected:
  std::unique_ptr<Listener> listen(const std::string& text) {
    std::string error;
    const auto address = parse_address(text, error);
    error_.clear();
    return lockstep::listen(address.value(), {}, error_);
  }
  /// Everything that is made in a path, by the transport.
  std::vector<std::string> addresses() const {
    return {"unix:" + (folder_.path() / "s").string(), "pipe:" + (folder_.path() / "p").string(),
            fmt::format("shm:lockstep_address_test_{}", getpid())};
  }
  TemporaryFolder folder_;
  std::string error_;
};

TEST_F(Listening, WhatAKilledRunLeftIsReplaced) {
  for (const std::string& address : addresses()) {
    const pid_t child = fork();
    if (child == 0) {
      const auto listener = listen(address);
      _exit(listener ? 0 : 1);  // without removing anything
    }
    int status = -1;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0) << address;
    EXPECT_NE(listen(address), nullptr) << error_;
  }
}

TEST_F(Listening, WhatALivingProcessUsesIsLeftAlone) {
  for (const std::string& address : addresses()) {
    const auto first = listen(address);
    ASSERT_NE(first, nullptr) << error_;
    EXPECT_EQ(listen(address), nullptr);
    EXPECT_NE(error_.find("waits there already"), std::string::npos) << error_;
  }
  for (const char* any : {"tcp:127.0.0.1:0", "udp:127.0.0.1:0"}) {
    const auto first = listen(any);
    ASSERT_NE(first, nullptr) << error_;
    EXPECT_EQ(listen(first->address()), nullptr);
    EXPECT_EQ(error_, first->address() + ": Address already in use");
  }
}

TEST_F(Listening, WhatIsNoneOfALinkIsLeftAlone) {
  folder_.write("s", "precious");
  folder_.write("p.in", "precious");
  EXPECT_EQ(listen(addresses()[0]), nullptr);
  EXPECT_NE(error_.find("not a socket"), std::string::npos) << error_;
  EXPECT_EQ(listen(addresses()[1]), nullptr);
  EXPECT_NE(error_.find("is not a pipe"), std::string::npos) << error_;
  EXPECT_EQ(std::filesystem::file_size(folder_.path() / "s"), 8u);
  EXPECT_EQ(std::filesystem::file_size(folder_.path() / "p.in"), 8u);

  const std::filesystem::path shared = "/dev/shm/" + addresses()[2].substr(4);
  std::ofstream(shared) << "precious";
  EXPECT_EQ(listen(addresses()[2]), nullptr);
  EXPECT_NE(error_.find("not of a link"), std::string::npos) << error_;
  EXPECT_EQ(std::filesystem::file_size(shared), 8u);
  std::filesystem::remove(shared);
}

TEST_F(Listening, OnlyTheOwnerGetsInAndNothingIsLeftBehind) {
  const std::vector<std::string> files = {(folder_.path() / "s").string(), (folder_.path() / "p.in").string(),
                                          "/dev/shm/" + addresses()[2].substr(4)};
  for (std::size_t i = 0; i < files.size(); ++i) {
    auto listener = listen(addresses()[i]);
    ASSERT_NE(listener, nullptr) << error_;
    struct stat found {};
    ASSERT_EQ(lstat(files[i].c_str(), &found), 0) << files[i];
    EXPECT_EQ(found.st_mode & 0777, 0600u) << files[i];
    listener.reset();
    EXPECT_FALSE(std::filesystem::exists(files[i])) << files[i];
  }
}

}  // namespace
}  // namespace lockstep
