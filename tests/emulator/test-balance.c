/* SPDX-License-Identifier: MIT */
/*
 * Promise: qpurun gives back what it takes, whatever becomes of the run.  Its
 * main is a function here.
 */
#include "config.h"

#include <unistd.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/pack.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

int
qpurun_main(int argc, char **argv);

#define main qpurun_main
#include "src/tools/qpurun/main.c"
#undef main

enum { MOST_WORDS = 16 };

/* Run qpurun, and compare its status. */
static void
run(int status, const char *const *words)
{
	static char texts[MOST_WORDS][64];
	char *argv[MOST_WORDS + 1];
	int argc = 0;

	for (; words[argc]; argc++) {
		snprintf(texts[argc], sizeof(texts[argc]), "%s", words[argc]);
		argv[argc] = texts[argc];
	}
	argv[argc] = NULL;
	if (qpurun_main(argc, argv) != status) {
		tap_note("%s: another status than %d", argv[argc - 1], status);
		exit(99);
	}
}

#define RUN(status, ...)                                                       \
	run(status, (const char *const[]){ "qpurun", __VA_ARGS__, NULL })
#define PROGRAM                                                                \
	"--code=program@40001000", "--mem=ZERO:64@40008000",                   \
		"--uniforms=40008000,40008004"

static void
run_well(void)
{
	RUN(0, PROGRAM);
	RUN(0, PROGRAM, "--timed", "--check", "--mem=data@40009000:rw");
	RUN(0, PROGRAM, "--trace=trace", "--timeline=timeline", "--profile",
	    "--lines=lines");
	RUN(0, PROGRAM, "--debug-script=script", "--lines=lines");
}

/* Files that are missing or wrong, memory twice, places without a program. */
static void
run_badly(void)
{
	RUN(1, PROGRAM, "--mem=missing@40009000");
	RUN(1, PROGRAM, "--mem=empty@40009000");
	RUN(1, PROGRAM, "--mem=.@40009000");
	RUN(1, PROGRAM, "--mem=data@40001000");
	RUN(1, PROGRAM, "--lines=missing");
	RUN(1, PROGRAM, "--lines=data");
	RUN(1, PROGRAM, "--debug-script=missing");
	RUN(1, PROGRAM, "--trace=missing/trace");
	RUN(1, PROGRAM, "--debug-script=script", "--trace=trace",
	    "--timeline=missing/timeline");
	RUN(1, PROGRAM, "--max-instructions=1");
	RUN(1, "--code=hazard@40001000", "--uniforms=40001000", "--check",
	    "--lines=lines");
	RUN(1, "--code=program@40001000", "--launch=40001000:50000000");
	/* The third file that is opened is the one that is written back. */
	fault_at(FAULT_fopen, 3, EIO);
	RUN(1, PROGRAM, "--mem=data@40009000:rw");
	fault_clear();
}

static void
assemble(const char *name, const char *text)
{
	struct qpu_asm_program program;
	uint8_t words[64];

	if (!qpu_asm_text(name, text, strlen(text), NULL, &program) ||
	    program.nwords > 8)
		exit(99);
	for (size_t i = 0; i < program.nwords; i++)
		qpu_word_store(words + 8 * i, program.words[i].word);
	scratch_file(name, words, 8 * program.nwords);
	qpu_asm_free(&program);
}

static void
make_files(void)
{
	assemble("program", "mov r0, unif\nthrend\nnop\nnop\n");
	assemble("hazard", "mov ra0, unif\nmov r0, ra0\nthrend\nnop\nnop\n");
	scratch_text("script", "break 1\nbreak *40001008\nlist\n"
			       "step\ncontinue\n");
	scratch_text("lines", "0 source:1\tmov r0, unif\n"
			      "8 source:2\n10 source:3\n");
	scratch_text("source", "1\n2\n");
	scratch_text("data", "12345678");
	scratch_text("empty", "");
}

int
main(void)
{
	alarm(60);
	scratch_enter();
	make_files();
	balance_test(run_well, "a run of qpurun");
	balance_test(run_badly, "a run of qpurun that fails");
	return tap_done();
}
