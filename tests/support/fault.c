/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "tests/support/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/tap.h"

/* The names by which the C library calls what works with large files, and on
 * 32 bits with times after 2038. */
#define __real_open __real_open64
#define __real_openat __real_openat64
#define __real_pread __real_pread64
#define __real_preadv2 __real_preadv64v2
#define __real_fstatfs __real_fstatfs64
#if defined __USE_TIME_BITS64 && __TIMESIZE == 32
#define __real_fstat __real___fstat64_time64
#else
#define __real_fstat __real_fstat64
#endif
#define __real_posix_fadvise __real_posix_fadvise64
#define __real_lseek __real_lseek64
#define __real_mmap __real_mmap64
#define __real_fopen __real_fopen64
#define __real_readdir __real_readdir64
#if defined __USE_TIME_BITS64 && __TIMESIZE == 32
#define __real_clock_gettime __real___clock_gettime64
#define __real_ioctl __real___ioctl_time64
#define __real_getrusage __real___getrusage64
#define __real_pthread_cond_timedwait __real___pthread_cond_timedwait64
#endif

/* RESOLVE_CACHED of newer headers. */
enum { CACHED_ONLY = 0x20 };

struct fault_hooks fault_hooks;

static struct {
	_Atomic unsigned count, first; /* the first call that fails, or 0 */
	_Atomic bool all;
	_Atomic int error;
} plans[FAULT_CALLS];
static _Atomic unsigned failures; /* calls that failed since the start */

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

/* Zero, or the error with which this call fails. */
static int
error_of(enum fault_call call)
{
	int error = plan_error(call);

	if (call <= FAULT_strdup) {
		const int memory_error = plan_error(FAULT_MEMORY);

		error = error ? error : memory_error;
	}
	return error;
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

/* --- What is held ---------------------------------------------------------- */

enum { PLACES = 1 << 18 }; /* more than there are blocks at a time */

/* Live blocks, hashed by their addresses.  A place once used stays so. */
static const void *places[PLACES];
static const char used_before; /* its address marks such a place */
static long blocks;
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool is_counting;
static _Atomic int threads;
static _Atomic long mapped;

/* The place of a block, or the first that is free for it. */
static const void **
find_place(const void *block, bool for_new)
{
	size_t at = (uintptr_t)block / 16 * 0x9e3779b1u % PLACES;

	while (places[at] && places[at] != block &&
	       !(for_new && places[at] == &used_before))
		at = (at + 1) % PLACES;
	return &places[at];
}

static void
add_block(const void *block)
{
	if (!block || !is_counting)
		return;
	pthread_mutex_lock(&places_lock);
	*find_place(block, true) = block;
	blocks++;
	pthread_mutex_unlock(&places_lock);
}

/* Blocks that a library has allocated are not known. */
static void
remove_block(const void *block)
{
	const void **place;

	if (!block || !is_counting)
		return;
	pthread_mutex_lock(&places_lock);
	place = find_place(block, false);
	if (*place) {
		*place = &used_before;
		blocks--;
	}
	pthread_mutex_unlock(&places_lock);
}

struct balance
balance_now(void)
{
	struct balance now = { 0 };
	sigset_t mask;

	is_counting = true;
	now.blocks = blocks;
	now.threads = threads;
	now.mapped = mapped;
	for (int fd = 0; fd < 256; fd++)
		now.files += fcntl(fd, F_GETFD) >= 0;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) == 0)
			now.signals =
				now.signals * 31 + (uintptr_t)action.sa_handler;
		now.signals =
			now.signals * 31 + (sigismember(&mask, number) == 1);
	}
	return now;
}

/* Return true if as much is held as before; otherwise note what is left. */
static bool
is_given_back(const struct balance *before)
{
	const struct balance after = balance_now();

	if (after.blocks == before->blocks &&
	    after.threads == before->threads &&
	    after.mapped == before->mapped && after.files == before->files &&
	    after.signals == before->signals)
		return true;
	tap_note("left: %ld blocks, %d threads, %ld bytes mapped, %d "
		 "descriptors%s",
		 after.blocks - before->blocks, after.threads - before->threads,
		 after.mapped - before->mapped,
		 (int)(after.files - before->files),
		 after.signals == before->signals ? "" :
						    ", and signals were "
						    "changed");
	return false;
}

void
balance_test(void (*run)(void), const char *name)
{
	struct balance before;

	balance_now();
	run();
	before = balance_now();
	run();
	ok(is_given_back(&before), "%s gives back what it takes", name);
}

void
fault_each(enum fault_call call, int error, enum fault_outcome (*run)(void),
	   const char *name)
{
	enum { MOST_CALLS = 10000 };
	unsigned nth = 0, failures_before;
	struct balance before;
	bool good;

	balance_now();
	fault_clear();
	good = run() == FAULT_WHOLE;
	before = balance_now();
	do {
		failures_before = failures;
		fault_clear();
		fault_at(call, ++nth, error);
		good = run() != FAULT_WRONG && good;
		fault_clear();
		good = is_given_back(&before) && good;
		if (!good)
			tap_note("where call %u fails", nth);
	} while (good && failures != failures_before && nth < MOST_CALLS);
	ok(good && nth > 1 && nth < MOST_CALLS,
	   "%s is whole or says why not, and gives back what it takes, "
	   "whichever of its %u calls fails",
	   name, nth - 1);
}

/* --- The functions --------------------------------------------------------- */

#define DECLARE(type, name, parameters, arguments, failed)                     \
	type __real_##name parameters;                                         \
	type __wrap_##name parameters;
FAULT_FUNCTIONS(DECLARE)

#define DEFINE_REAL(type, name, parameters, arguments, failed)                 \
	type fault_real_##name parameters                                      \
	{                                                                      \
		return __real_##name arguments;                                \
	}
FAULT_FILE_FUNCTIONS(DEFINE_REAL)
FAULT_OTHER_FUNCTIONS(DEFINE_REAL)
FAULT_LOCK_FUNCTIONS(DEFINE_REAL)

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

/* The real functions count blocks, mappings and threads. */
void *
fault_real_malloc(size_t bytes)
{
	void *block = __real_malloc(bytes);

	add_block(block);
	return block;
}

void *
fault_real_calloc(size_t n, size_t bytes)
{
	void *block = __real_calloc(n, bytes);

	add_block(block);
	return block;
}

/* A block leaves the count before it can be given to another thread. */
void *
fault_real_realloc(void *old, size_t bytes)
{
	void *block;

	remove_block(old);
	block = __real_realloc(old, bytes);
	add_block(block ? block : old);
	return block;
}

void *
fault_real_reallocarray(void *old, size_t n, size_t bytes)
{
	void *block;

	remove_block(old);
	block = __real_reallocarray(old, n, bytes);
	add_block(block ? block : old);
	return block;
}

void *
fault_real_aligned_alloc(size_t alignment, size_t bytes)
{
	void *block = __real_aligned_alloc(alignment, bytes);

	add_block(block);
	return block;
}

char *
fault_real_strdup(const char *text)
{
	char *copy = __real_strdup(text);

	add_block(copy);
	return copy;
}

void *
fault_real_mmap(void *address, size_t n, int prot, int flags, int fd, off_t at)
{
	void *mapping = __real_mmap(address, n, prot, flags, fd, at);

	/* A fixed mapping replaces one that was counted. */
	if (mapping != MAP_FAILED && !(flags & MAP_FIXED))
		mapped += (long)n;
	return mapping;
}

int
fault_real_munmap(void *address, size_t n)
{
	const int failed = __real_munmap(address, n);

	if (!failed)
		mapped -= (long)n;
	return failed;
}

int
fault_real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *), void *data)
{
	const int error = __real_pthread_create(thread, attr, run, data);

	if (!error)
		threads++;
	return error;
}

int
fault_real_pthread_join(pthread_t thread, void **result)
{
	const int error = __real_pthread_join(thread, result);

	if (!error)
		threads--;
	return error;
}

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
#define WRAP_THREAD(type, name, parameters, arguments, failed)                 \
	type __wrap_##name parameters                                          \
	{                                                                      \
		const int error = error_of(FAULT_##name);                      \
                                                                               \
		if (error)                                                     \
			return error;                                          \
		return fault_hooks.name ? fault_hooks.name arguments :         \
					  fault_real_##name arguments;         \
	}
FAULT_MEMORY_FUNCTIONS(WRAP)
FAULT_MAPPING_FUNCTIONS(WRAP)
FAULT_FILE_FUNCTIONS(WRAP)
FAULT_SYSTEM_FUNCTIONS(WRAP)
FAULT_OTHER_FUNCTIONS(WRAP)
FAULT_THREAD_FUNCTIONS(WRAP_THREAD)
FAULT_LOCK_FUNCTIONS(WRAP_THREAD)

/* free() cannot fail. */
void
__real_free(void *block);
void
__wrap_free(void *block);

void
__wrap_free(void *block)
{
	remove_block(block);
	__real_free(block);
}

/* The other names of the same functions. */
#define ALIAS(other, name)                                                     \
	__typeof__(__wrap_##name) __wrap_##other                               \
		__attribute__((alias("__wrap_" #name)));
ALIAS(open64, open)
ALIAS(openat64, openat)
ALIAS(pread64, pread)
ALIAS(preadv64v2, preadv2)
ALIAS(fstat64, fstat)
ALIAS(__fstat64_time64, fstat)
ALIAS(fstatfs64, fstatfs)
ALIAS(posix_fadvise64, posix_fadvise)
ALIAS(lseek64, lseek)
ALIAS(mmap64, mmap)
ALIAS(fopen64, fopen)
ALIAS(readdir64, readdir)
ALIAS(__clock_gettime64, clock_gettime)
ALIAS(__ioctl_time64, ioctl)
ALIAS(__getrusage64, getrusage)
ALIAS(__pthread_cond_timedwait64, pthread_cond_timedwait)
