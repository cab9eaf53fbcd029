/* SPDX-License-Identifier: MIT */
/*
 * The ways through a program: all of them are followed as far as there is
 * room, and the result shows whether one was left out.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/pack.h"
#include "qpu/validate/validate.h"
#include "tests/support/fault.h"
#include "tests/support/tap.h"

#define NOP3 "nop\nnop\nnop\n"
#define END "thrend\nnop\nnop\n"

enum { SOURCE_SIZE = 16384, MAX_INSTS = 1024 };

struct result {
	unsigned rule; /* that is counted */
	unsigned hazards, warnings;
	bool checked, complete;
};

static void
count_hazard(void *context, const struct qpu_hazard *hazard)
{
	struct result *result = context;

	if (hazard->rule->id != result->rule)
		return;
	result->hazards += hazard->verdict == QPU_HAZARD;
	result->warnings += hazard->verdict == QPU_WARNING;
}

static struct result
check(unsigned rule, const struct qpu_inst *insts, const bool *is_inst,
      size_t n)
{
	struct result result = { .rule = rule };

	result.checked = qpu_validate(insts, is_inst, n, count_hazard, &result,
				      &result.complete);
	return result;
}

static size_t
assemble(const char *source, struct qpu_inst insts[MAX_INSTS])
{
	struct qpu_asm_program program;
	size_t n = 0;

	if (qpu_asm_text("t", source, strlen(source), NULL, &program))
		for (; n < program.nwords; n++)
			qpu_unpack(program.words[n].word, &insts[n]);
	else
		tap_note("%s", program.messages[0].text);
	qpu_asm_free(&program);
	return n;
}

static struct result
check_source(const char *source)
{
	static struct qpu_inst insts[MAX_INSTS];
	const size_t n = assemble(source, insts);

	return n ? check(1, insts, NULL, n) : (struct result){ .rule = 0 };
}

static void
test_data(void)
{
	static const bool is_inst[] = { true, false, true };
	struct qpu_inst insts[MAX_INSTS];
	struct result result;

	assemble("mov ra5, r0\nmov ra5, r0\nmov r0, ra5\n", insts);
	result = check(1, insts, is_inst, 3);
	ok(result.checked && !result.hazards,
	   "a way ends where data stand between instructions");
	result = check(1, insts, NULL, 0);
	ok(result.checked && result.complete && !result.hazards,
	   "a program without an instruction has no hazard");
	result = check(1, insts, NULL, 3);
	ok(result.checked && result.hazards == 1,
	   "a way goes on where all words are instructions");
}

/*
 * n calls of one subroutine, whose last delay slot writes what the instruction
 * after the last call reads; or n jumps to one place in third delay slots.
 */
static void
write_ways(char source[SOURCE_SIZE], bool calls, unsigned n)
{
	size_t len = 0;

	for (unsigned i = 0; i < n; i++)
		len += snprintf(source + len, SOURCE_SIZE - len,
				calls ? "brr ra2, r:to\n" NOP3 :
					"brr.anyz -, r:to\nnop\nnop\n"
					"brr -, r:x%u\n" NOP3 ":x%u\n",
				i, i);
	snprintf(source + len, SOURCE_SIZE - len,
		 "mov r0, ra7\n" END
		 ":to\nbra -, ra2\nnop\nnop\nmov ra7, r1\n");
}

static void
test_limits(void)
{
	static const struct {
		bool calls;
		unsigned n;
		bool complete;
		const char *promise;
	} rows[] = {
		{ true, 64, true, "64 callers of a subroutine are followed" },
		{ true, 65, false,
		  "the caller is told that one of 65 returns was left out" },
		{ false, 63, true,
		  "63 jumps to an instruction and the way in sequence are "
		  "followed" },
		{ false, 64, false,
		  "the caller is told that one of 64 jumps was left out" },
	};
	char source[SOURCE_SIZE];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct result result;

		write_ways(source, rows[i].calls, rows[i].n);
		result = check_source(source);
		ok(result.checked && result.complete == rows[i].complete, "%s",
		   rows[i].promise);
	}
	write_ways(source, true, 64);
	ok(check_source(source).warnings == 1,
	   "a hazard after the last of 64 returns is a warning");
}

/* The twentieth of the jumps in third delay slots goes to where ra1 is read. */
static void
test_many_starts(void)
{
	char source[SOURCE_SIZE];
	size_t len = 0;
	struct result result;

	for (unsigned i = 0; i < 20; i++)
		len += snprintf(source + len, sizeof(source) - len,
				"brr.anyz -, r:to\nnop\nnop\n"
				"brr -, r:%s%u\nnop\nnop\n:x%u\nnop\n",
				i == 19 ? "last" : "x", i, i);
	snprintf(source + len, sizeof(source) - len,
		 END "nop\n:last19\nmov r0, ra1\n" END
		     ":to\nnop\nnop\nmov ra1, r0\n" END);
	result = check_source(source);
	ok(result.checked && result.complete && result.hazards == 1,
	   "the twentieth way to reach an instruction is followed");
}

/*
 * Branches in delay slots of branches, to places all over the program: the
 * ways grow with the square of its length.
 */
static void
test_many_branches(void)
{
	enum { BRANCHES = 5000 };
	struct qpu_inst *insts = calloc(BRANCHES, sizeof(*insts));
	struct result result;

	for (size_t i = 0; i < BRANCHES; i++) {
		const int64_t target = (int64_t)(i * 7919 % BRANCHES);
		const uint32_t offset =
			(uint32_t)(8 * (target - (int64_t)i - 4));

		/* brr.anyz -, target */
		qpu_unpack(UINT64_C(0xf02809e7) << 32 | offset, &insts[i]);
	}
	result = check(8, insts, NULL, BRANCHES);
	ok(result.checked && !result.complete && result.hazards >= BRANCHES - 1,
	   "each of %d branches in delay slots is reported, and that ways were "
	   "left out",
	   (int)BRANCHES);
	free(insts);
}

/*
 * Branches by a register, each of them a target of all others: the ways grow with
 * the square of the length, and with its cube in delay slots.
 */
static void
test_many_returns(void)
{
	enum { RETURNS = 2000 };
	static const char *const branches[] = { "bra ra1, ra1",
						"bra.allz ra1, ra1" };

	for (size_t i = 0; i < sizeof(branches) / sizeof(*branches); i++) {
		struct qpu_inst *insts = calloc(RETURNS, sizeof(*insts));
		struct qpu_inst branch[MAX_INSTS];
		struct result result;

		assemble(branches[i], branch);
		for (size_t k = 0; k < RETURNS; k++)
			insts[k] = branch[0];
		result = check(8, insts, NULL, RETURNS);
		ok(result.checked && !result.complete && result.hazards,
		   "%d times '%s': hazards are reported, and that ways were "
		   "left out",
		   (int)RETURNS, branches[i]);
		free(insts);
	}
}

static void
test_no_memory(void)
{
	static const enum fault_call calls[] = { FAULT_calloc,
						 FAULT_reallocarray };
	static struct qpu_inst insts[MAX_INSTS];
	const size_t n = assemble("brr -, r:l\nnop\nnop\nbrr -, r:l\n:l\n" NOP3
				  "mov ra1, r0\nmov r0, ra1\n" END,
				  insts);

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		const long before = balance_now().blocks;
		struct result result;
		unsigned nth = 0, refused = 0;
		bool has_failed;

		do {
			fault_at(calls[i], ++nth, ENOMEM);
			result = check(1, insts, NULL, n);
			has_failed = fault_count(calls[i]) >= nth;
			fault_clear();
			refused += has_failed && !result.checked;
		} while (has_failed);
		ok(nth > 3 && refused == nth - 1 && result.hazards == 1,
		   "a program is refused wherever %s fails",
		   i ? "reallocarray" : "calloc");
		ok(balance_now().blocks == before,
		   "all memory is given back wherever %s fails",
		   i ? "reallocarray" : "calloc");
	}
}

int
main(void)
{
	test_data();
	test_limits();
	test_many_starts();
	test_many_branches();
	test_many_returns();
	test_no_memory();
	return tap_done();
}
