/* SPDX-License-Identifier: MIT */
/*
 * Promise: a worker makes do with the memory that there is, and tells of a
 * change of its file whatever else was wrong.
 */
#include "config.h"

#include "src/lanes/worker.h"

#include <endian.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/engine_reference.h"
#include "src/lanes/buffer_layout.h"
#include "src/lanes/reader.h"
#include "src/pipeline/pipeline.h"
#include "tests/support/tap.h"

static char path[] = "test-worker-XXXXXX";

/* The reference, with so much memory, or wrong, or beside a change. */
static struct {
	size_t most, granted;
	bool lies;
	void (*change)(void); /* of the file, after it was read */
	struct batch *batch;
} tight;

static void
set_time(time_t seconds, long nanoseconds)
{
	const struct timespec time = { .tv_sec = seconds,
				       .tv_nsec = nanoseconds };
	const struct timespec times[2] = { time, time };

	if (utimensat(AT_FDCWD, path, times, 0) != 0)
		exit(99);
}

static void
set_back(void)
{
	set_time(999, 5000);
}

static void
set_back_a_little(void)
{
	set_time(1000, 4000);
}

static void
set_forward(void)
{
	set_time(1000, 6000);
}

static void
shorten(void)
{
	if (truncate(path, 2) != 0)
		exit(99);
	set_time(1000, 5000);
}

static void
change_nothing(void)
{
	if (chmod(path, 0640) != 0)
		exit(99);
}

static void *
tight_alloc(void *self, size_t bytes)
{
	if (bytes > tight.most)
		return NULL;
	tight.granted = bytes;
	return engine_reference.alloc(self, bytes);
}

static enum engine_status
tight_submit(void *self, struct batch *batches, unsigned n, struct diag *why)
{
	tight.batch = batches;
	if (tight.change)
		tight.change();
	return engine_reference.submit(self, batches, n, why);
}

static enum engine_status
tight_wait(void *self, struct diag *why)
{
	const enum engine_status status = engine_reference.wait(self, why);

	for (unsigned lane = 0; lane < BATCH_LANES && tight.lies; lane++)
		tight.batch->state[0][lane] ^= 1;
	return status;
}

/* A source of one job, and what came of it. */
struct single {
	struct source source;
	bool given;
	struct job seen;
};

static enum source_answer
give(struct source *source, struct job *job, bool is_oldest)
{
	struct single *single = (struct single *)source;

	(void)is_oldest;
	if (single->given)
		return SOURCE_END;
	single->given = true;
	job->kind = JOB_FILE;
	job->name = path;
	job->watched = true;
	return SOURCE_JOB;
}

static void
note(struct source *source, struct job *job)
{
	((struct single *)source)->seen = *job;
}

static void
flush(struct source *source)
{
	(void)source;
}

static bool
run(struct job *job, const struct libcrypto *crypto)
{
	struct engine engine = engine_reference;
	struct single single = { .source = { give, note, flush, -1 } };
	const struct pipeline_config config = { .engine = &engine,
						.options = "",
						.fallback = &engine_reference,
						.threads = 1,
						.crypto = crypto };
	struct worker_report report;
	struct diag why;
	bool good;

	if (truncate(path, 3) != 0)
		exit(99);
	set_time(1000, 5000);
	engine.alloc = tight_alloc;
	engine.submit = tight_submit;
	engine.wait = tight_wait;
	good = pipeline_run(&config, &single.source, &report, &why);
	*job = single.seen;
	return good && job->error == 0 && job->size == 3;
}

/* What the reference wants to be fed. */
static struct engine_limits
get_limits(void)
{
	struct engine_limits limits = { 0 };
	struct diag why;
	void *self = engine_open(&engine_reference, "", &limits, &why);

	if (!self)
		exit(99);
	engine_reference.close(self);
	return limits;
}

static void
test_memory(void)
{
	const struct engine_limits limits = get_limits();
	const unsigned nlanes = limits.batches * limits.lanes;
	const struct buffer_layout least = { .capacity = READER_MIN_CAPACITY,
					     .slack_bytes = engine_slack_bytes(
						     &limits) };
	struct job job;

	memset(&tight, 0, sizeof(tight));
	tight.most = buffer_layout_bytes(&least, nlanes);
	ok(run(&job, NULL) && tight.granted == tight.most,
	   "with little memory the buffers are smaller, for %u lanes", nlanes);
	tight.most = buffer_layout_bytes(&least, 1);
	ok(run(&job, NULL) && tight.granted <= tight.most,
	   "with less there are fewer lanes");
	tight.most = 0;
	ok(!run(&job, NULL), "without any there is no worker");
}

static void
test_verdicts(void)
{
	struct libcrypto crypto = { .handle = NULL };
	struct job job;
	struct diag why;

	if (!libcrypto_load(&crypto, &why)) {
		tap_skip("%s", why.text);
		return;
	}
	memset(&tight, 0, sizeof(tight));
	tight.most = SIZE_MAX;
	ok(run(&job, &crypto) && job.verdict == JOB_TRUSTED,
	   "a right digest is trusted");
	tight.lies = true;
	ok(run(&job, &crypto) && job.verdict == JOB_CORRECTED,
	   "a wrong one is corrected");
	tight.change = set_back;
	ok(run(&job, &crypto) && job.verdict == JOB_CHANGED,
	   "unless the file has changed meanwhile");
	libcrypto_unload(&crypto);
}

static void
test_changes(void)
{
	static const struct {
		void (*change)(void);
		enum job_verdict verdict;
		const char *what;
	} rows[] = {
		{ set_back, JOB_CHANGED, "seconds back" },
		{ set_back_a_little, JOB_CHANGED, "nanoseconds back" },
		{ set_forward, JOB_CHANGED, "nanoseconds on" },
		{ shorten, JOB_CHANGED, "another size, its time put back" },
		{ change_nothing, JOB_TRUSTED, "another mode, no change" },
	};

	memset(&tight, 0, sizeof(tight));
	tight.most = SIZE_MAX;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct job job;

		tight.change = rows[i].change;
		ok(run(&job, NULL) && job.verdict == rows[i].verdict,
		   "a file: %s", rows[i].what);
	}
}

/* An engine that only counts, and a file of which nothing is read: neither
 * knows how long the message is. */
static const uint64_t huge = (UINT64_C(1) << 32) + 3;
static bool is_huge;
static uint64_t counted;
static uint8_t last_block[SHA256_BLOCK_BYTES];

ssize_t
__real_read(int fd, void *to, size_t bytes);
ssize_t
__wrap_read(int fd, void *to, size_t bytes);

ssize_t
__wrap_read(int fd, void *to, size_t bytes)
{
	if (!is_huge)
		return __real_read(fd, to, bytes);
	/* The position tells how far it is: where the disk seems to be slow,
	 * preadv2 reads what is cached. */
	const uint64_t left = huge - (uint64_t)lseek(fd, 0, SEEK_CUR);

	if (bytes > left)
		bytes = (size_t)left;
	lseek(fd, (off_t)bytes, SEEK_CUR);
	return (ssize_t)bytes;
}

static enum engine_status
count_submit(void *self, struct batch *batches, unsigned n, struct diag *why)
{
	(void)self;
	(void)why;
	for (unsigned b = 0; b < n; b++)
		for (unsigned lane = 0; lane < BATCH_LANES; lane++) {
			struct batch *batch = &batches[b];
			const uint32_t blocks = batch->nblocks[lane];

			batch->done[lane] = blocks;
			counted += blocks;
			if (blocks > 0)
				memcpy(last_block,
				       batch->data[lane] +
					       (size_t)(blocks - 1) *
						       SHA256_BLOCK_BYTES,
				       sizeof(last_block));
		}
	return ENGINE_OK;
}

static void
test_huge(void)
{
	struct engine engine = engine_reference;
	struct single single = { .source = { give, note, flush, -1 } };
	const struct pipeline_config config = { .engine = &engine,
						.options = "",
						.fallback = &engine_reference,
						.threads = 1 };
	struct worker_report report;
	uint64_t bits;
	struct diag why;

	if (truncate(path, (off_t)huge) != 0) {
		tap_skip("no room for a sparse file");
		return;
	}
	engine.submit = count_submit;
	is_huge = true;
	ok(pipeline_run(&config, &single.source, &report, &why) &&
		   single.seen.error == 0 && single.seen.size == huge &&
		   counted == (huge + 9 + 63) / 64 && report.blocks == counted,
	   "bytes that do not fit in 32 bits are counted");
	is_huge = false;
	memcpy(&bits, last_block + sizeof(last_block) - sizeof(bits),
	       sizeof(bits));
	ok(be64toh(bits) == huge * 8 && last_block[3] == 0x80,
	   "and so are the bits at the end of the padding");
}

int
main(void)
{
	const int fd = mkstemp(path);

	alarm(120);
	if (fd < 0 || write(fd, "abc", 3) != 3 || close(fd) != 0)
		return 99;
	test_memory();
	test_verdicts();
	test_changes();
	test_huge();
	unlink(path);
	return tap_done();
}
