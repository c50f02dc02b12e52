#include "transport.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Time. */

int64_t lks_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t lks_from_now(double seconds) {
  /* A century is practically never, and fits. */
  if (!(seconds < 3e9)) return LKS_NEVER;
  return lks_now() + (seconds > 0 ? (int64_t)(seconds * 1e9) : 0);
}

int lks_milliseconds_until(int64_t deadline) {
  if (deadline == LKS_NEVER) return -1;
  const int64_t left = deadline == LKS_LOOK ? 0 : deadline - lks_now();
  if (left <= 0) return 0;
  return left > 1000000000000 ? 1000000 : (int)((left + 999999) / 1000000);
}

void lks_sleep(int64_t ns) {
  struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
  while (nanosleep(&time, &time) != 0 && errno == EINTR) continue;
}

static int is_past(int64_t deadline) {
  return deadline != LKS_NEVER && (deadline == LKS_LOOK || lks_now() >= deadline);
}

/* poll() on one descriptor: 1 ready, 0 the deadline came first. */
static int wait_for(int fd, short events, int64_t deadline) {
  for (;;) {
    struct pollfd one = {fd, events, 0};
    const int ready = poll(&one, 1, lks_milliseconds_until(deadline));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return 1;
    if (is_past(deadline)) return 0;
  }
}

/* Sockets. */

static lks_opening fail(lks_opening result, int fd, const char* address, const char* why, char* error,
                        size_t size) {
  snprintf(error, size, "%s: %s", address, why);
  if (fd >= 0) close(fd);
  return result;
}

static int connect_until(int fd, const struct sockaddr* address, socklen_t length, int64_t deadline) {
  const int flags = fcntl(fd, F_GETFL);
  fcntl(fd, F_SETFL, flags | O_NONBLOCK);
  int problem = connect(fd, address, length) == 0 ? 0 : errno;
  if (problem == EINPROGRESS) {
    socklen_t size = sizeof problem;
    if (!wait_for(fd, POLLOUT, deadline)) {
      problem = ETIMEDOUT;
    } else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size) != 0) {
      problem = errno;
    }
  }
  fcntl(fd, F_SETFL, flags);
  return problem;
}

static lks_opening open_internet(lks_transport* t, const char* address, int64_t deadline, char* error,
                                 size_t size) {
  const char* host_begin = address + 4;
  const char* colon = strrchr(host_begin, ':');
  if (!colon || colon == host_begin || !colon[1])
    return fail(LKS_IMPOSSIBLE, -1, address, "expected HOST:PORT after 'tcp:' or 'udp:'", error, size);
  size_t host_size = (size_t)(colon - host_begin);
  if (*host_begin == '[' && host_size > 2 && colon[-1] == ']') {
    ++host_begin;
    host_size -= 2;
  }
  char host[256];
  if (host_size >= sizeof host)
    return fail(LKS_IMPOSSIBLE, -1, address, "the host name is too long", error, size);
  memcpy(host, host_begin, host_size);
  host[host_size] = 0;

  struct addrinfo wanted;
  memset(&wanted, 0, sizeof wanted);
  wanted.ai_socktype = t->kind == LKS_DATAGRAM ? SOCK_DGRAM : SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV;
  struct addrinfo* found = NULL;
  const int problem = getaddrinfo(host, colon + 1, &wanted, &found);
  if (problem != 0) {
    const lks_opening result = problem == EAI_AGAIN ? LKS_TRY_AGAIN : LKS_IMPOSSIBLE;
    return fail(result, -1, address, gai_strerror(problem), error, size);
  }
  int connect_problem = 0;
  for (const struct addrinfo* one = found; one && t->in < 0; one = one->ai_next) {
    const int fd = socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
    connect_problem = fd < 0 ? errno : connect_until(fd, one->ai_addr, one->ai_addrlen, deadline);
    if (connect_problem == 0) {
      t->in = t->out = fd;
    } else if (fd >= 0) {
      close(fd);
    }
  }
  freeaddrinfo(found);
  if (t->in < 0) return fail(LKS_TRY_AGAIN, -1, address, strerror(connect_problem), error, size);
  if (t->kind == LKS_STREAM) {
    const int on = 1;
    setsockopt(t->in, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    /* Detects a machine that was switched off. */
    setsockopt(t->in, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  }
  return LKS_OPENED;
}

static lks_opening open_unix(lks_transport* t, const char* address, int64_t deadline, char* error,
                             size_t size) {
  const char* path = address + 5;
  struct sockaddr_un to;
  memset(&to, 0, sizeof to);
  to.sun_family = AF_UNIX;
  if (!*path || strlen(path) >= sizeof to.sun_path)
    return fail(LKS_IMPOSSIBLE, -1, address, "the path is empty or too long for a Unix socket", error, size);
  memcpy(to.sun_path, path, strlen(path));
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return fail(LKS_TRY_AGAIN, -1, address, strerror(errno), error, size);
  const int problem = connect_until(fd, (const struct sockaddr*)&to, sizeof to, deadline);
  if (problem != 0) return fail(LKS_TRY_AGAIN, fd, address, strerror(problem), error, size);
  t->in = t->out = fd;
  return LKS_OPENED;
}

/* Pipes. */

static int open_pipe(const char* name, int flags) {
  const int fd = open(name, flags | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  if (fd < 0 || (fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode))) return fd;
  close(fd);
  errno = EINVAL;
  return -1;
}

/* The simulation creates new pipes for each connection: the open one may have been replaced. */
static int is_still_at(int fd, const char* name) {
  struct stat here, there;
  return fstat(fd, &here) == 0 && stat(name, &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

static lks_opening open_pipes(lks_transport* t, const char* address, int64_t deadline, char* error,
                              size_t size) {
  (void)deadline;                     /* nothing here waits */
  char in_name[4096], out_name[4096]; /* from the simulation's point of view */
  const char* path = address + 5;
  if (!*path || strlen(path) + 5 > sizeof in_name)
    return fail(LKS_IMPOSSIBLE, -1, address, "the path is empty or too long", error, size);
  snprintf(in_name, sizeof in_name, "%s.in", path);
  snprintf(out_name, sizeof out_name, "%s.out", path);

  /* Opening only for writing fails while no process reads. Then open the end for reading, too, although we
   * never read: a pipe with a reader raises no SIGPIPE when the simulation dies. The end is detected on the
   * other pipe. */
  const int probe = open_pipe(in_name, O_WRONLY);
  if (probe < 0) {
    const char* why = errno == ENXIO ? "the simulation does not listen" : strerror(errno);
    return fail(errno == EINVAL ? LKS_IMPOSSIBLE : LKS_TRY_AGAIN, -1, address, why, error, size);
  }
  const int out = open_pipe(in_name, O_RDWR);
  close(probe);
  if (out < 0) return fail(LKS_TRY_AGAIN, -1, address, strerror(errno), error, size);
  if (flock(out, LOCK_EX | LOCK_NB) != 0)
    return fail(LKS_TRY_AGAIN, out, address, "another controller is connected", error, size);
  const int in = open_pipe(out_name, O_RDONLY);
  if (in < 0) return fail(LKS_TRY_AGAIN, out, address, strerror(errno), error, size);
  if (!is_still_at(out, in_name)) {
    close(in);
    return fail(LKS_TRY_AGAIN, out, address, "the simulation is creating new pipes", error, size);
  }
  /* poll() is called before read(), unless it may wait without limit. */
  fcntl(in, F_SETFL, fcntl(in, F_GETFL) & ~O_NONBLOCK);
  t->in = in;
  t->out = out;
  return LKS_OPENED;
}

/* Waits until the pipe accepts more; 0 if the deadline or the end of the simulation comes first. */
static int wait_for_room(const lks_transport* t, int64_t deadline) {
  for (;;) {
    struct pollfd both[2] = {{t->out, POLLOUT, 0}, {t->in, 0, 0}};
    const int ready = poll(both, 2, lks_milliseconds_until(deadline));
    if (ready > 0) return both[1].revents == 0;
    if (ready < 0 && errno != EINTR) return 0;
    if (is_past(deadline)) return 0;
  }
}

/* All transports. */

static lks_opening open_shared(lks_transport* t, const char* address, int64_t deadline, char* error,
                               size_t size) {
  return lks_shared_open(&t->shared, strchr(address, ':') + 1, deadline, error, size);
}

static const struct {
  const char* prefix;
  lks_kind kind;
  lks_opening (*open)(lks_transport* t, const char* address, int64_t deadline, char* error, size_t size);
} transports[] = {{"tcp:", LKS_STREAM, open_internet},
                  {"udp:", LKS_DATAGRAM, open_internet},
                  {"unix:", LKS_STREAM, open_unix},
                  {"pipe:", LKS_PIPE, open_pipes},
                  {"shm:", LKS_SHARED, open_shared}};
enum { TRANSPORTS = sizeof transports / sizeof transports[0] };

lks_opening lks_open(lks_transport* t, const char* address, int64_t deadline, char* error, size_t size) {
  memset(t, 0, sizeof *t);
  t->in = t->out = -1;
  for (int i = 0; i < TRANSPORTS; ++i) {
    if (strncmp(address, transports[i].prefix, strlen(transports[i].prefix)) != 0) continue;
    t->kind = transports[i].kind;
    return transports[i].open(t, address, deadline, error, size);
  }
  char why[256] = "expected an address that begins with";
  for (int i = 0; i < TRANSPORTS; ++i) {
    const char* before = i == 0 ? "" : i + 1 == TRANSPORTS ? " or" : ",";
    const size_t used = strlen(why);
    snprintf(why + used, sizeof why - used, "%s '%s'", before, transports[i].prefix);
  }
  return fail(LKS_IMPOSSIBLE, -1, address, why, error, size);
}

void lks_shut(lks_transport* t) {
  if (t->kind == LKS_SHARED) lks_shared_shut(&t->shared);
  if (t->out >= 0 && t->out != t->in) close(t->out);
  if (t->in >= 0) close(t->in);
  t->in = t->out = -1;
}

void lks_set_socket_wait(lks_transport* t, int64_t wait) {
  if (t->kind != LKS_STREAM && t->kind != LKS_DATAGRAM) return;
  struct timeval time = {0, 0}; /* none */
  if (wait != LKS_NEVER) {
    const int64_t microseconds = wait < 1000 ? 1 : wait / 1000;
    time.tv_sec = (time_t)(microseconds / 1000000);
    time.tv_usec = (suseconds_t)(microseconds % 1000000);
  }
  setsockopt(t->in, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(t->in, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

lks_result lks_send(lks_transport* t, const uint8_t* bytes, size_t count, int64_t deadline) {
  if (t->kind == LKS_SHARED) return lks_shared_send(&t->shared, bytes, count, deadline);
  for (size_t sent = 0; sent < count;) {
    const ssize_t now = t->kind == LKS_PIPE ? write(t->out, bytes + sent, count - sent)
                                            : send(t->out, bytes + sent, count - sent, MSG_NOSIGNAL);
    if (now >= 0) {
      sent += (size_t)now;
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return LKS_CLOSED;
    if (is_past(deadline)) return LKS_TIMEOUT;
    if (t->kind == LKS_PIPE && !wait_for_room(t, deadline)) return is_past(deadline) ? LKS_TIMEOUT : LKS_CLOSED;
  }
  return LKS_DONE;
}

lks_result lks_receive(lks_transport* t, uint8_t* bytes, size_t size, size_t* count, int64_t deadline,
                       int is_first) {
  *count = 0;
  if (t->kind == LKS_SHARED) return lks_shared_receive(&t->shared, bytes, size, count, deadline);
  /* A pipe has no receive timeout; during the handshake it reads as end of file until the simulation opens
   * it. */
  const int can_wait =
      t->kind == LKS_PIPE ? is_first && deadline == LKS_NEVER : is_first || deadline == LKS_NEVER;
  for (;;) {
    if (!can_wait && !wait_for(t->in, POLLIN, deadline)) return LKS_TIMEOUT;
    ssize_t now = t->kind == LKS_PIPE ? read(t->in, bytes, size) : recv(t->in, bytes, size, 0);
    /* The simulation's socket is closed; its last datagrams come after this error. */
    if (now < 0 && errno == ECONNREFUSED && t->kind == LKS_DATAGRAM) {
      now = recv(t->in, bytes, size, MSG_DONTWAIT);
      if (now < 0) return LKS_CLOSED;
    }
    if (now > 0) {
      *count = (size_t)now;
      return LKS_DONE;
    }
    /* An empty datagram is not an end of stream. */
    if (now == 0 && t->kind == LKS_DATAGRAM) return LKS_DONE;
    if (now == 0) return LKS_CLOSED;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return LKS_CLOSED;
    if (can_wait || is_past(deadline)) return LKS_TIMEOUT;
  }
}
