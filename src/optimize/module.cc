#include "optimize/module.h"

#include <dlfcn.h>

#include "base/error.h"
#include "optimize/population.h"

namespace lockstep {

void* load_function(const char* module, const char* function) {
  // Found by the run path of the program: beside it in lib/lockstep.
  // Its symbols are for all: MPI loads parts of its own that look for them.
  void* handle = dlopen(module, RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) throw_user_error({module}, "the module cannot be loaded: {}", dlerror());
  void* found = dlsym(handle, function);
  LOCKSTEP_CHECK(found != nullptr);
  return found;
}

std::unique_ptr<Population> make_population(const PopulationSpec& spec, FitnessFunction fitness) {
  static const auto make =
      reinterpret_cast<MakePopulation>(load_function("lockstep_search.so", kMakePopulation));
  return std::unique_ptr<Population>(make(spec, std::move(fitness)));
}

}  // namespace lockstep
