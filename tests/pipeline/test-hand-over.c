/* SPDX-License-Identifier: MIT */
/*
 * Promise: a long message goes from a lane to a worker and back, and its digest
 * is right, also when the device fails then, or the file changes.
 *
 * The clock stands still, so that all is planned with the speeds that are
 * expected: a worker is half as fast again as a lane.  Worker and device wait
 * for each other: the worker until lanes have left it rests, the device until
 * the worker has left one to it.  The device is that of chaining.h, then emulated
 * QPUs.
 */
#include "config.h"

#include "src/feed/dispatch.h"
#include "src/feed/stream.h"
#include "src/pipeline/engines.h"
#include "tests/pipeline/feeder-rig.h"

enum {
	NFILES = 8,
	FILE_BYTES = 1 << 20,
	/* By this launch a rest is there for the worker; after this many steps
	 * it has ended whatever it began with. */
	REST_LAUNCH = 6,
	MOST_STEPS = 12
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned taken, launches, steps, left, resumed;
static void (*on_resume)(const struct job *);

/* The clock --------------------------------------------------------------- */

uint64_t
__wrap_clock_ns(void);

uint64_t
__wrap_clock_ns(void)
{
	return 1;
}

/* What happens ------------------------------------------------------------ */

static void
count(unsigned *what)
{
	pthread_mutex_lock(&lock);
	(*what)++;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

unsigned
__real_dispatch_take(struct dispatch *, unsigned, unsigned, struct ticket *,
		     unsigned, struct sequencer_view *);
unsigned
__wrap_dispatch_take(struct dispatch *, unsigned, unsigned, struct ticket *,
		     unsigned, struct sequencer_view *);

unsigned
__wrap_dispatch_take(struct dispatch *dispatch, unsigned worker, unsigned busy,
		     struct ticket *tickets, unsigned max,
		     struct sequencer_view *view)
{
	const unsigned n = __real_dispatch_take(dispatch, worker, busy, tickets,
						max, view);

	count(&taken);
	return n;
}

void
__real_dispatch_leave_rest(struct dispatch *, unsigned, struct lane_transfer *);
void
__wrap_dispatch_leave_rest(struct dispatch *, unsigned, struct lane_transfer *);

void
__wrap_dispatch_leave_rest(struct dispatch *dispatch, unsigned worker,
			   struct lane_transfer *rest)
{
	__real_dispatch_leave_rest(dispatch, worker, rest);
	count(&left);
}

void
__real_stream_resume(struct stream *, struct lane_transfer *);
void
__wrap_stream_resume(struct stream *, struct lane_transfer *);

void
__wrap_stream_resume(struct stream *stream, struct lane_transfer *rest)
{
	if (resumed == 0 && on_resume)
		on_resume(rest->ticket.job);
	__real_stream_resume(stream, rest);
	count(&resumed);
}

/* The device begins when there is a worker, and does not get on without a rest
 * from it. */
static const struct engine *device = &engine_chaining;
static const char *device_words = "";

static enum engine_status
submit_device(void *self, struct batch *batches, unsigned n, struct diag *why)
{
	count(&launches);
	pthread_mutex_lock(&lock);
	while (taken == 0 ||
	       (launches > REST_LAUNCH && left == 0 && steps < MOST_STEPS))
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return device->submit(self, batches, n, why);
}

/* The worker has one lane. */
static void *
open_single(const void *context, const char *words,
	    struct engine_limits *limits, struct diag *why_not)
{
	void *self = engine_reference.open(context, words, limits, why_not);

	limits->lanes = 1;
	return self;
}

static enum engine_status
submit_single(void *self, struct batch *batches, unsigned n, struct diag *why)
{
	pthread_mutex_lock(&lock);
	while (launches < REST_LAUNCH)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	count(&steps);
	return engine_reference.submit(self, batches, n, why);
}

/* Runs -------------------------------------------------------------------- */

static bool
run(struct list *list, unsigned threads, const struct libcrypto *crypto)
{
	struct engine single = engine_reference, paced = *device;
	const double block = SHA256_BLOCK_BYTES;
	const struct pipeline_config config = {
		.engine = &paced,
		.options = device_words,
		.fallback = &single,
		.threads = threads,
		.shared = true,
		.crypto = crypto,
		.speed = { .lanes = BATCH_LANES,
			   .device_rate = BATCH_LANES * 1e6 * block,
			   .core_rate = 1.5e6 * block,
			   .copy_rate = 1e15 }
	};
	struct diag why_not = { .text = "" };

	single.open = open_single;
	single.submit = submit_single;
	paced.submit = submit_device;
	taken = launches = steps = left = resumed = 0;
	list_init(list);
	return pipeline_run(&config, &list->source, &report, &why_not) &&
	       list->emitted == nfiles && list->wrong == 0 &&
	       list->out_of_order == 0 && chaining.touched == 0 &&
	       chaining.used_after_failure == 0;
}

/* All at once, on one worker. */
static void
test(const char *what, const struct libcrypto *crypto, uint32_t cuts)
{
	struct list list;
	bool good;

	chaining_init(1, BATCH_LANES);
	chaining.cuts = cuts;
	good = run(&list, 1, crypto);
	ok(left > 0 && resumed > 0,
	   "%s: a worker leaves the rest of a message, a lane goes on", what);
	ok(good && list.corrected == 0, "%s: all digests right and in order",
	   what);
}

static void
make_files(unsigned n, size_t len)
{
	nfiles = 0;
	while (nfiles < n)
		add_file(len + nfiles);
}

static void
fail_now(const struct job *job)
{
	(void)job;
	chaining.fails_at = chaining.launches + 1;
}

static void
test_failure(void)
{
	make_files(NFILES, FILE_BYTES);
	on_resume = fail_now;
	test("the device fails then", NULL, 0);
	ok(chaining.failed && report.failed, "and that is reported");
	on_resume = NULL;
}

/* The lane finds less or more than there was; what the worker has read is
 * before that. */
enum { OTHER_BYTES = 900000 };

static void
truncate_now(const struct job *job)
{
	if (truncate(job->name, OTHER_BYTES) != 0)
		exit(99);
}

static void
append_now(const struct job *job)
{
	int fd = open(job->name, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0 || write(fd, content, 777) != 777)
		exit(99);
	close(fd);
}

static void
test_changes(void)
{
	static uint8_t longer[FILE_BYTES + NFILES + 777];

	make_files(NFILES, FILE_BYTES);
	for (unsigned i = 0; i < nfiles; i++) {
		files[i].changes = true;
		files[i].other_len = OTHER_BYTES;
		hash(content + files[i].from, OTHER_BYTES,
		     files[i].other_digest);
	}
	on_resume = truncate_now;
	test("a file shrinks then", NULL, 0);
	make_files(NFILES, FILE_BYTES);
	for (unsigned i = 0; i < nfiles; i++) {
		struct file *file = &files[i];

		memcpy(longer, content + file->from, file->len);
		memcpy(longer + file->len, content, 777);
		file->changes = true;
		file->other_len = file->len + 777;
		hash(longer, file->other_len, file->other_digest);
	}
	on_resume = append_now;
	test("a file grows then", NULL, 0);
	on_resume = NULL;
}

static void
test_verify(void)
{
	struct libcrypto crypto = { 0 };
	struct diag why_not;

	if (!libcrypto_load(&crypto, &why_not)) {
		tap_skip("libcrypto cannot be loaded: %s", why_not.text);
		return;
	}
	make_files(NFILES, FILE_BYTES);
	test("with --verify", &crypto, 0);
	libcrypto_unload(&crypto);
}

/* QPUs that begin a launch from a worker's state, and repeat one. */
static void
test_emulator(void)
{
	struct engine_choice choice;
	struct diag why_not;

	if (!engines_choose("emulator:qpus=1", &choice, &why_not)) {
		tap_skip("%s", why_not.text);
		return;
	}
	device = choice.engine;
	device_words = choice.options;
	make_files(NFILES, FILE_BYTES);
	test("on emulated QPUs", NULL, 0);
	ok(!report.failed, "and their proofs are right");
	device_words = "qpus=1,fault=lane@9";
	test("on QPUs with a fault", NULL, 0);
	ok(report.failed, "and that is reported");
	device = &engine_chaining;
	device_words = "";
}

/* More workers, which leave what they can whenever they can. */
static void
test_many(void)
{
	struct list list;
	unsigned good = 0;

	make_files(40, FILE_BYTES / 4);
	for (unsigned threads = 1; threads <= 4; threads++)
		for (uint32_t cuts = 0; cuts <= 150; cuts += 150) {
			chaining_init(1, BATCH_LANES);
			chaining.cuts = cuts;
			good += run(&list, threads, NULL);
		}
	ok(good == 8, "one to four workers: all right (%u of 8)", good);
}

int
main(void)
{
	if (!rig_open())
		return 99;
	make_files(NFILES, FILE_BYTES);
	test("long messages", NULL, 0);
	test("launches cut short", NULL, 300);
	test_verify();
	test_failure();
	test_changes();
	test_emulator();
	test_many();
	return rig_close() ? tap_done() : 99;
}
