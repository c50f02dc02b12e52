#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"

/// The outcome of something that can fail in a way its caller wants to handle: a value, or the reason why there
/// is none. Never both, never neither, and the compiler warns if it is ignored.
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
/// The reason is one sentence without place, fit for the middle of a diagnostic; a type of its own where that
/// does not do (a formula says at which character it is wrong). What yields nothing but may fail returns
/// Result<void>, whose success is written `return {};`.
///
/// Other kinds of failure have their own types: see base/error.h for a user's data that is wrong in several
/// places, for the end of a run and for our own bugs. Reading the value of a failure is such a bug.
namespace lockstep {

/// Why there is no value; converts to any Result with the same kind of reason.
template <typename Reason = std::string>
struct Failure {
  Reason reason;
};
template <typename Reason>
Failure(Reason) -> Failure<Reason>;
Failure(const char*)->Failure<std::string>;
Failure(char*)->Failure<std::string>;

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

template <typename Reason>
class [[nodiscard]] Result<void, Reason> {
 public:
  Result() = default;
  Result(Failure<Reason> failure)  // NOLINT(google-explicit-constructor): as above
      : outcome_(std::in_place_index<1>, std::move(failure.reason)) {}

  bool ok() const { return outcome_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const Reason& error() const {
    LOCKSTEP_CHECK(!ok());
    return *std::get_if<1>(&outcome_);
  }

 private:
  std::variant<std::monostate, Reason> outcome_;
};

}  // namespace lockstep
