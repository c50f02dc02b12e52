#include "cli/output_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.h"

namespace lockstep {

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << bytes;
  stream.close();
  if (!stream) throw_user_error({path.string()}, "cannot be written: {}", std::strerror(errno));
}

}  // namespace lockstep
