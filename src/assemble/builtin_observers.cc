#include "assemble/builtin_internal.h"

namespace lockstep {

void add_builtin_observers(Registry&) {}

}  // namespace lockstep
