/* SPDX-License-Identifier: MIT */
/*
 * Promise: there are as many workers as there is work for, as are allowed, and
 * as there is memory for; a long message moves from a busy worker to an idle
 * one.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "tests/pipeline/rig.h"

enum {
	/* A message moves only if so much of it is left to read, and two of
	 * four times as much are worth another worker. */
	MOVE_BYTES = 256 << 10,
	LONG_BYTES = 4 * MOVE_BYTES
};

static unsigned
count_moved(void)
{
	unsigned moved = 0;

	for (unsigned i = 0; i < rig.n; i++)
		moved += rig.inputs[i].moves > 0;
	return moved;
}

/* How many -------------------------------------------------------------------- */

static bool
runs_with(unsigned workers)
{
	const bool good = rig_run();

	if (rig.seen.cpus != workers)
		tap_note("%u workers", rig.seen.cpus);
	return good && rig.seen.cpus == workers;
}

static void
test_jobs(void)
{
	static const struct {
		unsigned jobs, bytes, threads, workers;
		const char *promise;
	} rows[] = {
		{ 31, 1000, 4, 1, "31 small jobs have one worker" },
		{ 100, 1000, 2, 2, "many small jobs have a worker more" },
		{ 100, 1000, 1, 1,
		  "one thread is allowed: there is one worker" },
		{ 2, LONG_BYTES + 1, 2, 2,
		  "two long messages are worth another worker" },
		{ 1, 10 * LONG_BYTES, 4, 1,
		  "one long message is worth no other worker" },
		{ 2, LONG_BYTES, 4, 1,
		  "messages of 1 MiB are worth no other worker" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		rig_begin();
		rig.config.threads = rows[i].threads;
		rig_files(rows[i].jobs, rows[i].bytes);
		ok(runs_with(rows[i].workers), "%s", rows[i].promise);
	}
}

static void
test_one_at_a_time(void)
{
	rig_begin();
	rig_files(40, 200000);
	rig.config.one_at_a_time = true;
	ok(rig_run() && rig.seen.smallest < 2 * (128 << 10) + 5000,
	   "one file at a time needs the buffer of one lane");
}

/* What is missing --------------------------------------------------------------- */

static void
test_missing(void)
{
	rig_begin();
	rig.config.threads = 4;
	rig_files(200, 1000);
	fault_from(FAULT_pthread_create, 1, EAGAIN);
	ok(rig_run() && fault_count(FAULT_pthread_create) == 1,
	   "where a worker gets no thread, no other one is tried");
	ok(rig.report.blocks == rig.seen.cpu_blocks && !rig.report.failed,
	   "the first worker then does it all");
	rig_again();
	fault_from(FAULT_mmap, 1, ENOMEM);
	ok(runs_with(1) && fault_count(FAULT_mmap) == 1,
	   "no worker is started that would leave no memory for "
	   "names and lines");
	rig_again();
	rig.cpu.refuses_at = 2;
	ok(runs_with(2) && fault_count(FAULT_pthread_create) == 0,
	   "where a second engine cannot be opened, no third one is tried");
	rig_again();
	rig.cpu.refuses_at = 1;
	ok(rig_is_refused() && strcmp(rig.why_not.text, "not today") == 0,
	   "without an engine there is no run, and the engine says why");
	rig_again();
	rig.cpu.refuses_at = 0;
	rig.cpu.memory = 1000;
	ok(rig_is_refused() &&
		   strcmp(rig.why_not.text, "memory exhausted") == 0,
	   "without memory for one lane there is no run");
	rig_again();
	rig.config.options = "nonsense";
	rig.cpu.memory = 0;
	ok(rig_run(), "the engine gets the options of its device");
}

/* With little memory buffers are halved, then the lanes. */
static void
test_memory(void)
{
	unsigned good = 0, used = 0;

	rig_begin();
	while (rig.n < 60)
		rig_file(random_32() % 300000);
	for (size_t bytes = 4000000; bytes > 12000; bytes = bytes * 2 / 3) {
		rig_again();
		rig.cpu.memory = bytes;
		good += rig_run();
		used += rig.seen.smallest > bytes / 5;
	}
	ok(good == 15, "with little memory all is right (%u of 15)", good);
	ok(used == 15, "what memory there is is made use of (%u of 15)", used);
}

static void
use_three_threads(void)
{
	rig.config.threads = 3;
}

static void
test_no_memory(void)
{
	rig_begin();
	rig_files(200, 1000);
	rig_files(2, LONG_BYTES + MOVE_BYTES);
	ok(rig_survives(60, use_three_threads, fault_at),
	   "if any one allocation fails, all is right or the run is refused");
	ok(rig_survives(60, use_three_threads, fault_from),
	   "if all allocations fail from any one on, all is right or the run "
	   "is refused");
}

static unsigned large_stacks;

static int
note_stack(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
	   void *data)
{
	size_t bytes = SIZE_MAX;

	if (attr)
		pthread_attr_getstacksize(attr, &bytes);
	if (bytes > 1 << 20)
		__atomic_add_fetch(&large_stacks, 1, __ATOMIC_RELAXED);
	return fault_real_pthread_create(thread, attr, run, data);
}

/* Test that all stacks fit under a small limit of address space. */
static void
test_stacks(void)
{
	rig_begin();
	rig.config.threads = 3;
	rig_files(200, 1000);
	rig_stdin(5 << 20, NULL);
	fault_hooks.pthread_create = note_stack;
	ok(rig_run() && large_stacks == 0 &&
		   fault_count(FAULT_pthread_create) > 0,
	   "threads have small stacks");
	rig_again();
	rig_use_device(RIG_LANES, true);
	fault_hooks.pthread_create = note_stack;
	ok(rig_run() && large_stacks == 0,
	   "the thread that feeds a device has a small stack");
}

/* Messages move --------------------------------------------------------------- */

/* The first worker has taken what it has lanes for, the second one has found
 * the end of the source, and waits for what is offered. */
static bool
is_idle(void)
{
	return rig.seen.ended && rig.seen.waits > 0;
}

static unsigned first_steps;
static bool others_step;

static bool
others_have_stepped(void)
{
	return others_step;
}

/* The first worker, whose bit is 2, could take back what it has offered: it is
 * held until another one has begun with that. */
static void
wait_for_idle(uint32_t engine)
{
	rig_wait(is_idle);
	if (engine == 2 && first_steps++ > 40)
		rig_wait(others_have_stepped);
	if (engine == 2)
		return;
	rig_lock();
	others_step = true;
	rig_unlock();
}

static void
share_work(void)
{
	first_steps = 0;
	others_step = false;
	rig.cpu.before = wait_for_idle;
}

static bool
runs_shared(unsigned n, size_t bytes)
{
	rig_begin();
	rig_files(n, bytes);
	rig.cpu.lanes = n;
	rig.cpu.step_blocks = 256;
	share_work();
	rig.config.threads = 2;
	return rig_run() && rig.seen.cpus == 2;
}

static void
test_moves(void)
{
	ok(runs_shared(2, 3 * LONG_BYTES) && count_moved() == 1,
	   "a worker with two long messages offers one to an idle worker, and "
	   "keeps its only one");
	ok(runs_shared(5, 3 * LONG_BYTES) && count_moved() >= 2,
	   "a worker with five long messages offers two");
	ok(runs_shared(2, LONG_BYTES + MOVE_BYTES) && count_moved() == 1,
	   "a message moves if 256 KiB of it are left");
	for (unsigned threads = 2; threads <= 5; threads++) {
		rig_begin();
		rig_files(RIG_LANES, 3 * LONG_BYTES);
		rig.config.threads = threads;
		rig.cpu.step_blocks = 256;
		share_work();
		ok(rig_run() && count_moved() > 0,
		   "%u threads: several workers hash one message, in turn",
		   threads);
	}
	rig_again();
	rig_verify();
	share_work();
	ok(rig_run() && count_moved() > 0,
	   "with --verify messages move, too, and digests are trusted");
}

static void
test_stays(void)
{
	rig_begin();
	rig_files(RIG_LANES, MOVE_BYTES - 1);
	rig_file(2 * LONG_BYTES);
	rig_file(2 * LONG_BYTES);
	rig.cpu.lanes = 18;
	rig.cpu.step_blocks = 256;
	share_work();
	rig.config.threads = 2;
	ok(rig_run() && count_moved() <= 2,
	   "a message of which less is left stays with its worker");
	rig_begin();
	rig_file(2 * LONG_BYTES);
	rig_file(2 * LONG_BYTES);
	rig_fifo(2 * LONG_BYTES, NULL);
	rig_stdin(2 * LONG_BYTES, NULL);
	rig.cpu.lanes = 4;
	share_work();
	rig.config.threads = 2;
	ok(rig_run() && rig.inputs[2].moves == 0 && rig.inputs[3].moves == 0,
	   "what has to wait for its turn stays with its worker");
}

int
main(void)
{
	rig_open();
	test_jobs();
	test_one_at_a_time();
	test_missing();
	test_memory();
	test_no_memory();
	test_stacks();
	test_moves();
	test_stays();
	return tap_done();
}
