#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lockstep/error.h"
#include "lockstep/time.h"
#include "scenario/document.h"
#include "scenario/scenario.h"
#include "scenario/schema.h"

/// A test suite: cases that run a scenario, act on it and verify what happens.
namespace lockstep {

/// <change>: an edit of the scenario, as --set makes it.
struct Change {
  Place place;
  std::string path;  ///< XPath
  std::string value;
};

/// <stimulus>: an event at this point of the script. Its time is not used.
struct Stimulus {
  ScheduledEvent event;
};

/// <wait>: for a time, or until a condition holds.
struct Wait {
  std::optional<Duration> length;  ///< how long; with a condition: how long it must hold without interruption
  std::string until;               ///< condition over signals; "" if only a time
  std::optional<Duration> within;  ///< time limit of the condition
};

/// <verify>: one of three formulas.
struct Verify {
  std::string name;                ///< for messages; may be ""
  std::string that;                ///< true now, or within a time
  std::string always;              ///< true in every step from now on
  std::string finally;             ///< over all rows from now on: "max(abs(arm/elbow/speed)) lt 2 rad/s"
  std::optional<Duration> within;  ///< of `that`
  std::optional<Duration> length;  ///< of `always` and `finally`; none: to the end of the case
};

/// A step of the script of a case.
struct ScriptItem {
  Place place;
  std::variant<Stimulus, Wait, Verify> what;
};

/// What cases have and a suite may give for all of them.
struct CaseSetup {
  std::string scenario;              ///< file, relative to the suite
  std::string controller;            ///< shell command; "" for none
  std::optional<Duration> max_wall;  ///< real time that a case may take
  std::vector<Change> changes;
};

struct Case {
  Place place;
  std::string name;
  std::string description;
  CaseSetup setup;
  std::vector<ScriptItem> script;
};

struct Suite {
  Place place;
  std::string name;
  std::string description;
  CaseSetup setup;  ///< for cases that do not have their own; its changes come before those of a case
  std::vector<Case> cases;

  std::filesystem::path folder;  ///< of the file
};

inline constexpr Duration kDefaultMaxWall = std::chrono::minutes(10);
inline constexpr std::size_t kMaxCases = 10'000;

/// A suite from a file. Each case has what the suite gives for all. Throws UserError with all errors.
Suite read_suite(const std::filesystem::path& file);

/// What a suite file may contain, for the reference and the XSD.
ElementSchema suite_schema();

}  // namespace lockstep
