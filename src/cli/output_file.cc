#include "cli/output_file.h"

#include "base/files.h"
#include "lockstep/error.h"

namespace lockstep {

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  const Result<void> written = replace_file(path, bytes);
  if (!written) throw_user_error({path.string()}, "cannot be written: {}", written.error());
}

}  // namespace lockstep
