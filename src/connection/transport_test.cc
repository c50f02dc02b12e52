#include "connection/transport.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <tuple>

#include "base/temporary_folder_testing.h"

namespace lockstep {
namespace {

std::string parse_and_print(const std::string& text) {
  std::string error;
  const auto address = parse_address(text, error);
  return address ? to_string(*address) : error;
}

TEST(Address, RoundTripsThroughText) {
  for (const char* text : {"tcp:127.0.0.1:7000", "udp:localhost:0", "tcp:[::1]:65535", "unix:/tmp/a socket",
                           "pipe:relative/path", "shm:name"})
    EXPECT_EQ(parse_and_print(text), text);
}

TEST(Transports, EachHasAUniqueNameBothEndsAndAnAddressThatRoundTrips) {
  for (const Transport& each : transports()) {
    EXPECT_EQ(find_transport(each.name), &each);
    EXPECT_TRUE(each.listen != nullptr && each.connect != nullptr) << each.name;
    const std::string local = to_string(make_local_address(each, "/tmp", "place"));
    EXPECT_EQ(parse_and_print(local), local);
  }
}

TEST(Address, RejectsInvalidTextWithTheExpectedForm) {
  EXPECT_EQ(parse_and_print("http://x"),
            "address 'http://x' has no known transport; expected tcp:HOST:PORT, udp:HOST:PORT, unix:PATH, "
            "pipe:PATH or "
            "shm:NAME");
  EXPECT_EQ(parse_and_print("tcp:7000"), "address 'tcp:7000' has no port");
  EXPECT_EQ(parse_and_print("tcp:host:70000"),
            "address 'tcp:host:70000' has the port '70000'; expected 0 to 65535");
  EXPECT_EQ(parse_and_print("tcp:host:"), "address 'tcp:host:' has the port ''; expected 0 to 65535");
  EXPECT_EQ(parse_and_print("tcp:::1:7000"),
            "address 'tcp:::1:7000' has an IPv6 host without brackets; expected [HOST]:PORT");
  EXPECT_EQ(parse_and_print("shm:a/b"), "address 'shm:a/b' has a '/' in its name");
  EXPECT_EQ(parse_and_print("shm:.."), "address 'shm:..' has an invalid name");
  EXPECT_EQ(parse_and_print("pipe:"), "address 'pipe:' has no path");
  EXPECT_NE(parse_and_print("unix:/" + std::string(107, 'a')).find("a Unix socket allows 107"),
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
  /// A free address.
  std::string address(std::string_view transport) const {
    return to_string(make_local_address(*find_transport(transport), folder_.path(),
                                        fmt::format("lockstep_address_test_{}", getpid())));
  }
  /// The files that transports with a path or name create.
  std::string socket() const { return address("unix").substr(5); }
  std::string pipe() const { return address("pipe").substr(5) + ".in"; }
  std::string memory() const { return "/dev/shm/" + address("shm").substr(4); }

  TemporaryFolder folder_;
  std::string error_;
};

TEST_F(Listening, ReplacesFilesOfAKilledRun) {
  for (const Transport& transport : transports()) {
    const pid_t child = fork();
    if (child == 0) {
      const auto listener = listen(address(transport.name));
      _exit(listener ? 0 : 1);  // without removing anything
    }
    int status = -1;
    waitpid(child, &status, 0);
    ASSERT_EQ(status, 0) << transport.name;
    EXPECT_NE(listen(address(transport.name)), nullptr) << error_;
  }
}

TEST_F(Listening, DoesNotTouchFilesOfARunningProcess) {
  for (const Transport& transport : transports()) {
    const auto first = listen(address(transport.name));
    ASSERT_NE(first, nullptr) << error_;
    EXPECT_EQ(listen(first->address()), nullptr);
    const char* reason =
        transport.form == AddressForm::kHostAndPort ? "Address already in use" : "already listens there";
    EXPECT_TRUE(error_.starts_with(first->address() + ": ")) << error_;
    EXPECT_NE(error_.find(reason), std::string::npos) << error_;
  }
}

TEST_F(Listening, AZombieDoesNotKeepTheSharedMemory) {
  const auto listener = listen(address("shm"));
  ASSERT_NE(listener, nullptr) << error_;
  const auto connect_once = [&](Duration patience) {
    std::string error;
    return lockstep::connect(parse_address(listener->address(), error).value(), {},
                             std::chrono::steady_clock::now() + patience, error);
  };
  const pid_t child = fork();
  if (child == 0) {
    const auto channel = connect_once(std::chrono::seconds(30));
    _exit(channel ? 0 : 1);  // without leaving
  }
  std::unique_ptr<Channel> channel;
  while (!channel) channel = listener->accept();
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);  // it stays a zombie
  std::array<std::uint8_t, 8> bytes{};
  std::size_t count = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  EXPECT_EQ(channel->receive(bytes, count, deadline), Channel::Result::kClosed);
  EXPECT_LT(std::chrono::steady_clock::now(), deadline);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Listening, DoesNotTouchForeignFiles) {
  for (const auto& [transport, file, reason] :
       {std::tuple("unix", socket(), "not a socket"), std::tuple("pipe", pipe(), "is not a pipe"),
        std::tuple("shm", memory(), "not the shared memory of a connection")}) {
    std::ofstream(file) << "precious";
    EXPECT_EQ(listen(address(transport)), nullptr);
    EXPECT_NE(error_.find(reason), std::string::npos) << error_;
    EXPECT_EQ(std::filesystem::file_size(file), 8u);
    std::filesystem::remove(file);
  }
}

TEST_F(Listening, OnlyTheOwnerHasAccessAndNoFilesRemain) {
  for (const auto& [transport, file] :
       {std::pair("unix", socket()), std::pair("pipe", pipe()), std::pair("shm", memory())}) {
    auto listener = listen(address(transport));
    ASSERT_NE(listener, nullptr) << error_;
    struct stat found {};
    ASSERT_EQ(lstat(file.c_str(), &found), 0) << file;
    EXPECT_EQ(found.st_mode & 0777, 0600u) << file;
    listener.reset();
    EXPECT_FALSE(std::filesystem::exists(file)) << file;
  }
}

}  // namespace
}  // namespace lockstep
