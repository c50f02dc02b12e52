#include "physics/mujoco/load.h"

#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>

#include "lockstep/error.h"

namespace lockstep {
namespace {

/// The struct is 2 MB large, hence the heap.
class VirtualFiles {
 public:
  VirtualFiles() : vfs_(std::make_unique<mjVFS>()) { mj_defaultVFS(vfs_.get()); }
  ~VirtualFiles() { mj_deleteVFS(vfs_.get()); }
  VirtualFiles(const VirtualFiles&) = delete;
  VirtualFiles& operator=(const VirtualFiles&) = delete;

  void add(const std::string& name, std::string_view bytes) {
    const int failed = mj_makeEmptyFileVFS(vfs_.get(), name.c_str(), static_cast<int>(bytes.size()));
    LOCKSTEP_CHECK(failed == 0);
    std::memcpy(vfs_->filedata[mj_findFileVFS(vfs_.get(), name.c_str())], bytes.data(), bytes.size());
  }
  const mjVFS* get() const { return vfs_.get(); }

 private:
  std::unique_ptr<mjVFS> vfs_;
};

}  // namespace

MjModelPtr load_mjcf(const std::vector<MjcfFile>& files) {
  install_mujoco_handlers();
  VirtualFiles virtual_files;
  for (const MjcfFile& file : files) virtual_files.add(file.name, file.text);

  // The compiler keeps its last model in a global variable.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::array<char, 1000> error{};
  MjModelPtr loaded(mj_loadXML("model.xml", virtual_files.get(), error.data(), static_cast<int>(error.size())));
  mj_freeLastXML();
  if (!loaded) throw MujocoError(error.data());
  return loaded;
}

}  // namespace lockstep
