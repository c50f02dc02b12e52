#include "base/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>

namespace lockstep {
namespace {

ProcessEnd end_of_shell(const std::string& command,
                        std::vector<std::pair<std::string, std::string>> variables = {}) {
  Result<ChildProcess> child =
      ChildProcess::start({.arguments = {"sh", "-c", command}, .environment = std::move(variables)});
  return child ? child->wait() : ProcessEnd{};
}

TEST(ChildProcess, ReportsHowItEnded) {
  EXPECT_EQ(to_string(end_of_shell("exit 3")), "exit code 3");
  EXPECT_EQ(to_string(end_of_shell("kill -TERM $$")), "signal 15");
  EXPECT_TRUE(end_of_shell("true").is_success());
}

TEST(ChildProcess, ReportsWhyItCannotBeStarted) {
  const Result<ChildProcess> child = ChildProcess::start({.arguments = {"/no/such/program"}});
  ASSERT_FALSE(child.ok());
  EXPECT_EQ(child.error(), "No such file or directory");
}

TEST(ChildProcess, HasEmptyInputAndTheAddedEnvironment) {
  EXPECT_TRUE(end_of_shell("! read line").is_success());
  EXPECT_TRUE(end_of_shell("test \"$COLOUR\" = 'dark blue'", {{"COLOUR", "dark blue"}}).is_success());
}

TEST(ChildProcess, PrintsToTheGivenDescriptor) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe2(pipe_ends.data(), O_CLOEXEC), 0);
  Result<ChildProcess> child =
      ChildProcess::start({.arguments = {"echo", "hello"}, .output = pipe_ends[1], .errors = pipe_ends[1]});
  close(pipe_ends[1]);
  ASSERT_TRUE(child.ok()) << child.error();
  std::array<char, 100> text{};
  const ssize_t count = read(pipe_ends[0], text.data(), text.size());
  close(pipe_ends[0]);
  EXPECT_EQ(std::string(text.data(), static_cast<std::size_t>(count)), "hello\n");
  EXPECT_TRUE(child->wait().is_success());
}

TEST(ChildProcess, WaitingTimesOut) {
  Result<ChildProcess> child = ChildProcess::start({.arguments = {"sleep", "100"}});
  ASSERT_TRUE(child.ok()) << child.error();
  EXPECT_FALSE(child->wait_for(std::chrono::milliseconds(20)));
  child->send_signal_to_group(SIGTERM);
  EXPECT_EQ(child->wait().signal, SIGTERM);
}

TEST(ChildProcess, LeavesNothingBehindWhenItsGroupIsKilled) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe2(pipe_ends.data(), O_CLOEXEC), 0);
  Result<ChildProcess> child = ChildProcess::start(
      {.arguments = {"sh", "-c", "sleep 100 &"}, .output = pipe_ends[1], .errors = pipe_ends[1]});
  close(pipe_ends[1]);
  ASSERT_TRUE(child.ok()) << child.error();
  EXPECT_TRUE(child->wait().is_success());
  child->send_signal_to_group(SIGKILL);
  char byte = 0;
  EXPECT_EQ(read(pipe_ends[0], &byte, 1), 0);  // end of file: no process has it open any more
  close(pipe_ends[0]);
}

TEST(ChildProcess, ForkRunsAFunction) {
  Result<ChildProcess> child = ChildProcess::fork([] { return 7; });
  ASSERT_TRUE(child.ok()) << child.error();
  EXPECT_EQ(child->wait().exit_code, 7);
}

TEST(ChildProcess, EndsAtItsTimeLimit) {
  Result<ChildProcess> child = ChildProcess::fork([] {
    set_limits({.seconds = 1});
    while (true) pause();
    return 0;
  });
  ASSERT_TRUE(child.ok()) << child.error();
  EXPECT_EQ(child->wait().signal, SIGALRM);
}

}  // namespace
}  // namespace lockstep
