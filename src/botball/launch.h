#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "botball/build.h"

/// Runs built Botball programs as controllers: what they are given, and what they leave.
namespace lockstep {

/// A folder for the files of builds and runs, removed at its end.
class WorkFolder {
 public:
  WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder();

  const std::filesystem::path& path() const { return path_; }

  /// A new folder in it.
  std::filesystem::path make_folder(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

struct BotballRunOptions {
  std::string address;          ///< of the connection of its robot
  std::string label;            ///< before each line of the console; none if empty
  std::optional<double> start;  ///< when the start light goes on, s
  std::string presses;          ///< "a@2+0.2,b@3.5+0.4": button, time and length in s
  bool has_operator = false;    ///< who switches the lamp and presses buttons to calibrate wait_for_light
  std::optional<std::filesystem::path> input;     ///< text for the keyboard
  std::optional<std::filesystem::path> console;   ///< file for the console without times
  std::optional<std::filesystem::path> graphics;  ///< BMP file that shows the graphics window
};

/// The shell command that runs the program; `folder` is that of its build.
std::string make_botball_command(const BuiltBotball& built, const std::filesystem::path& folder,
                                 const BotballRunOptions& options);

/// What the library wrote about the end of a program.
struct BotballResult {
  std::string end = "no result: the program was killed";
  double time = 0.0;                                       ///< s
  std::string place;                                       ///< file and line of a crash
  std::vector<std::pair<std::string, std::string>> waits;  ///< thread and what it waits for

  /// Whether it ended by itself or at the time limit.
  bool is_good() const;
};

BotballResult read_botball_result(const BuiltBotball& built, const std::filesystem::path& folder);

}  // namespace lockstep
