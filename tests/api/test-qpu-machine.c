/* SPDX-License-Identifier: MIT */
/*
 * Promise: through qpu.h alone programs are run on 1 to 12 QPUs, in each mode;
 * hazards, deadlocks and faults are values with their places, and no wrong call
 * and no lack of memory harms the caller.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "tests/api/assembled.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

static const char ending[] = "thrend\nnop\nnop\n";

/* A machine with one program, which is launched on QPUs 0 to n - 1. */
static struct qpu_machine *
start(const char *text, unsigned n, unsigned mode, uint32_t data[QPUS][32])
{
	struct qpu_machine *machine = qpu_machine_new(QPUS, mode, 1);
	struct qpu_program *program = assemble(text);
	struct qpu_launch launches[QPUS];

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t at = DATA + 128 * i;

		memset(data[i], 0, sizeof(data[i]));
		data[i][0] = i;
		data[i][1] = 100 * i;
		data[i][2] = at + 64;
		launches[i] = (struct qpu_launch){ CODE, at };
	}
	qpu_machine_add_program(machine, program, CODE);
	qpu_program_free(program);
	qpu_machine_add_memory(machine, DATA, data, 128 * n);
	if (qpu_machine_launch(machine, launches, n) == QPU_OK)
		return machine;
	qpu_machine_free(machine);
	return NULL;
}

/* The last message of the machine, never null. */
static const struct qpu_message *
last(const struct qpu_machine *machine)
{
	static const struct qpu_message none = { .text = "", .file = "" };
	const size_t n = qpu_machine_messages(machine);

	return n ? qpu_machine_message(machine, n - 1) : &none;
}

static void
check_modes(void)
{
	static uint32_t data[QPUS][32];

	for (unsigned mode = 0; mode <= (QPU_TIMED | QPU_CHECKING); mode++) {
		struct qpu_machine *machine = start(add, QPUS, mode, data);
		/* Each of them raises the host interrupt. */
		bool good = qpu_machine_ignore(machine, "C47") == QPU_OK &&
			    qpu_machine_run(machine, 0, 0) == QPU_OK &&
			    qpu_machine_errors(machine) == 0 &&
			    qpu_machine_instructions(machine) == 17 * QPUS;

		for (unsigned i = 0; i < QPUS; i++)
			for (unsigned lane = 0; lane < 16; lane++)
				good = good &&
				       data[i][16 + lane] == 100 * i + lane;
		ok(good &&
			   (qpu_machine_clocks(machine) > 100) ==
				   !!(mode & QPU_TIMED) &&
			   (qpu_machine_microseconds(machine) > 0) ==
				   !!(mode & QPU_TIMED),
		   "12 QPUs run a program in mode %u, with clocks if timed",
		   mode);
		qpu_machine_free(machine);
	}
}

static void
check_queue(void)
{
	static uint32_t data[QPUS][32];
	struct qpu_machine *machine = qpu_machine_new(1, 0, 0);
	struct qpu_program *program = assemble(add);
	struct qpu_launch launches[QPU_LAUNCHES_MAX + 1];
	unsigned sums = 0;

	for (unsigned i = 0; i <= QPU_LAUNCHES_MAX; i++)
		launches[i] =
			(struct qpu_launch){ CODE, DATA + 128 * (i % QPUS) };
	for (uint32_t i = 0; i < QPUS; i++)
		data[i][2] = DATA + 128 * i + 64;
	qpu_machine_add_program(machine, program, CODE);
	qpu_machine_add_memory(machine, DATA, data, sizeof(data));
	ok(qpu_machine_launch(machine, launches, 0) == QPU_INVALID &&
		   qpu_machine_launch(machine, launches,
				      QPU_LAUNCHES_MAX + 1) == QPU_INVALID &&
		   qpu_machine_launch(machine, launches, QPU_LAUNCHES_MAX) ==
			   QPU_OK &&
		   qpu_machine_launch(machine, launches, 1) == QPU_INVALID,
	   "the queue has 16 places");
	qpu_machine_run(machine, 0, 0);
	for (unsigned i = 0; i < QPUS; i++)
		sums += data[i][31] == 15;
	ok(sums == QPUS &&
		   qpu_machine_instructions(machine) == 17 * QPU_LAUNCHES_MAX,
	   "programs wait for one QPU and run one after the other");
	qpu_program_free(program);
	qpu_machine_free(machine);
}

static void
check_hazards_of_a_run(void)
{
	static const char source[] = "mov ra5, unif\nmov r0, ra5\n"
				     "mov irq, 1\nthrend\nnop\nnop\n";
	static const char race[] = "ldi vw_setup, 0x1a00\nmov vpm, 1\n"
				   "mov irq, 1\nthrend\nnop\nnop\n";
	static uint32_t data[QPUS][32];
	struct qpu_machine *machine = start(source, 1, QPU_CHECKING, data);

	ok(qpu_machine_run(machine, 0, 0) == QPU_OK &&
		   qpu_machine_errors(machine) == 1 &&
		   strcmp(last(machine)->rule, "R1") == 0 &&
		   last(machine)->address == CODE + 8 &&
		   last(machine)->line == 2 && last(machine)->qpu >= 0 &&
		   last(machine)->source &&
		   strcmp(last(machine)->source, "mov r0, ra5") == 0,
	   "a hazard of a run has rule, address, line and its text, and QPU, "
	   "and ends nothing");
	qpu_machine_free(machine);
	machine = start(source, 1, QPU_CHECKING, data);
	qpu_machine_ignore(machine, "R1");
	qpu_machine_run(machine, 0, 0);
	ok(qpu_machine_messages(machine) == 0 &&
		   qpu_machine_ignore(machine, "R1,X") == QPU_INVALID,
	   "a machine ignores rules, too");
	qpu_machine_free(machine);
	machine = start(race, 2, QPU_CHECKING, data);
	qpu_machine_run(machine, 0, 0);
	ok(qpu_machine_messages(machine) == 2 &&
		   strcmp(qpu_machine_message(machine, 0)->rule, "C50") == 0 &&
		   qpu_machine_message(machine, 0)->line == 2 &&
		   last(machine)->severity == QPU_SEVERITY_NOTE &&
		   last(machine)->line == 2 &&
		   last(machine)->qpu != qpu_machine_message(machine, 0)->qpu,
	   "a race is a message about one QPU and a note about the other");
	qpu_machine_free(machine);
}

static void
check_ends(void)
{
	static const char loop[] = ":l brr -, r:l\nnop\nnop\nnop\n";
	static const char hang[] = "nop\nsacq -, 3\nthrend\nnop\nnop\n";
	static const char wild[] = "mov vr_setup, 0\nmov vr_addr, 0\n"
				   "mov -, vr_wait\nthrend\nnop\nnop\n";
	static uint32_t data[QPUS][32];
	struct qpu_machine *machine = start(loop, 2, 0, data);

	ok(qpu_machine_run(machine, 100, 0) == QPU_LIMIT &&
		   qpu_machine_run(machine, 100, 0) == QPU_LIMIT &&
		   qpu_machine_instructions(machine) == 200,
	   "a run ends at its limit of instructions, and goes on from there");
	qpu_machine_free(machine);

	machine = start(loop, 2, QPU_TIMED, data);
	ok(qpu_machine_run(machine, 0, 1000) == QPU_LIMIT &&
		   qpu_machine_clocks(machine) < 1100,
	   "a run ends at its limit of clocks");
	qpu_machine_free(machine);

	machine = start(hang, 2, 0, data);
	ok(qpu_machine_run(machine, 0, 0) == QPU_DEADLOCK &&
		   qpu_machine_message(machine, 0)->severity ==
			   QPU_SEVERITY_ERROR &&
		   qpu_machine_message(machine, 0)->line == 2 &&
		   qpu_machine_message(machine, 0)->qpu == 0 &&
		   last(machine)->qpu == 1 &&
		   last(machine)->severity == QPU_SEVERITY_NOTE &&
		   strcmp(last(machine)->text,
			  "QPU 1 waits for semaphore 3, which is 0") == 0,
	   "a deadlock has the places of all QPUs that wait");
	ok(qpu_machine_launch(machine, &(struct qpu_launch){ CODE, DATA }, 1) ==
			   QPU_INVALID &&
		   qpu_machine_reset(machine) == QPU_OK &&
		   qpu_machine_launch(machine,
				      &(struct qpu_launch){ CODE, DATA },
				      1) == QPU_OK,
	   "after a deadlock a machine runs programs when it was reset");
	qpu_machine_free(machine);

	machine = start(wild, 1, 0, data);
	ok(qpu_machine_run(machine, 0, 0) == QPU_FAULT &&
		   last(machine)->line == 2 && *last(machine)->text,
	   "an access outside of memory is a fault with its line");
	qpu_machine_free(machine);
}

static void
check_memory(void)
{
	static uint32_t data[64];
	struct qpu_machine *machine = qpu_machine_new(1, 0, 0);
	struct qpu_program *program = assemble(ending);

	ok(qpu_machine_add_memory(machine, DATA, data, 0) == QPU_INVALID &&
		   qpu_machine_add_memory(machine, DATA, data, 6) ==
			   QPU_INVALID &&
		   qpu_machine_add_memory(machine, DATA + 2, data, 8) ==
			   QPU_INVALID &&
		   qpu_machine_add_memory(machine, DATA, (char *)data + 1, 8) ==
			   QPU_INVALID &&
		   qpu_machine_add_memory(machine, 0x3ffffffc, data, 8) ==
			   QPU_INVALID &&
		   qpu_machine_add_memory(machine, DATA, NULL, 8) ==
			   QPU_INVALID &&
		   qpu_machine_errors(machine) == 6,
	   "memory is whole aligned words inside the bus");
	ok(qpu_machine_add_memory(machine, DATA, data, 64) == QPU_OK &&
		   qpu_machine_add_memory(machine, DATA + 60, data, 8) ==
			   QPU_INVALID &&
		   qpu_machine_add_program(machine, program, DATA) ==
			   QPU_INVALID &&
		   qpu_machine_add_program(machine, program, CODE + 4) ==
			   QPU_INVALID,
	   "memory and programs do not overlap");
	qpu_program_free(program);
	qpu_machine_free(machine);
}

static void
check_null(void)
{
	struct qpu_machine *machine = qpu_machine_new(1, 0, 0);

	qpu_machine_free(NULL);
	ok(qpu_machine_add_memory(NULL, 0, machine, 4) == QPU_INVALID &&
		   qpu_machine_add_program(NULL, NULL, 0) == QPU_INVALID &&
		   qpu_machine_ignore(NULL, "R1") == QPU_INVALID &&
		   qpu_machine_launch(NULL, NULL, 1) == QPU_INVALID &&
		   qpu_machine_run(NULL, 0, 0) == QPU_INVALID &&
		   qpu_machine_reset(NULL) == QPU_INVALID &&
		   !qpu_machine_messages(NULL) &&
		   !qpu_machine_message(NULL, 0) && !qpu_machine_errors(NULL) &&
		   !qpu_machine_instructions(NULL) &&
		   !qpu_machine_clocks(NULL) &&
		   !(qpu_machine_microseconds(NULL) > 0),
	   "no function of machines minds a null handle");
	ok(qpu_machine_add_program(machine, NULL, 0) == QPU_INVALID &&
		   qpu_machine_ignore(machine, NULL) == QPU_INVALID &&
		   qpu_machine_launch(machine, NULL, 1) == QPU_INVALID,
	   "an argument of a machine that is null is refused");
	ok(!qpu_machine_new(0, 0, 0) && !qpu_machine_new(13, 0, 0) &&
		   !qpu_machine_new(12, 4, 0),
	   "a number out of range is refused");
	qpu_machine_free(machine);
}

/* The answers of calls. */
struct answers {
	bool good;	/* as it is with enough memory */
	bool no_memory; /* one of them said so */
};

static void
take(struct answers *answers, enum qpu_status status, enum qpu_status wanted)
{
	answers->good &= status == wanted;
	answers->no_memory |= status == QPU_NO_MEMORY;
}

static void
use_program(struct qpu_program *program, struct answers *answers)
{
	const struct qpu_message *message;
	char *text = NULL;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	take(answers, qpu_program_include(program, "dir"), QPU_OK);
	take(answers, qpu_program_preload(program, "part"), QPU_OK);
	qpu_program_read_with(program, read_part, &(unsigned){ 0 });
	take(answers, qpu_program_assemble_text(program, "t", add, strlen(add)),
	     QPU_OK);
	message = qpu_program_message(program, 0);
	answers->no_memory |= message && strcmp(message->rule, "E199") == 0;
	take(answers, qpu_program_validate(program, QPU_HAZARDS), QPU_OK);
	take(answers, qpu_program_validate(program, QPU_DRM), QPU_REFUSED);
	take(answers, qpu_program_write_text(program, stream), QPU_OK);
	take(answers, qpu_program_write_lines(program, stream), QPU_OK);
	fclose(stream);
	free(text);
	answers->good &= qpu_program_messages(program) == 1;
}

static void
use_machine(struct qpu_machine *machine, const struct qpu_program *program,
	    struct answers *answers)
{
	static const struct qpu_launch launch = { CODE, DATA };
	uint32_t data[32] = { 0, 1000, DATA + 64 };

	take(answers, qpu_machine_add_memory(machine, DATA, data, sizeof(data)),
	     QPU_OK);
	take(answers, qpu_machine_add_program(machine, program, CODE), QPU_OK);
	take(answers, qpu_machine_launch(machine, &launch, 1), QPU_OK);
	take(answers, qpu_machine_run(machine, 0, 0), QPU_OK);
	answers->no_memory |= strstr(last(machine)->text, "out of memory") !=
			      NULL;
	answers->good &= data[31] == 1015;
}

/* All there is to do with a program and a machine. */
static struct answers
do_all(void)
{
	struct answers answers = { .good = true };
	struct qpu_program *program = qpu_program_new();
	struct qpu_machine *machine =
		qpu_machine_new(QPUS, QPU_TIMED | QPU_CHECKING, 0);

	if (program && machine) {
		use_program(program, &answers);
		use_machine(machine, program, &answers);
	} else {
		answers = (struct answers){ false, true };
	}
	qpu_machine_free(machine);
	qpu_program_free(program);
	return answers;
}

static enum fault_outcome
do_without(void)
{
	const struct answers answers = do_all();

	return answers.good	 ? FAULT_WHOLE :
	       answers.no_memory ? FAULT_TOLD :
				   FAULT_WRONG;
}

static void *
do_all_again(void *good)
{
	for (unsigned i = 0; i < 10; i++)
		*(bool *)good = do_all().good && (i == 0 || *(bool *)good);
	return NULL;
}

static void
check_threads(void)
{
	pthread_t threads[4];
	bool good[4], all = true;

	for (unsigned i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, do_all_again, &good[i]);
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		all = all && good[i];
	}
	ok(all, "four threads use handles of their own at the same time");
}

int
main(void)
{
	check_modes();
	check_queue();
	check_hazards_of_a_run();
	check_ends();
	check_memory();
	check_null();
	check_threads();
	fault_each(FAULT_MEMORY, ENOMEM, do_without, "all of the library");
	return tap_done();
}
