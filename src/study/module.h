#pragma once

namespace lockstep {

/// A function of a module (lockstep_NAME.so), which is loaded at its first use and stays loaded. Throws
/// UserError if it is not installed.
void* load_function(const char* module, const char* function);

}  // namespace lockstep
