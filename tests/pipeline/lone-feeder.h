/* SPDX-License-Identifier: MIT */
/*
 * lone-feeder: a feeder on the test's thread, with a device that is done as soon
 * as it is asked, and all that the feeder says.  The linker gives some of its
 * calls to the test (lone_feeder in tests/local.mk).  Header only.
 */
#ifndef TESTS_PIPELINE_LONE_FEEDER_H
#define TESTS_PIPELINE_LONE_FEEDER_H

#include "src/pipeline/feeder.h"

#include "cpu/engine_reference.h"
#include "cpu/sha256.h"
#include "src/base/chained.h"
#include "src/feed/stream.h"
#include "src/lanes/progress.h"
#include "tests/pipeline/allocations.h"
#include "tests/pipeline/dispatch-rig.h"
#include "tests/pipeline/opinion.h"
#include "tests/pipeline/transfers.h"

enum { LANES = 3, MOST = 32 };

static struct feeder *feeder;
static struct worker_config config;
static struct worker_report report;
static struct engine device, cpu;

/* What the feeder does; cleared before each run. */
static struct {
	unsigned launches, opened, grown, reports, closings;
	unsigned published[MOST], npublished;
	uint64_t bytes, jobs; /* its progress */
	uint64_t promised[MOST];
	unsigned npromised;
	unsigned idle[MOST], nidle; /* lanes, after each filling */
	struct {
		uint64_t blocks, longest, ns, filling_ns;
	} noted[MOST];
	unsigned nnoted;
	unsigned busy_max;    /* of its lanes, as others see them */
	uint64_t left[LANES]; /* to do, beside the first launch */
	unsigned waits;	      /* for the source, which ends then */
	unsigned looked_for, looked_busy, fillings;
	unsigned wrong, corrected, disputed; /* digests */
} seen;

/* What it is told, once. */
static struct {
	bool plans, wants_workers;
	struct dispatch_plan plan;
	uint64_t launch_ns;
	bool refuses, fails, lies;
	const char *gone; /* a name, once lanes are filled */
} says;

/* Wrapped -------------------------------------------------------------------- */

void
__real_dispatch_plan(struct dispatch *, const uint64_t *left,
		     struct dispatch_plan *);
void
__wrap_dispatch_plan(struct dispatch *, const uint64_t *left,
		     struct dispatch_plan *);
void
__real_dispatch_look_ahead(struct dispatch *, unsigned worker, unsigned busy,
			   unsigned most, struct sequencer_view *);
void
__wrap_dispatch_look_ahead(struct dispatch *, unsigned worker, unsigned busy,
			   unsigned most, struct sequencer_view *);
void
__real_stream_fill(struct stream *, struct stream_room *, uint64_t target,
		   struct work_plan *);
void
__wrap_stream_fill(struct stream *, struct stream_room *, uint64_t target,
		   struct work_plan *);
bool
__wrap_dispatch_wants_workers(struct dispatch *);
void
__real_dispatch_promise_rest(struct dispatch *, uint64_t blocks);
void
__wrap_dispatch_promise_rest(struct dispatch *, uint64_t blocks);
void
__real_dispatch_note_filling(struct dispatch *, unsigned idle);
void
__wrap_dispatch_note_filling(struct dispatch *, unsigned idle);
void
__wrap_dispatch_note_launch(struct dispatch *, uint64_t blocks,
			    uint32_t longest, uint64_t ns, uint64_t filling_ns);
void
__real_sequencer_publish(struct sequencer *, const struct ticket *, unsigned n);
void
__wrap_sequencer_publish(struct sequencer *, const struct ticket *, unsigned n);
void
__real_sequencer_set_busy(struct sequencer *, unsigned worker, unsigned busy);
void
__wrap_sequencer_set_busy(struct sequencer *, unsigned worker, unsigned busy);
void
__wrap_sequencer_wait_source(struct sequencer *, unsigned worker,
			     const struct sequencer_view *);
void
__wrap_progress_note(unsigned worker, uint64_t bytes, uint64_t files);

void
__wrap_dispatch_plan(struct dispatch *of, const uint64_t *left,
		     struct dispatch_plan *plan)
{
	const bool plans = says.plans && seen.launches > 0;

	if (seen.launches == 1)
		memcpy(seen.left, left, sizeof(seen.left));

	__real_dispatch_plan(of, left, plan);
	plan->work.least = UINT64_MAX;
	plan->may_spawn = false;
	if (!plans)
		return;
	says.plans = false;
	plan->work.least = says.plan.work.least;
	plan->rests = says.plan.rests;
	plan->rest_blocks = says.plan.rest_blocks;
	plan->may_spawn = says.plan.may_spawn;
}

void
__wrap_dispatch_look_ahead(struct dispatch *of, unsigned worker, unsigned busy,
			   unsigned most, struct sequencer_view *what)
{
	if (worker != 1)
		exit(99);
	seen.looked_for = most;
	if (seen.launches == 1)
		seen.looked_busy = busy;
	__real_dispatch_look_ahead(of, worker, busy, most, what);
}

void
__wrap_stream_fill(struct stream *stream, struct stream_room *room,
		   uint64_t target, struct work_plan *plan)
{
	seen.fillings++;
	if (says.gone)
		unlink(says.gone);
	__real_stream_fill(stream, room, target, plan);
}

bool
__wrap_dispatch_wants_workers(struct dispatch *of)
{
	(void)of;
	return says.wants_workers;
}

void
__wrap_dispatch_promise_rest(struct dispatch *of, uint64_t blocks)
{
	if (seen.npromised < MOST)
		seen.promised[seen.npromised++] = blocks;
	__real_dispatch_promise_rest(of, blocks);
}

void
__wrap_dispatch_note_filling(struct dispatch *of, unsigned idle)
{
	if (seen.nidle < MOST)
		seen.idle[seen.nidle++] = idle;
	__real_dispatch_note_filling(of, idle);
}

void
__wrap_dispatch_note_launch(struct dispatch *of, uint64_t blocks,
			    uint32_t longest, uint64_t ns, uint64_t filling_ns)
{
	const unsigned i = seen.nnoted;

	(void)of;
	if (i == MOST)
		return;
	seen.nnoted++;
	seen.noted[i].blocks = blocks;
	seen.noted[i].longest = longest;
	seen.noted[i].ns = ns;
	seen.noted[i].filling_ns = filling_ns;
}

void
__wrap_sequencer_publish(struct sequencer *of, const struct ticket *tickets,
			 unsigned n)
{
	if (seen.npublished < MOST)
		seen.published[seen.npublished++] = n;
	__real_sequencer_publish(of, tickets, n);
}

void
__wrap_sequencer_set_busy(struct sequencer *of, unsigned worker, unsigned busy)
{
	if (worker == 1 && busy > seen.busy_max)
		seen.busy_max = busy;
	__real_sequencer_set_busy(of, worker, busy);
}

void
__wrap_sequencer_wait_source(struct sequencer *of, unsigned worker,
			     const struct sequencer_view *since)
{
	(void)since;
	seen.waits += of == &sequencer && worker == 1;
	list.at_end = SOURCE_END;
}

void
__wrap_progress_note(unsigned worker, uint64_t bytes, uint64_t files)
{
	if (worker != 1)
		exit(99);
	seen.bytes = bytes;
	seen.jobs = files;
}

/* The device ------------------------------------------------------------------ */

static void *reference;
static struct batch *given;

static void *
open_device(const void *context, const char *words,
	    struct engine_limits *limits, struct diag *why_not)
{
	struct engine_limits ignored = { 0 };

	if (strcmp(words, "three lanes") != 0) {
		diag_set(why_not, "what is that");
		return NULL;
	}
	reference = engine_reference.open(context, "", &ignored, why_not);
	limits->batches = 1;
	limits->lanes = LANES;
	limits->chained = 512;
	seen.opened++;
	return reference;
}

static enum engine_status
submit(void *self, struct batch *batches, unsigned n, struct diag *why)
{
	if (self != reference || n != 1)
		exit(99);
	seen.launches++;
	given = batches;
	rig_now_ns += says.launch_ns;
	if (says.refuses) {
		diag_set(why, "no launch");
		return ENGINE_REFUSED;
	}
	if (chained_run(&engine_reference, reference, batches, n, why) !=
	    ENGINE_OK)
		exit(99);
	for (unsigned lane = 0; lane < LANES && says.lies; lane++)
		for (uint32_t i = 0; i < batches->nends[lane]; i++)
			batches->ends[lane][i].state[3] ^= 1;
	return ENGINE_OK;
}

static enum engine_status
wait(void *self, struct diag *why)
{
	if (self != reference)
		exit(99);
	if (!says.fails)
		return ENGINE_OK;
	memset(given->state, 0x55, sizeof(given->state));
	memset(given->done, 0, sizeof(given->done));
	diag_set(why, "no proof");
	return ENGINE_FAULT;
}

static void
close_any(void *self)
{
	seen.closings++;
	engine_reference.close(self);
}

static void
tell(void *self, struct engine_stats *stats)
{
	if (self != reference)
		exit(99);
	stats->nrows = 7;
}

static void
grow(void *pool)
{
	seen.grown += pool == &seen;
}

static void
note_end(void *pool, const struct worker_report *of)
{
	seen.reports += pool == &seen;
	report = *of;
}

/* Of so many zeros. */
static inline void
hash(uint64_t bytes, uint8_t digest[SHA256_DIGEST_BYTES])
{
	uint8_t block[2 * SHA256_BLOCK_BYTES] = { 0 };
	uint32_t state[SHA256_STATE_WORDS];

	memcpy(state, sha256_initial, sizeof(state));
	for (uint64_t i = 0; i < bytes / 64; i++)
		sha256_blocks(state, block, 1);
	sha256_blocks(state, block, reader_pad(block, bytes % 64, bytes));
	sha256_digest(state, digest);
}

static void
emit(struct source *source, struct job *job)
{
	uint8_t digest[SHA256_DIGEST_BYTES];

	(void)source;
	hash(job->size, digest);
	seen.wrong += memcmp(digest, job->digest, sizeof(digest)) != 0;
	seen.corrected += job->verdict == JOB_CORRECTED;
	seen.disputed += job->verdict == JOB_DISPUTED;
}

static inline void
begin(bool shared)
{
	rig_begin(shared);
	list.source.emit = emit;
	dispatch_destroy(&dispatch); /* the feeder has its own */
	memset(&seen, 0, sizeof(seen));
	memset(&says, 0, sizeof(says));
	memset(&report, 0, sizeof(report));
	list.at_end = SOURCE_END;
	device = cpu = engine_reference;
	device.name = "device";
	device.open = open_device;
	device.submit = submit;
	device.wait = wait;
	device.stats = tell;
	device.close = cpu.close = close_any;
	config = (struct worker_config){ .engine = &device,
					 .options = "three lanes",
					 .fallback = &cpu,
					 .shared = shared,
					 .grow = grow,
					 .ended = note_end,
					 .pool = &seen };
	config.speed = (struct engine_speed){ .lanes = LANES,
					      .device_rate = 1e9,
					      .core_rate = 1e6,
					      .copy_rate = 1e15 };
}

static inline void
end(void)
{
	sequencer_destroy(&sequencer);
	rig_wrong_locks += !locks_are_right() || locks_nested > 0;
}

static inline void
run(void)
{
	struct diag why;

	feeder = feeder_new(&config, &sequencer, 1, 2, &why);
	if (!feeder)
		exit(99);
	feeder_run(feeder);
	feeder_free(feeder);
	end();
}

#endif
