#include <gtest/gtest.h>

#include <cstdlib>

#include "base/temporary_folder_testing.h"
#include "geometry/assembly_reader.h"
#include "lockstep/error.h"

namespace lockstep {
namespace {

constexpr const char* kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// Sets LOCKSTEP_READER during its lifetime.
class OtherReader {
 public:
  explicit OtherReader(const std::filesystem::path& program) { setenv("LOCKSTEP_READER", program.c_str(), 1); }
  ~OtherReader() { unsetenv("LOCKSTEP_READER"); }
};

/// The error if this shell script is the reader.
std::string error_with(const char* script, const ReadOptions& options = {}) {
  const TemporaryFolder folder;
  folder.write("reader", std::string("#!/bin/sh\n") + script + "\n");
  std::filesystem::permissions(folder.path() / "reader", std::filesystem::perms::owner_all);
  const OtherReader other(folder.path() / "reader");
  try {
    (void)read_assembly(kTriangle, "part.obj", {}, options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ReadingProcess, CrashIsAnErrorOfTheFile) {
  EXPECT_EQ(error_with("kill -SEGV $$"),
            "part.obj: error: the file is damaged: reading it ended in a crash of the reading process\n");
}

TEST(ReadingProcess, IsKilledIfItHangs) {
  ReadOptions options;
  options.max_seconds = 1;
  EXPECT_EQ(error_with("exec sleep 100", options),
            "part.obj: error: reading it takes longer than 1 s; it is damaged or far too detailed\n");
}

TEST(ReadingProcess, IsKilledIfItUsesTooMuchCpuTime) {
  ReadOptions options;
  options.max_seconds = 1;
  EXPECT_EQ(error_with("while :; do :; done", options),
            "part.obj: error: reading it takes longer than 1 s; it is damaged or far too detailed\n");
}

TEST(ReadingProcess, InvalidDataIsRejected) {
  EXPECT_NE(error_with(R"(printf 'A\004\000\000\000\000\000\000\000abcd' >&0)"), "no error");
  EXPECT_NE(error_with(R"(printf 'A\377\377\377\377\377\377\377\377' >&0)"), "no error");
  EXPECT_NE(error_with("exit 0"), "no error");
}

TEST(ReadingProcess, MissingReaderIsReported) {
  const OtherReader other("/nowhere/lockstep-reader");
  try {
    (void)read_assembly(kTriangle, "part.obj", {});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "part.obj: error: the reading process cannot be started\n");
  }
}

// Sanitizers need more memory than any limit allows.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(ReadingProcess, ExceedingTheMemoryLimitIsAnErrorOfTheFile) {
  constexpr const char* kLiar = R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="pa" count="3000000000">0 0 0</float_array></source>
  </mesh></geometry></library_geometries>
</COLLADA>)";
  try {
    (void)read_assembly(kLiar, "part.dae", {});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(
        error.what(),
        "part.dae: error: reading it takes more memory than is allowed; it is damaged or far too detailed\n");
  }
}
#endif

}  // namespace
}  // namespace lockstep
