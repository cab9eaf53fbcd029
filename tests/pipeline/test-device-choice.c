/* SPDX-License-Identifier: MIT */
/*
 * Promise: --device=auto uses a device where it saves time, whatever the sizes
 * and the order of the files.  The jobs that were looked at come all the same,
 * each once and in order.  A list that is being written is waited for, for a
 * tenth of a second in all.
 */
#include "config.h"

#include "src/pipeline/device_choice.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

/* The expected speed of a Raspberry Pi 1 and a Pi 3. */
static const struct engine_speed pi1 = { .lanes = 192,
					 .device_rate = 431e6,
					 .core_rate = 20e6,
					 .copy_rate = 300e6,
					 .file_seconds = 50e-6,
					 .look_seconds = 12e-6,
					 .start_seconds = 60e-3 };
static const struct engine_speed pi3 = { .lanes = 192,
					 .device_rate = 517e6,
					 .core_rate = 70e6,
					 .copy_rate = 1100e6,
					 .file_seconds = 14e-6,
					 .look_seconds = 4e-6,
					 .start_seconds = 20e-3 };

enum { PI1_CORES = 1, PI3_CORES = 4, WAIT_FD = 55 };

/* A number of files of this name; 0 in the last row.  The list may be late
 * instead, or have to be waited for. */
struct part {
	unsigned n;
	char *name;
};
static char late[] = "late", pipe_[] = "pipe";

static struct list {
	struct source source;
	const struct part *parts, *part;
	unsigned taken;	  /* of the part */
	unsigned repeats; /* of all parts */
	uintmax_t made, emitted;
	unsigned oldest;
	bool is_zeroed; /* each job, when it was asked for */
} list;

static enum source_result
list_next(struct source *source, struct job *job, bool is_oldest)
{
	list.is_zeroed &= job->error == 0 && job->blocks == 0;
	while (list.part->n > 0 && list.taken == list.part->n) {
		list.part++;
		list.taken = 0;
		if (list.part->n == 0 && list.repeats > 0) {
			list.repeats--;
			list.part = list.parts;
		}
	}
	if (list.part->n == 0)
		return SOURCE_END;
	list.taken++;
	if (list.part->name == late || list.part->name == pipe_) {
		source->wait_fd = list.part->name == pipe_ ? WAIT_FD : -1;
		job->error = 5; /* must be zero in the next call */
		return SOURCE_LATER;
	}
	job->name = list.part->name;
	job->kind = strcmp(job->name, "-") == 0 ? JOB_STDIN :
		    strcmp(job->name, "#") == 0 ? JOB_REMARK :
						  JOB_FILE;
	job->held_bytes = list.made++;
	list.oldest += is_oldest;
	return SOURCE_JOB;
}

static void
list_emit(struct source *source, struct job *job)
{
	(void)source;
	if (job->held_bytes == list.emitted)
		list.emitted++;
}

static void
list_flush(struct source *source)
{
	(void)source;
}

static struct sequencer sequencer;
static bool has_jobs; /* the sequencer, of a choice before */
static struct pool pool;
static struct device_choice choice;

static void
choose(const struct engine_speed *speed, unsigned cores,
       const struct part *parts, unsigned repeats)
{
	list = (struct list){ .source = { list_next, list_emit, list_flush,
					  -1 },
			      .parts = parts,
			      .part = parts,
			      .repeats = repeats,
			      .is_zeroed = true };
	if (has_jobs)
		sequencer_destroy(&sequencer);
	has_jobs = true;
	sequencer_init(&sequencer, &list.source, &pool, 1);
	sequencer_add_worker(&sequencer);
	device_choose(&sequencer, speed, cores, &choice);
}

/* Take all jobs.  Return true if n came, in order, and then the end. */
static bool
come(uintmax_t n)
{
	struct sequencer_view view;
	struct job *job;

	do
		while (sequencer_take(&sequencer, &job, 1, false, &view) > 0)
			sequencer_publish(&sequencer, &job, 1);
	while (!view.ended);
	sequencer_destroy(&sequencer);
	has_jobs = false;
	return list.made == n && list.emitted == n;
}

/* Return true if the device is used, and all jobs come. */
static bool
uses(const struct engine_speed *speed, unsigned cores, const struct part *parts)
{
	uintmax_t n = 0;
	bool good;

	for (const struct part *part = parts; part->n > 0; part++)
		n += part->n;
	choose(speed, cores, parts, 0);
	good = come(n);
	if (!good)
		tap_note("jobs are missing, or not in order");
	return choice.device && good;
}

#define PARTS(...) ((const struct part[]){ __VA_ARGS__, { .n = 0 } })
#define ON_PI1(...) uses(&pi1, PI1_CORES, PARTS(__VA_ARGS__))
#define ON_PI3(...) uses(&pi3, PI3_CORES, PARTS(__VA_ARGS__))

static void
test_few(void)
{
	ok(!ON_PI1({ 1, "4k" }) && !ON_PI3({ 1, "4k" }),
	   "one small file: the CPU alone");
	ok(!ON_PI1({ 100, "4k" }) && !ON_PI3({ 1000, "4k" }),
	   "few small files: opening the device takes longer");
	ok(!ON_PI1({ 1, "1g" }) && !ON_PI3({ 1, "1g" }),
	   "one large file: the CPU alone, since a lane would be slower");
	ok(!ON_PI3({ 4, "1g" }), "a large file for each core: the CPU alone");
	ok(!ON_PI1({ 10000, "empty" }) && choice.files == 0,
	   "empty files: the CPU alone");
	ok(!ON_PI1({ 1, "-" }, { 500, "missing" }, { 500, "." },
		   { 500, "fifo" }) &&
		   choice.files == 0,
	   "an input without a size does not count");
}

static void
test_many(void)
{
	ok(ON_PI1({ 1000, "4k" }) && ON_PI3({ 4000, "4k" }),
	   "many small files: the device, too");
	ok(ON_PI1({ 300, "100k" }) && ON_PI3({ 300, "100k" }),
	   "hundreds of 100 kB: the device, too");
	ok(ON_PI1({ 64, "8m" }) && ON_PI3({ 64, "8m" }),
	   "64 files of 8 MB: the device, too");
	ok(ON_PI1({ 1, "1g" }, { 1000, "8m" }) &&
		   ON_PI1({ 1000, "8m" }, { 1, "1g" }),
	   "one large file among many: the device, too");
	ok(!ON_PI3({ 4, "1g" }, { 20, "4k" }),
	   "few small files beside large ones: the CPU alone");
	ok(choice.files == 24 && choice.cpu_seconds > 15 &&
		   choice.cpu_seconds < choice.both_seconds,
	   "the estimates of the time with and without a device are told");
}

/* 3000 files of 2 kB save half of 32 ms, and the device takes 40. */
static void
test_long_run(void)
{
	const struct part parts[] = { { 5000, "2k" }, { 0, NULL } };
	struct engine_speed slow = pi3;

	slow.start_seconds = 40e-3;
	ok(!ON_PI3({ 3000, "2k" }),
	   "a device that does not pay in a short list is not used");
	ok(uses(&slow, PI3_CORES, parts) && choice.files == DEVICE_CHOICE_JOBS,
	   "a device that does not pay at first is used for a list that goes on");
	fault_clock_step(CLOCK_NS_PER_MS);
	ok(!ON_PI3({ 5000, "2k" }) && choice.files == 99,
	   "sizes that come slowly are looked up for a tenth of a second");
	fault_clock_step(0);
}

static void
test_boards(void)
{
	struct engine_speed slow = pi3;

	slow.copy_rate = 30e6;
	ok(!uses(&slow, PI3_CORES, PARTS({ 5000, "100k" })),
	   "a device that is fed slowly: four cores alone");
	slow = pi1;
	slow.copy_rate = 30e6;
	ok(uses(&slow, PI1_CORES, PARTS({ 5000, "100k" })),
	   "a device that is fed slowly: one slow core with the device");
	slow = pi3;
	slow.device_rate = 1e6;
	ok(!uses(&slow, PI3_CORES, PARTS({ 5000, "100k" })),
	   "a device that was measured to be slow: the CPU alone");
}

/* Jobs that are taken in advance -------------------------------------------- */

/* The answer of poll, the time that it takes, and the calls so far. */
static int ready;
static uint64_t wait_ns;
static unsigned polls;
static int last_ms;

static int
answer_poll(struct pollfd *inputs, nfds_t n, int ms)
{
	if (n != 1 || inputs->fd != WAIT_FD || inputs->events != POLLIN)
		exit(99);
	polls++;
	last_ms = ms;
	fault_clock_advance(wait_ns);
	return ready;
}

/* Return the number of jobs that are looked at before the choice. */
static uintmax_t
looks_at(unsigned repeats, const struct part *parts)
{
	polls = 0;
	choose(&pi3, PI3_CORES, parts, repeats);
	return list.made;
}

static void
test_order(void)
{
	const uintmax_t most = DEVICE_CHOICE_JOBS;

	ok(looks_at(0, PARTS({ 5000, "empty" })) == most && list.oldest == 1 &&
		   come(5000),
	   "as many jobs as are wanted are looked at, and all come in order; "
	   "the first one only is asked for as the oldest");
	ok(looks_at(0, PARTS({ 1, "empty" }, { 1, late }, { 3, "empty" })) ==
			   1 &&
		   come(4),
	   "a source that has nothing to wait for is not waited for");
	ok(looks_at(0, PARTS({ 1, "#" }, { 1, "-" }, { 1, "#" },
			     { 2, "empty" })) == 5 &&
		   come(5),
	   "remarks and standard input are jobs, too");
}

static void
test_patience(void)
{
	static const struct part one[] = { { 1, pipe_ },
					   { 1, "empty" },
					   { 0, NULL } };

	fault_clock_set(FAULT_SECOND);
	fault_hooks.poll = answer_poll;
	ready = 1;
	wait_ns = 10 * CLOCK_NS_PER_MS;
	ok(looks_at(20, one) == 10 && polls == 10 && last_ms == 10,
	   "a list is waited for for 100 ms in all");
	ok(list.is_zeroed, "a job that is asked for again is empty");
	wait_ns = 300 * CLOCK_NS_PER_MS;
	ok(looks_at(20, one) == 1 && polls == 1,
	   "a list is not waited for when the time is over");
	wait_ns = 0;
	ok(looks_at(19, PARTS({ 3, pipe_ }, { 1, "empty" })) == 20 &&
		   polls == 60,
	   "a list is waited for as often as it has to be");
	ok(looks_at(0, PARTS({ 1, late }, { 1, "empty" })) == 0 && polls == 0,
	   "nothing is waited for without a descriptor");
	ready = 0;
	ok(looks_at(0, one) == 0 && polls == 1,
	   "the choice is made when nothing comes");
	ready = -1;
	ok(looks_at(0, one) == 0 && polls == 1,
	   "the choice is made when waiting fails");
}

static void
make_file(const char *name, off_t bytes)
{
	scratch_text(name, "");
	if (truncate(name, bytes) != 0)
		exit(99);
}

int
main(void)
{
	pool_init(&pool, 0);
	scratch_enter();
	scratch_fifo("fifo");
	make_file("empty", 0);
	make_file("2k", 2000);
	make_file("4k", 4096);
	make_file("100k", 100000);
	make_file("8m", 8 << 20);
	make_file("1g", 1 << 30);
	fault_clock_set(FAULT_SECOND);
	test_few();
	test_many();
	test_long_run();
	test_boards();
	test_order();
	test_patience();
	return tap_done();
}
