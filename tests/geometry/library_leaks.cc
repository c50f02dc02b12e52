// What OpenCASCADE keeps until the end of a program is no leak of ours.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libTK\n";
}
