#include "base/progress_line.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

namespace lockstep {
namespace {

/// Redirects stderr to a pseudo-terminal during its lifetime.
class Terminal {
 public:
  Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)), old_(dup(STDERR_FILENO)) {
    grantpt(master_);
    unlockpt(master_);
    const int terminal = open(ptsname(master_), O_RDWR | O_NOCTTY);
    dup2(terminal, STDERR_FILENO);
    close(terminal);
  }
  ~Terminal() {
    dup2(old_, STDERR_FILENO);
    close(old_);
    close(master_);
  }
  /// What was printed, of which at least `count` characters are expected: they arrive in parts.
  std::string printed(std::size_t count) const {
    std::string text;
    std::array<char, 1000> part{};
    pollfd waiting{.fd = master_, .events = POLLIN};
    while (text.size() < count && poll(&waiting, 1, 10000) == 1) {
      const ssize_t length = read(master_, part.data(), part.size());
      if (length <= 0) break;
      text.append(part.data(), static_cast<std::size_t>(length));
    }
    return text;
  }

 private:
  int master_, old_;
};

TEST(ProgressLine, OnATerminalIsOverwrittenAndRemoved) {
  const Terminal terminal;
  {
    ProgressLine line;
    EXPECT_TRUE(line.is_due());
    line.show("10 of 20");
    EXPECT_FALSE(line.is_due());
    line.show("9");
  }
  const std::string expected = "\r10 of 20\r9       \r        \r";
  EXPECT_EQ(terminal.printed(expected.size()), expected);
}

TEST(ProgressLine, ElsewherePrintsLinesOnlyOnRequest) {
  testing::internal::CaptureStderr();
  ProgressLine silent, asked(ProgressLine::Elsewhere::kLines);
  EXPECT_FALSE(silent.is_due());
  silent.show("half");
  EXPECT_TRUE(asked.is_due());
  asked.show("half");
  EXPECT_FALSE(asked.is_due());
  asked.clear();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "half\n");
}

}  // namespace
}  // namespace lockstep
