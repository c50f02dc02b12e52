#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lockstep/error.h"

/// Compiles Botball programs in C, and links them with the library in clients/botball. Nothing in the user's files is
/// changed.
namespace lockstep {

/// A program: C files, or one folder of a project with src/, include/ and data/.
struct BotballSource {
  std::vector<std::string> paths;
  std::string era;  ///< "C1", "C2", "L" or "W"; detected if empty
};

struct BuiltBotball {
  bool is_built = false;  ///< false: the compiler rejected the program and has said why
  std::string era;
  std::filesystem::path executable;
  /// Files that the program finds when it runs: the data/ folder of a project, and channel configurations (*.conf) beside
  /// the sources.
  std::vector<std::filesystem::path> data_folders;
  std::vector<std::filesystem::path> channel_files;
};

/// Throws UserError if the paths or the era are not valid. Files of the build, and the executable `robot`, go into
/// `folder`. Messages of the compiler, and notes of ours, go to the descriptor `messages`.
BuiltBotball build_botball(const BotballSource& source, const std::filesystem::path& folder, int messages = 2);

}  // namespace lockstep
