#!/usr/bin/env python3
"""Programs that attack the computer or the simulation. Each ends at its own end, at the time limit or with a reason, nothing
outside is touched, and the console says what was rejected."""

import os
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from botball import BotballTest

HEADERS = """
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
long sys(long n, ...) { long a[6]; int i; __builtin_va_list v; __builtin_va_start(v, n);
  for (i = 0; i < 6; ++i) a[i] = __builtin_va_arg(v, long);
  register long r10 __asm__("r10") = a[3]; register long r8 __asm__("r8") = a[4]; register long r9 __asm__("r9") = a[5]; long r = n;
  __asm__ volatile("syscall" : "+a"(r) : "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory"); return r; }
char big[100000]; int f(int n) { char a[10000]; a[n % 7] = 1; return f(n + 1) + a[n % 3]; }
"""
# What the program does after its attack, unless it ends before.
AFTER = 'msleep(100); printf("went on\\n");'
WENT_ON = "went on"
REJECTED = "is not permitted"

# (what it does, statements, what the console must have, how the program may end)
ATTACKS = [
    ("starts processes", "while (fork() >= 0) break;", "cannot start processes", "main returned"),
    ("starts processes past the library", "int i; for (i = 0; i < 1000; ++i) sys(SYS_fork);", REJECTED, "main returned"),
    ("clones itself", "sys(SYS_clone, 17, 0, 0, 0, 0);", REJECTED, "main returned"),
    ("clones itself in the new way", "sys(SYS_clone3, big, 88);", REJECTED, "main returned"),
    ("starts a shell", 'system("touch OUTSIDE/made");', "does nothing here", "main returned"),
    ("becomes a shell", 'execl("/bin/sh", "sh", "-c", "touch OUTSIDE/made", (char *)0);', "cannot start processes", "main returned"),
    ("becomes a shell past the library", 'char *a[] = {"/bin/sh", 0}; sys(SYS_execve, "/bin/sh", a, 0);', REJECTED, "main returned"),
    ("opens a pipe to a shell", 'popen("touch OUTSIDE/made", "r");', "does nothing here", "main returned"),
    ("uses all memory", "char *p; while ((p = malloc(1 << 20))) memset(p, 1, 1 << 20);", WENT_ON, "main returned"),
    ("maps all memory", "while (mmap(0, 1 << 24, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);", WENT_ON, "main returned"),
    ("uses up its stack", "f(1);", "", "crash: invalid memory access"),
    ("starts threads without end", "int i; for (i = 0; i < 2000; ++i) thread_start(thread_create(ao));", WENT_ON, "main returned"),
    ("prints without end", 'while (1) printf("%s", big + 1), memset(big, 120, sizeof big - 1);', "", "time limit"),
    ("prints past the library", 'int i; for (i = 0; i < 1000; ++i) sys(SYS_write, 1, "spam\\n", 5);', REJECTED, "main returned"),
    ("prints errors past the library", 'sys(SYS_write, 2, "spam\\n", 5);', REJECTED, "main returned"),
    ("closes the console", "sys(SYS_close, 1); sys(SYS_close, 2);", WENT_ON, "main returned"),
    ("reads a file outside", 'char b[9] = ""; FILE *g = fopen("/etc/passwd", "r"); printf("%s\\n", g ? "read" : "no file");', "no file", "main returned"),
    ("reads a file outside past the library", 'printf("%ld\\n", sys(SYS_openat, -100, "/etc/passwd", 0));', "-2", "main returned"),
    ("reads its own memory map", 'printf("%ld\\n", sys(SYS_openat, -100, "/proc/self/maps", 0));', "-2", "main returned"),
    ("climbs out of its folder", 'printf("%ld\\n", sys(SYS_openat, -100, "../../../../../../etc/passwd", 0));', "-2", "main returned"),
    ("writes a file outside", 'FILE *g = fopen("OUTSIDE/made", "w"); printf("%s\\n", g ? "made" : "no file");', "no file", "main returned"),
    ("deletes a file outside", 'printf("%d\\n", unlink("OUTSIDE/kept"));', "-1", "main returned"),
    ("fills the disk with one file", 'FILE *g = fopen("x", "w"); int i; for (i = 0; i < 400; ++i) fwrite(big, 1, sizeof big, g); fclose(g);', WENT_ON, "main returned"),
    ("fills the disk with many files", 'char n[9]; int i; for (i = 0; i < 3000; ++i) { sprintf(n, "f%d", i); FILE *g = fopen(n, "w"); if (g) { fwrite(big, 1, sizeof big, g); fclose(g); } }', WENT_ON, "main returned"),
    ("links a file outside", 'printf("%ld\\n", sys(SYS_symlink, "/etc/passwd", "link"));', REJECTED, "main returned"),
    ("leaves its folder by chroot", 'sys(SYS_chroot, "/");', REJECTED, "main returned"),
    ("mounts a file system", 'sys(SYS_mount, "proc", "/", "proc", 0, 0);', REJECTED, "main returned"),
    ("opens a socket", "printf(\"%d\\n\", socket(2, 1, 0));", "no network", "main returned"),
    ("opens a socket past the library", "printf(\"%ld\\n\", sys(SYS_socket, 2, 1, 0));", "-1", "main returned"),
    ("kills the simulation", "kill(getppid(), 9);", "", "the program sent a signal to itself"),
    ("kills the simulation past the library", "sys(SYS_kill, PARENT, 9);", REJECTED, "main returned"),
    ("kills everything", "sys(SYS_kill, -1, 9);", REJECTED, "main returned"),
    ("traces the simulation", "sys(SYS_ptrace, 16, PARENT, 0, 0);", REJECTED, "main returned"),
    ("writes into the simulation", "sys(SYS_process_vm_writev, PARENT, big, 1, big, 1, 0);", REJECTED, "main returned"),
    ("catches signals", "sys(SYS_rt_sigaction, 11, big, 0, 8);", REJECTED, "main returned"),
    ("stops the watchdog", "sys(SYS_setitimer, 2, big, 0);", REJECTED, "main returned"),
    ("runs data as code", "char *p = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); printf(\"%d\\n\", p == MAP_FAILED);", REJECTED, "main returned"),
    ("raises its limits", "long l[2] = {-1, -1}; sys(SYS_setrlimit, 9, l);", REJECTED, "main returned"),
    ("loads a program into the kernel", "sys(SYS_bpf, 5, big, 48);", REJECTED, "main returned"),
    ("hangs in machine code", '__asm__("1: jmp 1b");', "", "crash: 5 s of computing without a call"),
    ("writes over all memory that it finds", "int i; for (i = 0; i < 64; ++i) { char *p = (char *)&big - (i << 20); *p = 99; }", "", "crash"),
    ("writes over the shared memory", "WIPE", "", None),
    ("never returns from a handler of exit", "atexit(loop); exit(0);", "", "time limit"),
    ("divides by zero", "volatile int z = 0; z = 7 / z;", "", "crash: division by zero"),
]
# The only mapping that is shared: found by trying every page of the region of mappings. mincore() is rejected, so it looks at
# the pages below a mapping of its own.
WIPE = """char *p = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); long i;
    for (i = 0; i < 40000; ++i) { volatile char *q = p + i * 4096; *q = 0x5a; }"""


class Hostile(BotballTest):
    def test_every_attack_is_contained(self) -> None:
        self.assertGreaterEqual(len(ATTACKS), 40)
        outside = self.path / "outside"
        outside.mkdir()
        (outside / "kept").write_text("kept")
        for what, statements, console, end in ATTACKS:
            with self.subTest(what):
                body = statements.replace("WIPE", WIPE).replace("OUTSIDE", str(outside)).replace("PARENT", str(os.getpid()))
                run = self.run_main(body + AFTER, "W", "--for", "1s", before=HEADERS + "void loop() { while (1); }")
                self.assertIn("program", run.result, run.errors[-2000:])
                if end is not None:
                    self.assertTrue(run.program["end"].startswith(end), run.program)
                if end == "main returned":
                    self.assertIn(WENT_ON, run.text, run.errors[-2000:])
                self.assertTrue(console in run.text or any(console in note for note in run.notes), run.errors[-2000:])
                self.assertFalse("spam" in run.text)
                self.assertEqual(sorted(file.name for file in outside.iterdir()), ["kept"])

    def test_the_console_has_an_end(self) -> None:
        # A line of 80 characters costs 50 us: 16 MB take 10 s.
        run = self.run_main('while (1) printf("%s\\n", memset(big, 120, 9999));', "W", "--for", "12s", before=HEADERS)
        self.assertEqual(run.program["end"], "time limit")
        self.assertTrue("the rest is dropped" in run.errors)
        self.assertLess(len(run.errors), 18 << 20)

    def test_files_of_a_program_stay_in_its_folder(self) -> None:
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, TMPDIR=folder):
            run = self.run_main('FILE *g = fopen("/home/root/notes.txt", "w"); printf("%d\\n", g != 0); mkdir("home"); mkdir("home/root");'
                                'g = fopen("/home/root/notes.txt", "w"); fputs("hi", g); fclose(g); char t[9]; g = fopen("home/root/notes.txt", "r");'
                                'printf("%s\\n", fgets(t, 9, g));', before="int mkdir();")
            self.assertEqual(run.text, "0\nhi")
            self.assertEqual(list(Path(folder).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
