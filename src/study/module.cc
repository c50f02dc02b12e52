#include "study/module.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "lockstep/error.h"
#include "study/population.h"

namespace lockstep {

namespace {

/// Global symbols: MPI loads plugins that need them.
constexpr int kMode = RTLD_NOW | RTLD_GLOBAL;

void* open_module(const std::string& module) {
  // First by the run path of the program.
  if (void* handle = dlopen(module.c_str(), kMode)) return handle;
  const std::string problem = dlerror();
  // Sanitizers wrap dlopen(), which then does not use our run path.
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto path = program.parent_path().parent_path() / "lib" / "lockstep" / module;
  if (void* handle = error ? nullptr : dlopen(path.c_str(), kMode)) return handle;
  throw_user_error({module}, "the module cannot be loaded: {}", problem);
}

}  // namespace

void* load_function(const char* module, const char* function) {
  void* handle = open_module(module);
  void* found = dlsym(handle, function);
  LOCKSTEP_CHECK(found != nullptr);
  return found;
}

namespace {

MakePopulation find_maker() {
  static const auto make =
      reinterpret_cast<MakePopulation>(load_function("lockstep_search.so", kMakePopulation));
  return make;
}

}  // namespace

void load_search_module() {
  find_maker();
}

std::unique_ptr<Population> make_population(const PopulationSpec& spec, FitnessFunction fitness) {
  return std::unique_ptr<Population>(find_maker()(spec, std::move(fitness)));
}

}  // namespace lockstep
