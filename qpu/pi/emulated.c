/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/emulated.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/emulator/emulator.h"
#include "qpu/pi/board_memory.h"
#include "qpu/pi/emulated_options.h"
#include "qpu/pi/gpu.h"
#include "qpu/pi/power.h"
#include "qpu/pi/virtual_firmware.h"
#include "qpu/ways/execute.h"

enum {
	MODEL_MHZ = 250,
	CLOCKS_PER_INSTRUCTION = 4,
	/* The time of a launch by mailbox, where no clock runs. */
	LAUNCH_US = 85
};

/* The firmware that the calls of a struct execute go to: a private board's. */
struct emulated {
	struct board *board;
	struct gpu gpu;
	struct machine *machine;
	const struct emulated_options *options;
	uint64_t executed[MACHINE_QPUS]; /* instructions, up to now */
	uint64_t counted_clocks;
	size_t used_bytes;
	struct diag finding; /* the first one of checking mode */
};

void
emulated_keep_message(void *context, const struct qpu_message *message)
{
	struct diag *first = context;

	if (first->text[0] == '\0')
		diag_set(first, "%s in QPU %d at 0x%08x: %.160s", message->rule,
			 message->qpu, (uint32_t)message->address,
			 message->text);
}

/* Memory ------------------------------------------------------------------- */

static bool
emu_alloc(void *self_, size_t bytes, struct way_memory *memory,
	  struct diag *why_not)
{
	struct emulated *self = self_;
	const struct board *board = self->board;
	const size_t room =
		((size_t)self->options->mem_mib << 20) - self->used_bytes;
	uint32_t handle;

	bytes = (bytes + DEVICE_PAGE - 1) / DEVICE_PAGE * DEVICE_PAGE;
	handle = bytes > room ?
			 0 :
			 pool_allocate(board, (uint32_t)bytes, DEVICE_PAGE,
				       MAILBOX_MEMORY_L1_NONALLOCATING |
					       MAILBOX_MEMORY_NO_INIT);
	if (!handle) {
		diag_set(why_not,
			 "%zu KiB more do not fit into its %u MiB of "
			 "memory",
			 bytes >> 10, self->options->mem_mib);
		return false;
	}
	self->used_bytes += bytes;
	*memory =
		(struct way_memory){ .cpu = board_gpu_memory(board) +
					    pool_find(board, handle)->range.at -
					    board->memory_base,
				     .bus = pool_lock(board, handle),
				     .bytes = bytes };
	return true;
}

static void
emu_free(void *self_, const struct way_memory *memory)
{
	struct emulated *self = self_;
	const uint32_t handle =
		pool_find_at(self->board, memory->bus, 1)->handle;

	pool_unlock(self->board, handle);
	pool_release(self->board, handle);
	self->used_bytes -= memory->bytes;
}

/* Times -------------------------------------------------------------------- */

/* Without the cycle model a QPU never waits: an instruction takes 4 clocks. */
static double
modelled_ms(const struct emulated *self)
{
	uint64_t clocks = self->counted_clocks;

	if (self->options->timed)
		clocks = machine_clocks(self->machine) +
			 machine_launch_clocks(self->machine);
	return (double)clocks / (MODEL_MHZ * 1e3);
}

/* The launch took as long as its longest program. */
static void
count_clocks(struct emulated *self)
{
	uint64_t longest = 0;

	for (unsigned i = 0; i < MACHINE_QPUS; i++) {
		const uint64_t executed =
			machine_qpu_cost(self->machine, i)->executions;

		if (executed - self->executed[i] > longest)
			longest = executed - self->executed[i];
		self->executed[i] = executed;
	}
	self->counted_clocks +=
		longest * CLOCKS_PER_INSTRUCTION + LAUNCH_US * MODEL_MHZ;
}

/* The firmware ------------------------------------------------------------- */

static bool
emu_ask(void *self_, enum mailbox_tag tag, uint32_t *values, unsigned request,
	unsigned response)
{
	const struct emulated *self = self_;

	(void)request;
	(void)response;
	errno = firmware_answer_tag(self->board, tag, values);
	return errno == 0;
}

static bool
emu_power(void *self_, enum firmware_power power, uint32_t *answer)
{
	const struct emulated *self = self_;

	if (power == POWER_OFF || power == POWER_RESTART)
		power_enable(self->board, false);
	if (power == POWER_ON || power == POWER_RESTART)
		*answer = power_enable(self->board, true);
	return true;
}

static void
emu_close(void *self_)
{
	struct emulated *self = self_;

	gpu_free(&self->gpu);
	board_free(self->board);
	free(self);
}

/* The device --------------------------------------------------------------- */

static struct emulated *
firmware_of(const struct execute *execute)
{
	return execute_calls(execute)->context;
}

/* Say for faults where a launch stores, and how long it is. */
static void
expect(struct emulated *self, const struct way_job *job)
{
	enum { ROW_BYTES = 64 };
	const struct board *board = self->board;
	struct gpu_job *expected = &self->gpu.job;

	assert(job->launch.n <= self->options->qpus);
	*expected = (struct gpu_job){
		.instructions =
			(uint64_t)(job->expected_ms * MODEL_MHZ * 1000 /
				   CLOCKS_PER_INSTRUCTION * job->launch.n)
	};

	for (unsigned i = 0; i < job->launch.n; i++) {
		const struct device_program *program = &job->launch.programs[i];
		const size_t bytes = program->result_rows * ROW_BYTES;

		if (pool_find_at(board, program->results, (uint32_t)bytes))
			expected->results[expected->nresults++] =
				(struct pi_memory){
					board_gpu_memory(board) +
						soc_physical(program->results) -
						board->memory_base,
					bytes
				};
	}
}

static enum device_status
emu_submit(void *execute, const struct way_job *job, uint64_t *ticket,
	   struct diag *why)
{
	struct emulated *self = firmware_of(execute);
	enum device_status status;

	expect(self, job);
	status = execute_submit(execute, job, ticket, why);
	count_clocks(self);
	if (self->gpu.broke_rule ||
	    (status == DEVICE_OK && self->finding.text[0]))
		status = DEVICE_FAULT;
	if (self->gpu.failure.text[0])
		*why = self->gpu.failure;
	else if (status == DEVICE_FAULT)
		diag_set(why, "%s", self->finding.text);
	return status;
}

void
emulated_totals(struct machine *machine, bool timed,
		struct device_totals *totals)
{
	*totals = (struct device_totals){
		.modelled = true,
		.timed = timed,
		.instructions = machine_instructions(machine),
		.clocks = machine_clocks(machine),
		.launch_clocks = machine_launch_clocks(machine)
	};
	for (unsigned i = 0; i < MACHINE_COUNTERS && timed; i++) {
		const char *name = machine_counter_name(i);

		if (name)
			totals->counters[totals->ncounters++] =
				(struct device_counter){
					.name = name,
					.value = machine_counter(machine, i)
				};
	}
}

static void
emu_totals(void *execute, struct device_totals *totals)
{
	const struct emulated *self = firmware_of(execute);

	emulated_totals(self->machine, self->options->timed, totals);
	totals->busy_ms = modelled_ms(self);
}

static struct emulated *
firmware_new(const struct emulated_options *options, struct diag *why_not)
{
	struct emulated *self = calloc(1, sizeof(*self));

	if (!self) {
		diag_set(why_not, "out of memory");
		return NULL;
	}
	self->board = board_new(options, why_not);
	if (self->board) {
		self->board->gpu = &self->gpu;
		self->machine = gpu_machine(self->board, why_not);
	}
	if (!self->machine) {
		emu_close(self);
		return NULL;
	}
	self->options = &self->board->shared->options.device;
	if (options->check)
		machine_on_message(self->machine, emulated_keep_message,
				   &self->finding);
	return self;
}

static void *
emu_open(const char *text, unsigned *qpus, struct diag *why_not)
{
	/* The model has one user, and its memory no caches. */
	struct firmware_calls calls = { .ask = emu_ask,
					.power = emu_power,
					.alloc = emu_alloc,
					.free = emu_free,
					.close = emu_close };
	struct emulated_options options;
	struct execute *execute;

	if (!emulated_options_parse(&options, PI_LANES, text, why_not))
		return NULL;
	calls.context = firmware_new(&options, why_not);
	execute = calls.context ? execute_open(&calls, why_not) : NULL;
	if (execute)
		*qpus = options.qpus;
	return execute;
}

const struct way way_emulated = { .kind = WAY_LANES,
				  .open = emu_open,
				  .alloc = execute_alloc,
				  .free = execute_free,
				  .publish = execute_publish,
				  .submit = emu_submit,
				  .restart = execute_restart,
				  .totals = emu_totals,
				  .close = execute_close };
