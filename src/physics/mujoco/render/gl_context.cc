#include "physics/mujoco/render/gl_context.h"

// Only types, constants and signatures come from the headers; nothing is linked.
#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/osmesa.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <mutex>

#include "lockstep/error.h"

namespace lockstep {
namespace {

/// A shared library, open until the process ends: MuJoCo keeps addresses of its functions.
class Library {
 public:
  explicit Library(const char* file) : file_(file), handle_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
  }

  /// Makes its symbols global, so that MuJoCo finds them. A library that could not be used must not be global.
  void publish() const { dlopen(file_, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD); }

  template <typename Function>
  Function* find(const char* name) const {
    void* const address = dlsym(handle_, name);
    if (address == nullptr) throw std::runtime_error(dlerror());
    return reinterpret_cast<Function*>(address);
  }

 private:
  const char* file_;
  void* handle_;
};

/// The display is shared by the whole process and stays open.
class EglContext final : public GlContext {
 public:
  EglContext() {
    const auto get_display = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(
        egl_.find<decltype(eglGetProcAddress)>("eglGetProcAddress")("eglGetPlatformDisplayEXT"));
    require(get_display != nullptr, "does not support platform displays");
    display_ = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    require(display_ != EGL_NO_DISPLAY, "offers no surfaceless display");
    require(egl_.find<decltype(eglInitialize)>("eglInitialize")(display_, nullptr, nullptr),
            "cannot be initialised");
    constexpr std::array<EGLint, 5> kWanted = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                               EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    const bool chosen =
        egl_.find<decltype(eglChooseConfig)>("eglChooseConfig")(display_, kWanted.data(), &config, 1, &count);
    require(chosen && count == 1, "offers no OpenGL");
    require(egl_.find<decltype(eglBindAPI)>("eglBindAPI")(EGL_OPENGL_API), "offers no OpenGL");
    context_ =
        egl_.find<decltype(eglCreateContext)>("eglCreateContext")(display_, config, EGL_NO_CONTEXT, nullptr);
    require(context_ != EGL_NO_CONTEXT, "cannot create a context");
    if (!make_current_(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_)) {
      destroy();
      throw std::runtime_error("cannot make its context current");
    }
    egl_.publish();
  }

  ~EglContext() override {
    make_current_(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    destroy();
  }

  void make_current() override { make_current_(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_); }
  void release() override { make_current_(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT); }

 private:
  static void require(bool condition, const char* reason) {
    if (!condition) throw std::runtime_error(reason);
  }

  void destroy() { egl_.find<decltype(eglDestroyContext)>("eglDestroyContext")(display_, context_); }

  Library egl_{"libEGL.so.1"};
  decltype(eglMakeCurrent)* make_current_ = egl_.find<decltype(eglMakeCurrent)>("eglMakeCurrent");
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
};

class OsMesaContext final : public GlContext {
 public:
  OsMesaContext() {
    constexpr GLint kDepthBits = 24, kStencilBits = 8, kAccumulationBits = 0;
    context_ = osmesa_.find<decltype(OSMesaCreateContextExt)>("OSMesaCreateContextExt")(
        OSMESA_RGBA, kDepthBits, kStencilBits, kAccumulationBits, nullptr);
    if (context_ == nullptr) throw std::runtime_error("cannot create a context");
    if (!make_current_(context_, window_.data(), GL_UNSIGNED_BYTE, kWindowSize, kWindowSize)) {
      destroy();
      throw std::runtime_error("cannot make its context current");
    }
    osmesa_.publish();
  }
  ~OsMesaContext() override { destroy(); }

  void make_current() override {
    make_current_(context_, window_.data(), GL_UNSIGNED_BYTE, kWindowSize, kWindowSize);
  }
  void release() override { make_current_(nullptr, nullptr, GL_UNSIGNED_BYTE, 0, 0); }

 private:
  void destroy() { osmesa_.find<decltype(OSMesaDestroyContext)>("OSMesaDestroyContext")(context_); }

  // OSMesa needs a window buffer, although MuJoCo draws into its own.
  static constexpr int kWindowSize = 16;
  std::array<unsigned char, 4 * kWindowSize * kWindowSize> window_{};
  Library osmesa_{"libOSMesa.so.8"};
  decltype(OSMesaMakeCurrent)* make_current_ = osmesa_.find<decltype(OSMesaMakeCurrent)>("OSMesaMakeCurrent");
  OSMesaContext context_ = nullptr;
};

/// The library whose functions MuJoCo has found.
enum class Implementation { kNone, kEgl, kOsMesa };

std::mutex implementation_mutex;
Implementation implementation = Implementation::kNone;  // guarded by the mutex; never changes once it is set

Result<std::unique_ptr<GlContext>> make_osmesa_context() {
  try {
    auto made = std::make_unique<OsMesaContext>();
    implementation = Implementation::kOsMesa;
    return made;
  } catch (const std::runtime_error& error) {
    return Failure{std::string(error.what())};
  }
}

}  // namespace

Result<std::unique_ptr<GlContext>> make_gl_context() {
  const std::lock_guard lock(implementation_mutex);
  std::string egl_error = "not with a software context in the same process";
  if (implementation != Implementation::kOsMesa) {
    try {
      auto made = std::make_unique<EglContext>();
      implementation = Implementation::kEgl;
      return made;
    } catch (const std::runtime_error& error) {
      egl_error = error.what();
    }
  }
  Result<std::unique_ptr<GlContext>> software = make_osmesa_context();
  if (software) return software;
  return Failure{
      fmt::format("no OpenGL for offscreen rendering (EGL: {}; OSMesa: {}); install the packages "
                  "libegl1 and libgl1-mesa-dri, or libosmesa6",
                  egl_error, software.error())};
}

Result<std::unique_ptr<GlContext>> make_software_gl_context() {
  const std::lock_guard lock(implementation_mutex);
  if (implementation == Implementation::kEgl) return Failure{"this process renders with EGL already"};
  Result<std::unique_ptr<GlContext>> software = make_osmesa_context();
  if (software) return software;
  return Failure{
      fmt::format("no software rendering (OSMesa: {}); install the package libosmesa6", software.error())};
}

}  // namespace lockstep
