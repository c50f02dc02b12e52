#include "suite/run_suite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <list>
#include <set>

#include "base/child_process.h"
#include "base/interrupt_guard.h"
#include "lockstep/state.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

/// Of a result of a child process: a program of ours, but it may have been killed while it wrote.
constexpr std::size_t kMaxText = 1u << 20;
constexpr std::size_t kMaxResultBytes = 64u << 20;

/// Memory that a child process writes and its parent reads after its end.
class SharedBytes {
 public:
  SharedBytes() : descriptor_(memfd_create("lockstep-case", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw_user_error({"lockstep test"}, "no memory for a case: {}", std::strerror(errno));
  }
  SharedBytes(SharedBytes&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  SharedBytes& operator=(SharedBytes&&) = delete;
  ~SharedBytes() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  void write(std::span<const std::uint8_t> bytes) const {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count = ::write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (count <= 0) return;  // the parent sees that it is incomplete
      done += static_cast<std::size_t>(count);
    }
  }

  std::vector<std::uint8_t> read() const {
    struct stat info = {};
    if (fstat(descriptor_, &info) != 0 || static_cast<std::size_t>(info.st_size) > kMaxResultBytes) return {};
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(info.st_size));
    const ssize_t count = pread(descriptor_, bytes.data(), bytes.size(), 0);
    bytes.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    return bytes;
  }

 private:
  int descriptor_;
};

/// What a job in a child process left: how it ended and what it wrote.
struct JobEnd {
  ProcessEnd end;
  std::vector<std::uint8_t> bytes;
};

/// Runs `count` jobs, at most `jobs` at a time, each in a forked process. `work` runs there; `on_end` here.
/// Starts no more after an interrupt, and passes it on.
class JobRunner {
 public:
  using Work = std::function<void(std::size_t job, StateWriter& result)>;
  using OnEnd = std::function<void(std::size_t job, const JobEnd&)>;

  JobRunner(Work work, OnEnd on_end, std::function<void()> on_wait)
      : work_(std::move(work)), on_end_(std::move(on_end)), on_wait_(std::move(on_wait)) {}

  void run(std::size_t count, int jobs) {
    for (std::size_t next = 0; next < count || !running_.empty();) {
      if (interrupted) next = count;
      while (next < count && running_.size() < static_cast<std::size_t>(jobs)) start(next++);
      collect();
    }
  }

 private:
  struct Running {
    std::size_t job;
    SharedBytes bytes;
    ChildProcess process;
  };

  void start(std::size_t job) {
    std::fflush(nullptr);  // what is buffered would be written by the child, too
    SharedBytes bytes;
    Result<ChildProcess> process = ChildProcess::fork([&] {
      StateWriter result;
      work_(job, result);
      bytes.write(result.bytes());
      return 0;
    });
    if (!process) throw_user_error({"lockstep test"}, "cannot start a process: {}", process.error());
    running_.push_back({job, std::move(bytes), *std::move(process)});
  }

  void collect() {
    if (interrupted && !std::exchange(has_passed_on_, true)) {
      for (const Running& each : running_) each.process.send_signal(SIGTERM);
    }
    bool waits = true;  // only for the first, then the others are looked at
    for (auto each = running_.begin(); each != running_.end();) {
      const auto patience = std::chrono::milliseconds(waits ? 5 : 0);
      waits = false;
      const std::optional<ProcessEnd> end = each->process.wait_for(patience);
      if (end) {
        on_end_(each->job, {*end, each->bytes.read()});
        each = running_.erase(each);
      } else {
        ++each;
      }
    }
    if (on_wait_) on_wait_();
  }

  Work work_;
  OnEnd on_end_;
  std::function<void()> on_wait_;
  std::list<Running> running_;
  bool has_passed_on_ = false;
};

void write_place(StateWriter& writer, const Place& place) {
  writer.write(std::string_view(place.file));
  writer.write(static_cast<std::int64_t>(place.line));
  writer.write(static_cast<std::int64_t>(place.column));
}

Place read_place(StateReader& reader) {
  Place place;
  place.file = reader.read_string(kMaxText);
  place.line = static_cast<int>(reader.read<std::int64_t>());
  place.column = static_cast<int>(reader.read<std::int64_t>());
  return place;
}

void write_diagnostics(StateWriter& writer, const Diagnostics& diagnostics) {
  writer.write(static_cast<std::uint64_t>(diagnostics.list().size()));
  for (const Diagnostic& each : diagnostics.list()) {
    write_place(writer, each.place);
    writer.write(static_cast<std::uint8_t>(each.severity));
    writer.write(std::string_view(each.text));
  }
}

/// Errors of a changed value name the change as a file; this is its place.
Place place_in_suite(const Place& place, const Case& test) {
  for (const Change& change : test.setup.changes) {
    if (place.file == to_string(change.place)) return change.place;
  }
  return place;
}

/// Adds what is not known yet: an error of the suite is one of every case.
void read_diagnostics(StateReader& reader, const Case& test, Diagnostics& diagnostics,
                      std::set<std::string>& known) {
  const auto count = reader.read<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    Diagnostic each;
    each.place = place_in_suite(read_place(reader), test);
    each.severity = static_cast<Severity>(reader.read<std::uint8_t>());
    each.text = reader.read_string(kMaxText);
    if (known.insert(to_string(each)).second) diagnostics.add(std::move(each));
  }
}

void write_result(StateWriter& writer, const CaseResult& result) {
  writer.write(static_cast<std::uint8_t>(result.verdict));
  writer.write(result.steps);
  writer.write(result.time);
  writer.write(result.hash);
  writer.write(static_cast<std::uint64_t>(result.failures.size()));
  for (const CaseFailure& failure : result.failures) {
    write_place(writer, failure.place);
    writer.write(failure.time);
    writer.write(std::string_view(failure.text));
  }
}

void read_result(StateReader& reader, CaseResult& result) {
  result.verdict = static_cast<Verdict>(reader.read<std::uint8_t>());
  result.steps = reader.read<std::int64_t>();
  result.time = reader.read<double>();
  result.hash = reader.read<std::uint64_t>();
  const auto count = reader.read<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    CaseFailure failure;
    failure.place = read_place(reader);
    failure.time = reader.read<double>();
    failure.text = reader.read_string(kMaxText);
    result.failures.push_back(std::move(failure));
  }
}

/// The files of one case. A recording has its final name only after the case has failed, so that those in the
/// folder are never incomplete.
struct CaseFiles {
  CaseFiles(const fs::path& folder, const Case& test)
      : recording(folder / (test.name + ".rec")),
        unfinished(folder / (test.name + ".rec.part")),
        output(folder / (test.name + ".log")) {}

  void remove() const {
    std::error_code ignored;
    for (const fs::path& file : {recording, unfinished, output}) fs::remove(file, ignored);
  }

  fs::path recording, unfinished, output;
};

/// Sends what this process and its controllers print to a file.
void redirect_output(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) throw_user_error({file.string()}, "cannot be written: {}", std::strerror(errno));
  dup2(descriptor, STDOUT_FILENO);
  dup2(descriptor, STDERR_FILENO);
  ::close(descriptor);
}

CaseResult failed_to_run(const Case& test, std::string why) {
  return {.name = test.name, .verdict = Verdict::kError, .failures = {{test.place, 0.0, std::move(why)}}};
}

/// In the process of the case.
CaseResult run_case(const Suite& suite, const Case& test, const Registry& registry, const CaseFiles& files,
                    const std::string& version) try {
  redirect_output(files.output);
  Diagnostics diagnostics;
  CaseRun run(suite, test, registry, diagnostics);
  // Commands of controllers are relative to the suite.
  if (!suite.folder.empty()) fs::current_path(suite.folder);
  return run.run(files.unfinished, version);
} catch (const std::exception& error) {
  std::string why = error.what();
  while (why.ends_with('\n')) why.pop_back();
  return failed_to_run(test, why);
}

/// The errors and warnings of all cases.
void check_cases(const Suite& suite, const std::vector<const Case*>& cases, const Registry& registry,
                 const SuiteOptions& options, Diagnostics& diagnostics) {
  const auto check = [&](std::size_t job, StateWriter& result) {
    Diagnostics found;
    try {
      const CaseRun run(suite, *cases[job], registry, found);
    } catch (const UserError& error) {
      found = error.diagnostics();
    }
    write_diagnostics(result, found);
  };
  std::set<std::string> known;
  const auto on_end = [&](std::size_t job, const JobEnd& ended) {
    try {
      StateReader reader(ended.bytes);
      read_diagnostics(reader, *cases[job], diagnostics, known);
    } catch (const StateError&) {
      if (interrupted) return;
      diagnostics.error(cases[job]->place, "case '{}': its simulation cannot be made: {}", cases[job]->name,
                        to_string(ended.end));
    }
  };
  JobRunner(check, on_end, options.on_wait).run(cases.size(), options.jobs);
  diagnostics.throw_if_errors();
}

}  // namespace

std::vector<CaseResult> run_suite(const Suite& suite, const std::vector<const Case*>& cases,
                                  const Registry& registry, const SuiteOptions& options,
                                  Diagnostics& diagnostics) {
  check_cases(suite, cases, registry, options, diagnostics);
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) throw_user_error({options.folder.string()}, "cannot be made: {}", error.message());
  const fs::path folder = fs::absolute(options.folder);  // a case may change the current folder

  std::vector<std::optional<CaseResult>> results(cases.size());
  const auto work = [&](std::size_t job, StateWriter& result) {
    const CaseFiles files(folder, *cases[job]);
    files.remove();
    write_result(result, run_case(suite, *cases[job], registry, files, options.version));
  };
  const auto on_end = [&](std::size_t job, const JobEnd& ended) {
    const Case& test = *cases[job];
    CaseResult result{.name = test.name};
    try {
      StateReader reader(ended.bytes);
      read_result(reader, result);
    } catch (const StateError&) {
      result = failed_to_run(test, fmt::format("the process of the case ended with {}", to_string(ended.end)));
    }
    const CaseFiles files(folder, test);
    if (result.verdict == Verdict::kPassed) {
      files.remove();
    } else if (std::error_code failed; fs::exists(files.unfinished)) {
      fs::rename(files.unfinished, files.recording, failed);
      if (!failed) result.recording = (options.folder / files.recording.filename()).string();
    }
    if (options.on_result) options.on_result(result);
    results[job] = std::move(result);
  };
  JobRunner(work, on_end, options.on_wait).run(cases.size(), options.jobs);

  fs::remove(folder, error);  // only if it is empty
  std::vector<CaseResult> done;
  for (std::optional<CaseResult>& result : results) {
    if (result) done.push_back(*std::move(result));
  }
  return done;
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPassed:
      return "passed";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kError:
      break;
  }
  return "error";
}

std::string to_string(const CaseFailure& failure) {
  return fmt::format("{}: at {:.6g} s: {}", to_string(failure.place), failure.time, failure.text);
}

}  // namespace lockstep
