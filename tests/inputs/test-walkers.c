/* SPDX-License-Identifier: MIT */
/*
 * Promise: where reading directories takes long, many are read at the same time
 * from the first to the last, and what a walk finds and in which order stays the
 * same; where it does not, no thread is started.
 */
#include "config.h"

#include "src/inputs/tree.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

enum { WIDE = 40, DEEP = 3 };

/* Storage that answers only when WALKERS directories are being opened, or all
 * that are left of `total`. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned total, in_flight, answered;
static bool is_slow;
static int error; /* of one of them */
static bool lacks_threads;
static __thread long sleeps;

/* The first few show that it takes long; then they wait for each other. */
static void
wait_for_others(void)
{
	unsigned before;

	pthread_mutex_lock(&lock);
	before = answered;
	if (fault_count(FAULT_pthread_create) == 0 || total == 0) {
		answered++;
	} else if (++in_flight == WALKERS || answered + in_flight == total) {
		answered += in_flight;
		in_flight = 0;
		pthread_cond_broadcast(&changed);
	}
	while (total > 0 && answered == before)
		fault_real_pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	fault_clock_advance(FAULT_SECOND / 1000);
	sleeps++;
}

static long
open_slowly(long number, long a, long b, long c, long d, long e, long f)
{
#ifdef SYS_openat2
	if (number == SYS_openat2 && is_slow)
		wait_for_others();
	if (number == SYS_openat2 && error &&
	    strcmp((const char *)b, "20") == 0) {
		errno = error;
		return -1;
	}
#endif
	return fault_real_syscall(number, a, b, c, d, e, f);
}

static int
count_sleeps(int who, struct rusage *usage)
{
	(void)who;
	*usage = (struct rusage){ .ru_nvcsw = sleeps };
	return 0;
}

/* The names that a walk finds, and remarks, in their order. */
static char *
walk(const char *top)
{
	char *operands[] = { (char *)top };
	struct text all = { 0 };
	struct names names;
	struct tree tree;
	struct pool pool;

	pool_init(&pool, WALKERS);
	names_init(&names, operands, 1, NULL);
	tree_init(&tree, &names, true);
	tree.pool = &pool;
	for (;;) {
		struct job job = { .kind = JOB_FILE };
		const enum source_result answer = tree_next(&tree, &job, true);
		struct pollfd input = { .fd = tree_wait_fd(&tree),
					.events = POLLIN };

		if (answer == SOURCE_END)
			break;
		if (answer == SOURCE_LATER) {
			if (input.fd < 0 || poll(&input, 1, -1) != 1)
				exit(99);
			continue;
		}
		text_add_string(&all,
				job.kind == JOB_REMARK ? " remark:" : " ");
		text_add_string(&all, job.name);
		tree_release(&tree, &job);
	}
	tree_close(&tree);
	pool_end(&pool);
	return all.bytes;
}

static char *
walk_slowly(const char *top, bool slow)
{
	char *all;

	fault_clear();
	is_slow = slow;
	in_flight = answered = 0;
	fault_clock_set(FAULT_SECOND);
	fault_hooks.syscall = open_slowly;
	fault_hooks.getrusage = count_sleeps;
	if (lacks_threads)
		fault_from(FAULT_pthread_create, 1, EAGAIN);
	all = walk(top);
	is_slow = false;
	return all;
}

static bool
is_same(char *expected, char *got)
{
	const bool same = expected && got && strcmp(expected, got) == 0;

	free(got);
	return same;
}

/* Directories, and others in each of them: as many that WALKERS can be read at a
 * time after the first one, whose names the walk has read itself. */
static void
test_together(const char *top, unsigned n, unsigned below)
{
	char name[64];

	scratch_folder(top);
	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s/%u", top, i);
		scratch_folder(name);
		for (unsigned j = 0; j < below; j++) {
			snprintf(name, sizeof(name), "%s/%u/%u", top, i, j);
			scratch_folder(name);
		}
	}
	total = 1 + n + n * below;
	free(walk_slowly(top, true));
	ok(answered == total,
	   "%u directories with %u in each: up to the last ones %u are read at "
	   "a time",
	   n, below, WALKERS);
	total = 0;
}

int
main(void)
{
	char *expected, name[64];

	alarm(60);
	scratch_enter();
	for (unsigned i = 0; i < WIDE; i++)
		for (unsigned j = 0; j < DEEP; j++) {
			snprintf(name, sizeof(name), "top/%02u/%u/deep/f", i,
				 j);
			scratch_file(name, "", 0);
			snprintf(name, sizeof(name), "top/%02u/%u.x", i, j);
			scratch_file(name, "", 0);
		}
	expected = walk_slowly("top", false);
	ok(expected && fault_count(FAULT_pthread_create) == 0,
	   "where directories are read at once no thread is started");
#ifdef SYS_openat2
	ok(is_same(expected, walk_slowly("top", true)) &&
		   fault_count(FAULT_pthread_create) > 0,
	   "where that takes long the order is the same");
	lacks_threads = true;
	ok(is_same(expected, walk_slowly("top", true)) &&
		   fault_count(FAULT_pthread_create) > 0,
	   "where no thread can be started the walk reads all by itself");
	lacks_threads = false;
	/* Without it, as under qemu, a directory is more than one request. */
	if (syscall(SYS_openat2, -1, NULL, NULL, 0) < 0 && errno == ENOSYS) {
		tap_skip("no openat2");
	} else {
		test_together("flat", 1500, 0);
		test_together("wide", 40, WALKERS - 39);
	}
	fault_clear();
	free(expected);
	error = EACCES;
	expected = walk_slowly("top", false);
	ok(strstr(expected, " remark:top/20 ") &&
		   is_same(expected, walk_slowly("top", true)),
	   "one that cannot be read is reported in its place");
#else
	tap_skip("no openat2");
#endif
	free(expected);
	return tap_done();
}
