#pragma once

#include <filesystem>
#include <string>

namespace lockstep {

/// Writes a file atomically, replacing an old one. Throws UserError if that fails.
void write_file(const std::filesystem::path& path, const std::string& bytes);

}  // namespace lockstep
