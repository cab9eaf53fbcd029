/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "tests/support/fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The names by which the C library calls what works with large files, and on
 * 32 bits with times after 2038. */
#define __real_open __real_open64
#define __real_openat __real_openat64
#define __real_pread __real_pread64
#define __real_preadv2 __real_preadv64v2
#define __real_fstatfs __real_fstatfs64
#define __real_posix_fadvise __real_posix_fadvise64
#define __real_lseek __real_lseek64
#define __real_fopen __real_fopen64
#define __real_readdir __real_readdir64
#if defined __USE_TIME_BITS64 && __TIMESIZE == 32
#define LATE_TIMES 1
#define __real_fstat __real___fstat64_time64
#define __real_clock_gettime __real___clock_gettime64
#define __real_ioctl __real___ioctl_time64
#define __real_getrusage __real___getrusage64
#define __real_pthread_cond_timedwait __real___pthread_cond_timedwait64
#else
#define LATE_TIMES 0
#define __real_fstat __real_fstat64
#endif

/* The prefix of our functions' names.  A preloaded library has the names of the C
 * library itself, but on 32 bits none for small files. */
#ifndef FAULT_PRELOAD
#define PLAIN "__wrap_"
#define LARGE PLAIN
#define TIMED PLAIN
#else
#define PLAIN ""
#if __SIZEOF_LONG__ == 8
#define LARGE ""
#else
#define LARGE "fault_"
#endif
#if LATE_TIMES
#define TIMED "fault_"
#else
#define TIMED ""
#endif
#endif

/* RESOLVE_CACHED of newer headers. */
enum { CACHED_ONLY = 0x20 };

struct fault_hooks fault_hooks;

static struct {
	_Atomic unsigned count, first; /* the first call that fails, or 0 */
	_Atomic bool all;
	_Atomic int error;
} plans[FAULT_CALLS];
static _Atomic unsigned failures;

/* The clock that was set.  A lock, since not all processors have atomic
 * operations of 64 bits. */
static struct {
	pthread_mutex_t lock;
	uint64_t now, step;
} set_clock = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int
plan_error(enum fault_call call)
{
	const unsigned n = atomic_fetch_add(&plans[call].count, 1) + 1;
	const unsigned first = plans[call].first;

	if (!first || (n != first && !(plans[call].all && n > first)))
		return 0;
	failures++;
	return plans[call].error;
}

static bool
allocates(enum fault_call call)
{
	switch ((int)call) {
	case FAULT_malloc:
	case FAULT_calloc:
	case FAULT_realloc:
	case FAULT_aligned_alloc:
#ifndef FAULT_PRELOAD
	case FAULT_reallocarray:
	case FAULT_strdup:
#endif
		return true;
	}
	return false;
}

/* Return the error with which this call fails, or 0. */
static int
error_of(enum fault_call call)
{
	const int memory_error = allocates(call) ? plan_error(FAULT_MEMORY) : 0;
	const int error = plan_error(call);

	return error ? error : memory_error;
}

void
fault_at(enum fault_call call, unsigned nth, int error)
{
	plans[call].all = false;
	plans[call].error = error;
	plans[call].first = plans[call].count + nth;
}

void
fault_from(enum fault_call call, unsigned nth, int error)
{
	fault_at(call, nth, error);
	plans[call].all = true;
}

unsigned
fault_count(enum fault_call call)
{
	return plans[call].count;
}

unsigned
fault_failures(void)
{
	return failures;
}

void
fault_clear(void)
{
	for (unsigned i = 0; i < FAULT_CALLS; i++) {
		plans[i].first = 0;
		plans[i].count = 0;
	}
	memset(&fault_hooks, 0, sizeof(fault_hooks));
	fault_clock_step(0);
}

/* --- The clock --------------------------------------------------------------- */

static int
read_set_clock(clockid_t clock, struct timespec *to)
{
	uint64_t now;

	(void)clock;
	pthread_mutex_lock(&set_clock.lock);
	now = set_clock.now;
	set_clock.now += set_clock.step;
	pthread_mutex_unlock(&set_clock.lock);
	to->tv_sec = (time_t)(now / FAULT_SECOND);
	to->tv_nsec = (long)(now % FAULT_SECOND);
	return 0;
}

void
fault_clock_set(uint64_t ns)
{
	pthread_mutex_lock(&set_clock.lock);
	set_clock.now = ns;
	pthread_mutex_unlock(&set_clock.lock);
	fault_hooks.clock_gettime = read_set_clock;
}

void
fault_clock_advance(uint64_t ns)
{
	pthread_mutex_lock(&set_clock.lock);
	set_clock.now += ns;
	pthread_mutex_unlock(&set_clock.lock);
}

void
fault_clock_step(uint64_t ns)
{
	pthread_mutex_lock(&set_clock.lock);
	set_clock.step = ns;
	pthread_mutex_unlock(&set_clock.lock);
}

/* --- The functions --------------------------------------------------------- */

#define DECLARE(type, name, parameters, prefix)                                \
	type __wrap_##name parameters __asm__(prefix #name);
#define DECLARE_PLAIN(type, name, parameters, arguments, failed)               \
	DECLARE(type, name, parameters, PLAIN)
#define DECLARE_LARGE(type, name, parameters, arguments, failed)               \
	DECLARE(type, name, parameters, LARGE)
#define DECLARE_TIMED(type, name, parameters, arguments, failed)               \
	DECLARE(type, name, parameters, TIMED)
FAULT_BLOCK_FUNCTIONS(DECLARE_PLAIN)
FAULT_LARGE_FUNCTIONS(DECLARE_LARGE)
FAULT_TIMED_FUNCTIONS(DECLARE_TIMED)
FAULT_FILE_FUNCTIONS(DECLARE_PLAIN)
FAULT_SYSTEM_FUNCTIONS(DECLARE_PLAIN)
FAULT_THREAD_FUNCTIONS(DECLARE_PLAIN)

#ifdef FAULT_PRELOAD
#define QUOTE(name) #name
#define QUOTE_EXPANDED(name) QUOTE(name)
#define DEFINE_REAL(type, name, parameters, arguments, failed)                 \
	type fault_real_##name parameters                                      \
	{                                                                      \
		static type(*next) parameters;                                 \
                                                                               \
		if (!next)                                                     \
			*(void **)&next = dlsym(                               \
				RTLD_NEXT, &QUOTE_EXPANDED(__real_##name)[7]); \
		return next arguments;                                         \
	}
FAULT_SYSTEM_FUNCTIONS(DEFINE_REAL)
FAULT_THREAD_FUNCTIONS(DEFINE_REAL)
#else
FAULT_HELD_FUNCTIONS(DECLARE_PLAIN)
FAULT_OTHER_FUNCTIONS(DECLARE_PLAIN)

#define DEFINE_REAL(type, name, parameters, arguments, failed)                 \
	type __real_##name parameters;                                         \
	type fault_real_##name parameters                                      \
	{                                                                      \
		return __real_##name arguments;                                \
	}
FAULT_OTHER_FUNCTIONS(DEFINE_REAL)

long
__real_syscall(long n, long a, long b, long c, long d, long e, long f);

/* An open that asks for names in the cache only is one like others. */
long
fault_real_syscall(long n, long a, long b, long c, long d, long e, long f)
{
#ifdef SYS_openat2
	const struct open_how *how = (const struct open_how *)(uintptr_t)c;

	if (n == SYS_openat2 && how && how->resolve == CACHED_ONLY)
		return __wrap_open((const char *)(uintptr_t)b, (int)how->flags,
				   0);
#endif
	return __real_syscall(n, a, b, c, d, e, f);
}
#endif
FAULT_LARGE_FUNCTIONS(DEFINE_REAL)
FAULT_TIMED_FUNCTIONS(DEFINE_REAL)
FAULT_FILE_FUNCTIONS(DEFINE_REAL)

#define WRAP(type, name, parameters, arguments, failed)                        \
	type __wrap_##name parameters                                          \
	{                                                                      \
		const int error = error_of(FAULT_##name);                      \
                                                                               \
		if (error) {                                                   \
			errno = error;                                         \
			return failed;                                         \
		}                                                              \
		return fault_hooks.name ? fault_hooks.name arguments :         \
					  fault_real_##name arguments;         \
	}
FAULT_FUNCTIONS(WRAP)

/* The other names of the same functions. */
#define ALIAS(prefix, other, name)                                             \
	__typeof__(__wrap_##name) __wrap_##other __asm__(PLAIN #other)         \
		__attribute__((alias(prefix #name)));
ALIAS(LARGE, open64, open)
ALIAS(LARGE, openat64, openat)
ALIAS(LARGE, pread64, pread)
ALIAS(LARGE, preadv64v2, preadv2)
ALIAS(LARGE, posix_fadvise64, posix_fadvise)
ALIAS(LARGE, lseek64, lseek)
ALIAS(LARGE, fopen64, fopen)
#if !defined FAULT_PRELOAD || !LATE_TIMES
ALIAS(LARGE, fstat64, fstat)
#endif
#if !defined FAULT_PRELOAD || LATE_TIMES
ALIAS(LARGE, __fstat64_time64, fstat)
ALIAS(TIMED, __clock_gettime64, clock_gettime)
ALIAS(TIMED, __ioctl_time64, ioctl)
#endif
#ifndef FAULT_PRELOAD
ALIAS(PLAIN, fstatfs64, fstatfs)
ALIAS(PLAIN, mmap64, mmap)
ALIAS(PLAIN, readdir64, readdir)
ALIAS(PLAIN, __getrusage64, getrusage)
ALIAS(PLAIN, __pthread_cond_timedwait64, pthread_cond_timedwait)
#endif
