/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/ways/buffers.h"
#include "qpu/ways/firmware.h"
#include "qpu/ways/held.h"
#include "qpu/ways/way.h"
#include "src/base/clock.h"

enum {
	/* The kernel waits 1 s for the firmware (3 s since 2025).  After that
	 * it frees a buffer which the firmware may still write to, and the late
	 * answer ends the next request: the firmware has to give up well
	 * before. */
	MOST_MS = 700,
	LEAST_MS = 300
};

/* The field is a bool: this way and no other. */
const struct option_row vcio_option_rows[] = {
	{ .name = "mailbox", .kind = OPTION_FLAG }, { .name = NULL }
};

struct vcio {
	int vcio;
	bool has_begun; /* held_begin was called */
	bool maybe_off; /* the firmware did not say that the QPUs are on */
	bool failed;	/* a run has failed */
	uint32_t clock_hz;
	double busy_ms;
	uint64_t runs, restarts;
	uint64_t unanswered; /* requests that the kernel gave up */
	/* Rows of struct control. */
	const struct way_memory *control;
	struct buffers buffers;
};

/* What MAILBOX_EXECUTE_QPU is given for each QPU (section 14). */
struct control {
	uint32_t uniforms;
	uint32_t code;
};

static bool
vcio_probe(struct diag *why_not)
{
	struct vcio_nodes nodes;

	return vcio_nodes_look("", &nodes, why_not);
}

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
enable(struct vcio *self, struct diag *why_not)
{
	uint32_t answer;

	if (!held_enable_qpus(&answer)) {
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

static void
vcio_close(void *self_)
{
	struct vcio *self = self_;

	if (self->has_begun) {
		buffers_wipe(&self->buffers);
		/* Before memory goes back: where QPUs may still write to it, it
		 * stays mapped, and a process keeps it. */
		held_end();
	}
	buffers_close(&self->buffers, self->has_begun && held_qpus_may_run());
	if (self->vcio >= 0)
		close(self->vcio);
	free(self);
}

/* First the lock, then the QPUs, then memory. */
static bool
open_all(struct vcio *self, struct diag *why_not)
{
	struct vcio_nodes nodes;

	if (!vcio_nodes_look("", &nodes, why_not) ||
	    (self->vcio = firmware_open(why_not)) < 0)
		return false;
	if (!firmware_has_qpus(self->vcio, &nodes.finding)) {
		obstacle_explain(&nodes.finding, why_not);
		return false;
	}
	if (!buffers_open(&self->buffers, &nodes, why_not))
		return false;
	held_begin(self->vcio);
	self->has_begun = true;
	if (!enable(self, why_not))
		return false;
	self->control = buffers_take(
		&self->buffers, DEVICE_QPUS * sizeof(struct control), why_not);
	if (!self->control)
		return false;
	held_keep_mappings();
	return true;
}

static void *
vcio_open(const char *text, unsigned *qpus, struct diag *why_not)
{
	struct vcio *self = calloc(1, sizeof(*self));
	bool chosen;

	if (!self) {
		diag_set(why_not, "out of memory");
		return NULL;
	}
	self->vcio = -1;
	self->buffers.vcsm = self->buffers.heap = -1;
	if (!option_parse_words(vcio_option_rows, &chosen, text, why_not) ||
	    !open_all(self, why_not)) {
		vcio_close(self);
		return NULL;
	}
	*qpus = DEVICE_QPUS;
	return self;
}

/* Memory ------------------------------------------------------------------- */

static bool
vcio_alloc(void *self_, size_t bytes, struct way_memory *memory,
	   struct diag *why_not)
{
	struct vcio *self = self_;
	const struct way_memory *taken;

	if (self->failed) {
		diag_set(why_not, "the QPUs have failed");
		return false;
	}
	taken = buffers_take(&self->buffers, bytes, why_not);
	if (taken)
		*memory = *taken;
	return taken;
}

/* After a failure programs may still write to memory: it stays until the
 * QPUs are off. */
static void
vcio_free(void *self_, const struct way_memory *memory)
{
	struct vcio *self = self_;

	if (!self->failed)
		buffers_give_back(&self->buffers, memory);
}

/*
 * What this CPU has written, also to uncached memory, is visible to the QPUs
 * afterwards.  C's fence orders CPUs among each other (dmb ish); the QPUs are
 * outside of that inner shareable domain.  On ARMv6 GCC's barrier is CP15's DMB.
 */
static void
order_writes(void)
{
#if defined(__ARM_ARCH) && __ARM_ARCH >= 7
	__asm__ volatile("dsb sy" : : : "memory");
#else
	__sync_synchronize();
#endif
}

static void
vcio_publish(void *self_, const struct way_memory *memory)
{
	struct vcio *self = self_;

	buffers_note_written(&self->buffers, memory);
	order_writes();
}

/* Running ------------------------------------------------------------------ */

/* noflush = 0 clears the caches of the QPUs, since the CPU has written to
 * memory.  The firmware's answer is the same for programs that did not start and
 * for those that did not end. */
static enum device_status
execute(struct vcio *self, const struct device_program *programs, unsigned n,
	unsigned timeout_ms, struct diag *why)
{
	struct control *control = self->control->cpu;
	uint32_t values[4] = { n, self->control->bus, 0, timeout_ms };

	for (unsigned i = 0; i < n; i++)
		control[i] = (struct control){ .uniforms = programs[i].uniforms,
					       .code = programs[i].code };
	vcio_publish(self, self->control);
	if (!buffers_flush(&self->buffers)) {
		diag_set(why, "the CPU's caches cannot be written back: %s",
			 strerror(errno));
		return DEVICE_REFUSED;
	}
	if (!firmware_call(self->vcio, MAILBOX_EXECUTE_QPU, values, 4, 1)) {
		const int error = errno;

		diag_set(why,
			 "the firmware did not answer when it was to run "
			 "the programs: %s",
			 strerror(error));
		self->unanswered += error == ETIMEDOUT;
		/* Without memory the kernel has sent nothing. */
		if (error != ENOMEM)
			held_mark_failed();
		return error == ETIMEDOUT ? DEVICE_TIMEOUT : DEVICE_REFUSED;
	}
	if (values[0] != MAILBOX_OK) {
		held_mark_failed();
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
	if (!buffers_refresh(&self->buffers, programs, n)) {
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

/* After a first launch that failed, the test of the device, another attempt is
 * worth it; later nobody sees that nothing of the failed launch runs any more. */
static bool
may_restart(const struct vcio *self)
{
	return self->restarts == 0 && self->runs <= 1;
}

/* After a failure without another attempt: what becomes of the memory. */
static void
give_up(struct diag *why)
{
	struct diag reason;

	if (held_stop_qpus() || !why)
		return;
	reason = *why;
	diag_set(why,
		 "%.300s; nobody has seen them stop, so a process keeps their "
		 "memory until the next boot",
		 reason.text);
}

static enum device_status
vcio_submit(void *self_, const struct way_job *job, uint64_t *ticket,
	    struct diag *why)
{
	struct vcio *self = self_;
	const struct device_launch *launch = &job->launch;
	const uint64_t start = clock_ns();
	struct critical_section section;
	enum device_status status;

	if (launch->n == 0 || launch->n > DEVICE_QPUS || self->failed) {
		diag_set(why, self->failed ? "the QPUs have failed" :
					     "a run has 1 to 12 programs");
		return DEVICE_REFUSED;
	}
	if (!critical_enter(&section)) {
		diag_set(why, "the program is about to end");
		return DEVICE_REFUSED;
	}
	status = execute(self, launch->programs, launch->n,
			 patience_ms(launch->expected_ms, launch->timeout_ms),
			 why);
	self->maybe_off = false;
	self->failed = status != DEVICE_OK;
	self->busy_ms += (double)(clock_ns() - start) / CLOCK_NS_PER_MS;
	*ticket = ++self->runs;
	/* It may be lower while the QPUs rest. */
	if (status == DEVICE_OK && self->clock_hz == 0)
		self->clock_hz = firmware_clock(self->vcio);
	critical_leave(&section);
	if (self->failed && !may_restart(self))
		give_up(why);
	return status;
}

static void
vcio_totals(void *self_, struct device_totals *totals)
{
	const struct vcio *self = self_;

	*totals = (struct device_totals){
		.busy_ms = self->busy_ms,
		.clock_hz = self->clock_hz,
		.memory = self->buffers.heap_path ? self->buffers.heap_path :
						    "/dev/vcsm-cma",
		.ncounters = 2,
		.counters = { { .name = "restarts of the QPUs",
				.value = self->restarts },
			      { .name = "requests without an answer",
				.value = self->unanswered } }
	};
}

static bool
vcio_restart(void *self_, struct diag *why_not)
{
	struct vcio *self = self_;
	uint32_t answer;

	if (!may_restart(self))
		return false;
	if (!held_restart_qpus(&answer)) {
		explain_refusal(answer, why_not);
		give_up(why_not);
		return false;
	}
	self->restarts++;
	self->failed = false;
	return true;
}

/* Details ------------------------------------------------------------------ */

/* Firmware revisions are seconds since 1970. */
static void
add_firmware_date(struct facts *facts, int vcio)
{
	uint32_t revision[1];
	struct tm day;
	time_t seconds;
	char text[16];

	if (!firmware_call(vcio, MAILBOX_FIRMWARE_REVISION, revision, 0, 1))
		return;
	seconds = (time_t)revision[0];
	if (gmtime_r(&seconds, &day) &&
	    strftime(text, sizeof(text), "%Y-%m-%d", &day) > 0)
		facts_add_text(facts, "firmware", "firmware of", text);
}

static void
add_firmware_clock(struct facts *facts, int vcio, enum mailbox_tag tag,
		   const char *key, const char *label)
{
	uint32_t values[2] = { MAILBOX_CLOCK_V3D };

	if (firmware_call(vcio, tag, values, 1, 2) && values[1] > 0)
		facts_add_number(facts, key, label, values[1], 1e6, "MHz");
}

/* Only the firmware knows how much memory the GPU has. */
static void
add_firmware(struct facts *facts, struct finding *finding)
{
	const int vcio = firmware_open_node("/dev/vcio", 0);
	uint32_t memory[2];

	if (vcio < 0)
		return;
	add_firmware_clock(facts, vcio, MAILBOX_MEASURED_CLOCK_RATE, "clock_hz",
			   "clock of the QPUs now");
	add_firmware_clock(facts, vcio, MAILBOX_MAX_CLOCK_RATE, "most_clock_hz",
			   "at most");
	if (firmware_call(vcio, MAILBOX_VC_MEMORY, memory, 0, 2))
		facts_add_number(facts, "gpu_memory_bytes",
				 "memory of the GPU (gpu_mem)", memory[1],
				 1 << 20, "MiB");
	add_firmware_date(facts, vcio);
	if (finding->obstacle == USABLE)
		firmware_has_qpus(vcio, finding);
	close(vcio);
}

/* The firmware is asked questions that change nothing, if /dev/vcio can be
 * opened. */
static void
vcio_details(struct facts *facts)
{
	struct vcio_nodes nodes;
	const bool usable = vcio_nodes_look("", &nodes, NULL);
	const char *const paths[] = { "/dev/vcio", "/dev/vcsm-cma",
				      nodes.heap ? nodes.heap : DMA_HEAP_NODE };

	if (nodes.finding.obstacle == NO_PI)
		return;
	board_add_facts(facts, &nodes.board);
	if (nodes.board.soc && nodes.board.soc->videocore4)
		facts_add_number(facts, "qpus", "QPUs", DEVICE_QPUS, 1, "");
	add_firmware(facts, &nodes.finding);
	if (usable)
		facts_add_text(facts, "memory", "memory of the QPUs from",
			       nodes.heap ? nodes.heap : "/dev/vcsm-cma");
	board_add_system(facts, paths, 3, &nodes.finding);
}

const struct way way_vcio = { .kind = WAY_LANES,
			      .probe = vcio_probe,
			      .open = vcio_open,
			      .alloc = vcio_alloc,
			      .free = vcio_free,
			      .publish = vcio_publish,
			      .submit = vcio_submit,
			      .wait = way_wait_for_nothing,
			      .restart = vcio_restart,
			      .totals = vcio_totals,
			      .details = vcio_details,
			      .close = vcio_close };
