/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "qpu/abi/dma_heap.h"
#include "qpu/ways/cleanup.h"
#include "qpu/ways/execute.h"
#include "qpu/ways/firmware.h"
#include "qpu/ways/vcio_memory.h"
#include "qpu/ways/way.h"

/* The field is a bool: this way and no other. */
const struct option_row vcio_option_rows[] = {
	{ .name = "mailbox", .kind = OPTION_FLAG }, { .name = NULL }
};

/* The calls of a struct execute go to this machine. */
struct vcio {
	int vcio;
	bool has_begun; /* cleanup_begin was called */
	struct vcio_memory memory;
};

static bool
vcio_probe(struct diag *why_not)
{
	struct vcio_nodes nodes;

	return vcio_nodes_find(&nodes, why_not);
}

/* The firmware --------------------------------------------------------------- */

static bool
vcio_ask(void *self_, enum mailbox_tag tag, uint32_t *values, unsigned request,
	 unsigned response)
{
	const struct vcio *self = self_;

	return firmware_call(self->vcio, tag, values, request, response);
}

static bool
vcio_enter(void *self)
{
	(void)self;
	return critical_enter();
}

static void
vcio_leave(void *self)
{
	(void)self;
	critical_leave();
}

static bool
vcio_power(void *self, enum firmware_power power, uint32_t *answer)
{
	(void)self;
	switch (power) {
	case POWER_ON: return qpus_enable(answer);
	case POWER_RESTART: return qpus_restart(answer);
	case POWER_OFF: return qpus_stop();
	case POWER_LOST: qpus_mark_failed(); break;
	}
	return true;
}

/* Memory ------------------------------------------------------------------- */

static bool
vcio_alloc(void *self_, size_t bytes, struct way_memory *memory,
	   struct diag *why_not)
{
	struct vcio *self = self_;
	const struct way_memory *taken =
		vcio_memory_alloc(&self->memory, bytes, why_not);

	if (!taken)
		return false;
	cleanup_hold_memory();
	*memory = *taken;
	return true;
}

static void
vcio_free(void *self_, const struct way_memory *memory)
{
	struct vcio *self = self_;

	vcio_memory_free(&self->memory, memory);
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

	vcio_memory_note_written(&self->memory, memory);
	order_writes();
}

static bool
vcio_sync(void *self_, const struct device_launch *ended)
{
	struct vcio *self = self_;

	return ended ? vcio_memory_invalidate(&self->memory, ended->programs,
					      ended->n) :
		       vcio_memory_flush(&self->memory);
}

/* Opening ------------------------------------------------------------------ */

static void
vcio_close(void *self_)
{
	struct vcio *self = self_;

	if (self->has_begun) {
		vcio_memory_wipe(&self->memory);
		/* Before memory goes back: where QPUs may still write to it, it
		 * stays mapped, and a process keeps it. */
		cleanup_end();
	}
	vcio_memory_close(&self->memory, self->has_begun && qpus_may_run());
	if (self->vcio >= 0)
		close(self->vcio);
	free(self);
}

/* First the lock, then the QPUs, then memory. */
static bool
prepare(struct vcio *self, struct diag *why_not)
{
	struct vcio_nodes nodes;

	if (!vcio_nodes_find(&nodes, why_not) ||
	    (self->vcio = firmware_open(why_not)) < 0)
		return false;
	if (!firmware_has_qpus(self->vcio, &nodes.finding)) {
		obstacle_explain(&nodes.finding, why_not);
		return false;
	}
	if (!vcio_memory_open(&self->memory, &nodes, why_not))
		return false;
	cleanup_begin(self->vcio);
	self->has_begun = true;
	return true;
}

static void *
vcio_open(const char *text, unsigned *qpus, struct diag *why_not)
{
	struct vcio *self = calloc(1, sizeof(*self));
	struct firmware_calls calls = { .context = self,
					.ask = vcio_ask,
					.enter = vcio_enter,
					.leave = vcio_leave,
					.power = vcio_power,
					.alloc = vcio_alloc,
					.free = vcio_free,
					.publish = vcio_publish,
					.sync = vcio_sync,
					.close = vcio_close };
	struct execute *execute;
	bool chosen;

	if (!self) {
		diag_set(why_not, "out of memory");
		return NULL;
	}
	self->vcio = -1;
	self->memory.vcsm = self->memory.heap = -1;
	if (!option_parse_words(vcio_option_rows, &chosen, text, why_not) ||
	    !prepare(self, why_not)) {
		vcio_close(self);
		return NULL;
	}
	execute = execute_open(&calls, why_not);
	if (execute)
		*qpus = DEVICE_QPUS;
	return execute;
}

static void
vcio_totals(void *execute, struct device_totals *totals)
{
	const struct vcio *self = execute_calls(execute)->context;

	execute_totals(execute, totals);
	totals->memory = self->memory.heap_path ? self->memory.heap_path :
						  "/dev/vcsm-cma";
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
	const bool usable = vcio_nodes_find(&nodes, NULL);
	const char *const paths[] = { "/dev/vcio", "/dev/vcsm-cma",
				      nodes.heap ? nodes.heap : DMA_HEAP_NODE };

	if (nodes.finding.obstacle == NO_PI)
		return;
	host_add_facts(facts, &nodes.host);
	if (nodes.host.soc && nodes.host.soc->videocore4)
		facts_add_number(facts, "qpus", "QPUs", DEVICE_QPUS, 1, "");
	add_firmware(facts, &nodes.finding);
	if (usable)
		facts_add_text(facts, "memory", "memory of the QPUs from",
			       nodes.heap ? nodes.heap : "/dev/vcsm-cma");
	host_add_system(facts, paths, 3, &nodes.finding);
}

const struct way way_vcio = { .kind = WAY_LANES,
			      .probe = vcio_probe,
			      .open = vcio_open,
			      .alloc = execute_alloc,
			      .free = execute_free,
			      .publish = execute_publish,
			      .submit = execute_submit,
			      .restart = execute_restart,
			      .totals = vcio_totals,
			      .details = vcio_details,
			      .close = execute_close };
