/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "qpu/virtual/gpu.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "qpu/emu_timing.h"
#include "qpu/mailbox.h"
#include "qpu/virtual/arena.h"
#include "qpu/virtual/observe.h"

enum {
	/* With no more the firmware is one without 3D. */
	CUT_DOWN_MIB = 16,
	CLOCKS_PER_INSTRUCTION = 4,
	/* Between two looks at interrupts and signals. */
	SLICE = 1 << 18,
	/* How long the kernel waits for the firmware, since 2018. */
	KERNEL_MS = 1000,
	/* What a V3D without power reads as. */
	NO_POWER = 0xdeadbeef,
	/* Queues a program (section 12). */
	V3D_SRQPC = 0x430
};

/* The QPUs of this process; interposed calls bring no context along. */
static struct gpu {
	struct machine *machine;
	pid_t owner;		/* a child must not run its parent's programs */
	struct emu_timing timing;
	struct arena arena;
	uint32_t resets;	/* of the state, when last looked at */
	bool running;		/* programs may be left */
	bool spoiling;		/* a lane of this launch comes out wrong */
	uint64_t findings;
	struct state_totals counted;	/* what the shared totals have */
} the_gpu;

static void
note_finding(void *context, const struct machine_finding *finding)
{
	struct gpu *gpu = context;

	gpu->findings++;
	world_say("hazard %s%u: %s (QPU %u at 0x%08x)",
		  finding->rule <= 20 ? "R" : "C", finding->rule,
		  finding->text, finding->qpu, finding->pc);
}

static bool
create_machine(struct gpu *gpu, const struct world *world, struct diag *why)
{
	const struct state_options *options = &world->state->options;
	const struct machine_options machine_options = {
		.qpus = options->words.qpus,
		.timed = options->words.timed,
		.check = options->words.check,
		.seed = options->words.seed,
		.timing = &gpu->timing
	};

	gpu->timing = emu_timing_default;
	gpu->timing.clock_mhz = options->v3d_mhz;
	gpu->machine = machine_create(&machine_options, why);
	if (!gpu->machine)
		return false;
	gpu->resets = world->state->resets;
	gpu->owner = getpid();
	machine_on_finding(gpu->machine, note_finding, gpu);
	if (*options->trace && !observe_trace(gpu->machine, options->trace))
		world_say("%s: no trace can be written there",
			  options->trace);
	return true;
}

/* The machine as it has to be now: reset if the QPUs were, or are others. */
static bool
wake(struct gpu *gpu, const struct world *world, struct diag *why)
{
	if (!gpu->machine && !create_machine(gpu, world, why))
		return false;
	if (gpu->resets != world->state->resets || gpu->owner != getpid()) {
		machine_reset(gpu->machine);
		gpu->running = false;
		gpu->resets = world->state->resets;
		gpu->owner = getpid();
	}
	return true;
}

/* The same with all memory. */
static bool
prepare(struct gpu *gpu, const struct world *world, struct diag *why)
{
	return wake(gpu, world, why) &&
	       arena_enter(&gpu->arena, world, gpu->machine, why);
}

/* Add to the shared totals what has come since. */
static void
count(struct gpu *gpu, struct state_totals *totals)
{
	struct state_totals *counted = &gpu->counted;
	struct state_totals now = {
		.instructions = machine_instructions(gpu->machine),
		.clocks = machine_clocks(gpu->machine),
		.launch_clocks = machine_launch_clocks(gpu->machine),
		.findings = gpu->findings
	};

	totals->instructions += now.instructions - counted->instructions;
	totals->clocks += now.clocks - counted->clocks;
	totals->launch_clocks += now.launch_clocks - counted->launch_clocks;
	totals->findings += now.findings - counted->findings;
	for (unsigned i = 0; i < MACHINE_COUNTER_SOURCES; i++) {
		now.counters[i] = machine_counter(gpu->machine, i);
		totals->counters[i] += now.counters[i] - counted->counters[i];
	}
	*counted = now;
}

/* A signal that cannot be kept waiting for as long as we emulate. */
static bool
is_hurried(const struct timespec *start)
{
	static const int hurried[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct timespec now;
	sigset_t pending;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if ((now.tv_sec - start->tv_sec) * 1000 +
	    (now.tv_nsec - start->tv_nsec) / 1000000 < KERNEL_MS)
		return false;
	sigpending(&pending);
	for (unsigned i = 0; i < sizeof(hurried) / sizeof(*hurried); i++)
		if (sigismember(&pending, hurried[i]) == 1)
			return true;
	return false;
}

/* The programs ended, or nothing more can come of them. */
static void
settle(struct gpu *gpu, const struct world *world, enum machine_status status,
       const struct diag *why)
{
	const struct device_words *words = &world->state->options.words;

	if (status == MACHINE_DEADLOCK || status == MACHINE_FAULT) {
		world_say("%s", why->text);
		world->state->hung = true;
	}
	if (status != MACHINE_LIMIT) {
		if (gpu->spoiling)
			arena_spoil(&gpu->arena, words->seed);
		gpu->spoiling = false;
		gpu->running = false;
		arena_leave(&gpu->arena, gpu->machine);
	}
	count(gpu, &world->state->totals);
	observe_flush();
}

/* Run until all programs have ended, or for so many clocks. */
static enum machine_status
run_for(struct gpu *gpu, bool timed, uint64_t clocks, unsigned n,
	struct diag *why)
{
	const uint64_t begin = machine_clocks(gpu->machine);
	uint64_t instructions = clocks / CLOCKS_PER_INSTRUCTION * n;
	enum machine_status status = MACHINE_LIMIT;
	struct timespec start;
	uint64_t passed = 0;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while (status == MACHINE_LIMIT && instructions > 0 &&
	       passed < clocks) {
		const uint64_t slice = instructions < SLICE ? instructions :
				       SLICE;

		status = machine_run(gpu->machine, slice,
				     timed ? clocks - passed : 0, why);
		instructions -= slice;
		passed = machine_clocks(gpu->machine) - begin;
		if (is_hurried(&start)) {
			world_say("programs were stopped for a signal");
			break;
		}
	}
	return status;
}

/* Until the firmware answers; false if the kernel has given up before. */
static bool
await_answer(unsigned delay_ms)
{
	const unsigned ms = delay_ms < KERNEL_MS ? delay_ms : KERNEL_MS;
	const struct timespec time = {
		.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L
	};

	if (ms > 0)
		nanosleep(&time, NULL);
	return delay_ms < KERNEL_MS;
}

/* Is this launch the one that has the fault? */
static bool
is_faulty(const struct world *world, enum device_fault fault)
{
	const struct device_words *words = &world->state->options.words;

	return words->fault == fault &&
	       words->fault_at == world->state->totals.launches;
}

static void
begin_launch(struct gpu *gpu, const struct world *world)
{
	gpu->running = true;
	gpu->spoiling = is_faulty(world, DEVICE_WRONG_LANE);
	if (gpu->spoiling)
		arena_remember(&gpu->arena);
}

/* Why the call ends without an interrupt. */
static enum gpu_answer
out_of_time(const struct world *world, enum machine_status status,
	    uint32_t timeout_ms)
{
	if (status == MACHINE_DONE && !world->state->hung)
		world_say("the programs ended without a host interrupt, so "
			  "the call ends by its timeout");
	if (status == MACHINE_LIMIT) {
		world_say("the programs did not end within %u ms (modelled)",
			  timeout_ms < KERNEL_MS ? timeout_ms : KERNEL_MS);
		world->state->hung = true;
	}
	return timeout_ms > KERNEL_MS ? GPU_LATE : GPU_FAILED;
}

/* A stuck QPU is one whose program never starts. */
static enum gpu_answer
launch(struct gpu *gpu, const struct world *world,
       const struct machine_program *programs, unsigned n,
       uint32_t timeout_ms)
{
	const struct state_options *options = &world->state->options;
	const uint32_t ms = timeout_ms < KERNEL_MS ? timeout_ms : KERNEL_MS;
	const bool stuck = is_faulty(world, DEVICE_STUCK_QPU);
	enum machine_status status = MACHINE_DONE;
	unsigned interrupts = 0;
	struct diag why;

	if (stuck && n-- == 1)
		goto end;
	begin_launch(gpu, world);
	if (!machine_launch(gpu->machine, programs, n, &why)) {
		world_say("%s", why.text);
		settle(gpu, world, MACHINE_DONE, &why);
		return GPU_FAILED;
	}
	status = run_for(gpu, options->words.timed,
			 (uint64_t)ms * 1000 * options->v3d_mhz, n, &why);
	interrupts = machine_interrupts(gpu->machine);
	settle(gpu, world, status, &why);
end:
	if (stuck)
		world->state->hung = true;
	if (!await_answer(options->delay_ms))
		return GPU_LATE;
	if (!stuck && interrupts)
		return GPU_OK;
	return out_of_time(world, status, timeout_ms);
}

static bool
may_launch(const struct world *world, uint32_t n)
{
	if (world->state->enabled == 0)
		world_say("programs were to be started, but the QPUs are not "
			  "enabled");
	else if (n == 0 || n > MACHINE_QPUS)
		world_say("%u programs were to be started on %u QPUs", n,
			  (unsigned)MACHINE_QPUS);
	else
		return !world->state->hung;
	return false;
}

enum gpu_answer
gpu_execute(const struct world *world, uint32_t n, uint32_t control,
	    uint32_t timeout_ms)
{
	struct machine_program programs[MACHINE_QPUS];
	struct gpu *gpu = &the_gpu;
	const void *pairs;
	struct diag why;

	if (!may_launch(world, n))
		return GPU_FAILED;
	if (!prepare(gpu, world, &why)) {
		world_say("%s", why.text);
		return GPU_FAILED;
	}
	world->state->totals.launches++;
	if (is_faulty(world, DEVICE_REFUSES))
		return GPU_FAILED;
	pairs = arena_at(&gpu->arena, control, n * sizeof(*programs));
	if (!pairs) {
		world_say("the control block at 0x%08x is not in locked "
			  "memory", control);
		return GPU_FAILED;
	}
	memcpy(programs, pairs, n * sizeof(*programs));
	return launch(gpu, world, programs, n, timeout_ms);
}

static bool
has_qpus(const struct world *world)
{
	const struct state_options *options = &world->state->options;

	return world->soc && world->soc->videocore4 && !options->kms &&
	       options->words.mem_mib > CUT_DOWN_MIB;
}

/*
 * Programs that prepare two transforms enable twice and disable twice, and
 * expect 0 each time: it is a count.  When the power goes a hang is over.
 */
uint32_t
gpu_enable(const struct world *world, bool on)
{
	struct state *state = world->state;

	if (on) {
		if (++state->nenables == state->options.refuse_enable ||
		    !has_qpus(world))
			return MAILBOX_FAILED;
		state->enabled++;
	} else if (state->enabled > 0 && --state->enabled == 0) {
		state->hung = false;
		state->resets++;
	}
	return MAILBOX_OK;
}

uint32_t
gpu_read(const struct world *world, uint32_t offset)
{
	struct gpu *gpu = &the_gpu;
	struct diag why;

	if (world->state->enabled == 0 || !wake(gpu, world, &why))
		return NO_POWER;
	if (gpu->running)
		settle(gpu, world, machine_run(gpu->machine, SLICE, 0, &why),
		       &why);
	return machine_read(gpu->machine, offset);
}

/* The first program of a launch by registers; false if it gets lost. */
static bool
begin_direct(struct gpu *gpu, const struct world *world, struct diag *why)
{
	if (!prepare(gpu, world, why))
		return false;
	world->state->totals.launches++;
	begin_launch(gpu, world);
	return !is_faulty(world, DEVICE_STUCK_QPU);
}

void
gpu_write(const struct world *world, uint32_t offset, uint32_t value)
{
	struct gpu *gpu = &the_gpu;
	struct diag why;

	if (world->state->enabled == 0 || !wake(gpu, world, &why))
		return;
	if (offset == V3D_SRQPC && !gpu->running &&
	    !begin_direct(gpu, world, &why))
		return;
	machine_write(gpu->machine, offset, value);
}
