#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <stdexcept>

/// Owning pointers for MuJoCo's C objects, and its errors as exceptions.
namespace lockstep {

/// A fatal error in MuJoCo. mjData must be reset before it is used again, because its stack is not unwound.
class MujocoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Makes MuJoCo throw MujocoError instead of waiting for a key and exiting, and keeps it from printing and from
/// writing MUJOCO_LOG.TXT. Takes effect once per process; call it before any use of MuJoCo.
void install_mujoco_handlers();

struct MjModelDeleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct MjDataDeleter {
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using MjModelPtr = std::unique_ptr<mjModel, MjModelDeleter>;
using MjDataPtr = std::unique_ptr<mjData, MjDataDeleter>;

}  // namespace lockstep
