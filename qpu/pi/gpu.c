/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/gpu.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "qpu/abi/mailbox.h"
#include "qpu/abi/v3d.h"
#include "qpu/pi/power.h"
#include "src/base/clock.h"

enum {
	CLOCKS_PER_INSTRUCTION = 4,
	/* Instructions between two polls of signals. */
	SLICE = 1 << 18,
	/* Instructions between two polls of the host interrupt: 20 us of 12
	 * QPUs, which the firmware may need to answer. */
	INTERRUPT_SLICE = 1 << 14,
	/* A signal stops the emulation of a launch that has had this much time
	 * of the CPU, which other programs may have most of the time. */
	PATIENCE_MS = 1000
};

/* Registers of a V3D without power read as this value. */
#define NO_POWER 0xdeadbeefu

/* --- Programs ----------------------------------------------------------------- */

/* The QPUs of this process: an interposed call has no context of its own. */
static struct gpu the_gpu;

static struct gpu *
gpu_of(const struct board *board)
{
	return board->gpu ? board->gpu : &the_gpu;
}

/* Report why a launch fails to the user of qpuemu, or keep it for the device. */
__attribute__((format(printf, 2, 3))) static void
report(const struct board *board, const char *format, ...)
{
	struct diag *failure = &gpu_of(board)->failure;
	va_list args;

	va_start(args, format);
	vsnprintf(failure->text, sizeof(failure->text), format, args);
	va_end(args);
	if (!board_is_private(board))
		board_say("%s", failure->text);
}

/* Return true if the fault strikes this launch. */
static bool
is_faulty(const struct board *board, enum pi_fault_kind kind)
{
	return pi_fault_strikes(&board->shared->options.device.fault, kind,
				board->shared->totals.launches);
}

static bool
create_machine(struct gpu *gpu, const struct board *board, struct diag *why)
{
	const struct board_options *options = &board->shared->options;
	const struct machine_options machine_options = {
		.qpus = options->device.qpus,
		.timed = options->device.timed,
		.check = options->device.check,
		.mailbox = true,
		.lockstep = options->debug_launch > 0,
		.words = pi_fault_needs_words(options->device.fault.kind),
		.seed = options->device.seed,
		.ignore = options->ignore,
		.clock_mhz = board->profile->v3d_mhz,
	};

	gpu->machine = machine_create(&machine_options, why);
	if (!gpu->machine)
		return false;
	faults_open(&gpu->faults, &options->device.fault, options->device.seed);
	gpu->resets = board->shared->resets;
	gpu->owner = getpid();
	observer_attach(&gpu->observer, gpu->machine, board);
	return true;
}

/* Make the machine, or reset it if the QPUs were reset since, or if the parent
 * process made it. */
static bool
wake(struct gpu *gpu, const struct board *board, struct diag *why)
{
	if (!gpu->machine && !create_machine(gpu, board, why))
		return false;
	if (gpu->resets != board->shared->resets || gpu->owner != getpid()) {
		machine_reset(gpu->machine);
		gpu->running = false;
		gpu->resets = board->shared->resets;
	}
	if (gpu->owner != getpid()) {
		gpu->owner = getpid();
		observer_attach(&gpu->observer, gpu->machine, board);
	}
	return true;
}

/* Make the machine, and let it reach all memory that its programs may access. */
static bool
prepare(struct gpu *gpu, const struct board *board, struct diag *why)
{
	return wake(gpu, board, why) &&
	       board_memory_enter(&gpu->memory, board, gpu->machine, why);
}

/* Return true if a pending signal cannot wait for the end of the emulation. */
static bool
is_hurried(const struct board *board, uint64_t start)
{
	static const int hurried[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t pending;

	if (board_is_private(board) ||
	    clock_thread_ns() - start < (uint64_t)PATIENCE_MS * CLOCK_NS_PER_MS)
		return false;
	sigpending(&pending);
	for (unsigned i = 0; i < sizeof(hurried) / sizeof(*hurried); i++)
		if (sigismember(&pending, hurried[i]) == 1)
			return true;
	return false;
}

/* Report and count what programs have done that have ended or cannot go on. */
static void
settle(struct gpu *gpu, const struct board *board, enum machine_status status,
       const struct diag *why)
{
	gpu->broke_rule = status == MACHINE_FAULT;
	if (status == MACHINE_DEADLOCK || status == MACHINE_FAULT) {
		report(board, "%s", why->text);
		session_tell_places(&gpu->observer.session);
		power_hang(board->shared);
	}
	observer_flush(&gpu->observer);
	if (status != MACHINE_LIMIT) {
		gpu->running = false;
		board_memory_leave(&gpu->memory, gpu->machine);
	}
	observer_count(&gpu->observer, board);
}

/*
 * Run until all programs of a launch on n QPUs have ended, or for this many
 * clocks, four for each instruction; under the debugger as far as the user
 * wants it.  If the launch is to end with the first interrupt, it ends at the
 * poll after the one that finds it.
 */
static enum machine_status
run_launch(struct gpu *gpu, const struct board *board, uint64_t clocks,
	   unsigned n, bool to_interrupt, struct diag *why)
{
	const bool timed = board->shared->options.device.timed;
	struct machine *machine = gpu->machine;
	const uint64_t slice = to_interrupt ? INTERRUPT_SLICE : SLICE;
	const uint64_t most = machine_instructions(machine) +
			      clocks / CLOCKS_PER_INSTRUCTION * n;
	const uint64_t most_clocks = timed ? machine_clocks(machine) + clocks :
					     0;
	const uint64_t start = clock_thread_ns();
	struct run_limits limits = { .clocks = most_clocks };
	bool interrupted = false;
	enum machine_status status;
	enum session_answer answer;

	do {
		gpu->early = interrupted;
		interrupted = to_interrupt && machine_interrupts(machine);
		limits.instructions = machine_instructions(machine) + slice;
		limits.slice =
			limits.instructions < most &&
			(!timed || machine_clocks(machine) < most_clocks);
		if (!limits.slice)
			limits.instructions = most;
		answer = session_run(&gpu->observer.session, &limits, &status,
				     why);
	} while (answer == SESSION_PAUSED && !gpu->early &&
		 !is_hurried(board, start));
	gpu->early = gpu->early && answer == SESSION_PAUSED;
	if (answer == SESSION_PAUSED && !gpu->early)
		report(board, "programs were stopped for a signal");
	return status;
}

/* Run programs that were started by registers, for a slice. */
static enum machine_status
run_slice(struct gpu *gpu, struct diag *why)
{
	const struct run_limits limits = {
		.instructions = machine_instructions(gpu->machine) + SLICE,
		.slice = true,
	};
	enum machine_status status;

	session_run(&gpu->observer.session, &limits, &status, why);
	return status;
}

static void
begin_launch(struct gpu *gpu, const struct board *board)
{
	board->shared->launch_mhz =
		board->shared->clock_hz[MAILBOX_CLOCK_V3D] / 1000000;
	gpu->running = true;
}

/* Return the answer to a launch that ends without an interrupt. */
static enum gpu_answer
out_of_time(const struct board *board, enum machine_status status,
	    uint32_t timeout_ms)
{
	const uint32_t kernel_ms = board->system->kernel_ms;

	if (status == MACHINE_DONE && !board->shared->hung)
		report(board, "the programs ended without a host interrupt, so "
			      "the call ends by its timeout");
	if (status == MACHINE_LIMIT) {
		report(board,
		       "the programs did not end within %u ms (modelled)",
		       timeout_ms < kernel_ms ? timeout_ms : kernel_ms);
		power_hang(board->shared);
	}
	return timeout_ms > kernel_ms ? GPU_LATE : GPU_FAILED;
}

/* Describe a launch for its faults, which change whole pages. */
static void
describe(const struct gpu *gpu, const struct board *board, unsigned n,
	 struct pi_memory memory[BOARD_REGIONS], struct faults_run *run)
{
	*run = (struct faults_run){ .number = board->shared->totals.launches,
				    .machine = gpu->machine,
				    .qpus = n,
				    .expected = gpu->job.instructions,
				    .memory = memory,
				    .results = gpu->job.results,
				    .nresults = gpu->job.nresults };
	for (unsigned i = 0; i < gpu->memory.nregions; i++)
		memory[run->nmemory++] =
			(struct pi_memory){ gpu->memory.regions[i].host,
					    gpu->memory.regions[i].bytes /
						    FAULTS_PAGE * FAULTS_PAGE };
}

/* Run a launch, with its faults.  A stuck QPU is one whose program never starts. */
static enum gpu_answer
launch(struct gpu *gpu, const struct board *board,
       const struct machine_program *programs, unsigned n, uint32_t timeout_ms)
{
	const struct board_options *options = &board->shared->options;
	const uint32_t kernel_ms = board->system->kernel_ms;
	const uint32_t ms = timeout_ms < kernel_ms ? timeout_ms : kernel_ms;
	const bool stuck = is_faulty(board, PI_STUCK);
	const bool others = gpu->running; /* that registers have started */
	/* Otherwise QPUs run one after the other, and one of them may have
	 * ended before another one begins. */
	const bool side_by_side = options->device.timed ||
				  options->device.check;
	enum machine_status status = MACHINE_DONE;
	struct pi_memory memory[BOARD_REGIONS];
	struct faults_run run;
	unsigned interrupts = 0;
	struct diag why;

	if (stuck && n-- == 1)
		goto end;
	begin_launch(gpu, board);
	gpu->faults.fault = options->device.fault;
	describe(gpu, board, n, memory, &run);
	faults_before_clear(&gpu->faults, gpu->machine, run.number);
	if (!machine_launch(gpu->machine, programs, n, &why)) {
		report(board, "%s", why.text);
		gpu->broke_rule = true;
		gpu->running = others;
		return GPU_FAILED;
	}
	for (unsigned i = 0; i < n; i++)
		session_locate(&gpu->observer.session, i == 0,
			       programs[i].code);
	observer_launch(&gpu->observer, board);
	/* A fault may observe the steps instead. */
	faults_begin(&gpu->faults, &run);
	status = run_launch(gpu, board,
			    (uint64_t)ms * 1000 * board->shared->launch_mhz, n,
			    side_by_side, &why);
	interrupts = machine_interrupts(gpu->machine);
	faults_end(&gpu->faults, &run);
	if (gpu->early)
		report(board,
		       "a launch ended with an interrupt before all of its "
		       "programs");
	else
		settle(gpu, board, status, &why);
end:
	if (stuck)
		power_hang(board->shared);
	if (is_faulty(board, PI_LATE))
		return GPU_LATE;
	if (!stuck && interrupts)
		return GPU_OK;
	return out_of_time(board, status, timeout_ms);
}

static bool
may_launch(const struct board *board, uint32_t n)
{
	if (!power_is_on(board))
		report(board,
		       "programs were to be started, but the QPUs are not "
		       "enabled");
	else if (n == 0 || n > MACHINE_QPUS)
		report(board, "%u programs were to be started on %u QPUs", n,
		       (unsigned)MACHINE_QPUS);
	else
		return !board->shared->hung;
	return false;
}

/* Finish a launch that was answered early: on a board its programs have gone on. */
static void
finish_early_one(struct gpu *gpu, const struct board *board)
{
	struct diag why;

	if (gpu->early && gpu->running && gpu->owner == getpid())
		settle(gpu, board,
		       run_launch(gpu, board,
				  (uint64_t)board->system->kernel_ms * 1000 *
					  board->shared->launch_mhz,
				  MACHINE_QPUS, false, &why),
		       &why);
	gpu->early = false;
}

static enum gpu_answer
execute(struct gpu *gpu, const struct board *board, uint32_t n,
	uint32_t control, bool noflush, uint32_t timeout_ms)
{
	struct machine_program programs[MACHINE_QPUS];
	const void *pairs;
	struct diag why;

	if (!prepare(gpu, board, &why)) {
		report(board, "%s", why.text);
		return GPU_FAILED;
	}
	board->shared->totals.launches++;
	if (is_faulty(board, PI_REFUSED))
		return GPU_FAILED;
	if (is_faulty(board, PI_LOST))
		return GPU_OK;
	pairs = machine_memory(gpu->machine, control, n * sizeof(*programs));
	if (!pairs) {
		report(board,
		       "the control block at 0x%08x is not in locked "
		       "memory",
		       control);
		return GPU_FAILED;
	}
	memcpy(programs, pairs, n * sizeof(*programs));
	machine_keep_caches(gpu->machine, noflush ? MACHINE_CACHES : 0);
	return launch(gpu, board, programs, n, timeout_ms);
}

/* A launch that did not start leaves no buffer mapped. */
enum gpu_answer
gpu_execute(const struct board *board, uint32_t n, uint32_t control,
	    bool noflush, uint32_t timeout_ms)
{
	struct gpu *gpu = gpu_of(board);
	enum gpu_answer answer;

	gpu->failure.text[0] = '\0';
	gpu->broke_rule = false;
	if (!may_launch(board, n))
		return GPU_FAILED;
	finish_early_one(gpu, board);
	answer = execute(gpu, board, n, control, noflush, timeout_ms);
	if (!gpu->running)
		board_memory_leave(&gpu->memory, gpu->machine);
	return answer;
}

uint32_t
gpu_read(const struct board *board, uint32_t offset)
{
	struct gpu *gpu = gpu_of(board);
	struct diag why;

	if (!power_is_on(board) || !wake(gpu, board, &why))
		return NO_POWER;
	if (gpu->running)
		settle(gpu, board, run_slice(gpu, &why), &why);
	return machine_read(gpu->machine, offset);
}

void
gpu_peek(const struct board *board, uint32_t offset, uint32_t *values, size_t n)
{
	struct gpu *gpu = gpu_of(board);
	struct diag why;
	const bool on = power_is_on(board) && wake(gpu, board, &why);

	for (size_t i = 0; i < n; i++)
		values[i] = on ? machine_read(gpu->machine,
					      offset + 4 * (uint32_t)i) :
				 NO_POWER;
}

/* Return true if a write starts a control list, for binning or rendering: its end
 * address does. */
static bool
starts_list(uint32_t offset)
{
	return offset == V3D_CT0EA || offset == V3D_CT0EA + 4;
}

/*
 * Prepare what a write to a register starts, a program or a control list.  It may be
 * in memory that is newer than what runs already.  Return false if it is lost.
 */
static bool
admit(struct gpu *gpu, const struct board *board, uint32_t offset,
      uint32_t value)
{
	const bool first = !gpu->running;
	struct diag why;

	if (!prepare(gpu, board, &why)) {
		report(board, "%s", why.text);
		return false;
	}
	if (first) {
		board->shared->totals.launches++;
		begin_launch(gpu, board);
		observer_launch(&gpu->observer, board);
		if (is_faulty(board, PI_STUCK))
			return false;
	}
	if (offset == V3D_SRQPC)
		session_locate(&gpu->observer.session, first, value);
	return true;
}

void
gpu_write(const struct board *board, uint32_t offset, uint32_t value)
{
	struct gpu *gpu = gpu_of(board);
	struct diag why;

	if (!power_is_on(board) || !wake(gpu, board, &why))
		return;
	if ((offset == V3D_SRQPC || starts_list(offset)) &&
	    !admit(gpu, board, offset, value))
		return;
	machine_write(gpu->machine, offset, value);
}

/* --- Private boards ------------------------------------------------------------ */

void
gpu_free(struct gpu *gpu)
{
	if (gpu->machine) {
		session_free(&gpu->observer.session);
		machine_destroy(gpu->machine);
	}
	faults_close(&gpu->faults);
}

struct machine *
gpu_machine(const struct board *board, struct diag *why)
{
	struct gpu *gpu = gpu_of(board);

	return wake(gpu, board, why) ? gpu->machine : NULL;
}
