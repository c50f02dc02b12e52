#pragma once

#include <memory>

#include "lockstep/error.h"

namespace lockstep {

/// OpenGL without a window or a display. Belongs to the thread that made it, on which it is current at first.
///
/// The libraries are opened when they are needed, so that a machine that only simulates needs none of them.
class GlContext {
 public:
  virtual ~GlContext() = default;

  /// Before it is used, wherever another one may have been used meanwhile.
  virtual void make_current() = 0;
};

/// By EGL without a surface, which uses a graphics card if there is one; where that fails by OSMesa, which
/// computes every pixel itself.
Result<std::unique_ptr<GlContext>> make_gl_context();

}  // namespace lockstep
