#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// How failures are told: each of the kinds below has one type, and the caller sees from the type what to do.
///
/// | what failed                                      | type                       | exit code of the command |
/// |--------------------------------------------------|----------------------------|--------------------------|
/// | the user's data is wrong, maybe in many places   | `UserError`, thrown        | 2                        |
/// | a run ended early: diverged, controller lost, …  | `Status`, returned         | 1                        |
/// | one operation failed, and its caller decides     | `Result<T>`, returned      | the caller decides       |
/// | a bug of Lockstep itself                         | `LOCKSTEP_CHECK`, aborts   | SIGABRT                  |
///
/// Nothing here is logged and forgotten: the compiler warns about a Status or Result that is ignored.
namespace lockstep {

/// Where in the user's input something was written.
struct Place {
  std::string file;  ///< path as the user gave it, or the origin of an edit: "--set //joint/@damping=-1"
  int line = 0;      ///< from 1; 0 means the whole file
  int column = 0;    ///< from 1; 0 means the whole line
};

/// "arm.xml:12:7", "arm.xml" or "", as far as it is known.
std::string to_string(const Place& place);

/// Only errors stop anything. Warnings and notes are printed and otherwise have no effect.
enum class Severity { kError, kWarning, kNote };

/// One message about the user's input.
struct Diagnostic {
  Place place;
  Severity severity = Severity::kError;
  std::string text;  ///< "subject: what was found; what would be right", without place and severity
};

/// One line: "arm.xml:12:7: error: sensor 'imu': unknown site 'a'; the robot has 'b'".
std::string to_string(const Diagnostic& diagnostic);

/// Takes the place of a name that is missing or cannot be read; no name that a user can write contains it.
inline constexpr std::string_view kNoName = "?";

/// Collects everything wrong that can be found in one pass, so that a user corrects a file once.
///
/// One object goes through all stages of loading a scenario. A stage that finds an error continues with what is
/// usable, and marks here what is not: the consequences of an error are not reported as further errors.
///
/// The order of the text is that of the places: by file (alphabetically), line and column. What has only a file
/// comes first in it; messages with the same place keep the order in which they were found.
///
/// Not thread-safe: one thread fills it.
class Diagnostics {
 public:
  /// Adds an error. The format is that of fmt; the text reads "subject: found; expected".
  ///
  ///     diagnostics.error(place, "sensor '{}': unknown site '{}'; the robot has '{}'", name, found, known);
  template <typename... Args>
  void error(const Place& place, fmt::format_string<Args...> format, Args&&... args) {
    add({place, Severity::kError, fmt::format(format, std::forward<Args>(args)...)});
  }
  /// Adds a warning: something that is probably not meant, but can be simulated.
  template <typename... Args>
  void warn(const Place& place, fmt::format_string<Args...> format, Args&&... args) {
    add({place, Severity::kWarning, fmt::format(format, std::forward<Args>(args)...)});
  }
  /// Adds a note: something the user should know, and need not change.
  template <typename... Args>
  void note(const Place& place, fmt::format_string<Args...> format, Args&&... args) {
    add({place, Severity::kNote, fmt::format(format, std::forward<Args>(args)...)});
  }

  /// After kMaxErrors errors the rest is counted but not kept: hostile input must not fill the memory.
  void add(Diagnostic diagnostic);
  void add_all(const Diagnostics& other);
  static constexpr std::size_t kMaxErrors = 100;

  bool has_errors() const { return error_count_ > 0; }
  std::size_t error_count() const { return error_count_; }
  bool has_error_at(const Place& place) const;

  /// In the order in which they were found; in the order of their places once sort() was called.
  const std::vector<Diagnostic>& list() const { return list_; }
  void sort();
  /// One line per diagnostic, in the order of their places, each ending in '\n'.
  std::string text() const;

  /// Throws UserError if there is any error. Warnings and notes do not throw.
  void throw_if_errors() const;

  /// A position in the list. Messages added after it can be removed again when they turn out to be
  /// consequences of an earlier error.
  struct Mark {
    std::size_t listed = 0;
    std::size_t errors = 0;
  };
  Mark mark() const { return {list_.size(), error_count_}; }
  /// Removes what was added after the mark, except messages at the place `kept`.
  void rewind(const Mark& mark, const Place& kept);

  /// The element written at this place is wrong by itself, not only in its children: what it says is not
  /// checked further, and what it lacks is not asked for.
  void mark_broken(const Place& place);
  bool is_broken(const Place& place) const;

  /// Something of this name, plain or full, could not be made.
  void mark_missing(std::string_view name);
  /// An element of this kind, such as "joint", has no name that can be read.
  void mark_nameless(std::string_view kind);
  /// A piece of the input could not be read at all: anything may have been in it.
  void mark_incomplete() { is_incomplete_ = true; }
  bool is_incomplete() const { return is_incomplete_; }

  /// Whether `name`, which was looked for among elements of these kinds and not found, may be something that
  /// has an error of its own: it or a piece of its path is marked as missing, or one of the kinds is nameless.
  /// A pattern with '*' or '?', or kNoName, matches anything that is missing.
  bool is_missing(std::initializer_list<std::string_view> kinds, std::string_view name) const;

 private:
  std::vector<Diagnostic> list_;
  std::size_t error_count_ = 0;
  std::set<std::tuple<std::string, int, int>> broken_;  // file, line, column
  std::set<std::string, std::less<>> missing_;          // names
  std::set<std::string, std::less<>> nameless_;         // kinds
  bool is_incomplete_ = false;
};

/// The user's input cannot be used. `what()` is the text of all diagnostics, ready to be printed on stderr.
class UserError : public std::runtime_error {
 public:
  explicit UserError(Diagnostics diagnostics)
      : std::runtime_error(diagnostics.text()), diagnostics_(std::move(diagnostics)) {
    diagnostics_.sort();
  }
  /// In the order of their places; lives as long as the exception.
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
};

/// Throws a UserError with a single message.
template <typename... Args>
[[noreturn]] void throw_user_error(const Place& place, fmt::format_string<Args...> format, Args&&... args) {
  Diagnostics diagnostics;
  diagnostics.error(place, format, std::forward<Args>(args)...);
  throw UserError(std::move(diagnostics));
}

/// The end of an error text about an unknown name: "; did you mean 'noise'?" if one of the candidates is close
/// to what was found, else "; expected one of 'a', 'b'" with the few most similar. Candidates that are equally
/// similar keep their order. Empty when there are no candidates.
std::string suggest(std::string_view found, std::span<const std::string> candidates);

/// How a run, or one step of it, ended. Everything but kOk ends a run.
enum class Outcome : std::uint8_t {
  kOk,
  kDiverged,            ///< a position, velocity or acceleration is no longer finite; use a smaller step
  kConstraintOverflow,  ///< more contacts or constraint rows than the engine has memory for
  kEnergyGained,        ///< the energy grew without a cause; use a smaller step or another integrator
  kInvalidInput,        ///< a device handed NaN or infinity to the world
  kEngineFailure,       ///< the engine gave up with the message in `cause`
  kStopped,             ///< an event ended the run, as the scenario or a user asked for
  kInterrupted,         ///< the run was told to quit (Ctrl-C)
  kTooSlow,             ///< real time was missed more often than allowed
  kOutputFailed,        ///< a log could not be written; what was written before is readable
  kControllerLost,      ///< a controller outside the process was silent for too long
  kControllerFailed,    ///< a controller cannot continue: an error in a script, an invalid command
};

/// "ok", "diverged", …: as `lockstep run --json` prints it.
std::string_view name(Outcome outcome);

/// What happened, when, and to which device. The caller must look at it.
struct [[nodiscard]] Status {
  Outcome outcome = Outcome::kOk;
  std::int64_t step = 0;  ///< the step that failed, counted from the start of the scenario
  std::string subject;    ///< full name of the body, joint or device concerned, if known
  std::string cause;      ///< one sentence

  bool ok() const { return outcome == Outcome::kOk; }
};

/// One line: outcome, step, subject and cause.
std::string to_string(const Status& status);

/// Prints the condition and aborts; called by LOCKSTEP_CHECK.
[[noreturn]] void fail_check(const char* condition, const char* file, int line);

}  // namespace lockstep

/// An invariant of Lockstep's own code, checked in every build type. Never for the user's data.
#define LOCKSTEP_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::lockstep::fail_check(#condition, __FILE__, __LINE__))

namespace lockstep {

/// Why there is no value; converts to any Result with the same type of reason.
template <typename Reason = std::string>
struct Failure {
  Reason reason;  ///< one sentence without place, fit for the middle of a diagnostic
};
template <typename Reason>
Failure(Reason) -> Failure<Reason>;
Failure(const char*)->Failure<std::string>;
Failure(char*)->Failure<std::string>;

/// A value, or the reason why there is none. Never both, never neither.
///
///     Result<Speed> parse_speed(std::string_view text) {
///       if (text.empty()) return Failure{"there is no speed; expected one such as '3 m/s'"};
///       return Speed{…};
///     }
///
///     const Result<Speed> speed = parse_speed(text);
///     if (!speed) return Failure{speed.error()};  // hand the reason on
///     drive(*speed);
///
/// Reading the value of a failure, or the reason of a success, is a bug of the caller and aborts.
template <typename T, typename Reason = std::string>
class [[nodiscard]] Result {
 public:
  // NOLINTBEGIN(google-explicit-constructor): returning a value or a failure is all there is to say
  template <typename U = T>
  requires(std::convertible_to<U&&, T> && !std::same_as<std::remove_cvref_t<U>, Result>) Result(U&& value)
      : outcome_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Failure<Reason> failure) : outcome_(std::in_place_index<1>, std::move(failure.reason)) {}
  // NOLINTEND(google-explicit-constructor)

  bool ok() const { return outcome_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// The value; only of a success. Owned by the result.
  T& operator*() & { return value(*this); }
  const T& operator*() const& { return value(*this); }
  T&& operator*() && { return std::move(value(*this)); }
  T* operator->() { return &value(*this); }
  const T* operator->() const { return &value(*this); }

  /// The reason; only of a failure.
  const Reason& error() const {
    LOCKSTEP_CHECK(!ok());
    return *std::get_if<1>(&outcome_);
  }

 private:
  template <typename Self>
  static auto& value(Self& self) {
    LOCKSTEP_CHECK(self.ok());
    return *std::get_if<0>(&self.outcome_);
  }

  std::variant<T, Reason> outcome_;
};

/// The result of something that yields nothing but may fail. Success is written `return {};`.
template <typename Reason>
class [[nodiscard]] Result<void, Reason> {
 public:
  Result() = default;
  Result(Failure<Reason> failure)  // NOLINT(google-explicit-constructor): as above
      : outcome_(std::in_place_index<1>, std::move(failure.reason)) {}

  bool ok() const { return outcome_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// The reason; only of a failure.
  const Reason& error() const {
    LOCKSTEP_CHECK(!ok());
    return *std::get_if<1>(&outcome_);
  }

 private:
  std::variant<std::monostate, Reason> outcome_;
};

}  // namespace lockstep
