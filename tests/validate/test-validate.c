/* SPDX-License-Identifier: MIT */
/*
 * The ways through a program: all of them are followed as far as there is
 * room, and what was left out is told.
 */
#include "config.h"

#include <limits.h>

#include "tests/validate/reported.h"

#define NOP3 "nop\nnop\nnop\n"
#define END "thrend\nnop\nnop\n"

struct found {
	unsigned rule;
	unsigned nhazards, nwarnings;
};

static void
count_hazard(void *context, const struct qpu_hazard *hazard)
{
	struct found *found = context;

	if (hazard->rule->id != found->rule)
		return;
	found->nhazards += hazard->verdict == QPU_HAZARD;
	found->nwarnings += hazard->verdict == QPU_WARNING;
}

/* Data between instructions is neither checked nor run through. */
static void
check_data(void)
{
	struct found found = { .rule = 1 };
	const bool is_inst[] = { true, false, true };
	struct qpu_inst insts[3];
	bool complete;

	qpu_unpack(UINT64_C(0x10020167159e7000), &insts[0]); /* mov ra5, r0 */
	insts[1] = insts[0];
	qpu_unpack(UINT64_C(0x1002082715167d80), &insts[2]); /* mov r0, ra5 */
	ok(qpu_validate(insts, is_inst, 3, count_hazard, &found, &complete) &&
		   !found.nhazards,
	   "data end the walk");
	ok(qpu_validate(insts, NULL, 3, count_hazard, &found, &complete) &&
		   found.nhazards == 1,
	   "as instructions they do not");
}

enum { CALLERS = 100 };

/*
 * More ways than are followed: a hundred calls, and a return with a write in
 * its last delay slot, which the instruction behind the last call reads.
 */
static void
check_many_ways(void)
{
	struct found found = { .rule = 1 };
	static struct qpu_inst insts[8 * CALLERS];
	struct qpu_asm_program program;
	char source[CALLERS * 40];
	size_t len = 0, n = 0;
	bool complete = true;

	for (unsigned i = 0; i < CALLERS; i++)
		len += sprintf(source + len, "brr ra2, r:sub\n" NOP3);
	len += sprintf(source + len,
		       "mov r0, ra7\n" END ":sub\nbra -, ra2\nnop\nnop\n"
		       "mov ra7, r1\n");
	if (qpu_asm_text("t", source, len, NULL, &program))
		for (; n < program.nwords; n++)
			qpu_unpack(program.words[n].word, &insts[n]);
	qpu_asm_free(&program);
	ok(n && qpu_validate(insts, NULL, n, count_hazard, &found, &complete),
	   "a subroutine with %d callers is checked", CALLERS);
	ok(!complete || found.nwarnings, "and what was left out is told");
}

/*
 * Branches in delay slots of branches, to places all over the program: the
 * ways grow with the square of its length.  It is checked, and what was left
 * out is told.
 */
static void
check_many_branches(void)
{
	enum { BRANCHES = 20000 };
	struct found found = { .rule = 8 };
	struct qpu_inst *insts = calloc(BRANCHES, sizeof(*insts));
	bool complete = true;

	for (size_t i = 0; insts && i < BRANCHES; i++) {
		const int64_t target = (int64_t)(i * 7919 % BRANCHES);
		const uint32_t offset =
			(uint32_t)(8 * (target - (int64_t)i - 4));

		/* brr.anyz -, target */
		qpu_unpack(UINT64_C(0xf02809e7) << 32 | offset, &insts[i]);
	}
	ok(insts && qpu_validate(insts, NULL, BRANCHES, count_hazard, &found,
				 &complete),
	   "%d branches in delay slots are checked", (int)BRANCHES);
	ok(!complete && found.nhazards >= BRANCHES - 1,
	   "each is reported, and that ways were left out");
	free(insts);
}

/*
 * Branches to a register, each of which is also where all others may go to:
 * the ways grow with the square of the length, and with its cube in delay
 * slots.  The last instructions are checked all the same.
 */
static void
check_many_returns(void)
{
	enum { RETURNS = 30000 };
	static const char *const words[] = { "bra ra1, ra1",
					     "bra.allz ra1, ra1" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct found found = { .rule = 8 };
		struct qpu_inst *insts = calloc(RETURNS, sizeof(*insts));
		struct qpu_asm_program program;
		bool complete = true;

		if (insts && qpu_asm_text("t", words[i], strlen(words[i]), NULL,
					  &program))
			qpu_unpack(program.words[0].word, &insts[0]);
		qpu_asm_free(&program);
		for (size_t k = 1; insts && k < RETURNS; k++)
			insts[k] = insts[0];
		ok(insts && qpu_validate(insts, NULL, RETURNS, count_hazard,
					 &found, &complete),
		   "%d times %s", (int)RETURNS, words[i]);
		ok(!complete && found.nhazards > 0,
		   "hazards are reported, and that ways were left out");
		free(insts);
	}
}

/* An instruction that is reached in more ways than a handful. */
static void
check_many_starts(void)
{
	struct found found = { .rule = 1 };
	static struct qpu_inst insts[8 * CALLERS];
	struct qpu_asm_program program;
	char source[CALLERS * 64];
	size_t len = 0, n = 0;
	bool complete = false;

	/* Jumps in third delay slots, all to one place. */
	for (unsigned i = 0; i < 20; i++)
		len += sprintf(source + len,
			       "brr.anyz -, r:to\nnop\nnop\n"
			       "brr -, r:x%u\nnop\nnop\n:x%u\nnop\n",
			       i, i);
	len += sprintf(source + len, END "nop\n:x\nmov r0, ra1\n" END
					 ":to\nnop\nnop\nmov ra1, r0\n" END);
	/* The last of them goes to where ra1 is read. */
	char *last = strstr(source, "r:x19");
	memcpy(last, "r:x  ", 5);
	if (qpu_asm_text("t", source, len, NULL, &program))
		for (; n < program.nwords; n++)
			qpu_unpack(program.words[n].word, &insts[n]);
	else
		tap_note("%s", program.messages[0].diag.text);
	qpu_asm_free(&program);
	ok(n && qpu_validate(insts, NULL, n, count_hazard, &found, &complete) &&
		   complete && found.nhazards == 1,
	   "the twentieth way to reach an instruction is followed");
}

/* So many jumps in third delay slots to one place, or calls of one place. */
static bool
is_complete(bool calls, unsigned n)
{
	static struct qpu_inst insts[1024];
	static char source[16384];
	struct qpu_asm_program program;
	struct found found = { .rule = 1 };
	size_t len = 0, words = 0;
	bool complete = true;

	for (unsigned i = 0; i < n; i++)
		len += sprintf(source + len,
			       calls ? "brr ra2, r:to\n" NOP3 :
				       "brr.anyz -, r:to\nnop\nnop\n"
				       "brr -, r:x%u\n" NOP3 ":x%u\n",
			       i, i);
	sprintf(source + len, END ":to\nbra -, ra2\n" NOP3);
	if (qpu_asm_text("t", source, strlen(source), NULL, &program))
		for (; words < program.nwords; words++)
			qpu_unpack(program.words[words].word, &insts[words]);
	qpu_asm_free(&program);
	return words &&
	       qpu_validate(insts, NULL, words, count_hazard, &found,
			    &complete) &&
	       complete;
}

static void
check_limits(void)
{
	ok(is_complete(true, 64), "64 callers of a subroutine are followed");
	ok(!is_complete(true, 65), "of 65 it is told that one is left out");
	ok(is_complete(false, 63),
	   "63 ways by jumps and one without are followed");
	ok(!is_complete(false, 64), "of one more it is told");
}

void *
__real_calloc(size_t n, size_t bytes);
void *
__wrap_calloc(size_t n, size_t bytes);
void *
__real_realloc(void *old, size_t bytes);
void *
__wrap_realloc(void *old, size_t bytes);
void
__real_free(void *block);
void
__wrap_free(void *block);

/* So many more calls succeed; blocks that are not given back yet. */
static unsigned callocs_left = UINT_MAX, reallocs_left = UINT_MAX;
static int blocks;

void *
__wrap_calloc(size_t n, size_t bytes)
{
	if (!callocs_left)
		return NULL;
	callocs_left--;
	blocks++;
	return __real_calloc(n, bytes);
}

void *
__wrap_realloc(void *old, size_t bytes)
{
	if (!reallocs_left)
		return NULL;
	reallocs_left--;
	blocks += !old;
	return __real_realloc(old, bytes);
}

void
__wrap_free(void *block)
{
	blocks -= block != NULL;
	__real_free(block);
}

static void
check_no_memory(void)
{
	struct found found = { .rule = 1 };
	struct qpu_inst insts[MAX_INSTS];
	bool is_inst[MAX_INSTS], complete;
	const size_t n =
		load_source("brr -, r:l\nnop\nnop\nbrr -, r:l\n:l\n" NOP3
			    "mov ra1, r0\nmov r0, ra1\n" END,
			    insts, is_inst);
	unsigned i;

	blocks = 0;
	for (i = 0; i < 100; i++) {
		callocs_left = i;
		if (qpu_validate(insts, is_inst, n, count_hazard, &found,
				 &complete))
			break;
	}
	callocs_left = UINT_MAX;
	ok(i == 5 && found.nhazards == 1,
	   "without memory to begin with nothing is checked");
	found.nhazards = 0;
	for (i = 0; i < 100; i++) {
		reallocs_left = i;
		if (qpu_validate(insts, is_inst, n, count_hazard, &found,
				 &complete))
			break;
	}
	reallocs_left = UINT_MAX;
	ok(i > 2 && i < 100 && found.nhazards == 1,
	   "nor without memory for the ways");
	ok(blocks == 0, "all memory is given back");
}

int
main(void)
{
	check_data();
	check_many_ways();
	check_many_branches();
	check_many_returns();
	check_many_starts();
	check_limits();
	check_no_memory();
	return tap_done();
}
