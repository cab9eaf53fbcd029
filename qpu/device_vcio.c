/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/device_vcio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "qpu/board.h"
#include "qpu/device.h"
#include "qpu/device_vcio_counters.h"
#include "qpu/device_vcio_firmware.h"
#include "qpu/device_vcio_hold.h"
#include "qpu/device_vcio_memory.h"
#include "qpu/device_vcio_node.h"
#include "qpu/device_vcio_registers.h"
#include "qpu/device_vcio_signals.h"
#include "qpu/device_vcio_words.h"
#include "qpu/mailbox.h"

enum {
	/* The kernel waits for the firmware for about a second, and if that
	 * is not enough both are out of step until the next boot: the
	 * firmware has to give up first. */
	FIRMWARE_MS = 900
};

struct vcio {
	struct board board;
	int vcio;
	struct memory_source source;
	struct registers registers;
	struct words words;		/* what the user wishes */
	struct counters counters;
	bool holds;			/* the hold is ours */
	bool doubtful;			/* the QPUs may be off */
	bool retired;			/* a run has failed */
	uint32_t clock_hz;
	double busy_ms;
	uint64_t direct_runs;		/* by registers */
	struct memory_piece control;	/* of execute QPU */
	struct memory_piece pieces[HOLD_PIECES];
};

/* What execute QPU is given for each QPU (section 14). */
struct control {
	uint32_t uniforms;
	uint32_t code;
};

static bool
vcio_probe(struct diag *why_not)
{
	struct board board;

	return board_look("", &board, why_not);
}

unsigned
device_vcio_worth(void)
{
	struct board board;

	return board_look("", &board, NULL) ? board.soc->messages : 0;
}

/* Opening ------------------------------------------------------------------ */

static void
explain_refusal(uint32_t answer, struct diag *why_not)
{
	diag_set(why_not, "the firmware refuses to enable the QPUs (0x%08x): "
		 "look for dtoverlay=vc4-kms-v3d or vc4-fkms-v3d, for gpu_mem "
		 "below 32 and for start_file in " BOARD_CONFIG ", and "
		 "whether 'sudo rmmod vc4' helps", (unsigned)answer);
}

/*
 * MAILBOX_FAILED means that they are on already or that we may not have them
 * (UNSURE(U9)).  The registers can tell; without them the first run will.
 */
static bool
enable(struct vcio *self, struct diag *why_not)
{
	uint32_t answer;

	if (!hold_enable(&answer)) {
		diag_set(why_not, "the firmware cannot be asked to enable the "
			 "QPUs: %s", strerror(errno));
		return false;
	}
	self->doubtful = answer == MAILBOX_FAILED && !self->registers.base;
	if (answer == MAILBOX_OK || self->doubtful ||
	    (answer == MAILBOX_FAILED && registers_answer(&self->registers)))
		return true;
	explain_refusal(answer, why_not);
	return false;
}

/* False only if they are asked for. */
static bool
map_registers(struct vcio *self, struct diag *why_not)
{
	int mem;

	if (self->words.start == START_BY_MAILBOX && !self->words.counts)
		return true;
	mem = node_open("/dev/mem", O_SYNC);
	if (mem >= 0) {
		registers_map(&self->registers, mem, self->board.soc);
		close(mem);
	}
	if (self->registers.base || self->words.start != START_BY_REGISTERS)
		return true;
	diag_set(why_not, "the registers of the QPUs cannot be mapped through "
		 "/dev/mem: %s", strerror(errno));
	return false;
}

static void
vcio_close(void *self_)
{
	struct vcio *self = self_;

	/* First, since QPUs that are stuck may write to kernel memory. */
	if (self->holds) {
		hold_release();
		signals_disarm();
	}
	for (unsigned i = 0; i < HOLD_PIECES; i++)
		if (self->pieces[i].shared.bytes > 0)
			memory_give_back(&self->source, &self->pieces[i]);
	if (self->control.shared.bytes > 0)
		memory_give_back(&self->source, &self->control);
	registers_unmap(&self->registers);
	memory_close(&self->source);
	if (self->vcio >= 0)
		close(self->vcio);
	free(self);
}

/* Nothing is taken before the lock is ours, and no memory before the QPUs
 * are. */
static bool
open_all(struct vcio *self, struct diag *why_not)
{
	if (!board_look("", &self->board, why_not) ||
	    (self->vcio = firmware_open(why_not)) < 0 ||
	    !firmware_ask(self->vcio, &self->clock_hz, why_not) ||
	    !memory_open(&self->source, &self->board, why_not) ||
	    !map_registers(self, why_not))
		return false;
	hold_begin(self->vcio);
	self->holds = true;
	signals_arm(hold_release);
	return enable(self, why_not) &&
	       memory_take(&self->source,
			   DEVICE_QPUS * sizeof(struct control),
			   &self->control, why_not);
}

static void *
vcio_open(const char *words, unsigned *qpus, struct diag *why_not)
{
	struct vcio *self = calloc(1, sizeof(*self));

	if (!self) {
		diag_set(why_not, "out of memory");
		return NULL;
	}
	self->vcio = self->source.node = -1;
	if (!words_parse(&self->words, words, why_not) ||
	    !open_all(self, why_not)) {
		vcio_close(self);
		return NULL;
	}
	*qpus = DEVICE_QPUS;
	return self;
}

/* Memory ------------------------------------------------------------------- */

static bool
vcio_alloc(void *self_, size_t bytes, struct device_memory *memory,
	   struct diag *why_not)
{
	struct vcio *self = self_;

	for (unsigned i = 0; i < HOLD_PIECES && !self->retired; i++) {
		struct memory_piece *piece = &self->pieces[i];

		if (piece->shared.bytes > 0)
			continue;
		if (!memory_take(&self->source, bytes, piece, why_not))
			return false;
		*memory = piece->shared;
		return true;
	}
	diag_set(why_not, self->retired ? "the QPUs have failed" :
		 "too many pieces of memory");
	return false;
}

/* After a failure programs may still write to memory: it stays until the
 * QPUs are off. */
static void
vcio_free(void *self_, const struct device_memory *memory)
{
	struct vcio *self = self_;

	for (unsigned i = 0; i < HOLD_PIECES && !self->retired; i++) {
		struct memory_piece *piece = &self->pieces[i];

		if (piece->shared.bytes > 0 &&
		    piece->shared.bus == memory->bus)
			memory_give_back(&self->source, piece);
	}
}

/* Running ------------------------------------------------------------------ */

static double
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Caches are to be flushed (noflush = 0): the CPU has written since.  The
 * firmware has one answer for programs that did not start or not end. */
static enum device_status
run_by_firmware(const struct vcio *self,
		const struct device_program *programs, unsigned n,
		unsigned timeout_ms, struct diag *why)
{
	struct control *control = self->control.shared.cpu;
	uint32_t values[4] = { n, self->control.shared.bus, 0, timeout_ms };

	for (unsigned i = 0; i < n; i++)
		control[i] = (struct control){
			.uniforms = programs[i].uniforms,
			.code = programs[i].code
		};
	if (!mailbox_call(self->vcio, MAILBOX_EXECUTE_QPU, values, 4, 1)) {
		const int error = errno;

		diag_set(why, "the firmware did not answer when it was to run "
			 "the programs: %s", strerror(error));
		return error == ETIMEDOUT ? DEVICE_TIMEOUT : DEVICE_REFUSED;
	}
	if (values[0] == MAILBOX_OK)
		return DEVICE_OK;
	if (self->doubtful)
		explain_refusal(values[0], why);
	else
		diag_set(why, "the QPUs did not start or did not come "
			 "back within %u ms (0x%08x)", timeout_ms,
			 (unsigned)values[0]);
	return self->doubtful ? DEVICE_REFUSED : DEVICE_TIMEOUT;
}

static enum device_status
run_by_registers(struct vcio *self, const struct device_program *programs,
		 unsigned n, unsigned timeout_ms, struct diag *why)
{
	self->direct_runs++;
	if (registers_run(&self->registers, programs, n, timeout_ms))
		return DEVICE_OK;
	diag_set(why, "the QPUs, started by registers, did not come back "
		 "within %u ms", timeout_ms);
	return DEVICE_TIMEOUT;
}

/* However the programs are started, and counted if that can be. */
static enum device_status
run(struct vcio *self, const struct device_program *programs, unsigned n,
    double expected_ms, unsigned timeout_ms, struct diag *why)
{
	const bool answers = registers_answer(&self->registers);
	enum device_status status;

	if (self->words.counts && answers)
		counters_begin(&self->registers);
	if (answers && words_want_registers(&self->words, self->source.kind,
					    expected_ms))
		status = run_by_registers(self, programs, n, timeout_ms, why);
	else
		status = run_by_firmware(self, programs, n, timeout_ms, why);
	if (status == DEVICE_OK && self->words.counts && answers)
		counters_end(&self->registers, &self->counters);
	return status;
}

static enum device_status
vcio_run(void *self_, const struct device_program *programs, unsigned n,
	 double expected_ms, unsigned timeout_ms, struct diag *why)
{
	struct vcio *self = self_;
	const double start = now_ms();
	struct hold_visit visit;
	enum device_status status;

	if (n == 0 || n > DEVICE_QPUS || self->retired) {
		diag_set(why, self->retired ? "the QPUs have failed" :
			 "as many programs as no QPUs can run");
		return DEVICE_REFUSED;
	}
	if (timeout_ms > FIRMWARE_MS)
		timeout_ms = FIRMWARE_MS;
	if (!hold_enter(&visit)) {
		diag_set(why, "the program is about to end");
		return DEVICE_REFUSED;
	}
	status = run(self, programs, n, expected_ms, timeout_ms, why);
	self->doubtful = false;
	if (status != DEVICE_OK) {
		self->retired = true;
		hold_distrust();
	}
	hold_leave(&visit);
	self->busy_ms += now_ms() - start;
	return status;
}

static void
vcio_totals(void *self_, struct device_totals *totals)
{
	const struct vcio *self = self_;

	*totals = (struct device_totals){
		.busy_ms = self->busy_ms,
		.clock_hz = self->clock_hz,
		.ncounters = 1,
		.counters[0] = {
			.name = "launches by registers",
			.value = self->direct_runs
		}
	};
	counters_tell(&self->counters, totals);
}

const struct qpu_device device_vcio = {
	.name = "qpu",
	.probe = vcio_probe,
	.open = vcio_open,
	.alloc = vcio_alloc,
	.free = vcio_free,
	.run = vcio_run,
	.totals = vcio_totals,
	.close = vcio_close
};
