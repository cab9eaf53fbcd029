/* SPDX-License-Identifier: MIT */
/*
 * Promise: through qpu.h alone programs are assembled, disassembled, validated
 * and run, each error is a value with its place, and no call or memory failure
 * harms the caller.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>

#include "qpu/api/qpu.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

/* A load of a kind that there is not. */
#define RESERVED UINT64_C(0xe400000000000000)

/* The event counter of clocks with valid instructions. */
enum { EXECUTING = 16 };

enum { CODE = 0x40000000, DATA = 0x40010000, QPUS = 12 };

/* Adds the second uniform to the numbers of the lanes and stores the sums at
 * the address in the third one; the first is the number of the QPU. */
static const char add[] =
	"mov r1, unif\nadd r0, elem_num, unif\nshl r2, r1, 7\n"
	"mov r3, 0x1a00\nadd vw_setup, r3, r1\nmov vpm, r0\n"
	"mov r3, 0x80904000\nmov -, mutex_acq\nadd vw_setup, r3, r2\n"
	"mov vw_setup, 0xc0000000\n"
	"mov vw_addr, unif\nmov -, vw_wait\nmov mutex_rel, 0\n"
	"mov interrupt, 1\nthrend\nnop\nnop\n";

static const char ending[] = "thrend\nnop\nnop\n";

static struct qpu_program *
assemble(const char *text)
{
	struct qpu_program *program = qpu_program_new();

	qpu_program_assemble_text(program, "t.qasm", text, strlen(text));
	return program;
}

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
check_errors_of_sources(void)
{
	struct qpu_program *program = assemble("nop\n  mov r0, frob # why\n");
	const struct qpu_message *message = qpu_program_message(program, 0);

	ok(qpu_program_errors(program) == 1 && !qpu_program_words(program) &&
		   message && message->severity == QPU_SEVERITY_ERROR &&
		   message->line == 2 && message->column == 11 &&
		   strcmp(message->file, "t.qasm") == 0 &&
		   strcmp(message->rule, "E111") == 0 &&
		   strcmp(message->source, "  mov r0, frob # why") == 0,
	   "an error of a source has file, line, column, rule and line's text");
	ok(qpu_program_validate(program, QPU_HAZARDS) == QPU_INVALID,
	   "a program with errors cannot be validated");
	qpu_program_free(program);

	program = qpu_program_new();
	ok(qpu_program_assemble_file(program, "/none.qasm") == QPU_REFUSED &&
		   strstr(qpu_program_message(program, 0)->text, "/none.qasm"),
	   "a file that is not there is an error that names it");
	ok(qpu_program_assemble_text(program, "t", "nop", 3) == QPU_INVALID,
	   "a program cannot be assembled twice");
	qpu_program_free(program);
}

static const char *
read_part(void *context, const char *path, size_t *bytes)
{
	if (strcmp(path, "dir/part") != 0)
		return NULL;
	++*(unsigned *)context;
	*bytes = 3;
	return "nopXXX";
}

static void
check_reader(void)
{
	static const char good[] = ".include <part>\n",
			  bad[] = ".include <x>\n";
	struct qpu_program *program = qpu_program_new();
	unsigned asked = 0;

	fault_clear();
	qpu_program_include(program, "dir");
	qpu_program_read_with(program, read_part, &asked);
	ok(qpu_program_assemble_text(program, "t", good, strlen(good)) ==
			   QPU_OK &&
		   qpu_program_words(program) == 1 && asked == 1 &&
		   strcmp(qpu_program_word(program, 0)->file, "dir/part") == 0,
	   "a reader is asked for what a source includes");
	qpu_program_free(program);
	program = qpu_program_new();
	qpu_program_read_with(program, read_part, &asked);
	ok(qpu_program_assemble_text(program, "t", bad, strlen(bad)) ==
			   QPU_REFUSED &&
		   qpu_program_message(program, 0)->line == 1 &&
		   fault_count(FAULT_fopen) == 0,
	   "where there is a reader no file is opened");
	qpu_program_free(program);
}

static void
check_sizes(void)
{
	static const uint8_t bytes[16];
	struct qpu_program *program = assemble("");
	struct qpu_machine *machine = qpu_machine_new(1, 0, 0);

	ok(qpu_program_words(program) == 0 &&
		   qpu_program_validate(program, QPU_HAZARDS) == QPU_OK &&
		   qpu_machine_add_program(machine, program, CODE) ==
			   QPU_INVALID,
	   "an empty source is a program without words, which nobody can run");
	qpu_program_free(program);
	program = qpu_program_new();
	ok(qpu_program_load(program, "w", bytes, 15) == QPU_INVALID &&
		   qpu_program_load(program, "w", bytes,
				    QPU_PROGRAM_BYTES_MAX + 8) == QPU_INVALID &&
		   qpu_program_load(program, "w", bytes, 16) == QPU_OK &&
		   qpu_program_words(program) == 2,
	   "a program is whole words, and not more than there may be");
	qpu_program_free(program);
	qpu_machine_free(machine);
}

/* All that a stream gets from a program; freed by the caller. */
static char *
text_of(const struct qpu_program *program)
{
	char *text = NULL;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	if (!stream || qpu_program_write_text(program, stream) != QPU_OK)
		exit(99);
	fclose(stream);
	return text;
}

static void
check_disassembly(void)
{
	static const char source[] =
		":l mov r0, unif\nbrr.anynz -, r:l\nnop\nnop\nnop\n.int 1, -1\n";
	struct qpu_program *program = assemble(source);
	char *text = text_of(program), line[QPU_TEXT_BYTES_MAX];
	struct qpu_program *again = assemble(text);
	bool same = qpu_program_words(again) == 6;

	for (size_t i = 0; i < qpu_program_words(again); i++)
		same = same && qpu_program_word(again, i)->word ==
				       qpu_program_word(program, i)->word;
	ok(same && strstr(text, "r:L0"),
	   "a program as text assembles to the same words, with labels");
	ok(qpu_disassemble(qpu_program_word(program, 0)->word, line) ==
			   QPU_OK &&
		   strcmp(line, "mov r0, unif") == 0 &&
		   qpu_disassemble(RESERVED, line) == QPU_REFUSED && !*line,
	   "a word is an instruction as text, or none");
	free(text);
	qpu_program_free(program);
	qpu_program_free(again);
}

static void
check_hazards(void)
{
	static const char source[] = "mov ra5, r0\nmov r1, ra5\n"
				     "thrend\nnop\nnop\n";
	struct qpu_program *program = assemble(source);
	const struct qpu_message *hazard, *cause;

	ok(qpu_program_validate(program, QPU_HAZARDS) == QPU_REFUSED,
	   "a program with a hazard is refused");
	hazard = qpu_program_message(program, 0);
	cause = qpu_program_message(program, 1);
	ok(hazard && strcmp(hazard->rule, "R1") == 0 && hazard->address == 8 &&
		   hazard->line == 2 &&
		   strcmp(hazard->text,
			  "ra5: read directly after it was written") == 0,
	   "a hazard has rule, address, line and a sentence");
	ok(cause && cause->severity == QPU_SEVERITY_NOTE &&
		   cause->address == 0 && !qpu_program_message(program, 2),
	   "the instruction that a hazard is caused by is a note after it");
	qpu_program_free(program);

	program = qpu_program_new();
	ok(qpu_program_ignore(program, "R1,R99") == QPU_INVALID &&
		   strstr(qpu_program_message(program, 0)->text, "'R99'"),
	   "a rule that is none is refused by its name");
	qpu_program_ignore(program, "R1");
	qpu_program_assemble_text(program, "t", source, strlen(source));
	ok(qpu_program_validate(program, QPU_HAZARDS) == QPU_OK &&
		   qpu_program_messages(program) == 1,
	   "a rule that is ignored makes no message");
	ok(qpu_program_validate(program, QPU_DRM) == QPU_OK &&
		   qpu_program_message(program, 1)->severity ==
			   QPU_SEVERITY_NOTE &&
		   qpu_program_validate(program, 4) == QPU_INVALID,
	   "each set of rules is asked alone, and no others");
	qpu_program_free(program);

	program = assemble(add);
	ok(qpu_program_validate(program, QPU_HAZARDS | QPU_DRM) ==
			   QPU_REFUSED &&
		   *qpu_program_message(program, 0)->rule == 'D' &&
		   qpu_program_message(program, 0)->line > 0,
	   "what the kernel's driver refuses has a rule and a line");
	qpu_program_free(program);
}

static void
check_modes(void)
{
	static uint32_t data[QPUS][32];

	for (unsigned mode = 0; mode <= (QPU_TIMED | QPU_CHECKING); mode++) {
		struct qpu_machine *machine = start(add, QPUS, mode, data);
		bool good = qpu_machine_run(machine, 0, 0) == QPU_OK &&
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

/* The clocks that the QPUs of a machine have waited for a cause. */
static uint64_t
waited(const struct qpu_machine *machine, const char *cause)
{
	uint64_t clocks = 0;

	for (unsigned i = 1; qpu_stall_name(i); i++)
		for (unsigned qpu = 0; qpu < QPUS; qpu++)
			if (strcmp(qpu_stall_name(i), cause) == 0)
				clocks += qpu_machine_stalled(machine, qpu, i);
	return clocks;
}

static void
check_costs(void)
{
	static uint32_t data[QPUS][32];
	struct qpu_machine *machine = start(add, QPUS, QPU_TIMED, data);

	qpu_machine_run(machine, 0, 0);
	ok(waited(machine, "mutex") > 1000 &&
		   waited(machine, "TMU result") == 0,
	   "a timed machine knows what its QPUs have waited for");
	ok(qpu_counter_name(EXECUTING) &&
		   qpu_machine_counter(machine, EXECUTING) == 4 * 17 * QPUS,
	   "a timed machine has the event counters of the hardware");
	qpu_machine_free(machine);
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
				     "thrend\nnop\nnop\n";
	static uint32_t data[QPUS][32];
	struct qpu_machine *machine = start(source, 1, QPU_CHECKING, data);

	ok(qpu_machine_run(machine, 0, 0) == QPU_OK &&
		   qpu_machine_errors(machine) == 1 &&
		   strcmp(last(machine)->rule, "R1") == 0 &&
		   last(machine)->address == CODE + 8 &&
		   last(machine)->line == 2 && last(machine)->qpu >= 0,
	   "a hazard of a run has rule, address, line and QPU, and ends nothing");
	qpu_machine_free(machine);
	machine = start(source, 1, QPU_CHECKING, data);
	qpu_machine_ignore(machine, "R1");
	qpu_machine_run(machine, 0, 0);
	ok(qpu_machine_messages(machine) == 0 &&
		   qpu_machine_ignore(machine, "R1,X") == QPU_INVALID,
	   "a machine ignores rules, too");
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
		   last(machine)->severity == QPU_SEVERITY_NOTE &&
		   strcmp(last(machine)->text, "QPU 1 waits for semaphore") ==
			   0,
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
	ok(qpu_machine_remove_memory(machine, DATA + 4) == QPU_INVALID &&
		   qpu_machine_remove_memory(machine, DATA) == QPU_OK &&
		   qpu_machine_add_program(machine, program, DATA) == QPU_OK &&
		   qpu_machine_remove_memory(machine, DATA) == QPU_INVALID,
	   "memory is removed where it was added, a program never");
	qpu_program_free(program);
	qpu_machine_free(machine);
}

static void
count_step(void *context, const struct qpu_trace_step *step)
{
	unsigned *counts = context;

	counts[0] += step->line == counts[0] + 1 &&
		     strcmp(step->file, "t.qasm") == 0;
	counts[1] += step->add && step->add[3] == 1003;
}

static void
stop_at_once(void *machine, const struct qpu_trace_step *step)
{
	(void)step;
	qpu_machine_stop(machine);
}

static void
change_all(void *context, const struct qpu_trace_step *step)
{
	static uint32_t more[2];
	struct qpu_machine *machine = context;
	const struct qpu_launch launch = { CODE, DATA };
	struct qpu_program *program = assemble(ending);

	if (qpu_machine_run(machine, 1, 0) == QPU_INVALID &&
	    qpu_machine_reset(machine) == QPU_INVALID &&
	    qpu_machine_launch(machine, &launch, 1) == QPU_INVALID &&
	    qpu_machine_add_program(machine, program, 0) == QPU_INVALID &&
	    qpu_machine_add_memory(machine, 0, more, 8) == QPU_INVALID &&
	    qpu_machine_remove_memory(machine, DATA) == QPU_INVALID &&
	    step->clock == 0)
		qpu_machine_stop(machine);
	qpu_program_free(program);
}

static void
check_trace(void)
{
	static const char source[] = "mov r0, 1000\nadd r0, r0, elem_num\n"
				     "thrend\nnop\nnop\n";
	static uint32_t data[QPUS][32];
	struct qpu_machine *machine = start(source, 1, 0, data);
	unsigned counts[2] = { 0 };
	char *text = NULL;
	size_t len;
	FILE *stream = open_memstream(&text, &len);

	qpu_machine_trace(machine, stream);
	qpu_machine_on_step(machine, count_step, counts);
	ok(qpu_machine_run(machine, 0, 0) == QPU_OK && counts[0] == 5 &&
		   counts[1] == 1,
	   "a tracer sees each instruction, its line and its results");
	fclose(stream);
	ok(strstr(text, "add r0, r0, elem_num") && strstr(text, "t.qasm:2\n"),
	   "a trace names instructions and their lines");
	free(text);
	qpu_machine_free(machine);
	machine = start(source, 1, 0, data);
	qpu_machine_on_step(machine, stop_at_once, machine);
	ok(qpu_machine_run(machine, 0, 0) == QPU_LIMIT &&
		   qpu_machine_instructions(machine) == 1,
	   "a tracer ends the run");
	qpu_machine_free(machine);
	machine = start(source, 1, 0, data);
	qpu_machine_on_step(machine, change_all, machine);
	ok(qpu_machine_run(machine, 0, 0) == QPU_LIMIT &&
		   qpu_machine_errors(machine) == 6 &&
		   strcmp(last(machine)->text, "the machine is running") == 0,
	   "a tracer cannot change the machine under its run");
	qpu_machine_free(machine);
}

static void
check_null(void)
{
	struct qpu_program *program = qpu_program_new();
	struct qpu_machine *machine = qpu_machine_new(1, 0, 0);

	qpu_program_free(NULL);
	qpu_machine_free(NULL);
	ok(qpu_program_include(NULL, "d") == QPU_INVALID &&
		   qpu_program_preload(NULL, "f") == QPU_INVALID &&
		   qpu_program_ignore(NULL, "R1") == QPU_INVALID &&
		   qpu_program_read_with(NULL, read_part, NULL) ==
			   QPU_INVALID &&
		   qpu_program_assemble_file(NULL, "f") == QPU_INVALID &&
		   qpu_program_assemble_text(NULL, "t", "", 0) == QPU_INVALID &&
		   qpu_program_load(NULL, "w", "", 0) == QPU_INVALID &&
		   qpu_program_validate(NULL, QPU_HAZARDS) == QPU_INVALID &&
		   qpu_program_write_text(NULL, stdout) == QPU_INVALID &&
		   qpu_program_write_lines(NULL, stdout) == QPU_INVALID &&
		   !qpu_program_words(NULL) && !qpu_program_word(NULL, 0) &&
		   !qpu_program_messages(NULL) && !qpu_program_errors(NULL) &&
		   !qpu_program_message(NULL, 0) &&
		   !qpu_program_source(NULL, 0),
	   "no function of programs minds a null handle");
	ok(qpu_machine_add_memory(NULL, 0, machine, 4) == QPU_INVALID &&
		   qpu_machine_remove_memory(NULL, 0) == QPU_INVALID &&
		   qpu_machine_add_program(NULL, program, 0) == QPU_INVALID &&
		   qpu_machine_ignore(NULL, "R1") == QPU_INVALID &&
		   qpu_machine_launch(NULL, NULL, 1) == QPU_INVALID &&
		   qpu_machine_run(NULL, 0, 0) == QPU_INVALID &&
		   qpu_machine_reset(NULL) == QPU_INVALID &&
		   qpu_machine_on_step(NULL, NULL, NULL) == QPU_INVALID &&
		   qpu_machine_trace(NULL, NULL) == QPU_INVALID &&
		   qpu_machine_stop(NULL) == QPU_INVALID &&
		   !qpu_machine_messages(NULL) &&
		   !qpu_machine_message(NULL, 0) && !qpu_machine_errors(NULL) &&
		   !qpu_machine_instructions(NULL) &&
		   !qpu_machine_clocks(NULL) &&
		   !(qpu_machine_microseconds(NULL) > 0) &&
		   !qpu_machine_stalled(NULL, 0, 1) &&
		   !qpu_machine_counter(NULL, 0),
	   "no function of machines minds a null handle");
	ok(qpu_program_include(program, NULL) == QPU_INVALID &&
		   qpu_program_ignore(program, NULL) == QPU_INVALID &&
		   qpu_program_assemble_file(program, NULL) == QPU_INVALID &&
		   qpu_program_assemble_text(program, "t", NULL, 1) ==
			   QPU_INVALID &&
		   qpu_program_load(program, NULL, "", 0) == QPU_INVALID &&
		   qpu_program_write_text(program, NULL) == QPU_INVALID &&
		   qpu_disassemble(0, NULL) == QPU_INVALID &&
		   qpu_machine_add_program(machine, NULL, 0) == QPU_INVALID &&
		   qpu_machine_ignore(machine, NULL) == QPU_INVALID &&
		   qpu_machine_launch(machine, NULL, 1) == QPU_INVALID,
	   "an argument that is null is refused");
	ok(!qpu_machine_new(0, 0, 0) && !qpu_machine_new(13, 0, 0) &&
		   !qpu_machine_new(12, 4, 0) && !qpu_stall_name(99) &&
		   !qpu_counter_name(99) && !qpu_machine_counter(machine, 99) &&
		   !qpu_machine_stalled(machine, 12, 1) &&
		   strcmp(qpu_status_text(99), "unknown status") == 0,
	   "a number out of range is refused");
	qpu_program_free(program);
	qpu_machine_free(machine);
}

/* What calls have answered. */
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

static void
run_short_of_memory(void)
{
	struct answers answers = { false, true };
	unsigned n = 0;

	while (!answers.good && answers.no_memory && n++ < 2000) {
		fault_clear();
		fault_at(FAULT_MEMORY, n, ENOMEM);
		answers = do_all();
	}
	fault_clear();
	ok(answers.good && !answers.no_memory && n > 50,
	   "without any one of its %u blocks of memory a call says so", n - 1);
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
	check_errors_of_sources();
	check_reader();
	check_sizes();
	check_disassembly();
	check_hazards();
	check_modes();
	check_costs();
	check_queue();
	check_hazards_of_a_run();
	check_ends();
	check_memory();
	check_trace();
	check_null();
	check_threads();
	balance_test(run_short_of_memory, "the library without memory");
	return tap_done();
}
