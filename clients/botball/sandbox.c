/* What a program may do to the computer it runs on: nothing but compute, use memory within a limit, and use files in its
 * own folder.
 *
 * - A filter of system calls (seccomp): new processes, signals, sockets, tracing, executable memory, writing to the console
 *   past the library and everything else that a program has no need of fail, and the console says so.
 * - A file system of its own, in memory and of limited size (namespaces), with copies of the files of its folder. Where the
 *   system does not permit namespaces, programs cannot open files.
 * - Limits on memory, files and open files. */
#include "sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "internal.h"

static const rlim_t kMemory = 1u << 30, kFile = 16u << 20, kOpenFiles = 64;
static const char kFileSystem[] = "size=64m,nr_inodes=1000,mode=700";
enum { kMaxCopies = 200 };
static const off_t kMaxCopy = 16 << 20;

static bool has_files;

/* The only place that may write to the console: the filter knows its address. */
extern const char ls_bb_after_console_write[];
__attribute__((noinline, noclone)) long ls_bb_write_console(const void* data, size_t size) {
  long result = SYS_write;
  __asm__ volatile(
      "syscall\n"
      ".globl ls_bb_after_console_write\n"
      "ls_bb_after_console_write:\n"
      : "+a"(result)
      : "D"(1L), "S"(data), "d"(size)
      : "rcx", "r11", "memory");
  return result;
}

/* The file system. */

static bool write_file(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_written = write(file, text, strlen(text)) == (ssize_t)strlen(text);
  close(file);
  return is_written;
}

static void copy_file(int from_folder, int to_folder, const char* name, off_t size) {
  const int from = openat(from_folder, name, O_RDONLY | O_CLOEXEC);
  const int to = openat(to_folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  char buffer[65536];
  ssize_t count;
  while (from >= 0 && to >= 0 && size >= 0 && (count = read(from, buffer, sizeof buffer)) > 0) {
    size -= count;
    if (write(to, buffer, (size_t)count) != count) break;
  }
  if (from >= 0) close(from);
  if (to >= 0) close(to);
}

/* Folders within folders to a depth that configurations need, such as etc/botui/channels. */
static void copy_folder(int from, int to, int depth, int* copies) {
  DIR* folder = fdopendir(dup(from));
  if (!folder) return;
  const struct dirent* entry;
  while ((entry = readdir(folder)) && *copies < kMaxCopies) {
    struct stat status;
    if (entry->d_name[0] == '.' || fstatat(from, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    ++*copies;
    if (S_ISREG(status.st_mode) && status.st_size <= kMaxCopy)
      copy_file(from, to, entry->d_name, status.st_size);
    if (!S_ISDIR(status.st_mode) || depth == 0 || mkdirat(to, entry->d_name, 0700) != 0) continue;
    const int inner_from = openat(from, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int inner_to = openat(to, entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (inner_from >= 0 && inner_to >= 0) copy_folder(inner_from, inner_to, depth - 1, copies);
    if (inner_from >= 0) close(inner_from);
    if (inner_to >= 0) close(inner_to);
  }
  closedir(folder);
}

/* Moves into a file system in memory; false if the system does not permit that. */
static bool enter_own_files(const char* folder) {
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) != 0) return false;
  char text[60];
  snprintf(text, sizeof text, "0 %u 1", user);
  if (!write_file("/proc/self/uid_map", text)) return false;
  write_file("/proc/self/setgroups", "deny");
  snprintf(text, sizeof text, "0 %u 1", group);
  if (!write_file("/proc/self/gid_map", text)) return false;
  const int from = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (from < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, kFileSystem) != 0 ||
      chdir(folder) != 0 || chroot(".") != 0)
    return false;
  const int to = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int copies = 0;
  if (to >= 0) copy_folder(from, to, 6, &copies);
  if (to >= 0) close(to);
  close(from);
  return true;
}

/* The filter. */

#define NUMBER offsetof(struct seccomp_data, nr)
#define ARGUMENT(index) (offsetof(struct seccomp_data, args) + 8 * (index))
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define ALLOW RETURN(SECCOMP_RET_ALLOW)
#define REJECT RETURN(SECCOMP_RET_TRAP)
/* If the loaded value is (not) this, the next `count` instructions are skipped. */
#define SKIP_IF_NOT(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)
#define SKIP_IF(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0)
#define SKIP_IF_ABOVE(value, count) BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, value, count, 0)
#define SKIP_IF_NO_BITS(bits, count) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, count)

static bool install_filter(void) {
  static const unsigned always[] = {SYS_read,
                                    SYS_lseek,
                                    SYS_fstat,
                                    SYS_newfstatat,
                                    SYS_munmap,
                                    SYS_mremap,
                                    SYS_madvise,
                                    SYS_brk,
                                    SYS_futex,
                                    SYS_nanosleep,
                                    SYS_clock_nanosleep,
                                    SYS_clock_gettime,
                                    SYS_gettimeofday,
                                    SYS_sched_yield,
                                    SYS_getpid,
                                    SYS_gettid,
                                    SYS_getuid,
                                    SYS_rt_sigprocmask,
                                    SYS_rt_sigreturn,
                                    SYS_sigaltstack,
                                    SYS_exit,
                                    SYS_exit_group,
                                    SYS_getrandom,
                                    SYS_pread64,
                                    SYS_restart_syscall,
                                    SYS_poll,
                                    SYS_fcntl};
  static const unsigned files[] = {SYS_openat,   SYS_open,   SYS_access,     SYS_faccessat, SYS_unlink,
                                   SYS_unlinkat, SYS_rename, SYS_mkdir,      SYS_rmdir,     SYS_ftruncate,
                                   SYS_stat,     SYS_lstat,  SYS_getdents64, SYS_getcwd,    SYS_faccessat2};
  enum { kMaxRules = 160 };
  static struct sock_filter rules[kMaxRules];
  unsigned short count = 0;
#define ADD(...)                                                  \
  do {                                                            \
    const struct sock_filter more[] = {__VA_ARGS__};              \
    memcpy(rules + count, more, sizeof more);                     \
    count = (unsigned short)(count + sizeof more / sizeof *more); \
  } while (0)
  ADD(LOAD(offsetof(struct seccomp_data, arch)), SKIP_IF(AUDIT_ARCH_X86_64, 1),
      RETURN(SECCOMP_RET_KILL_PROCESS), LOAD(NUMBER));
  for (size_t i = 0; i < sizeof always / sizeof *always; ++i) ADD(SKIP_IF_NOT(always[i], 1), ALLOW);
  for (size_t i = 0; has_files && i < sizeof files / sizeof *files; ++i) ADD(SKIP_IF_NOT(files[i], 1), ALLOW);
  /* No executable memory. */
  ADD(SKIP_IF(SYS_mmap, 1), SKIP_IF_NOT(SYS_mprotect, 4), LOAD(ARGUMENT(2)), SKIP_IF_NO_BITS(4, 1), REJECT,
      ALLOW);
  /* The streams stay open; others may be closed, written and asked what they are. */
  ADD(SKIP_IF(SYS_close, 2), SKIP_IF(SYS_writev, 1), SKIP_IF_NOT(SYS_pwrite64, 4), LOAD(ARGUMENT(0)),
      SKIP_IF_ABOVE(2, 1), REJECT, ALLOW);
  const uint64_t after = (uint64_t)(uintptr_t)ls_bb_after_console_write;
  const unsigned address = offsetof(struct seccomp_data, instruction_pointer);
  ADD(SKIP_IF_NOT(SYS_write, 8), LOAD(ARGUMENT(0)), SKIP_IF_ABOVE(2, 5), LOAD(address),
      SKIP_IF_NOT((uint32_t)after, 2), LOAD(address + 4), SKIP_IF((uint32_t)(after >> 32), 1), REJECT, ALLOW);
  /* Whether the simulation is alive: signal 0. */
  ADD(SKIP_IF_NOT(SYS_kill, 4), LOAD(ARGUMENT(1)), SKIP_IF_NOT(0, 1), ALLOW, REJECT);
  /* stdio asks whether a stream is a terminal. */
  ADD(SKIP_IF_NOT(SYS_ioctl, 1), RETURN(SECCOMP_RET_ERRNO | ENOTTY));
  ADD(REJECT);
#undef ADD
  const struct sock_fprog program = {count, rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static const char* name_of(long number) {
  static const struct {
    long number;
    const char* name;
  } names[] = {{SYS_fork, "fork"},
               {SYS_vfork, "vfork"},
               {SYS_clone, "clone"},
               {SYS_clone3, "clone3"},
               {SYS_execve, "execve"},
               {SYS_socket, "socket"},
               {SYS_connect, "connect"},
               {SYS_kill, "kill"},
               {SYS_tgkill, "tgkill"},
               {SYS_tkill, "tkill"},
               {SYS_ptrace, "ptrace"},
               {SYS_openat, "openat"},
               {SYS_open, "open"},
               {SYS_mmap, "mmap"},
               {SYS_mprotect, "mprotect"},
               {SYS_write, "write"},
               {SYS_close, "close"},
               {SYS_rt_sigaction, "rt_sigaction"},
               {SYS_setitimer, "setitimer"},
               {SYS_process_vm_writev, "process_vm_writev"},
               {SYS_mount, "mount"},
               {SYS_chroot, "chroot"},
               {SYS_bpf, "bpf"},
               {SYS_prctl, "prctl"},
               {SYS_setrlimit, "setrlimit"},
               {SYS_shmget, "shmget"},
               {SYS_memfd_create, "memfd_create"},
               {SYS_io_uring_setup, "io_uring_setup"},
               {SYS_unshare, "unshare"},
               {SYS_symlink, "symlink"},
               {SYS_link, "link"},
               {SYS_chmod, "chmod"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (names[i].number == number) return names[i].name;
  }
  return "another";
}

/* A rejected call returns an error to the program. abort() of the C library ends it. */
static void reject(int number, siginfo_t* info, void* memory) {
  (void)number;
  ucontext_t* context = memory;
  if ((info->si_syscall == SYS_tgkill && context->uc_mcontext.gregs[REG_RDX] == SIGABRT) ||
      (info->si_syscall == SYS_kill && context->uc_mcontext.gregs[REG_RSI] == SIGABRT))
    ls_bb_crash(SIGABRT, context);
  context->uc_mcontext.gregs[REG_RAX] = -EPERM;
  ls_bb_say_once("sandbox: the program called the system itself (%s, %d), which is not permitted",
                 name_of(info->si_syscall), info->si_syscall);
}

static void limit(int what, rlim_t most) {
  const struct rlimit value = {most, most};
  setrlimit(what, &value);
}

const char* ls_bb_sandbox_start(const char* folder) {
  signal(SIGXFSZ, SIG_IGN); /* a file that grows too large: the call fails */
  signal(SIGPIPE, SIG_IGN);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, kMemory);
  limit(RLIMIT_FSIZE, kFile);
  limit(RLIMIT_NOFILE, kOpenFiles);
  has_files = folder && enter_own_files(folder);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  struct sigaction action = {.sa_sigaction = reject, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigaction(SIGSYS, &action, NULL);
  if (!install_filter())
    return "the system does not permit a filter of system calls (seccomp): run only programs that you trust";
  if (!has_files) return "the system does not permit namespaces: the program cannot open files";
  return NULL;
}
