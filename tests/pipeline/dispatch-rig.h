/* SPDX-License-Identifier: MIT */
/*
 * dispatch-rig: a dispatch for two lanes and two workers, with a source of
 * files whose blocks are known, and a clock that the test sets.  Header only.
 *
 * A lane does 1,000 blocks a second and a worker 100,010, so that a worker has
 * enough with 4,201 blocks, and takes a rest while it has at most 1,400.
 */
#ifndef TESTS_PIPELINE_DISPATCH_RIG_H
#define TESTS_PIPELINE_DISPATCH_RIG_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/feed/dispatch.h"
#include "tests/pipeline/locks.h"
#include "tests/support/tap.h"

enum {
	RIG_ENOUGH = 4201,
	RIG_ENOUGH_FOR_RESTS = 1400,
	RIG_JOBS = 400,
	RIG_CAPACITY = 4096
};

static char rig_directory[] = "test-dispatch-XXXXXX";
static struct sequencer sequencer;
static struct dispatch dispatch;
static struct sequencer_view view;
static unsigned rig_wrong_locks;

/* The clock goes on by so much each time that it is asked. */
static uint64_t rig_now_ns, rig_step_ns;

uint64_t
__wrap_clock_ns(void);

uint64_t
__wrap_clock_ns(void)
{
	return rig_now_ns += rig_step_ns;
}

/* Names, in order, and what was asked for. */
static struct {
	struct source source;
	char names[RIG_JOBS][12];
	unsigned n, made, asked_at_end;
	bool unseen; /* by others, that somebody looks up sizes */
	enum source_answer at_end;
} list;

static enum source_answer
rig_next(struct source *source, struct job *job, bool is_oldest)
{
	(void)source;
	(void)is_oldest;
	list.unseen |= !dispatch.looking;
	if (list.made == list.n) {
		list.asked_at_end++;
		return list.at_end;
	}
	job->name = list.names[list.made++];
	job->kind = strcmp(job->name, "-") == 0 ? JOB_STDIN : JOB_FILE;
	return SOURCE_JOB;
}

static void
rig_emit(struct source *source, struct job *job)
{
	(void)source;
	(void)job;
}

static void
rig_flush(struct source *source)
{
	(void)source;
}

static void
rig_begin(bool shared)
{
	const struct engine_speed speed = { .lanes = 2,
					    .device_rate = 2 * 1000.0 * 64,
					    .core_rate = 100010.0 * 64,
					    .copy_rate = 1e15 };

	list.source = (struct source){ rig_next, rig_emit, rig_flush, -1 };
	list.n = list.made = list.asked_at_end = 0;
	list.unseen = false;
	list.at_end = SOURCE_LATER;
	rig_step_ns = 0;
	view = (struct sequencer_view){ .head = 0 };
	sequencer_init(&sequencer, &list.source, 3);
	for (unsigned i = 0; i < 3; i++)
		sequencer_add_worker(&sequencer);
	dispatch_init(&dispatch, &sequencer, 2, 2, shared, &speed);
}

static inline void
rig_end(void)
{
	dispatch_destroy(&dispatch);
	sequencer_destroy(&sequencer);
	rig_wrong_locks += !locks_are_right() || locks_nested > 0;
}

/* A file of so many blocks, with its padding. */
static inline void
rig_make_file(const char *name, unsigned blocks)
{
	const int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)blocks * 64 - 9) != 0)
		exit(99);
	close(fd);
}

/* So many more jobs of files with so many blocks. */
static inline void
rig_add_files(unsigned n, unsigned blocks)
{
	for (; n > 0; n--) {
		snprintf(list.names[list.n], sizeof(list.names[0]), "b%u",
			 blocks);
		rig_make_file(list.names[list.n++], blocks);
	}
}

static inline void
rig_add_name(const char *name)
{
	snprintf(list.names[list.n++], sizeof(list.names[0]), "%s", name);
}

/* The rest of message `seq`, of so many blocks; 0: of a FIFO. */
static inline struct lane_transfer *
rig_make_rest(uint64_t seq, unsigned blocks)
{
	static uint8_t buffer[RIG_CAPACITY + READER_PADDING_BYTES];
	struct lane_transfer *rest = lane_transfer_new();
	bool opened;

	unlink("input");
	if (blocks > 0)
		rig_make_file("input", blocks);
	else if (mkfifo("input", 0600) != 0)
		exit(99);
	if (!rest || !reader_open(rest->reader, NULL, "input", buffer,
				  RIG_CAPACITY, &opened))
		exit(99);
	rest->ticket.seq = seq;
	return rest;
}

/* Its number, or 99 for none. */
static inline uint64_t
rig_number(struct lane_transfer *rest)
{
	const uint64_t seq = rest ? rest->ticket.seq : 99;

	if (rest)
		lane_transfer_free(rest);
	return seq;
}

/* Has the call before told those that wait? */
static inline bool
rig_woke(uint64_t changes_before)
{
	return sequencer.changes == changes_before + 1;
}

static inline bool
rig_open(void)
{
	alarm(120);
	return mkdtemp(rig_directory) && chdir(rig_directory) == 0;
}

static inline bool
rig_close(void)
{
	char command[64];

	ok(rig_wrong_locks == 0,
	   "a thread has one lock at a time, and gives each back");
	if (chdir("..") != 0)
		return false;
	snprintf(command, sizeof(command), "rm -rf %s", rig_directory);
	return system(command) == 0;
}

#endif
