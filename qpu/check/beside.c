/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qpu/ways/barrier.h"
#include "qpu/ways/buffers.h"
#include "qpu/ways/firmware.h"
#include "qpu/ways/firmware_handles.h"
#include "qpu/ways/keeper.h"
#include "qpu/ways/pi_board.h"
#include "qpu/ways/registers.h"
#include "src/base/clock.h"

struct beside {
	struct registers registers;
	struct buffers buffers;
	bool failed;
	double busy_ms;
};

/* Is this a board whose GPU the kernel's driver has, and whose memory can be
 * shared all the same? */
static bool
look(struct pi_board *board, struct diag *why_not)
{
	if (pi_board_look("", board, NULL)) {
		diag_set(why_not, "the kernel's driver does not have the GPU: "
				  "ask without KMS=yes");
		return false;
	}
	if (!pi_board_look_beside("", board, why_not))
		return false;
	if (board->memory != MEMORY_DEV_MEM)
		return true;
	diag_set(why_not, "there is no /dev/vcsm-cma");
	return false;
}

static bool
beside_probe(struct diag *why_not)
{
	struct pi_board board;

	return look(&board, why_not);
}

static void
beside_close(void *self_)
{
	struct beside *self = self_;

	if (self->failed)
		keeper_start();
	buffers_close(&self->buffers, self->failed);
	handles_end();
	registers_unmap(&self->registers);
	free(self);
}

static bool
map_registers(struct beside *self, const struct soc *soc, struct diag *why_not)
{
	const int mem = firmware_open_node("/dev/mem", O_SYNC);
	const bool mapped = mem >= 0 &&
			    registers_map(&self->registers, mem, soc);

	if (!mapped)
		diag_set(why_not, "/dev/mem: %s", strerror(errno));
	if (mem >= 0)
		close(mem);
	if (mapped && !registers_answer(&self->registers)) {
		diag_set(why_not, "the V3D has no power");
		return false;
	}
	return mapped;
}

static void *
beside_open(const char *options, unsigned *qpus, struct diag *why_not)
{
	struct beside *self = calloc(1, sizeof(*self));
	struct pi_board board;

	(void)options;
	if (!self) {
		diag_set(why_not, "out of memory");
		return NULL;
	}
	self->buffers.source.node = self->buffers.source.heap = -1;
	/* Nothing is asked of the firmware. */
	handles_begin(-1);
	if (!look(&board, why_not) ||
	    !buffer_source_open(&self->buffers.source, &board, why_not) ||
	    !map_registers(self, board.soc, why_not)) {
		beside_close(self);
		return NULL;
	}
	*qpus = DEVICE_QPUS;
	return self;
}

static bool
beside_alloc(void *self_, size_t bytes, struct device_memory *memory,
	     struct diag *why_not)
{
	struct beside *self = self_;
	const struct device_memory *taken =
		buffers_take(&self->buffers, bytes, why_not);

	if (taken)
		*memory = *taken;
	return taken;
}

static void
beside_free(void *self_, const struct device_memory *memory)
{
	struct beside *self = self_;

	if (!self->failed)
		buffers_give_back(&self->buffers, memory);
}

static void
beside_publish(void *self_, const struct device_memory *memory)
{
	struct beside *self = self_;

	buffers_note_written(&self->buffers, memory);
	memory_barrier();
}

/* No signal ends the process while programs run, whose memory would go to
 * others. */
static bool
launch(struct beside *self, const struct device_program *programs, unsigned n,
       unsigned timeout_ms)
{
	struct critical_section section;

	if (!critical_enter(&section))
		return false;
	self->failed =
		!registers_run(&self->registers, programs, n, timeout_ms);
	critical_leave(&section);
	return !self->failed;
}

static enum device_status
beside_run(void *self_, const struct device_program *programs, unsigned n,
	   double expected_ms, unsigned timeout_ms, struct diag *why)
{
	struct beside *self = self_;
	const uint64_t begun = clock_ns();

	(void)expected_ms;
	if (self->failed || !registers_answer(&self->registers)) {
		diag_set(why, self->failed ? "the QPUs have failed" :
					     "the V3D has lost its power");
		return DEVICE_REFUSED;
	}
	if (!buffers_flush(&self->buffers)) {
		diag_set(why, "caches: %s", strerror(errno));
		return DEVICE_REFUSED;
	}
	if (!launch(self, programs, n, timeout_ms)) {
		diag_set(why,
			 "the QPUs did not come back within %u ms: reboot now",
			 timeout_ms);
		return DEVICE_TIMEOUT;
	}
	self->busy_ms += (double)(clock_ns() - begun) / CLOCK_NS_PER_MS;
	if (buffers_refresh(&self->buffers, programs, n))
		return DEVICE_OK;
	diag_set(why, "caches: %s", strerror(errno));
	return DEVICE_FAULT;
}

static void
beside_totals(void *self_, struct device_totals *totals)
{
	const struct beside *self = self_;
	const struct buffers *buffers = &self->buffers;

	*totals = (struct device_totals){ .busy_ms = self->busy_ms,
					  .memory = buffer_source_name(
						  buffers->source.kind,
						  buffers->source.heap_node),
					  .write_rate = buffers->write_rate,
					  .read_rate = buffers->read_rate };
}

const struct qpu_device device_beside = { .name = "beside",
					  .probe = beside_probe,
					  .open = beside_open,
					  .alloc = beside_alloc,
					  .free = beside_free,
					  .publish = beside_publish,
					  .run = beside_run,
					  .totals = beside_totals,
					  .close = beside_close };
