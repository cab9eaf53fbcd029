/* SPDX-License-Identifier: MIT */
/*
 * Promise: --device=auto uses a device where it saves time, whatever the sizes
 * and the order of the files; and the jobs that were looked at come all the
 * same.
 */
#include "config.h"

#include "src/pipeline/device_choice.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

/* As expected of a Raspberry Pi 1 and 3. */
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

enum { PI1_CORES = 1, PI3_CORES = 4 };

/* A number of files of this name; 0 in the last row. */
struct part {
	unsigned n;
	char *name;
};

static struct list {
	struct source source;
	const struct part *part;
	unsigned taken; /* of the part */
} list;

static enum source_answer
list_next(struct source *source, struct job *job, bool is_oldest)
{
	(void)source;
	(void)is_oldest;
	while (list.part->n > 0 && list.taken == list.part->n) {
		list.part++;
		list.taken = 0;
	}
	if (list.part->n == 0)
		return SOURCE_END;
	list.taken++;
	job->name = list.part->name;
	job->kind = strcmp(job->name, "-") == 0 ? JOB_STDIN : JOB_FILE;
	return SOURCE_JOB;
}

static struct device_choice choice;

/* Is the device used?  And do all jobs come? */
static bool
uses(const struct engine_speed *speed, unsigned cores, const struct part *parts)
{
	struct first_jobs ahead;
	struct job job;
	unsigned left = 0;

	list = (struct list){ .source = { .next = list_next, .wait_fd = -1 },
			      .part = parts };
	for (const struct part *part = parts; part->n > 0; part++)
		left += part->n;
	first_jobs_init(&ahead, &list.source, DEVICE_CHOICE_FILES);
	device_choose(&ahead, speed, cores, &choice);
	while (ahead.source.next(&ahead.source, &job, false) == SOURCE_JOB)
		left--;
	first_jobs_close(&ahead);
	if (left != 0)
		tap_note("%d jobs are missing", (int)left);
	return choice.device && left == 0;
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
	struct engine_speed late = pi3;

	late.start_seconds = 40e-3;
	ok(!ON_PI3({ 3000, "2k" }),
	   "a device that does not pay in a short list is not used");
	ok(uses(&late, PI3_CORES, parts) && choice.start_seconds == 0 &&
		   choice.files == DEVICE_CHOICE_FILES,
	   "a device that does not pay at first is used for a list that goes on");
	fault_clock_step(CLOCK_NS_PER_MS);
	/* With the padding each has 32 blocks of 64 bytes. */
	ok(!ON_PI3({ 5000, "2k" }) && choice.files == 99 &&
		   choice.bytes == 99 * 32 * 64,
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
	return tap_done();
}
