/* SPDX-License-Identifier: MIT */
/*
 * Launches run on a thread of the engine's, so that its owner can go on meanwhile;
 * where there is none, on the owner's.  All other calls wait for its end.
 *
 * A launch that was lost or refused is tried once more if the device can be
 * made ready and passes its test then.  After a wrong answer, a fault, or a
 * second failure the device is never used again.  The reference hashes a sample
 * of each launch, on the caller's thread, while the launch runs.
 */
#include "config.h"

#include "qpu/sha/engine_qpu.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/abi/soc.h"
#include "qpu/pi/emulated.h"
#include "qpu/pi/emulated_options.h"
#include "qpu/sha/forms.h"
#include "qpu/sha/launcher.h"
#include "qpu/sha/proofs.h"
#include "qpu/sha/sample.h"
#include "qpu/ways/drm.h"
#include "qpu/ways/host.h"
#include "qpu/ways/way.h"
#include "src/base/thread.h"

enum {
	/* Enough for a device. */
	STACK_BYTES = 512 << 10,
	/* Blocks of the longest lane of a launch that is short. */
	SHORT_BLOCKS = 384,
	/* This many blocks of all lanes are hashed before the device is tested
	 * again, which takes 3 or 4 ms: 4 MB at first, then 67 MB, which take 160 or
	 * 210 ms. */
	TEST_FIRST_BLOCKS = 1 << 16,
	TEST_AFTER_BLOCKS = 1 << 20
};

struct engine_qpu {
	const struct way *way;
	void *way_self;
	const struct launcher *launcher;
	void *launches; /* the launcher's */
	/* The thread waits for `go`, and posts `done` after a launch. */
	pthread_t thread;
	sem_t go, done;
	bool threaded, ends;
	bool runs; /* a launch was started, and its end not waited for */
	/* ENGINE_OK, or the first failure and its reason. */
	enum engine_status status;
	struct diag why;
	/* Why the first self-test failed, and a restart was needed. */
	struct diag healed;
	bool is_healed;
	struct engine_lane *lanes; /* those that are being submitted */
	unsigned nlanes;
	struct sample sample;	       /* of the launch */
	uint64_t untested;	       /* blocks since the last test */
	struct device_totals at_start; /* after the self-test */
	struct figures figures;
};

/* The device --------------------------------------------------------------- */

/* The reason of a first failure, and of one after a restart if it is another:
 * the last one says what has become of the QPUs. */
static void
tell_both(const struct diag *first, struct diag *why)
{
	const struct diag last = *why;

	if (strcmp(first->text, last.text) == 0)
		return;
	diag_set(why, "%.220s; after a restart: %.260s", first->text,
		 last.text);
}

/* Test the device.  The reason of wrong answers names forms of instructions that it
 * does not have. */
static enum engine_status
test(struct engine_qpu *self, bool is_again)
{
	struct diag answer;

	self->status =
		self->launcher->test(self->launches, is_again, &self->why);
	if (self->status != ENGINE_FAULT)
		return self->status;
	if (!proof_counts(is_again ? PROOF_AGAIN : PROOF_TEST))
		self->status = ENGINE_OK;
	else
		forms_explain(forms_ask(self->way, self->way_self, &answer),
			      &answer, &self->why);
	return self->status;
}

/* Make the device ready after a failure, and test it.  If that fails the
 * failure from before is the one that counts. */
static bool
restart(struct engine_qpu *self)
{
	const enum engine_status status = self->status;
	const struct diag why = self->why;

	if (self->launcher->restart(self->launches, status, &self->why) &&
	    test(self, false) == ENGINE_OK)
		return true;
	self->status = status;
	tell_both(&why, &self->why);
	return false;
}

static void
run_lanes(struct engine_qpu *self)
{
	bool is_again = false;

	do
		self->status = self->launcher->run(self->launches, self->lanes,
						   self->nlanes, &self->figures,
						   &self->why);
	while (self->status != ENGINE_OK && !is_again &&
	       (is_again = restart(self)));
}

/* Test a device between two launches. The test does not count in the launches'
 * figures. */
static void
test_again(struct engine_qpu *self)
{
	struct device_totals before, after;

	self->way->totals(self->way_self, &before);
	if (test(self, true) != ENGINE_OK)
		restart(self);
	self->way->totals(self->way_self, &after);
	figures_leave_out(&self->at_start, &before, &after);
}

/* The thread --------------------------------------------------------------- */

static void
wait_for(sem_t *what)
{
	while (sem_wait(what) != 0)
		continue;
}

static void *
run_launches(void *self_)
{
	struct engine_qpu *self = self_;

	for (;;) {
		wait_for(&self->go);
		if (self->ends)
			return NULL;
		run_lanes(self);
		sem_post(&self->done);
	}
}

static void
begin_launch(struct engine_qpu *self)
{
	if (!self->threaded) {
		run_lanes(self);
		return;
	}
	self->runs = true;
	sem_post(&self->go);
}

static void
end_launch(struct engine_qpu *self)
{
	if (self->runs)
		wait_for(&self->done);
	self->runs = false;
}

/* The engine -------------------------------------------------------------- */

static bool
qpu_probe(const void *context_, struct diag *why_not)
{
	const struct engine_qpu_context *context = context_;

	return !context->way->probe || context->way->probe(why_not);
}

static void
qpu_details(const void *context_, struct facts *details)
{
	const struct engine_qpu_context *context = context_;

	if (context->way->details)
		context->way->details(details);
}

static void
qpu_close(void *self_)
{
	struct engine_qpu *self = self_;

	end_launch(self);
	if (self->way_self)
		self->way->close(self->way_self);
	if (self->launches)
		self->launcher->close(self->launches);
	self->ends = true;
	sem_post(&self->go);
	if (self->threaded)
		pthread_join(self->thread, NULL);
	sem_destroy(&self->go);
	sem_destroy(&self->done);
	free(self);
}

static void *
qpu_open(const void *context_, const char *words, struct engine_limits *limits,
	 struct diag *why_not)
{
	const struct engine_qpu_context *context = context_;
	const struct launcher *launcher = context->launcher;
	struct engine_qpu *self = calloc(1, sizeof(*self));
	unsigned qpus;

	if (!self) {
		diag_set(why_not, "out of memory");
		return NULL;
	}
	self->way = context->way;
	self->launcher = launcher;
	self->sample.nonce = nonce_begin();
	self->sample.pending = SAMPLE_PENDING;
	self->untested = TEST_AFTER_BLOCKS - TEST_FIRST_BLOCKS;
	sem_init(&self->go, 0, 0);
	sem_init(&self->done, 0, 0);
	diag_set(&self->why, "out of memory");
	self->way_self = self->way->open(words, &qpus, &self->why);
	if (self->way_self)
		self->launches = launcher->open(self->way, self->way_self, qpus,
						limits, &self->figures,
						&self->status, &self->why);
	if (!self->launches) {
		if (why_not)
			*why_not = self->why;
		qpu_close(self);
		return NULL;
	}
	if (self->status != ENGINE_OK || test(self, false) != ENGINE_OK) {
		self->figures.failed_tests++;
		self->healed = self->why;
		self->is_healed = restart(self);
	}
	self->way->totals(self->way_self, &self->at_start);
	self->threaded =
		thread_start(&self->thread, STACK_BYTES, run_launches, self);
	return self;
}

/* Buffers of a device that has failed its first test are the CPU's. */
static void *
qpu_alloc(void *self_, size_t bytes)
{
	struct engine_qpu *self = self_;

	end_launch(self);
	if (self->status != ENGINE_OK)
		return aligned_alloc(DEVICE_PAGE, (bytes + DEVICE_PAGE - 1) /
							  DEVICE_PAGE *
							  DEVICE_PAGE);
	return self->launcher->alloc(self->launches, bytes);
}

static void
qpu_free(void *self_, void *buffer, size_t bytes)
{
	struct engine_qpu *self = self_;

	(void)bytes;
	end_launch(self);
	if (!self->launcher->free(self->launches, buffer))
		free(buffer);
}

/* Report that no lane has hashed anything; return the failure's status. */
static enum engine_status
fail(const struct engine_qpu *self, struct diag *why)
{
	for (unsigned i = 0; i < self->nlanes; i++)
		self->lanes[i].done = 0;
	if (why)
		*why = self->why;
	return self->status;
}

static enum engine_status
qpu_submit(void *self_, struct engine_lane *lanes, unsigned n, struct diag *why)
{
	struct engine_qpu *self = self_;

	self->lanes = lanes;
	self->nlanes = n;
	if (self->status == ENGINE_OK &&
	    !self->launcher->plan(self->launches, lanes, n, &self->why))
		self->status = ENGINE_REFUSED;
	if (self->status != ENGINE_OK)
		return fail(self, why);
	sample_take(&self->sample, lanes, n);
	begin_launch(self);
	sample_hash(&self->sample);
	return ENGINE_OK;
}

/* A launch that was short, as the last ones of a run are, leaves the device time
 * for another test, if it has hashed enough since the last one. */
static bool
has_time(struct engine_qpu *self)
{
	uint32_t longest = 0;

	for (unsigned i = 0; i < self->nlanes; i++) {
		self->untested += self->lanes[i].done;
		if (self->lanes[i].done > longest)
			longest = self->lanes[i].done;
	}
	if (longest > SHORT_BLOCKS || self->untested < TEST_AFTER_BLOCKS ||
	    !proof_counts(PROOF_AGAIN))
		return false;
	self->untested = 0;
	return true;
}

static enum engine_status
qpu_wait(void *self_, struct diag *why)
{
	struct engine_qpu *self = self_;
	const struct sample_message *wrong;

	end_launch(self);
	if (self->status != ENGINE_OK)
		return fail(self, why);
	self->launcher->collect(self->launches, self->lanes);
	wrong = sample_wrong(&self->sample, self->lanes);
	if (wrong) {
		diag_set(&self->why,
			 "launch %llu: the CPU has another hash value of a "
			 "message, in lane %u",
			 (unsigned long long)self->figures.launches,
			 wrong->lane);
		self->status = ENGINE_FAULT;
	} else if (has_time(self)) {
		test_again(self);
	}
	if (self->status == ENGINE_OK)
		return ENGINE_OK;
	return fail(self, why);
}

/* A device that had no memory for the self-test has no rows. */
static void
qpu_stats(void *self_, struct facts *stats)
{
	struct engine_qpu *self = self_;
	struct device_totals totals;

	if (self->figures.qpus == 0)
		return;
	end_launch(self);
	self->way->totals(self->way_self, &totals);
	figures_add_rows(&self->figures, &self->at_start, &totals, stats);
}

static bool
qpu_healed(void *self_, struct diag *why)
{
	const struct engine_qpu *self = self_;

	if (self->is_healed)
		*why = self->healed;
	return self->is_healed;
}

/* How fast they should be -------------------------------------------------- */

static void
set_rate(struct engine_speed *speed, const void *context_, unsigned mhz)
{
	const struct engine_qpu_context *context = context_;
	const struct launcher *launcher = context->launcher;

	speed->lanes = launcher->lanes;
	speed->device_rate = launcher->modelled_mb * (1e6 / LAUNCHER_MHZ) * mhz;
}

static void
board_rate(const void *context, struct engine_speed *speed)
{
	set_rate(speed, context, host_speed(speed));
}

/* The speeds of a Pi 3, until the first launches show how slow it is. */
static void
emulated_speed(const void *context, struct engine_speed *speed)
{
	const struct soc *soc = soc_of_compatible("brcm,bcm2837");

	soc_speed(soc, speed);
	set_rate(speed, context, soc->qpu_mhz);
	speed->modelled = true;
}

/* The rows differ in these, and in how their devices are found. */
#define ON_DEVICE(...)                                                         \
	.context = &(const struct engine_qpu_context){ __VA_ARGS__ },          \
	.probe = qpu_probe, .open = qpu_open, .alloc = qpu_alloc,              \
	.free = qpu_free, .submit = qpu_submit, .wait = qpu_wait,              \
	.healed = qpu_healed, .stats = qpu_stats, .details = qpu_details,      \
	.close = qpu_close

const struct engine engine_qpu = {
	.name = "mailbox",
	.about = "the QPUs of a Raspberry Pi's VideoCore IV",
	.modelled_mb = LANES_MB,
	.modelled_mhz = LAUNCHER_MHZ,
	.speed = board_rate,
	.looks_only = true,
	.options = vcio_option_rows,
	ON_DEVICE(&launcher_lanes, .way = &way_vcio),
};

const struct engine engine_drm = {
	.name = "drm",
	.about = "the QPUs of a Raspberry Pi's VideoCore IV, by the kernel's "
		 "driver vc4",
	.modelled_mb = TILES_MB,
	.modelled_mhz = LAUNCHER_MHZ,
	.speed = board_rate,
	.looks_only = true,
	.options = drm_option_rows,
	ON_DEVICE(&launcher_tiles, .way = &way_drm),
};

const struct engine engine_emulator = {
	.name = "emulator",
	.about = "QPU code on an emulated VideoCore IV, for development",
	.speed = emulated_speed,
	.options = emulated_option_rows,
	ON_DEVICE(&launcher_lanes, .way = &way_emulated),
};

const struct engine engine_emulated_tiles = {
	.name = "tiles",
	.about = "the same as fragment shaders of the kernel's driver vc4, "
		 "emulated",
	.speed = emulated_speed,
	.options = tiles_emulated_option_rows,
	ON_DEVICE(&launcher_tiles, .way = &way_emulated_tiles),
};
