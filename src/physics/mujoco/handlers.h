#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <stdexcept>

/// MuJoCo's C objects with an owner, and its errors as exceptions.
namespace lockstep {

/// MuJoCo gave up. After it, mjData must be reset before it is used again: its stack is left as it was.
class MujocoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Makes MuJoCo throw MujocoError where it would wait for a key and end the process, and keeps it from
/// printing and from writing MUJOCO_LOG.TXT. Does its work once per process; call it before any use of MuJoCo.
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
