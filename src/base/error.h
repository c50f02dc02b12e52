#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

/// The three kinds of failure.
///
/// 1. The user's data is wrong: collected in `Diagnostics`, thrown as `UserError`, exit code 2.
/// 2. A run ends otherwise than hoped (diverged, overflow): a `Status` the caller must look at, exit code 1.
/// 3. Our own bug: `LOCKSTEP_CHECK` aborts with a message, in every build type.
namespace lockstep {

/// Where in the user's input something stands. Line and column count from 1; 0 means "the whole file".
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

/// "arm.xml:12:7", "arm.xml" or "" as far as it is known.
std::string to_string(const Place& place);

enum class Severity { kError, kWarning, kNote };

struct Diagnostic {
  Place place;
  Severity severity = Severity::kError;
  std::string text;  ///< "subject: what was found; what would be right", without place and severity
};

/// "arm.xml:12:7: error: sensor 'imu': unknown site 'a'; the robot has 'b'"
std::string to_string(const Diagnostic& diagnostic);

/// Stands for a name that is missing or cannot be read; no name that a user can write contains it.
inline constexpr std::string_view kNoName = "?";

/// Collects everything that can be found wrong in one pass.
///
/// One object goes through all stages of loading a scenario. A stage that finds an error goes on with what is
/// usable, and marks here what is not: the consequences of an error are not reported as further errors.
///
/// Shown in the order of the places: by file (alphabetically), line and column. What has only a file comes
/// first in it, and what has the same place stays in the order in which it was found.
class Diagnostics {
 public:
  template <typename... Args>
  void error(const Place& place, fmt::format_string<Args...> format, Args&&... args) {
    add({place, Severity::kError, fmt::format(format, std::forward<Args>(args)...)});
  }
  template <typename... Args>
  void warn(const Place& place, fmt::format_string<Args...> format, Args&&... args) {
    add({place, Severity::kWarning, fmt::format(format, std::forward<Args>(args)...)});
  }
  template <typename... Args>
  void note(const Place& place, fmt::format_string<Args...> format, Args&&... args) {
    add({place, Severity::kNote, fmt::format(format, std::forward<Args>(args)...)});
  }

  /// After kMaxErrors errors the rest is counted but not kept: hostile input must not fill memory.
  void add(Diagnostic diagnostic);
  void add_all(const Diagnostics& other);

  bool has_errors() const { return error_count_ > 0; }
  std::size_t error_count() const { return error_count_; }
  bool has_error_at(const Place& place) const;
  const std::vector<Diagnostic>& list() const { return list_; }  ///< as found; in order in a UserError
  std::string text() const;  ///< one line per diagnostic, in order, each ending in '\n'
  void sort();               ///< puts the list in order

  /// Throws UserError if there is any error.
  void throw_if_errors() const;

  /// What was added after a mark can be taken back, when it turns out to be a consequence.
  struct Mark {
    std::size_t listed = 0;
    std::size_t errors = 0;
  };
  Mark mark() const { return {list_.size(), error_count_}; }
  void rewind(const Mark& mark, const Place& kept);  ///< what is at the place `kept` stays

  /// The element written at this place is wrong, by itself and not only in its children: what it says is
  /// checked no further, and what it lacks is not asked for.
  void mark_broken(const Place& place);
  bool is_broken(const Place& place) const;

  /// Something of this name, plain or full, could not be made.
  void mark_missing(std::string_view name);
  /// An element of this kind, such as "joint", has no name that can be read.
  void mark_nameless(std::string_view kind);
  /// A part of the input could not be read at all: anything may have been in it.
  void mark_incomplete() { is_incomplete_ = true; }
  bool is_incomplete() const { return is_incomplete_; }
  /// Whether `name`, which was looked for among elements of these kinds and not found, may be something that
  /// has an error of its own: it or a part of its path is marked as missing, or one of the kinds is nameless.
  /// A pattern with '*' or '?', or kNoName, may stand for anything that is missing.
  bool is_missing(std::initializer_list<std::string_view> kinds, std::string_view name) const;

  static constexpr std::size_t kMaxErrors = 100;

 private:
  std::vector<Diagnostic> list_;
  std::size_t error_count_ = 0;
  std::set<std::tuple<std::string, int, int>> broken_;  // file, line, column
  std::set<std::string, std::less<>> missing_;          // names
  std::set<std::string, std::less<>> nameless_;         // kinds
  bool is_incomplete_ = false;
};

/// The user's input cannot be used; `what()` is the text of all diagnostics.
class UserError : public std::runtime_error {
 public:
  explicit UserError(Diagnostics diagnostics)
      : std::runtime_error(diagnostics.text()), diagnostics_(std::move(diagnostics)) {
    diagnostics_.sort();
  }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

/// A UserError with a single message.
template <typename... Args>
[[noreturn]] void throw_user_error(const Place& place, fmt::format_string<Args...> format, Args&&... args) {
  Diagnostics diagnostics;
  diagnostics.error(place, format, std::forward<Args>(args)...);
  throw UserError(std::move(diagnostics));
}

/// "; did you mean 'noise'?" if one of the candidates is close to what was found, else
/// "; expected one of 'a', 'b'" (the most alike few; what is equally alike keeps its order). Empty when there
/// are no candidates.
std::string suggest(std::string_view found, std::span<const std::string> candidates);

/// How a run, or one step of it, ended.
enum class Outcome : std::uint8_t {
  kOk,
  kDiverged,            ///< a position, velocity or acceleration left the numbers; use a smaller step
  kConstraintOverflow,  ///< more contacts or constraint rows than the engine was given room for
  kInvalidInput,        ///< a device handed NaN or infinity to the world
  kEngineFailure,       ///< the engine gave up with the message in `cause`
  kStopped,             ///< an event ended the run, as the scenario or a user asked for
  kInterrupted,         ///< the run was told to quit (Ctrl-C)
  kTooSlow,             ///< real time was missed more often than allowed
  kOutputFailed,        ///< a log could not be written; what was written before is readable
  kControllerLost,      ///< a controller outside was silent for too long
  kControllerFailed,    ///< a controller cannot go on: an error in a script, a command that means nothing
};

std::string_view name(Outcome outcome);  ///< "ok", "diverged", …

/// What happened, when, and to whom. Must be looked at.
struct [[nodiscard]] Status {
  Outcome outcome = Outcome::kOk;
  std::int64_t step = 0;  ///< the step that failed
  std::string subject;    ///< full name of the body, joint or device concerned, if known
  std::string cause;      ///< one sentence

  bool ok() const { return outcome == Outcome::kOk; }
};

std::string to_string(const Status& status);

[[noreturn]] void fail_check(const char* condition, const char* file, int line);

}  // namespace lockstep

/// An invariant of our own. Armed in every build type.
#define LOCKSTEP_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::lockstep::fail_check(#condition, __FILE__, __LINE__))
