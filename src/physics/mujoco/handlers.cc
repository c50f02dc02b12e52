#include "physics/mujoco/handlers.h"

#include <mutex>

namespace lockstep {
namespace {

void throw_error(const char* message) {
  throw MujocoError(message);
}

/// MuJoCo also counts warnings in mjData, where step() checks them.
void ignore_warning(const char*) {}

}  // namespace

void install_mujoco_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    mju_user_error = throw_error;
    mju_user_warning = ignore_warning;
  });
}

}  // namespace lockstep
