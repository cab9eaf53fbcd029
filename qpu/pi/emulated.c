/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/pi/emulated.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "qpu/emulator/emulator.h"
#include "qpu/pi/emulated_options.h"
#include "qpu/pi/faults.h"
#include "qpu/ways/execute.h"

enum {
	/* The bus address at which a Pi 1 shows its memory to the QPUs past the
	 * L2 cache of the CPU; the first pages are never handed out. */
	BUS_BASE = 0x40000000,
	BUS_FIRST = 0x01000000,
	/* A gap between two allocations, so that running over one is
	 * noticed. */
	GUARD_BYTES = 1 << 16,
	MEMORIES = 211, /* one is for requests */
	MODEL_MHZ = 250,
	CLOCKS_PER_INSTRUCTION = 4,
	/* The time of a launch by mailbox, where no clock runs. */
	LAUNCH_US = 85
};

/* The firmware that the calls of a struct execute go to. */
struct emulated {
	struct emulated_options options;
	struct machine *machine;
	struct way_memory memories[MEMORIES]; /* bytes 0 = free slot */
	size_t used_bytes;
	uint32_t next_bus;
	uint64_t nallocs;
	uint64_t nlaunches;
	uint64_t executed[MACHINE_QPUS]; /* instructions, up to now */
	uint64_t counted_clocks;
	struct faults faults;
	const struct way_job *job; /* that runs */
	struct diag finding;	   /* the first one of checking mode */
	/* How the last launch ended. */
	struct diag ended;
	bool broke_rule;
};

void
emulated_note_finding(void *context, const struct qpu_message *message)
{
	struct diag *first = context;

	if (first->text[0] == '\0')
		diag_set(first, "%s in QPU %d at 0x%08x: %.160s", message->rule,
			 message->qpu, (uint32_t)message->address,
			 message->text);
}

/* Return the bytes at a bus address, or NULL if they are not in one memory. */
static void *
find_bytes(const struct emulated *self, uint32_t bus, size_t bytes)
{
	for (unsigned i = 0; i < MEMORIES; i++) {
		const struct way_memory *memory = &self->memories[i];
		const uint32_t offset = bus - memory->bus;

		if (offset < memory->bytes && memory->bytes - offset >= bytes)
			return (uint8_t *)memory->cpu + offset;
	}
	return NULL;
}

static bool
takes_no_more(struct emulated *self, size_t bytes)
{
	const size_t limit = (size_t)self->options.mem_mib << 20;

	return pi_fault_strikes(&self->options.fault, PI_NO_MEMORY,
				++self->nallocs) ||
	       bytes > limit - self->used_bytes;
}

static bool
emu_alloc(void *self_, size_t bytes, struct way_memory *memory,
	  struct diag *why_not)
{
	struct emulated *self = self_;
	struct way_memory *slot = self->memories;

	bytes = (bytes + DEVICE_PAGE - 1) / DEVICE_PAGE * DEVICE_PAGE;
	while (slot < self->memories + MEMORIES && slot->bytes > 0)
		slot++;
	if (slot == self->memories + MEMORIES || takes_no_more(self, bytes)) {
		diag_set(why_not,
			 "%zu KiB more do not fit into its %u MiB of "
			 "memory",
			 bytes >> 10, self->options.mem_mib);
		return false;
	}
	slot->cpu = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (slot->cpu == MAP_FAILED) {
		diag_set(why_not, "out of memory");
		return false;
	}
	slot->bus = self->next_bus;
	if (!machine_add_memory(self->machine, slot->bus, slot->cpu, bytes,
				why_not)) {
		munmap(slot->cpu, bytes);
		return false;
	}
	slot->bytes = bytes;
	self->used_bytes += bytes;
	self->next_bus += (uint32_t)bytes + GUARD_BYTES;
	*memory = *slot;
	return true;
}

static void
emu_free(void *self_, const struct way_memory *memory)
{
	struct emulated *self = self_;

	for (unsigned i = 0; i < MEMORIES; i++) {
		struct way_memory *slot = &self->memories[i];

		if (slot->bytes == 0 || slot->bus != memory->bus)
			continue;
		machine_remove_memory(self->machine, slot->bus);
		munmap(slot->cpu, slot->bytes);
		self->used_bytes -= slot->bytes;
		/* The last allocation leaves no hole. */
		if (self->next_bus == slot->bus + slot->bytes + GUARD_BYTES)
			self->next_bus = slot->bus;
		slot->bytes = 0;
	}
}

/* Without the cycle model a QPU never waits: an instruction takes 4 clocks. */
static double
modelled_ms(const struct emulated *self)
{
	uint64_t clocks = self->counted_clocks;

	if (self->options.timed)
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

/* Describe a launch for its faults. */
static void
describe(const struct emulated *self, struct pi_memory memory[MEMORIES],
	 struct pi_memory results[DEVICE_QPUS], struct faults_run *run)
{
	enum { ROW_BYTES = 64 };
	const struct way_job *job = self->job;

	*run = (struct faults_run){ .number = self->nlaunches,
				    .machine = self->machine,
				    .qpus = job->launch.n,
				    .memory = memory,
				    .results = results };
	run->expected = (uint64_t)(job->expected_ms * MODEL_MHZ * 1000 /
				   CLOCKS_PER_INSTRUCTION * run->qpus);
	for (unsigned i = 0; i < MEMORIES; i++)
		if (self->memories[i].bytes > 0)
			memory[run->nmemory++] =
				(struct pi_memory){ self->memories[i].cpu,
						    self->memories[i].bytes };
	for (unsigned i = 0; i < run->qpus; i++) {
		const struct device_program *program = &job->launch.programs[i];
		const size_t bytes = program->result_rows * ROW_BYTES;
		uint8_t *rows = find_bytes(self, program->results, bytes);

		if (rows)
			results[run->nresults++] =
				(struct pi_memory){ rows, bytes };
	}
}

/* Run programs for as long as the firmware waits.  Return false if they did not end. */
static bool
run_machine(struct emulated *self, const struct machine_program *programs,
	    unsigned n, unsigned timeout_ms)
{
	const uint64_t clocks = (uint64_t)timeout_ms * MODEL_MHZ * 1000;
	const uint64_t instructions = clocks / CLOCKS_PER_INSTRUCTION * n;
	enum machine_status ended = MACHINE_FAULT;
	struct pi_memory memory[MEMORIES], results[DEVICE_QPUS];
	struct faults_run run;

	describe(self, memory, results, &run);
	faults_begin(&self->faults, &run);
	faults_before_clear(&self->faults, self->machine, run.number);
	if (machine_launch(self->machine, programs, n, &self->ended))
		ended = machine_run(self->machine, instructions,
				    self->options.timed ? clocks : 0,
				    &self->ended);
	faults_end(&self->faults, &run);
	self->broke_rule = ended == MACHINE_FAULT;
	return ended == MACHINE_DONE;
}

/* MAILBOX_EXECUTE_QPU.  A stuck QPU is the last one, which never starts; the others
 * wait for it as long as we do. */
static bool
execute(struct emulated *self, uint32_t *values)
{
	const uint32_t n = values[0];
	const uint64_t number = self->nlaunches;
	const bool stuck = faults_strike(&self->faults, PI_STUCK, number);
	struct { /* section 14 */
		uint32_t uniforms, code;
	} *control = find_bytes(self, values[1], n * sizeof(*control));
	struct machine_program programs[MACHINE_QPUS];
	bool done = false;

	if (faults_strike(&self->faults, PI_LATE, number)) {
		errno = ETIMEDOUT;
		return false;
	}
	for (uint32_t i = 0; control && i < n; i++)
		programs[i] = (struct machine_program){
			.uniforms = control[i].uniforms, .code = control[i].code
		};
	if (faults_strike(&self->faults, PI_LOST, number)) {
		done = true;
	} else if (!faults_strike(&self->faults, PI_REFUSED, number) &&
		   control) {
		if (n > stuck)
			done = run_machine(self, programs, n - stuck,
					   values[3]) &&
			       !stuck;
		count_clocks(self);
		/* Nothing says more of a QPU that never starts. */
		if (stuck)
			self->ended.text[0] = '\0';
	}
	values[0] = done ? MAILBOX_OK : MAILBOX_FAILED;
	return true;
}

/* Of the clock nothing is known: it is a model's. */
static bool
emu_ask(void *self, enum mailbox_tag tag, uint32_t *values, unsigned request,
	unsigned response)
{
	(void)request;
	(void)response;
	if (tag == MAILBOX_EXECUTE_QPU)
		return execute(self, values);
	errno = EINVAL;
	return false;
}

/* A model's QPUs are on, stop on request, and have one user. */
static bool
emu_agrees(void *self)
{
	(void)self;
	return true;
}

static void
emu_ignores(void *self)
{
	(void)self;
}

static bool
emu_switch(void *self_, uint32_t *answer)
{
	struct emulated *self = self_;

	machine_reset(self->machine);
	*answer = MAILBOX_OK;
	return true;
}

static void
emu_publish(void *self, const struct way_memory *memory)
{
	(void)self;
	(void)memory;
}

static bool
emu_refresh(void *self, const struct device_launch *launch)
{
	(void)self;
	(void)launch;
	return true;
}

static struct emulated *
firmware_of(const struct execute *execute)
{
	return execute_calls(execute)->context;
}

static enum device_status
emu_submit(void *execute, const struct way_job *job, uint64_t *ticket,
	   struct diag *why)
{
	struct emulated *self = firmware_of(execute);
	enum device_status status;

	if (job->launch.n == 0 || job->launch.n > self->options.qpus) {
		diag_set(why, "%u programs for %u QPUs", job->launch.n,
			 self->options.qpus);
		return DEVICE_REFUSED;
	}
	self->nlaunches++;
	self->broke_rule = false;
	self->ended.text[0] = '\0';
	self->job = job;
	status = execute_submit(execute, job, ticket, why);
	if (self->broke_rule || (status == DEVICE_OK && self->finding.text[0]))
		status = DEVICE_FAULT;
	if (self->ended.text[0])
		diag_set(why, "%s", self->ended.text);
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

	emulated_totals(self->machine, self->options.timed, totals);
	totals->busy_ms = modelled_ms(self);
}

static void
emu_close(void *self_)
{
	struct emulated *self = self_;

	for (unsigned i = 0; i < MEMORIES; i++)
		if (self->memories[i].bytes > 0)
			munmap(self->memories[i].cpu, self->memories[i].bytes);
	machine_destroy(self->machine);
	faults_close(&self->faults);
	free(self);
}

static struct emulated *
firmware_new(const struct emulated_options *options, struct diag *why_not)
{
	struct emulated *self = calloc(1, sizeof(*self));
	const struct machine_options machine = { .qpus = options->qpus,
						 .timed = options->timed,
						 .check = options->check,
						 .mailbox = true,
						 .words = pi_fault_needs_words(
							 options->fault.kind),
						 .seed = options->seed };

	if (!self) {
		diag_set(why_not, "out of memory");
		return NULL;
	}
	self->options = *options;
	self->machine = machine_create(&machine, why_not);
	if (!self->machine) {
		free(self);
		return NULL;
	}
	if (options->check)
		machine_on_finding(self->machine, emulated_note_finding,
				   &self->finding);
	faults_open(&self->faults, &options->fault, options->seed);
	self->next_bus = BUS_BASE + BUS_FIRST;
	return self;
}

static void *
emu_open(const char *text, unsigned *qpus, struct diag *why_not)
{
	struct firmware_calls calls = { .ask = emu_ask,
					.enter = emu_agrees,
					.leave = emu_ignores,
					.enable = emu_switch,
					.fail = emu_ignores,
					.restart = emu_switch,
					.stop = emu_agrees,
					.alloc = emu_alloc,
					.free = emu_free,
					.publish = emu_publish,
					.flush = emu_agrees,
					.refresh = emu_refresh,
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
				  .wait = way_wait_for_nothing,
				  .restart = execute_restart,
				  .totals = emu_totals,
				  .close = execute_close };
