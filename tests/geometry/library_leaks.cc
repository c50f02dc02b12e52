// Memory that OpenCASCADE keeps until exit is not a leak of Lockstep.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libTK\n";
}
