/* SPDX-License-Identifier: MIT */
/*
 * Promise: a device that takes chained messages is fed so that every digest is
 * right and in order, and its lanes are evenly full, however long the files
 * are, however much it does of a launch, and however little memory it has.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "tests/pipeline/rig.h"

/* The next run of the same inputs. */
static void
again(unsigned lanes, bool shared)
{
	rig_again();
	rig_use_device(lanes, shared);
}

/* All by the device, and nothing out of its place. */
static bool
is_fed(void)
{
	return rig_run() && !rig.report.failed && rig.seen.device_blocks > 0 &&
	       rig.seen.unstaggered == 0;
}

static void
test_sizes(void)
{
	rig_begin();
	rig_mix(2000, 100000);
	again(RIG_MOST_LANES, false);
	rig.config.threads = 2;
	ok(is_fed(), "thousands of files, by the device alone: all right");
	ok(rig.seen.most_ends > 5, "lanes hold several messages at a time");
	ok(rig.report.blocks == rig.seen.device_blocks + rig.seen.cpu_blocks,
	   "blocks of the device and of the CPU are reported");
	ok(rig.report.device_facts.n == 1 &&
		   rig.report.device_facts.rows[0].value == rig.seen.launches,
	   "the device's figures are reported");
	again(RIG_MOST_LANES, false);
	rig.device.chained = 5;
	ok(is_fed() && rig.seen.most_ends == 5,
	   "lanes hold no more messages at a time than the device takes");
	again(RIG_MOST_LANES, true);
	ok(rig_run() && !rig.report.failed,
	   "thousands of files, shared with the CPU: all right");
}

static void
test_few_lanes(void)
{
	rig_begin();
	rig_mix(400, 100000);
	for (unsigned lanes = 1; lanes <= 3; lanes++) {
		again(lanes, false);
		ok(is_fed(), "%u lanes: all right", lanes);
		again(lanes, false);
		rig.device.cuts = 37;
		ok(is_fed(), "%u lanes, launches cut short: all right", lanes);
	}
	rig_begin();
	rig_mix(100, 3000);
	again(2 * RIG_LANES, true);
	rig.device.cuts = 1;
	ok(rig_run(), "launches of one block: all right");
}

/* Sizes around a block's and a buffer's end. */
static void
test_edges(void)
{
	rig_begin();
	for (size_t bytes = 0; bytes <= 200; bytes++)
		rig_file(bytes);
	for (size_t bytes = 32000; bytes < 33000; bytes += 7)
		rig_file(bytes);
	for (unsigned qpus = 1; qpus <= 3; qpus += 2) {
		again(qpus * RIG_LANES, false);
		ok(is_fed(), "%u QPUs, lengths at edges: all right", qpus);
	}
	again(RIG_LANES, true);
	ok(rig_run(), "lengths at edges, shared with the CPU: all right");
}

/* Filling ------------------------------------------------------------------- */

/* A lane with a message more makes all others wait for it. */
static void
test_evenness(void)
{
	rig_begin();
	rig_files(3000, 50);
	for (unsigned lanes = 32; lanes <= 192; lanes += 80) {
		again(lanes, false);
		/* However long others have the processor. */
		fault_clock_set(FAULT_SECOND);
		ok(is_fed() && rig.seen.most_uneven <= 1,
		   "messages of one block fill %u lanes evenly", lanes);
	}
}

/* One message fills one buffer after the other, with no launch between. */
static void
test_long(void)
{
	bool good;

	rig_begin();
	rig_file(3000000);
	again(RIG_LANES, false);
	good = is_fed();
	ok(good && rig.seen.launches < 3000000 / 32000 + 4,
	   "a long message fills a buffer a launch (%u launches)",
	   rig.seen.launches);
	ok(rig.inputs[0].device_blocks == 3000000 / 64 &&
		   rig.inputs[0].moves == 0,
	   "where nothing is shared the device does all of a message");
}

static unsigned taken_at_first;

static void
note_first_launch(void)
{
	if (rig.seen.launches == 1)
		taken_at_first = rig.seen.taken;
}

static bool
is_told_slowly(void)
{
	fault_clock_advance(FAULT_SECOND / 1000);
	return true;
}

/* Jobs come in 64 at a time, with 64 ms between: how many before a launch?  Two
 * launches of 16 lanes take up to 16,384 blocks. */
static void
test_slow_list(void)
{
	static const struct {
		unsigned files, bytes, least, most;
		bool modelled;
		const char *promise;
	} rows[] = {
		{ 500, 40000, 1, 128, false,
		  "a device does not wait for a list whose jobs come slowly" },
		{ 1000, 6400, 192, 192, false,
		  "a device waits for a slow list until two launches are full" },
		{ 1500, 6400, 1500, 1500, true,
		  "a modelled device waits for all sizes, so that runs repeat" },
		{ 300, 300000, RIG_LANES, 300, false,
		  "a device waits until there is a message for each lane" },
	};
	bool good;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		rig_begin();
		rig_files(rows[i].files, rows[i].bytes);
		for (unsigned k = 0; k < rig.n; k++) {
			rig.inputs[k].later = is_told_slowly;
			rig.inputs[k].later_has_no_fd = true;
		}
		again(RIG_LANES, false);
		rig.config.threads = 2;
		rig.device.speed.modelled = rows[i].modelled;
		fault_clock_set(FAULT_SECOND);
		rig.device.before = note_first_launch;
		good = is_fed();
		ok(good && taken_at_first >= rows[i].least &&
			   taken_at_first <= rows[i].most,
		   "%s (%u of %u)", rows[i].promise, taken_at_first,
		   rows[i].files);
	}
}

/* Who takes a file ---------------------------------------------------------- */

/* Expectations are as wrong, and as unequal, as they can be. */
static void
test_expectations(void)
{
	static const double rates[] = { 1, 1e9, 1e18 };
	const unsigned n = sizeof(rates) / sizeof(*rates);
	unsigned good = 0;

	rig_begin();
	rig_mix(60, 20000);
	rig_files(3, 400000);
	for (unsigned i = 0; i < n * n; i++) {
		again(RIG_LANES, true);
		rig.config.threads = 1 + i % 2;
		rig.config.speed = (struct engine_speed){
			.lanes = RIG_LANES,
			.device_rate = rates[i % n],
			.core_rate = rates[i / n],
			.copy_rate = 1e15,
		};
		good += rig_run();
	}
	ok(good == n * n,
	   "whatever speeds are expected, a lane or a worker takes each file "
	   "(%u of %u)",
	   good, n * n);
}

static bool
all_are_emitted(void)
{
	return rig.seen.emitted == rig.seen.taken;
}

/* The list goes on when all that it has named is done. */
static void
test_dialogue(void)
{
	rig_begin();
	for (unsigned i = 0; i < 6; i++) {
		rig_files(3, 400000);
		rig_mix(rig.n + 5, 3000);
		rig_file(0)->later = all_are_emitted;
	}
	for (unsigned threads = 1; threads <= 3; threads++) {
		again(RIG_LANES, true);
		rig.config.threads = threads;
		ok(rig_run(),
		   "a list that waits for the lines of its files gets them from "
		   "a device and %u workers",
		   threads);
		again(RIG_LANES, true);
		rig.config.threads = threads;
		fault_from(FAULT_pthread_create, threads + 1, EAGAIN);
		ok(rig_run(), "the same where no more threads can be started");
	}
}

/* Filled by several threads ------------------------------------------------- */

/* Files of a device for which one core is too slow; `cores` of them. */
static void
begin_slow_feeding(unsigned cores, bool shared)
{
	again(RIG_MOST_LANES, shared);
	rig.config.threads = cores;
	rig.device.speed.file_seconds = 1e-3;
}

/*
 * Return true if there are more threads than the feeder and one for each core.
 */
static bool
has_helpers(void)
{
	return fault_count(FAULT_pthread_create) > rig.config.threads;
}

static void
test_helpers(void)
{
	rig_begin();
	rig_mix(3000, 20000);
	for (unsigned i = 0; i < 40; i++)
		rig_name("nothing", ENOENT);
	rig_fifo(300, NULL);
	rig_mix(rig.n + 1000, 3000);
	for (unsigned shared = 0; shared < 2; shared++) {
		begin_slow_feeding(4, shared);
		ok(rig_run() && rig.seen.device_blocks > 0 && has_helpers(),
		   "lanes filled by several threads%s: all right",
		   shared ? ", beside workers" : "");
	}
	begin_slow_feeding(4, false);
	fault_from(FAULT_pthread_create, 3, EAGAIN);
	ok(rig_run(), "where helpers cannot be started the feeder fills alone");
	begin_slow_feeding(1, false);
	ok(is_fed() && !has_helpers(), "on one core nobody helps to fill");
	begin_slow_feeding(4, false);
	rig.device.speed.modelled = true;
	ok(is_fed() && !has_helpers(),
	   "a modelled device is filled by one thread, so that runs repeat");
	/* Memory for a part of the files: there is a second launch. */
	begin_slow_feeding(4, false);
	rig.device.memory = 4 << 20;
	rig.device.fails_at = 2;
	ok(rig_run() && rig.report.failed && has_helpers(),
	   "a device that fails while several threads fill: all right");
	begin_slow_feeding(4, true);
	rig_verify();
	ok(rig_run() && !rig.report.failed,
	   "with --verify one thread fills, and all is right");
}

/* Memory -------------------------------------------------------------------- */

static void
test_memory(void)
{
	rig_begin();
	rig_mix(300, 100000);
	again(RIG_MOST_LANES, false);
	ok(is_fed() && rig.seen.most_pieces == 1,
	   "without a wish there is one piece of memory");
	again(RIG_MOST_LANES, false);
	rig.device.piece_bytes = 4 << 20;
	ok(is_fed() && rig.seen.most_pieces == 4 && rig.seen.largest <= 4 << 20,
	   "a device that likes pieces of 4 MiB has four");
	again(RIG_MOST_LANES, false);
	rig.device.piece_bytes = 4 << 20;
	rig.device.memory = 7 << 20;
	ok(is_fed() && rig.seen.launches > 0,
	   "where the third piece cannot be had all are smaller");
}

static void
test_little_memory(void)
{
	static const size_t least = 24000; /* of one lane with two buffers */
	unsigned good = 0, all = 0;

	rig_begin();
	rig_mix(150, 60000);
	for (size_t bytes = 2000000; bytes > least; bytes = bytes * 3 / 5)
		for (unsigned pieces = 0; pieces < 2; pieces++) {
			again(2 * RIG_LANES, false);
			rig.device.memory = bytes;
			rig.device.piece_bytes = pieces * 10000;
			good += is_fed();
			all++;
		}
	ok(good == all,
	   "with little memory buffers are smaller, then lanes "
	   "fewer, and all is right (%u of %u)",
	   good, all);
}

/* Descriptors ----------------------------------------------------------------- */

/* Run with a limit of `descriptors` descriptors. */
static bool
is_fed_with(rlim_t descriptors)
{
	struct rlimit usual, now;
	bool good;

	getrlimit(RLIMIT_NOFILE, &usual);
	now = (struct rlimit){ descriptors, usual.rlim_max };
	setrlimit(RLIMIT_NOFILE, &now);
	good = is_fed();
	setrlimit(RLIMIT_NOFILE, &usual);
	return good;
}

/* The fifth file that the feeder opens has no descriptor.  Each thread counts the
 * files that it opens itself. */
enum { STARVED_AT = 5 };
static pthread_t worker;
static _Thread_local unsigned opens;
static unsigned opens_at_launch;

static int
starve_feeder(const char *path, int flags, mode_t mode)
{
	if (pthread_equal(worker, pthread_self()))
		return fault_real_open(path, flags, mode);
	if (++opens != STARVED_AT)
		return fault_real_open(path, flags, mode);
	errno = EMFILE;
	return -1;
}

static void
note_opens(void)
{
	if (rig.seen.launches == 1)
		opens_at_launch = opens;
}

static void
test_starved_feeder(void)
{
	rig_begin();
	rig_files(100, 3000);
	rig_use_device(RIG_LANES, false);
	rig.config.threads = 2;
	worker = pthread_self();
	rig.device.before = note_opens;
	fault_hooks.open = starve_feeder;
	ok(is_fed_with(128) && opens_at_launch == STARVED_AT,
	   "a device without a descriptor begins a launch before it opens more "
	   "files");
}

/* Files opened so far, and when the second launch began. */
static atomic_uint opened;
static unsigned opened_at_second;

static int
count_open(const char *path, int flags, mode_t mode)
{
	opened++;
	return fault_real_open(path, flags, mode);
}

static void
note_opened(void)
{
	if (rig.seen.launches == 2)
		opened_at_second = opened;
}

static unsigned
opens_ahead(unsigned cores, rlim_t descriptors)
{
	bool good;

	rig_begin();
	rig_files(RIG_LANES, 64 * 2000);
	rig_files(600, 3000);
	rig_use_device(RIG_LANES, false);
	rig.config.threads = cores;
	rig.device.before = note_opened;
	fault_hooks.open = count_open;
	opened = 0;
	good = is_fed_with(descriptors);
	return good ? opened_at_second : 0;
}

static void
test_opened_ahead(void)
{
	unsigned n = opens_ahead(1, 1024);

	ok(n > 2 * RIG_LANES && n <= RIG_LANES + 512,
	   "on one core more files are opened while a launch runs, up to half "
	   "of the descriptors (%u)",
	   n);
	n = opens_ahead(1, 128);
	ok(n >= RIG_LANES && n < 128,
	   "where descriptors are few, fewer files are opened ahead (%u)", n);
	ok(opens_ahead(2, 1024) == RIG_LANES,
	   "on several cores no file is opened before a lane has it");
}

static const struct rig_input *fifo;

static bool
fifo_is_read(void)
{
	return fifo->emitted;
}

/* A FIFO that is named twice, among files that are opened ahead. */
static void
test_streams_ahead(void)
{
	rig_begin();
	rig_files(20, 3000);
	rig_name("nothing", ENOENT);
	rig_name("/dev/null", 0);
	rig_file(0);
	fifo = rig_fifo(5000, NULL);
	rig_files(200, 3000);
	rig_fifo_again(fifo, 300, fifo_is_read);
	rig_files(20, 3000);
	rig_use_device(RIG_LANES, false);
	ok(is_fed(),
	   "on one core what is no file is read in its turn, once for "
	   "each name");
}

int
main(void)
{
	rig_open();
	test_sizes();
	test_few_lanes();
	test_edges();
	test_evenness();
	test_long();
	test_slow_list();
	test_expectations();
	test_dialogue();
	test_helpers();
	test_memory();
	test_little_memory();
	test_starved_feeder();
	test_opened_ahead();
	test_streams_ahead();
	return tap_done();
}
