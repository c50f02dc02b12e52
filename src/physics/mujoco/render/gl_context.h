#pragma once

#include <memory>

#include "lockstep/error.h"

namespace lockstep {

/// Offscreen OpenGL context, without a window or a display. It is current in the thread that created it; another
/// thread may use it after release().
///
/// The libraries are loaded on demand, so that a machine that only simulates does not need them.
class GlContext {
 public:
  virtual ~GlContext() = default;

  /// Call it before each use if another context may have been used in between.
  virtual void make_current() = 0;
  /// No context is current in this thread any more.
  virtual void release() = 0;
};

/// Creates a context with surfaceless EGL, which uses the GPU if there is one; if that fails, with OSMesa,
/// which renders in software. MuJoCo finds the functions of only one of them: if this process has a software context
/// already, the new one is a software context, too.
Result<std::unique_ptr<GlContext>> make_gl_context();

/// Creates a context with OSMesa, whose images do not depend on the graphics card. Fails if this process has used EGL.
Result<std::unique_ptr<GlContext>> make_software_gl_context();

}  // namespace lockstep
