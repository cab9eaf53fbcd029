/* SPDX-License-Identifier: MIT */
/*
 * fault: the C library under a test's control.
 *
 * fault.c is built in two ways: into every C test, and, with preload.c, into a
 * library that whole programs have preloaded.
 *
 * Every C test is linked with this module: calls of the functions below from
 * our objects arrive here first (the linker's --wrap, once, in tests/local.mk)
 * and are passed on.  A test may
 *
 *	fault_at(FAULT_CALLOC, 3, ENOMEM);	the third call from now fails
 *	fault_from(FAULT_MEMORY, 1, ENOMEM);	no memory from now on
 *	fault_hooks.read = my_read;		answer all calls itself
 *	fault_clock_set(5 * FAULT_SECOND);	stop the clock there
 *	balance_test(run, "a run");		ask what has been given back
 *	fault_each(FAULT_MEMORY, ENOMEM, run, "a run");	fail each in turn
 *
 * and ends all of that with fault_clear().  Calls inside of the C library and
 * of other libraries do not arrive here.  A call is counted, then it fails if
 * that was asked for, then a hook answers it; without a hook the real function
 * does.  A hook calls the real function by the name fault_real_NAME.
 *
 * Counting and failing are safe in any thread; hooks are set while no other
 * thread makes calls.
 */
#ifndef TESTS_SUPPORT_FAULT_H
#define TESTS_SUPPORT_FAULT_H

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>

/*
 * R(result type, name, parameters, arguments, result of a failed call), in which
 * `error` is the error number.  ioctl and open have one optional argument in the
 * C library, and syscall six.  A new function is a row here and its name in
 * fault_functions of tests/local.mk.
 *
 * First the functions that programs can have preloaded, too (support/preload.c):
 * those that allocate, those with another name for large files or late times, and
 * others.
 */
#define FAULT_BLOCK_FUNCTIONS(R)                                               \
	R(void *, malloc, (size_t bytes), (bytes), NULL)                       \
	R(void *, calloc, (size_t n, size_t bytes), (n, bytes), NULL)          \
	R(void *, realloc, (void *old, size_t bytes), (old, bytes), NULL)      \
	R(void *, aligned_alloc, (size_t alignment, size_t bytes),             \
	  (alignment, bytes), NULL)

#define FAULT_THREAD_FUNCTIONS(R)                                              \
	R(int, pthread_create,                                                 \
	  (pthread_t * thread, const pthread_attr_t *attr,                     \
	   void *(*run)(void *), void *data),                                  \
	  (thread, attr, run, data), error)

#define FAULT_LARGE_FUNCTIONS(R)                                               \
	R(int, open, (const char *path, int flags, mode_t mode),               \
	  (path, flags, mode), -1)                                             \
	R(int, openat, (int fd, const char *path, int flags, mode_t mode),     \
	  (fd, path, flags, mode), -1)                                         \
	R(ssize_t, pread, (int fd, void *to, size_t n, off_t at),              \
	  (fd, to, n, at), -1)                                                 \
	R(ssize_t, preadv2,                                                    \
	  (int fd, const struct iovec *to, int n, off_t at, int flags),        \
	  (fd, to, n, at, flags), -1)                                          \
	R(int, fstat, (int fd, struct stat *to), (fd, to), -1)                 \
	R(int, posix_fadvise, (int fd, off_t at, off_t n, int advice),         \
	  (fd, at, n, advice), -1)                                             \
	R(off_t, lseek, (int fd, off_t at, int whence), (fd, at, whence), -1)  \
	R(FILE *, fopen, (const char *path, const char *mode), (path, mode),   \
	  NULL)

#define FAULT_TIMED_FUNCTIONS(R)                                               \
	R(int, ioctl, (int fd, unsigned long request, void *arg),              \
	  (fd, request, arg), -1)                                              \
	R(int, clock_gettime, (clockid_t clock, struct timespec * to),         \
	  (clock, to), -1)

#define FAULT_FILE_FUNCTIONS(R)                                                \
	R(int, close, (int fd), (fd), -1)                                      \
	R(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), -1)        \
	R(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), \
	  -1)                                                                  \
	R(int, flock, (int fd, int operation), (fd, operation), -1)            \
	R(int, fchmod, (int fd, mode_t mode), (fd, mode), -1)                  \
	R(int, fsync, (int fd), (fd), -1)                                      \
	R(int, link, (const char *from, const char *to), (from, to), -1)       \
	R(int, rename, (const char *from, const char *to), (from, to), -1)     \
	R(int, unlink, (const char *path), (path), -1)                         \
	R(int, statx,                                                          \
	  (int dir, const char *path, int flags, unsigned mask,                \
	   struct statx *to),                                                  \
	  (dir, path, flags, mask, to), -1)

#define FAULT_SYSTEM_FUNCTIONS(R)                                              \
	R(long, syscall,                                                       \
	  (long n, long a, long b, long c, long d, long e, long f),            \
	  (n, a, b, c, d, e, f), -1)

/* These are counted by support/balance.c, as those that allocate. */
#define FAULT_HELD_FUNCTIONS(R)                                                \
	R(void *, reallocarray, (void *old, size_t n, size_t bytes),           \
	  (old, n, bytes), NULL)                                               \
	R(char *, strdup, (const char *text), (text), NULL)                    \
	R(void *, mmap,                                                        \
	  (void *address, size_t n, int prot, int flags, int fd, off_t at),    \
	  (address, n, prot, flags, fd, at), MAP_FAILED)                       \
	R(int, munmap, (void *address, size_t n), (address, n), -1)            \
	R(int, pthread_join, (pthread_t thread, void **result),                \
	  (thread, result), error)

#define FAULT_OTHER_FUNCTIONS(R)                                               \
	R(int, faccessat, (int fd, const char *path, int mode, int flags),     \
	  (fd, path, mode, flags), -1)                                         \
	R(int, fdatasync, (int fd), (fd), -1)                                  \
	R(int, fstatfs, (int fd, struct statfs *to), (fd, to), -1)             \
	R(int, poll, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms),    \
	  -1)                                                                  \
	R(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL)        \
	R(DIR *, opendir, (const char *path), (path), NULL)                    \
	R(struct dirent *, readdir, (DIR * directory), (directory), NULL)      \
	R(int, uname, (struct utsname * to), (to), -1)                         \
	R(int, isatty, (int fd), (fd), 0)                                      \
	R(pid_t, tcgetpgrp, (int fd), (fd), -1)                                \
	R(int, sched_getaffinity, (pid_t pid, size_t n, cpu_set_t * to),       \
	  (pid, n, to), -1)                                                    \
	R(int, getrusage, (int who, struct rusage *to), (who, to), -1)         \
	R(void *, dlopen, (const char *path, int flags), (path, flags), NULL)  \
	R(void *, dlsym, (void *library, const char *name), (library, name),   \
	  NULL)                                                                \
	R(int, dlclose, (void *library), (library), -1)                        \
	R(int, pthread_cond_wait,                                              \
	  (pthread_cond_t * cond, pthread_mutex_t * lock), (cond, lock),       \
	  error)                                                               \
	R(int, pthread_cond_timedwait,                                         \
	  (pthread_cond_t * cond, pthread_mutex_t * lock,                      \
	   const struct timespec *until),                                      \
	  (cond, lock, until), error)

#define FAULT_PRELOADED_FUNCTIONS(R)                                           \
	FAULT_BLOCK_FUNCTIONS(R)                                               \
	FAULT_LARGE_FUNCTIONS(R)                                               \
	FAULT_TIMED_FUNCTIONS(R)                                               \
	FAULT_FILE_FUNCTIONS(R)                                                \
	FAULT_SYSTEM_FUNCTIONS(R)                                              \
	FAULT_THREAD_FUNCTIONS(R)
#ifdef FAULT_PRELOAD
#define FAULT_FUNCTIONS FAULT_PRELOADED_FUNCTIONS
#else
#define FAULT_FUNCTIONS(R)                                                     \
	FAULT_PRELOADED_FUNCTIONS(R)                                           \
	FAULT_HELD_FUNCTIONS(R)                                                \
	FAULT_OTHER_FUNCTIONS(R)
#endif

/* The calls, by the names that fault_at takes: FAULT_malloc and so on. */
enum fault_call {
#define FAULT_ID(type, name, parameters, arguments, failed) FAULT_##name,
	FAULT_FUNCTIONS(FAULT_ID)
#undef FAULT_ID
		FAULT_MEMORY, /* all functions that allocate memory */
	FAULT_CALLS
};

/* Functions to call instead of the real ones, or NULL. */
struct fault_hooks {
#define FAULT_HOOK(type, name, parameters, arguments, failed)                  \
	type(*name) parameters;
	FAULT_FUNCTIONS(FAULT_HOOK)
#undef FAULT_HOOK
};
extern struct fault_hooks fault_hooks;

#define FAULT_REAL(type, name, parameters, arguments, failed)                  \
	type fault_real_##name parameters;
FAULT_FUNCTIONS(FAULT_REAL)
#undef FAULT_REAL

/* The nth call from now on fails (1 is the next), with this errno; a function
 * of threads returns it. */
void
fault_at(enum fault_call call, unsigned nth, int error);

/* Let the nth call and all that follow it fail. */
void
fault_from(enum fault_call call, unsigned nth, int error);

/* Return the number of calls since fault_clear(). */
unsigned
fault_count(enum fault_call call);

/* Return the number of calls that have failed since the start. */
unsigned
fault_failures(void);

/* Let no call fail, clear hooks and counts, and let the clock run. */
void
fault_clear(void);

#define FAULT_SECOND UINT64_C(1000000000)

/* Stop every clock of clock_gettime() at this time, in ns. */
void
fault_clock_set(uint64_t ns);

/* Advance a clock that was set, now or with every reading. */
void
fault_clock_advance(uint64_t ns);
void
fault_clock_step(uint64_t ns);

/* The resources that the code under test holds; those from before the first of
 * these calls are not counted. */
struct balance {
	long blocks;	  /* of memory */
	long mapped;	  /* bytes */
	int threads;	  /* that were not joined */
	unsigned files;	  /* open descriptors below 256 */
	uint64_t signals; /* a hash of all handlers and of the mask */
};

struct balance
balance_now(void);

/* Return true if as much is held as before; otherwise note what is left. */
bool
balance_is_as(const struct balance *before);

/* One case: all that `run` takes it gives back.  It is run twice; what the
 * first run keeps for good does not count. */
void
balance_test(void (*run)(void), const char *name);

/* The outcome of a run in which a call may have failed. */
enum fault_outcome {
	FAULT_WHOLE, /* the result that it has without a failure */
	FAULT_TOLD,  /* none, and it said why */
	FAULT_WRONG,
};

/*
 * Test one case: without a failure `run` is whole.  Then run it once for each
 * of its calls, which fails: it must be whole, or report an error, and give
 * back all it took.
 */
void
fault_each(enum fault_call call, int error, enum fault_outcome (*run)(void),
	   const char *name);

/* Test the same case, but of the calls after the first `all` only each seventh
 * fails: for a long run that ends by repeating itself. */
void
fault_first(enum fault_call call, int error, enum fault_outcome (*run)(void),
	    const char *name, unsigned all);

#endif
