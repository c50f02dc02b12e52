#pragma once

#include <memory>

#include "lockstep/error.h"

namespace lockstep {

/// Offscreen OpenGL context, without a window or a display. Use it only in the thread that created it, where it
/// is current at first.
///
/// The libraries are loaded on demand, so that a machine that only simulates does not need them.
class GlContext {
 public:
  virtual ~GlContext() = default;

  /// Call it before each use if another context may have been used in between.
  virtual void make_current() = 0;
};

/// Creates a context with surfaceless EGL, which uses the GPU if there is one; if that fails, with OSMesa,
/// which renders in software.
Result<std::unique_ptr<GlContext>> make_gl_context();

}  // namespace lockstep
