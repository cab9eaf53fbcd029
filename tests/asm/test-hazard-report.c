/* SPDX-License-Identifier: MIT */
/*
 * Promise: what the assembler and the validator find is printed with its place,
 * its line and a caret, what is the same once, and what is not wanted not.
 */
#include "config.h"

#include "src/tools/hazard_report.h"

#include <limits.h>
#include <stdlib.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/pack.h"
#include "qpu/validate/validate.h"
#include "tests/support/capture.h"
#include "tests/support/tap.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define NO_MEMORY "a.qasm: out of memory\n"

/* What the validator is made to find. */
static const struct qpu_hazard *found;
static size_t nfound;
static bool is_incomplete, lacks_memory;

/* What it was given. */
static char given[16];

bool
__wrap_qpu_validate(const struct qpu_inst *insts, const bool *is_inst, size_t n,
		    qpu_hazard_sink *sink, void *context, bool *complete);

bool
__wrap_qpu_validate(const struct qpu_inst *insts, const bool *is_inst, size_t n,
		    qpu_hazard_sink *sink, void *context, bool *complete)
{
	for (size_t i = 0; i < n && n < sizeof(given); i++)
		given[i] = !is_inst[i]			    ? 'd' :
			   insts[i].kind == QPU_KIND_BRANCH ? 'b' :
							      'i';
	for (size_t i = 0; i < nfound; i++)
		sink(context, &found[i]);
	*complete = !is_incomplete;
	return !lacks_memory;
}

/* How many more blocks can be had, and how many are held. */
static unsigned callocs_left, reallocs_left;
static int nheld;

void *
__real_calloc(size_t n, size_t size);
void *
__wrap_calloc(size_t n, size_t size);
void *
__real_realloc(void *old, size_t size);
void *
__wrap_realloc(void *old, size_t size);
void
__real_free(void *block);
void
__wrap_free(void *block);

void *
__wrap_calloc(size_t n, size_t size)
{
	if (!callocs_left--)
		return NULL;
	nheld++;
	return __real_calloc(n, size);
}

void *
__wrap_realloc(void *old, size_t size)
{
	if (!reallocs_left)
		return NULL;
	reallocs_left--;
	nheld += !old;
	return __real_realloc(old, size);
}

void
__wrap_free(void *block)
{
	nheld -= block != NULL;
	__real_free(block);
}

/* A run of the reporter, in a child. */
struct run {
	const struct qpu_asm_program *program; /* or null: bare words */
	bool messages;			       /* of the assembler */
	struct hazard_ignored ignored;
	unsigned lists, blocks; /* one more than can be had; 0: no limit */
};

static struct qpu_inst insts[64];
static bool is_inst[64];

static bool
report_run(const struct run *run)
{
	if (run->messages) {
		hazard_report_messages("tool", run->program, &run->ignored);
		return true;
	}
	if (run->program)
		return hazard_report_program("a.qasm", run->program,
					     &run->ignored);
	return hazard_report_words("x.bin", insts, is_inst, 4, &run->ignored);
}

/* 0: good; 1: bad; 2: good or bad, and memory is kept. */
static int
report(void *data)
{
	const struct run *run = data;
	const int before = nheld;

	reallocs_left = run->lists - 1;
	callocs_left = run->blocks - 1;
	const bool good = report_run(run);
	if (nheld != before)
		return 2;
	printf("%s", given);
	fflush(stdout);
	return !good;
}

__attribute__((format(printf, 4, 5))) static void
expect(struct run *run, bool good, const char *text, const char *name, ...)
{
	struct capture capture;
	char title[128];
	va_list args;

	va_start(args, name);
	vsnprintf(title, sizeof(title), name, args);
	va_end(args);
	capture_run(&capture, report, run, false);
	is(capture.err.bytes, text, "%s", title);
	ok(capture.status == !good,
	   "and the result is %s, and no memory is kept",
	   good ? "good" : "bad");
	capture_free(&capture);
}

/* clang-format off */
static const struct qpu_rule
	hot = { .id = 1, .text = "too hot" },
	cold = { .id = 1, .text = "too cold" },
	late = { .id = 20, .text = "too late" };

/* The same file by two pointers. */
static const char file_a[] = "a", same_a[] = "a";

static const struct qpu_asm_word words[] = {
	{ UINT64_C(0x100009E7009E7000), true, file_a, 3, "nop" },
	{ 0, false, file_a, 3, "\t .int 0" },
	{ UINT64_C(0x100009E7009E7000), true, same_a, 3, "nop" },
	{ UINT64_C(0xF0F809E7FFFFFFE0), true, "b", 3, "\t brr -, 0" },
	{ UINT64_C(0x100009E7009E7000), true, file_a, 4, "" },
};
/* clang-format on */

static const struct qpu_asm_program program = {
	.words = words,
	.nwords = COUNT(words),
};

static void
check_places(void)
{
	static const struct qpu_hazard hazards[] = {
		{ &hot, QPU_HAZARD, 0, 0, "ra1" },
		{ &cold, QPU_WARNING, 3, 0, "" },
	};
	static const struct qpu_hazard warning[] = {
		{ &late, QPU_WARNING, 2, 2, "r4" },
	};
	struct run run = { .program = NULL };

	found = hazards;
	nfound = 2;
	qpu_inst_nop(&insts[0], QPU_KIND_ALU);
	qpu_unpack(words[3].word, &insts[3]);
	expect(&run, false,
	       "x.bin:0x0: error: ra1: too hot [R1]\n    nop\n"
	       "x.bin:0x18: warning: too cold [R1]\n    brr -, -32\n"
	       "x.bin:0x0: note: because of this instruction\n    nop\n",
	       "words are shown by address, disassembled");
	run.program = &program;
	expect(&run, false,
	       "a:3:1: error: ra1: too hot [R1]\n    nop\n    ^\n"
	       "b:3:3: warning: too cold [R1]\n    \t brr -, 0\n    \t ^\n"
	       "a:3:1: note: because of this instruction\n    nop\n    ^\n",
	       "a program is shown by line, with a caret");
	run.ignored.rules = 1 << 1;
	expect(&run, true, "", "an ignored rule is silent");
	found = warning;
	nfound = 1;
	expect(&run, true,
	       "a:3:1: warning: r4: too late [R20]\n    nop\n    ^\n",
	       "another one is not, and a warning is no error");
	run.ignored.rules = 1 << 20;
	expect(&run, true, "", "each rule has a bit of its own");
	nfound = 0;
	expect(&run, true, "", "where nothing is found nothing is told");

	struct capture capture;
	capture_run(&capture, report, &run, false);
	is(capture.out.bytes, "idibi",
	   "the validator gets instructions and data");
	capture_free(&capture);
}

static void
check_merging(void)
{
	/* The first of each kind comes with others between them. */
	static const struct qpu_hazard many[] = {
		{ &hot, QPU_WARNING, 2, 2, "ra1" },
		{ &hot, QPU_WARNING, 0, 0, "ra2" },
		{ &cold, QPU_WARNING, 0, 0, "ra1" },
		{ &late, QPU_WARNING, 0, 0, "ra1" },
		{ &hot, QPU_HAZARD, 0, 0, "ra1" },
		{ &hot, QPU_WARNING, 3, 3, "ra1" },
		{ &hot, QPU_WARNING, 4, 4, "ra1" },
		{ &hot, QPU_WARNING, 1, 1, "ra1" },
		{ &late, QPU_WARNING, 1, 1, "ra1" },
		{ &hot, QPU_WARNING, 1, 1, "ra2" },
		{ &cold, QPU_WARNING, 2, 2, "ra1" },
	};
	/* First a warning, then a hazard of the same instruction. */
	static const struct qpu_hazard one[] = {
		{ &hot, QPU_WARNING, 0, 0, "ra1" },
		{ &hot, QPU_HAZARD, 0, 0, "ra1" },
	};
	static const struct qpu_hazard falling[] = {
		{ &hot, QPU_HAZARD, 0, 0, "ra1" },
		{ &hot, QPU_WARNING, 2, 2, "ra1" },
	};
	struct run run = { .program = &program };

	found = many;
	nfound = COUNT(many);
	expect(&run, false,
	       "a:3:1: error: ra1: too hot [R1] (3 times)\n    nop\n    ^\n"
	       "a:3:1: warning: ra2: too hot [R1] (2 times)\n    nop\n    ^\n"
	       "a:3:1: warning: ra1: too cold [R1] (2 times)\n    nop\n    ^\n"
	       "a:3:1: warning: ra1: too late [R20] (2 times)\n"
	       "    nop\n    ^\n"
	       "b:3:3: warning: ra1: too hot [R1]\n    \t brr -, 0\n    \t ^\n"
	       "a:4:1: warning: ra1: too hot [R1]\n    \n    ^\n",
	       "the same at one place is told once, as severe as the worst");
	found = one;
	nfound = 2;
	expect(&run, false, "a:3:1: error: ra1: too hot [R1]\n    nop\n    ^\n",
	       "what is found twice of one word is one error");
	run.program = NULL;
	expect(&run, false, "x.bin:0x0: error: ra1: too hot [R1]\n    nop\n",
	       "of words without a source, too");
	run.program = &program;
	found = falling;
	expect(&run, false,
	       "a:3:1: error: ra1: too hot [R1] (2 times)\n    nop\n    ^\n",
	       "a warning does not make less of an error");
}

/* Many findings, each at a line of its own. */
static void
check_many(size_t n)
{
	static struct qpu_asm_word lines[100];
	static struct qpu_hazard hazards[100];
	static char text[10000];
	struct qpu_asm_program whole = { .words = lines, .nwords = n };
	struct run run = { .program = &whole };
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		lines[i] = words[0];
		lines[i].line = 200 - i;
		hazards[i] = (struct qpu_hazard){ &hot, QPU_WARNING, i, i, "" };
		len += snprintf(
			text + len, sizeof(text) - len,
			"a:%zu:1: warning: too hot [R1]\n    nop\n    ^\n",
			200 - i);
	}
	found = hazards;
	nfound = n;
	expect(&run, true, text, "%zu findings are told in their order", n);
}

static void
check_shortage(void)
{
	static const struct qpu_hazard hazards[] = {
		{ &hot, QPU_WARNING, 0, 0, "" },
	};
	struct run run = { .program = &program };

	found = hazards;
	nfound = 1;
	is_incomplete = true;
	expect(&run, true,
	       "a:3:1: warning: too hot [R1]\n    nop\n    ^\n"
	       "a.qasm: warning: not all ways through the program were checked: "
	       "a subroutine has more than 64 callers, or too many branches "
	       "stand in delay slots\n",
	       "a check that is not complete is said to be");
	is_incomplete = false;
	lacks_memory = true;
	expect(&run, false, NO_MEMORY, "the validator may lack memory");
	lacks_memory = false;
	run.lists = 1;
	expect(&run, false, NO_MEMORY, "and so may the list of what it finds");
	run.lists = 0;
	for (run.blocks = 1; run.blocks <= 3; run.blocks++)
		expect(&run, false, NO_MEMORY, "and what block %u is for",
		       run.blocks);
}

static void
check_messages(void)
{
	/* clang-format off */
	static const struct asm_message rows[] = {
		{ ASM_ERROR, { "a", 3, 5, 130, "what" }, "\tfr\tb" },
		{ ASM_NOTE, { "a", 4, 0, 0, "there" }, "line" },
		{ ASM_WARNING, { "a", 5, 9, 200, "hm" }, "short" },
		{ ASM_WARNING, { "a", 5, 1, 206, "oh" }, NULL },
		{ ASM_ERROR, { "", 0, 0, 100, "none" }, NULL },
		{ ASM_ERROR, { "", 0, 7, 206, "col" }, NULL },
	};
	/* clang-format on */
	struct qpu_asm_program messages = {
		.messages = rows,
		.nmessages = COUNT(rows),
		.nerrors = 3,
	};
	struct run run = { .program = &messages, .messages = true };

	expect(&run, true,
	       "a:3:5: error: what [E130]\n    \tfr\tb\n    \t  \t^\n"
	       "a:4: note: there\n    line\n"
	       "a:5:9: warning: hm [W200]\n    short\n         ^\n"
	       "a:5:1: warning: oh [W206]\n"
	       "tool: error: none [E100]\ntool: error: col [E206]\n",
	       "messages have a place, a number, a line and a caret");
	messages.nerrors = 5;
	messages.nmessages = 1;
	expect(&run, true,
	       "a:3:5: error: what [E130]\n    \tfr\tb\n    \t  \t^\n"
	       "tool: too many errors, 4 not shown\n",
	       "errors that have no message are counted");
	messages.nerrors = 3;
	messages.nmessages = COUNT(rows);
	run.ignored.warnings = 1 << 6;
	expect(&run, true,
	       "a:3:5: error: what [E130]\n    \tfr\tb\n    \t  \t^\n"
	       "a:4: note: there\n    line\n"
	       "a:5:9: warning: hm [W200]\n    short\n         ^\n"
	       "tool: error: none [E100]\ntool: error: col [E206]\n",
	       "warnings can be ignored, errors of their numbers cannot");
}

static void
check_lists(void)
{
	/* clang-format off */
	static const struct {
		const char *list;
		bool good;
		uint32_t rules, warnings;
	} rows[] = {
		{ "R1", true, 1 << 1, 0 }, { "R20", true, 1 << 20, 0 },
		{ "R7,R9", true, 1 << 7 | 1 << 9, 0 },
		{ "W200", true, 0, 1 }, { "W206", true, 0, 1 << 6 },
		{ "R1,W200,R20,W206", true, 1 << 1 | 1 << 20, 1 | 1 << 6 },
		{ "R02", true, 1 << 2, 0 },
		{ "R0", false, 0, 0 }, { "R21", false, 0, 0 },
		{ "W199", false, 0, 0 }, { "W207", false, 0, 0 },
		{ "", false, 0, 0 }, { ",", false, 0, 0 }, { "R", false, 0, 0 },
		{ "R1,", false, 1 << 1, 0 }, { ",R1", false, 0, 0 },
		{ "R1,,R2", false, 1 << 1, 0 }, { "R1x", false, 0, 0 },
		{ "Rx1", false, 0, 0 }, { "R1 ", false, 0, 0 },
		{ "R/", false, 0, 0 }, { "R:", false, 0, 0 },
		{ "1", false, 0, 0 }, { "r1", false, 0, 0 },
		{ "E100", false, 0, 0 }, { "X1", false, 0, 0 },
		{ "R4294967297", false, 0, 0 }, { "W4294967496", false, 0, 0 },
		{ "R200", false, 0, 0 }, { "W1", false, 0, 0 },
	};
	/* clang-format on */

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct hazard_ignored ignored = { .rules = 0 };

		ok(hazard_report_ignore(rows[i].list, &ignored) ==
				   rows[i].good &&
			   ignored.rules == rows[i].rules &&
			   ignored.warnings == rows[i].warnings,
		   "'%s' is %s list of rules", rows[i].list,
		   rows[i].good ? "a" : "no");
	}
}

int
main(void)
{
	reallocs_left = callocs_left = UINT_MAX;
	check_places();
	check_merging();
	check_many(16);
	check_many(17);
	check_many(100);
	check_shortage();
	check_messages();
	check_lists();
	return tap_done();
}
