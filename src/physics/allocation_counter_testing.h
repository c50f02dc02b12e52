#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

/// Counts every use of operator new in a test program. It replaces the global operators, so it is included in
/// exactly one file of the program.
namespace lockstep {

inline std::atomic<std::int64_t> allocation_count{0};

}  // namespace lockstep

// Never inlined: the compiler would see malloc() with operator delete and warn about a mismatch.
#define LOCKSTEP_NOINLINE __attribute__((noinline))

LOCKSTEP_NOINLINE void* operator new(std::size_t size) {
  ++lockstep::allocation_count;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
LOCKSTEP_NOINLINE void* operator new(std::size_t size, std::align_val_t alignment) {
  ++lockstep::allocation_count;
  const auto align = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (size + align - 1) / align * align)) return memory;
  throw std::bad_alloc();
}
LOCKSTEP_NOINLINE void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++lockstep::allocation_count;
  return std::malloc(size > 0 ? size : 1);
}
LOCKSTEP_NOINLINE void operator delete(void* memory) noexcept {
  std::free(memory);
}
LOCKSTEP_NOINLINE void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
LOCKSTEP_NOINLINE void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
LOCKSTEP_NOINLINE void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

#undef LOCKSTEP_NOINLINE
