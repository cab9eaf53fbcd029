/* SPDX-License-Identifier: MIT */
/*
 * Promise: a thread reads eight buffers ahead, is woken when half of them are
 * free, and hands on what it finds; without memory or a thread there is none.
 */
#include "config.h"

#include "src/lanes/readahead.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/tap.h"

enum { BUFFER_BYTES = 128 << 10, FILE_BYTES = 20 * BUFFER_BYTES };

static char path[] = "test-readahead-XXXXXX";
static uint8_t buffer[4096 + READER_PADDING_BYTES];

/* Linked in place of the C library's (--wrap) --------------------------------- */

static unsigned allocations_left = 100, waits, wakes;
static bool no_threads;
static int live, threads;
static size_t stack_bytes, allocated_bytes;
static pthread_t main_thread;
static int read_error;

void *
__real_calloc(size_t n, size_t bytes);
void *
__wrap_calloc(size_t n, size_t bytes);
void *
__real_aligned_alloc(size_t alignment, size_t bytes);
void *
__wrap_aligned_alloc(size_t alignment, size_t bytes);
void
__real_free(void *block);
void
__wrap_free(void *block);
int
__real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		      void *);
int
__wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		      void *);
int
__real_pthread_join(pthread_t, void **);
int
__wrap_pthread_join(pthread_t, void **);
int
__real_pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int
__wrap_pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int
__real_pthread_cond_signal(pthread_cond_t *);
int
__wrap_pthread_cond_signal(pthread_cond_t *);
ssize_t
__real_read(int fd, void *to, size_t bytes);
ssize_t
__wrap_read(int fd, void *to, size_t bytes);

static bool
may_allocate(void)
{
	if (allocations_left == 0)
		return false;
	allocations_left--;
	live++;
	return true;
}

void *
__wrap_calloc(size_t n, size_t bytes)
{
	return may_allocate() ? __real_calloc(n, bytes) : NULL;
}

void *
__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	allocated_bytes = bytes;
	return may_allocate() ? __real_aligned_alloc(alignment, bytes) : NULL;
}

void
__wrap_free(void *block)
{
	live -= block != NULL;
	__real_free(block);
}

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
		      void *(*run)(void *), void *arg)
{
	if (no_threads)
		return EAGAIN;
	if (attr)
		pthread_attr_getstacksize(attr, &stack_bytes);
	threads++;
	return __real_pthread_create(thread, attr, run, arg);
}

int
__wrap_pthread_join(pthread_t thread, void **result)
{
	threads--;
	return __real_pthread_join(thread, result);
}

/* The thread waits: it has filled all that it may. */
int
__wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
	if (!pthread_equal(pthread_self(), main_thread))
		__atomic_add_fetch(&waits, 1, __ATOMIC_RELEASE);
	return __real_pthread_cond_wait(condition, lock);
}

int
__wrap_pthread_cond_signal(pthread_cond_t *condition)
{
	wakes += pthread_equal(pthread_self(), main_thread);
	return __real_pthread_cond_signal(condition);
}

ssize_t
__wrap_read(int fd, void *to, size_t bytes)
{
	errno = read_error;
	return read_error ? -1 : __real_read(fd, to, bytes);
}

/* Cases ------------------------------------------------------------------------ */

static struct reader *reader;

static void
open_file(void)
{
	bool opened;

	reader = reader_new();
	if (!reader || !reader_open(reader, NULL, path, buffer, 4096, &opened))
		exit(99);
	live = 0; /* but the reader */
	waits = wakes = 0;
}

static bool
next(struct readahead *ahead, uint8_t number)
{
	struct handout handout;

	return readahead_next(ahead, &handout) == READER_BLOCKS &&
	       handout.nblocks == BUFFER_BYTES / 64 &&
	       handout.message_bytes == BUFFER_BYTES &&
	       handout.data[0] == number &&
	       handout.data[BUFFER_BYTES - 1] == number;
}

/* How many buffers have been read, once there are so many? */
static unsigned
await(unsigned n)
{
	off_t at;

	while ((at = lseek(reader->fd, 0, SEEK_CUR)) < (off_t)n * BUFFER_BYTES)
		sched_yield();
	return (unsigned)(at / BUFFER_BYTES);
}

static void
test_ring(void)
{
	struct readahead *ahead;
	struct handout handout;
	uint8_t number = 0;
	bool right = true;

	open_file();
	ahead = readahead_start(reader, 192);
	ok(ahead && stack_bytes == 128 << 10,
	   "there is a thread, with a small stack");
	ok(allocated_bytes == 8 * (BUFFER_BYTES + 192),
	   "and room for padding and slack behind each buffer");
	while (__atomic_load_n(&waits, __ATOMIC_ACQUIRE) == 0)
		sched_yield();
	ok(await(0) == 8, "it reads eight buffers ahead, and waits");
	while (number < 4)
		right = right && next(ahead, number++);
	ok(right && wakes == 0, "it is not woken before four are free");
	ok(next(ahead, number++) && wakes == 1, "then it is");
	ok(await(12) == 12, "and fills them");
	right = true;
	while (number < 20)
		right = right && next(ahead, number++);
	ok(right, "all buffers come in order");
	ok(readahead_next(ahead, &handout) == READER_BLOCKS &&
		   handout.nblocks == 1 && handout.message_bytes == 0 &&
		   readahead_next(ahead, &handout) == READER_END,
	   "and the end behind them");
	readahead_stop(ahead);
	ok(threads == 0 && live == 0, "the thread and its memory are gone");
	reader_free(reader);
}

static void
test_rounded(void)
{
	struct readahead *ahead;
	struct handout handout;

	open_file();
	ahead = readahead_start(reader, 65);
	ok(allocated_bytes == 8 * (BUFFER_BYTES + 128),
	   "each buffer begins with a cache line");
	while (readahead_next(ahead, &handout) == READER_BLOCKS)
		continue;
	readahead_stop(ahead);
	reader_free(reader);
}

static void
test_error(void)
{
	struct readahead *ahead;
	struct handout handout;

	open_file();
	read_error = EIO;
	ahead = readahead_start(reader, 192);
	errno = 0;
	ok(readahead_next(ahead, &handout) == READER_FAILED && errno == EIO,
	   "an error is handed on");
	readahead_stop(ahead);
	read_error = 0;
	reader_free(reader);
}

static void
test_none(void)
{
	bool none = true;

	open_file();
	for (unsigned i = 0; i < 2; i++) {
		allocations_left = i;
		none = none && !readahead_start(reader, 192) && live == 0;
	}
	ok(none && threads == 0, "without memory there is no thread");
	allocations_left = 100;
	no_threads = true;
	ok(!readahead_start(reader, 192) && live == 0,
	   "and without a thread no memory");
	no_threads = false;
	reader_free(reader);
}

/* The more a pipe holds, the less its writer sleeps. */
static void
test_pipe(void)
{
	struct readahead *ahead;
	struct handout handout;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0 ||
	    (ends[0] != STDIN_FILENO &&
	     (dup2(ends[0], STDIN_FILENO) < 0 || close(ends[0]) != 0)))
		exit(99);
	reader = reader_new();
	reader_open_stdin(reader, buffer, 4096);
	ahead = readahead_start(reader, 192);
	ok(fcntl(ends[1], F_GETPIPE_SZ) == 1 << 20 ||
		   fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) < 0,
	   "a pipe is made to hold a mebibyte, where that is allowed");
	close(ends[1]);
	while (readahead_next(ahead, &handout) == READER_BLOCKS)
		continue;
	readahead_stop(ahead);
	reader_free(reader);
}

int
main(void)
{
	static uint8_t bytes[BUFFER_BYTES];
	const int fd = mkstemp(path);

	alarm(120);
	main_thread = pthread_self();
	for (int i = 0; fd >= 0 && i < FILE_BYTES / BUFFER_BYTES; i++) {
		memset(bytes, i, sizeof(bytes));
		if (write(fd, bytes, sizeof(bytes)) != sizeof(bytes))
			return 99;
	}
	if (fd < 0 || close(fd) != 0)
		return 99;
	test_ring();
	test_rounded();
	test_error();
	test_none();
	test_pipe();
	unlink(path);
	return tap_done();
}
