/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/execute.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/ways/host.h"
#include "src/base/clock.h"

enum {
	/* The kernel waits 1 s for the firmware (3 s since 2025).  After that
	 * it frees a buffer which the firmware may still write to, and the late
	 * answer ends the next request: the firmware has to give up well
	 * before. */
	MOST_MS = 700,
	LEAST_MS = 300
};

struct execute {
	struct firmware_calls calls;
	bool maybe_off; /* the firmware did not say that the QPUs are on */
	bool failed;	/* a run has failed */
	uint32_t clock_hz;
	double busy_ms;
	uint64_t runs, restarts;
	uint64_t unanswered;	   /* requests that the kernel gave up */
	struct way_memory control; /* rows of struct control */
};

/* Entry of MAILBOX_EXECUTE_QPU for one QPU (section 14). */
struct control {
	uint32_t uniforms;
	uint32_t code;
};

/* Opening ------------------------------------------------------------------ */

static void
explain_refusal(uint32_t answer, struct diag *why_not)
{
	diag_set(why_not,
		 "the firmware refuses to enable the QPUs (0x%08x): look for "
		 "dtoverlay=vc4-kms-v3d or vc4-fkms-v3d, gpu_mem=16 and "
		 "start_file in " PI_CONFIG ", then reboot",
		 (unsigned)answer);
}

/*
 * MAILBOX_FAILED means that they are on already or that they are refused
 * (UNSURE(U9)); the first run shows which.
 */
static bool
enable(struct execute *self, struct diag *why_not)
{
	uint32_t answer;

	if (!self->calls.power(self->calls.context, POWER_ON, &answer)) {
		diag_set(why_not,
			 "the firmware cannot be asked to enable the "
			 "QPUs: %s",
			 strerror(errno));
		return false;
	}
	self->maybe_off = answer == MAILBOX_FAILED;
	if (answer == MAILBOX_OK || self->maybe_off)
		return true;
	explain_refusal(answer, why_not);
	return false;
}

struct execute *
execute_open(const struct firmware_calls *calls, struct diag *why_not)
{
	struct execute *self = calloc(1, sizeof(*self));

	if (!self) {
		diag_set(why_not, "out of memory");
		calls->close(calls->context);
		return NULL;
	}
	self->calls = *calls;
	if (enable(self, why_not) &&
	    calls->alloc(calls->context, DEVICE_QPUS * sizeof(struct control),
			 &self->control, why_not))
		return self;
	execute_close(self);
	return NULL;
}

const struct firmware_calls *
execute_calls(const struct execute *self)
{
	return &self->calls;
}

void
execute_close(void *self_)
{
	struct execute *self = self_;

	self->calls.close(self->calls.context);
	free(self);
}

/* Memory ------------------------------------------------------------------- */

bool
execute_alloc(void *self_, size_t bytes, struct way_memory *memory,
	      struct diag *why_not)
{
	struct execute *self = self_;

	if (self->failed) {
		diag_set(why_not, "the QPUs have failed");
		return false;
	}
	return self->calls.alloc(self->calls.context, bytes, memory, why_not);
}

/* After a failure programs may still write to memory: it stays until the
 * QPUs are off. */
void
execute_free(void *self_, const struct way_memory *memory)
{
	struct execute *self = self_;

	if (!self->failed)
		self->calls.free(self->calls.context, memory);
}

void
execute_publish(void *self_, const struct way_memory *memory)
{
	const struct execute *self = self_;

	if (self->calls.publish)
		self->calls.publish(self->calls.context, memory);
}

/* Running ------------------------------------------------------------------ */

/* noflush = 0 clears the caches of the QPUs, since the CPU has written to
 * memory.  The firmware's answer is the same for programs that did not start
 * and
 * for those that did not end. */
static enum device_status
launch_all(struct execute *self, const struct device_launch *launch,
	   unsigned timeout_ms, struct diag *why)
{
	const struct firmware_calls *calls = &self->calls;
	struct control *control = self->control.cpu;
	uint32_t values[4] = { launch->n, self->control.bus, 0, timeout_ms };

	for (unsigned i = 0; i < launch->n; i++)
		control[i] =
			(struct control){ .uniforms =
						  launch->programs[i].uniforms,
					  .code = launch->programs[i].code };
	execute_publish(self, &self->control);
	if (calls->sync && !calls->sync(calls->context, NULL)) {
		diag_set(why, "the CPU's caches cannot be written back: %s",
			 strerror(errno));
		return DEVICE_REFUSED;
	}
	if (!calls->ask(calls->context, MAILBOX_EXECUTE_QPU, values, 4, 1)) {
		const int error = errno;

		diag_set(why,
			 "the firmware did not answer when it was to run "
			 "the programs: %s",
			 strerror(error));
		self->unanswered += error == ETIMEDOUT;
		/* Without memory the kernel has sent nothing. */
		if (error != ENOMEM)
			calls->power(calls->context, POWER_LOST, NULL);
		return error == ETIMEDOUT ? DEVICE_TIMEOUT : DEVICE_REFUSED;
	}
	if (values[0] != MAILBOX_OK) {
		calls->power(calls->context, POWER_LOST, NULL);
		if (self->maybe_off) {
			explain_refusal(values[0], why);
			return DEVICE_REFUSED;
		}
		diag_set(why,
			 "the QPUs did not start or did not come "
			 "back within %u ms (0x%08x)",
			 timeout_ms, (unsigned)values[0]);
		return DEVICE_TIMEOUT;
	}
	if (calls->sync && !calls->sync(calls->context, launch)) {
		diag_set(why, "results are behind the CPU's caches: %s",
			 strerror(errno));
		return DEVICE_FAULT;
	}
	return DEVICE_OK;
}

/* A launch may take three times as long as expected. */
static unsigned
patience_ms(double expected_ms, unsigned timeout_ms)
{
	unsigned ms = MOST_MS;

	if (expected_ms > 0 && 3 * expected_ms < MOST_MS)
		ms = (unsigned)(3 * expected_ms);
	if (ms < LEAST_MS)
		ms = LEAST_MS;
	return timeout_ms < ms ? timeout_ms : ms;
}

/* Return true to retry. Retry only the self-test: later there is no way to tell
 * whether the failed launch is still running. */
static bool
may_restart(const struct execute *self)
{
	return self->restarts == 0 && self->runs <= 1;
}

/* After a failure without another attempt: what becomes of the memory. */
static void
give_up(const struct execute *self, struct diag *why)
{
	struct diag reason;

	if (self->calls.power(self->calls.context, POWER_OFF, NULL) || !why)
		return;
	reason = *why;
	diag_set(why,
		 "%.300s; nobody has seen them stop, so a process keeps their "
		 "memory until the next boot",
		 reason.text);
}

/* Return the clock of the QPUs at this moment, in Hz; 0 = unknown. */
static uint32_t
ask_clock(const struct execute *self)
{
	static const enum mailbox_tag tags[] = { MAILBOX_MEASURED_CLOCK_RATE,
						 MAILBOX_CLOCK_RATE };
	uint32_t values[2] = { 0 };

	for (size_t i = 0; i < 2 && values[1] == 0; i++) {
		values[0] = MAILBOX_CLOCK_V3D;
		if (!self->calls.ask(self->calls.context, tags[i], values, 1,
				     2))
			values[1] = 0;
	}
	return values[1];
}

enum device_status
execute_submit(void *self_, const struct way_job *job, uint64_t *ticket,
	       struct diag *why)
{
	struct execute *self = self_;
	const struct device_launch *launch = &job->launch;
	const uint64_t start = clock_ns();
	enum device_status status;

	assert(launch->n > 0 && launch->n <= DEVICE_QPUS);
	if (self->failed) {
		diag_set(why, "the QPUs have failed");
		return DEVICE_REFUSED;
	}
	if (self->calls.enter && !self->calls.enter(self->calls.context)) {
		diag_set(why, "the program is about to end");
		return DEVICE_REFUSED;
	}
	status = launch_all(self, launch,
			    patience_ms(job->expected_ms, launch->timeout_ms),
			    why);
	self->maybe_off = false;
	self->failed = status != DEVICE_OK;
	self->busy_ms += (double)(clock_ns() - start) / CLOCK_NS_PER_MS;
	*ticket = ++self->runs;
	/* It may be lower while the QPUs rest. */
	if (status == DEVICE_OK && self->clock_hz == 0)
		self->clock_hz = ask_clock(self);
	if (self->calls.leave)
		self->calls.leave(self->calls.context);
	if (self->failed && !may_restart(self))
		give_up(self, why);
	return status;
}

void
execute_totals(void *self_, struct device_totals *totals)
{
	const struct execute *self = self_;

	*totals = (struct device_totals){
		.busy_ms = self->busy_ms,
		.clock_hz = self->clock_hz,
		.ncounters = 2,
		.counters = { { .name = "restarts of the QPUs",
				.value = self->restarts },
			      { .name = "requests without an answer",
				.value = self->unanswered } }
	};
}

bool
execute_restart(void *self_, struct diag *why_not)
{
	struct execute *self = self_;
	uint32_t answer;

	if (!may_restart(self))
		return false;
	if (!self->calls.power(self->calls.context, POWER_RESTART, &answer)) {
		explain_refusal(answer, why_not);
		give_up(self, why_not);
		return false;
	}
	self->restarts++;
	self->failed = false;
	return true;
}
