/* SPDX-License-Identifier: MIT */
/*
 * What qpurun makes of its command line, of files as memory, and how it
 * reports costs; it gives back what it takes, whatever becomes of the run.  Its
 * main is a function here.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/pack.h"
#include "src/tools/qpurun/qpurun_options.h"
#include "tests/emulator/emu.h"
#include "tests/support/capture.h"
#include "tests/support/fault.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

int
qpurun_main(int argc, char **argv);

#define main qpurun_main
#include "src/tools/qpurun/main.c"
#undef main

/* No machine has so much memory for a file that is zeros. */
enum { MOST_BYTES = 1 << 28 };

static void *
answer_calloc(size_t n, size_t bytes)
{
	return n * bytes > MOST_BYTES ? NULL : fault_real_calloc(n, bytes);
}

static void
print_word(const char *name, const char *word)
{
	if (word)
		printf(" %s=%s", name, word);
}

static int
parse(void *data)
{
	const char *const *words = data;
	static struct run_options options;
	char *argv[300];
	int argc = 0;

	for (argv[argc++] = (char *)"qpurun"; *words; words++)
		argv[argc++] = (char *)*words;
	argv[argc] = NULL;
	run_options_parse(argc, argv, &options);
	for (size_t i = 0; i < options.nimages; i++)
		printf("%s@%x%s%s ",
		       options.images[i].path ? options.images[i].path :
						"zeros",
		       (unsigned)options.images[i].addr,
		       options.images[i].writable ? ":rw" : "",
		       options.images[i].code ? ":code" : "");
	for (unsigned i = 0; i < options.nprograms; i++)
		printf("%x:%x ", (unsigned)options.programs[i].uniforms,
		       (unsigned)options.programs[i].code);
	printf("%s%s%s%s%s%s", options.machine.timed ? "timed " : "",
	       options.machine.check ? "check " : "",
	       options.machine.profile ? "profile " : "",
	       options.machine.lockstep ? "lockstep " : "",
	       options.counters ? "counters " : "",
	       options.debug ? "debug " : "");
	if (options.machine.seed)
		printf("seed=%" PRIu64 " ", options.machine.seed);
	if (options.machine.ignore)
		printf("ignore=%" PRIx64 " ", options.machine.ignore);
	printf("most=%" PRIu64, options.max_instructions);
	print_word("trace", options.trace);
	print_word("lines", options.lines);
	putchar('\n');
	fflush(stdout);
	run_options_free(&options);
	return 0;
}

/* A command line, and what it is understood as; or the error without the name
 * of the program, its lines joined by bars. */
static void
check_line(char *line)
{
	char *words[32], *told;
	struct capture capture;
	unsigned n = 0;

	while (n < 31 && (words[n] = strsep(&line, " ")))
		n++;
	words[n] = NULL;
	capture_run(&capture, parse, words, true);
	told = capture.out.len ? capture.out.bytes : words[0];
	for (char *c = told; (c = strchr(c, '\n'));)
		*c = c[1] ? '|' : '\0';
	if (capture.status == 1 && strncmp(told, "qpurun: ", 8) == 0)
		golden_answer("%s", told + 8);
	else
		golden_answer("%s%s", told, capture.status ? " fails" : "");
	capture_free(&capture);
}

static void
check_lines(const struct golden_case *c, struct golden_output *out)
{
	golden_session(c, check_line);
	golden_session_end(out);
}

/* --- The whole program --------------------------------------------------------- */

enum { MOST_WORDS = 16 };

/* Run qpurun, and compare its status. */
static void
run_main(int status, const char *const *words)
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
	run_main(status, (const char *const[]){ "qpurun", __VA_ARGS__, NULL })
#define PROGRAM                                                                \
	"--code=program@40001000", "--mem=ZERO:64@40008000",                   \
		"--uniforms=40008000,40008004"

/* A program in two images, where the second never runs, and data. */
static int
report(void *data)
{
	(void)data;
	RUN(0, PROGRAM, "--code=hazard@80000100", "--lines=lines", "--profile",
	    "--counters");
	fflush(stdout);
	return 0;
}

static void
test_whole_report(void)
{
	struct capture capture;

	capture_run(&capture, report, NULL, true);
	is(capture.out.bytes ? capture.out.bytes : "",
	   "8 instructions\n"
	   "16           32  QPU clocks executing valid instructions\n"
	   "24            0  TMU texture quads\n"
	   "(the other counters need --timed)\n"
	   "  executions\n"
	   "           2  40001000  mov r0, unif  # source:1\n"
	   "           2  40001008  thrend  # source:2\n"
	   "           2  40001010  nop  # source:3\n"
	   "           2  40001018  nop\n"
	   "           0  80000100  mov ra0, unif\n"
	   "           0  80000108  mov r0, ra0\n"
	   "           0  80000110  thrend\n"
	   "           0  80000118  nop\n"
	   "           0  80000120  nop\n"
	   "\nby source line:\n"
	   "           2  source:1  mov r0, unif\n"
	   "           2  source:2  \n"
	   "           2  source:3  \n"
	   "\nby QPU:\n"
	   "           4  QPU 0\n"
	   "           4  QPU 1\n",
	   "a run without clocks shows two counters, and how often each "
	   "instruction was executed");
	capture_free(&capture);
}

static void
run_well(void)
{
	RUN(0, PROGRAM);
	RUN(0, PROGRAM, "--timed", "--check", "--ignore=C46",
	    "--mem=data@40009000:rw");
	RUN(0, PROGRAM, "--trace=trace", "--timed", "--profile",
	    "--lines=lines");
	rewind(stdin);
	RUN(0, PROGRAM, "--debug", "--lines=lines");
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
	RUN(1, PROGRAM, "--trace=missing/trace");
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
make_program(const char *name, const char *text)
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
	make_program("program", "mov r0, unif\nthrend\nnop\nnop\n");
	make_program("hazard",
		     "mov ra0, unif\nmov r0, ra0\nthrend\nnop\nnop\n");
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
	golden_run("tests/emulator/qpurun.golden", check_lines);
	scratch_enter();
	fault_hooks.calloc = answer_calloc;
	fault_clear();
	make_files();
	test_whole_report();
	if (!freopen("script", "r", stdin))
		return 99;
	balance_test(run_well, "a run of qpurun");
	balance_test(run_badly, "a run of qpurun that fails");
	return tap_done();
}
