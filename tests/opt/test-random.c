/* SPDX-License-Identifier: MIT */
/*
 * Random programs do the same after they were optimised: registers, flags, memory,
 * VPM, and what is left of uniforms.  And this test would find it if they did not:
 * an optimiser that makes a mistake is caught.
 *
 *	tests/opt/test-random [FIRST-SEED COUNT]
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/emulator/emulator.h"
#include "qpu/isa/pack.h"
#include "qpu/opt/mutant.h"
#include "qpu/opt/opt.h"
#include "tests/opt/program.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

struct opt_mutant opt_mutant;

enum {
	BASE = 0x40000000,
	BYTES = 1 << 17,
	CODE = 0,
	UNIFORMS = 0x4000,
	DATA = 0x10000,
	STORES = 0x14000,
	ROWS = 64,
	INSTRUCTIONS = 100000,
	SEARCH = 100, /* readings of the clock */
};

/* All that a program leaves. */
struct trace_left {
	enum machine_status status;
	uint8_t memory[BYTES - UNIFORMS];
	uint32_t vpm[ROWS][MACHINE_LANES];
	uint32_t uniforms;
};

static void
fill(uint32_t seed, uint8_t *memory)
{
	uint32_t word = seed | 1;

	for (size_t i = UNIFORMS; i < BYTES; i += 4) {
		word = word * 1664525 + 1013904223;
		/* Some small numbers, and some floats. */
		const uint32_t value =
			word >> 30 == 0 ? word >> 20 & 255 :
			word >> 30 == 1 ? 0x3f000000 + (word >> 6 & 0xffffff) :
					  word;

		memcpy(memory + i, &value, 4);
	}
	memcpy(memory + UNIFORMS, &(uint32_t){ BASE + DATA }, 4);
	memcpy(memory + UNIFORMS + 4, &(uint32_t){ BASE + STORES }, 4);
	memcpy(memory + UNIFORMS + 8, &(uint32_t){ BASE + DATA }, 4);
}

static void
run(uint32_t seed, const uint64_t *words, size_t n, struct trace_left *left)
{
	static _Alignas(4096) uint8_t memory[BYTES];
	const struct machine_program launch = { BASE + UNIFORMS, BASE + CODE };
	struct machine_options options = { .qpus = 1 };
	struct machine_view view;
	struct diag why;
	struct machine *machine = machine_create(&options, &why);

	if (!machine ||
	    !machine_add_memory(machine, BASE, memory, BYTES, &why)) {
		printf("Bail out! %s\n", why.text);
		exit(99);
	}
	memset(memory, 0, sizeof(memory));
	for (size_t i = 0; i < n; i++)
		qpu_word_store(memory + CODE + 8 * i, words[i]);
	fill(seed, memory);
	machine_launch(machine, &launch, 1, &why);
	left->status = machine_run(machine, INSTRUCTIONS, 0, &why);
	memcpy(left->memory, memory + UNIFORMS, sizeof(left->memory));
	for (unsigned row = 0; row < ROWS; row++)
		memcpy(left->vpm[row], machine_vpm(machine, row),
		       sizeof(left->vpm[row]));
	machine_look(machine, 0, &view);
	left->uniforms = view.uniforms;
	machine_destroy(machine);
}

static void
take_note(void *context, const struct opt_note *note)
{
	(void)context;
	if (note->refused)
		tap_note("refused at %zu: %s", note->index, note->text);
}

/* The result for one program. */
struct result {
	size_t before, after;
	bool same; /* it leaves the same */
	bool refused;
	bool longer;
	bool ended;	/* the source did, so that it says something */
	bool hazardous; /* a finding is new */
};

static struct result
compare(uint32_t seed, unsigned parts, unsigned length, bool renames)
{
	static struct program program;
	static struct trace_left first, second;
	static struct qpu_inst insts[PROGRAM_WORDS];
	/* A search ends after SEARCH looks at a clock that steps: fewer passes than
	 * usual, since only the last one is compared. */
	struct opt_options options = { .renames = renames,
				       .seconds = SEARCH * 1e-3 };
	struct opt_output output;
	struct result result = { .same = true };

	program_make(&program, seed, parts, length);
	const struct opt_input input = {
		.words = program.words,
		.insts = program.insts,
		.is_inst = program.is_inst,
		.n = program.n,
		.data_is_known = true,
	};
	result.before = program.n;
	fault_clock_set(FAULT_SECOND);
	fault_clock_step(FAULT_SECOND / 1000);
	if (opt_run(&input, &options, take_note, NULL, &output) != OPT_DONE) {
		result.refused = true;
		return result;
	}
	result.after = output.n;
	result.longer = output.n > program.n;
	for (size_t i = 0; i < output.n; i++)
		qpu_unpack(output.words[i], &insts[i]);
	result.hazardous =
		program_findings(insts, output.is_inst, output.n) >
		program_findings(program.insts, program.is_inst, program.n);
	run(seed, program.words, program.n, &first);
	run(seed, output.words, output.n, &second);
	result.ended = first.status == MACHINE_DONE;
	/* The rows between registers and scratch are what they were. */
	result.same = memcmp(&first, &second, sizeof(first)) == 0;
	opt_output_free(&output);
	return result;
}

struct sum {
	unsigned programs, different, refused, longer, ended, hazardous;
	size_t before, after;
	uint32_t seed; /* of the last one that is wrong */
};

static struct sum
compare_all(uint32_t first, unsigned count, unsigned parts, bool renames)
{
	struct sum sum = { .programs = count };

	for (uint32_t seed = first; seed < first + count; seed++) {
		const struct result r =
			compare(seed, parts, 120 + seed % 120, renames);

		sum.different += !r.same;
		sum.refused += r.refused;
		sum.longer += r.longer;
		sum.ended += r.ended;
		sum.hazardous += r.hazardous;
		sum.before += r.before;
		sum.after += r.after;
		if (!r.same || r.hazardous || r.refused || r.longer)
			sum.seed = seed;
	}
	return sum;
}

static void
test_programs(uint32_t first, unsigned count)
{
	static const struct {
		const char *what;
		unsigned parts;
	} kinds[] = {
		{ "operations", PROGRAM_ALU },
		{ "branches", PROGRAM_BRANCHES },
		{ "units", PROGRAM_UNITS },
		{ "branches and units", PROGRAM_BRANCHES | PROGRAM_UNITS },
	};

	for (unsigned i = 0; i < 8; i++) {
		const bool renames = i % 2;
		const struct sum sum = compare_all(first, count / 8,
						   kinds[i / 2].parts, renames);
		const bool good = !sum.different && !sum.refused &&
				  !sum.longer && !sum.hazardous;

		if (!ok(good && sum.ended == sum.programs &&
				sum.after < sum.before,
			"%u programs of %s do the same, %s", sum.programs,
			kinds[i / 2].what,
			renames ? "with renamed registers" : "in fewer words"))
			tap_note("%u different, %u refused, %u longer, %u "
				 "hazardous, %u ended; seed %u",
				 sum.different, sum.refused, sum.longer,
				 sum.hazardous, sum.ended, sum.seed);
		tap_note("%zu words -> %zu", sum.before, sum.after);
	}
}

static struct program short_program;

/* Make a program for failing allocations, whose number does not depend on its length. */
static void
make_short_program(void)
{
	static const char text[] = "mov ra0, unif\nmov rb1, 5\nnop\n"
				   ":loop\nadd r1, ra0, rb1\nmov r2, 7\n"
				   "sub.setf ra0, ra0, 1\nmov t0s, r1\n"
				   "brr.anynz -, r:loop\nldtmu0\nnop\nnop\n"
				   "mov irq, nop\nthrend\nnop\nnop\n";
	struct qpu_asm_program from;

	if (!qpu_asm_text("short", text, strlen(text), NULL, &from))
		exit(99);
	for (size_t i = 0; i < from.nwords; i++) {
		short_program.words[i] = from.words[i].word;
		short_program.is_inst[i] = from.words[i].is_inst;
		qpu_unpack(from.words[i].word, &short_program.insts[i]);
	}
	short_program.n = from.nwords;
	qpu_asm_free(&from);
}

/* Optimise a program; it was made before, as that takes memory. */
static enum fault_outcome
optimise_once(void)
{
	const struct opt_options options = { .renames = true };
	const struct opt_input input = {
		.words = short_program.words,
		.insts = short_program.insts,
		.is_inst = short_program.is_inst,
		.n = short_program.n,
		.data_is_known = true,
	};
	struct opt_output output;
	const enum opt_status status =
		opt_run(&input, &options, take_note, NULL, &output);

	if (status != OPT_DONE)
		return status == OPT_NO_MEMORY ? FAULT_TOLD : FAULT_WRONG;
	const bool shorter = output.n < short_program.n;
	opt_output_free(&output);
	return shorter ? FAULT_WHOLE : FAULT_WRONG;
}

static void
test_mutant(const char *mistake, bool *field)
{
	struct sum sum;

	opt_mutant.skips_validator = true;
	*field = true;
	sum = compare_all(1, 40, PROGRAM_BRANCHES, false);
	*field = false;
	opt_mutant.skips_validator = false;
	ok(sum.different + sum.hazardous > 0, "an optimiser that %s is caught",
	   mistake);
	tap_note("%u different, %u hazardous", sum.different, sum.hazardous);
}

int
main(int argc, char **argv)
{
	const uint32_t first = argc > 2 ? strtoul(argv[1], NULL, 10) : 1;
	const unsigned count = argc > 2	      ? strtoul(argv[2], NULL, 10) :
			       tap_is_quick() ? 80 :
						400;

	test_programs(first, count);
	make_short_program();
	fault_each(FAULT_MEMORY, ENOMEM, optimise_once, "the optimiser");
	test_mutant("reads a register right after it was written",
		    &opt_mutant.reads_early);
	test_mutant("writes a register before it was read",
		    &opt_mutant.writes_early);
	test_mutant("forgets that conditions need flags",
		    &opt_mutant.forgets_flags);
	test_mutant("forgets the mode of an operand",
		    &opt_mutant.forgets_unpack);
	return tap_done();
}
