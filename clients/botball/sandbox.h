/* Confines the program; see sandbox.c. */
#ifndef LS_BB_SANDBOX_H
#define LS_BB_SANDBOX_H

#include <stddef.h>

/* From now on; what is missing, in words, or NULL. */
const char* ls_bb_sandbox_start(const char* folder);

/* write() to the console, which the filter permits only here. */
long ls_bb_write_console(const void* data, size_t size);

/* Ends the program because of a signal; `context` is a ucontext_t. */
_Noreturn void ls_bb_crash(int signal, const void* context);

#endif
