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

static unsigned callocs_left = UINT_MAX; /* before one that fails */

static void *
answer_calloc(size_t n, size_t bytes)
{
	if (!callocs_left--)
		return NULL;
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

static void
test_many_images(void)
{
	for (unsigned n = 256; n <= 257; n++) {
		static char *argv[260];
		struct capture capture;

		argv[0] = (char *)"--uniforms=0";
		argv[1] = (char *)"--code=a@0";
		for (unsigned i = 1; i < n; i++)
			argv[i + 1] = (char *)"--mem=a@0";
		argv[n + 1] = NULL;
		capture_run(&capture, parse, argv, true);
		ok((n == 256) == (capture.status == 0) &&
			   (n == 256 ||
			    strcmp(capture.out.bytes,
				   "qpurun: a@0: too many images\n") == 0),
		   "%u images are %s", n, n == 256 ? "taken" : "too many");
		capture_free(&capture);
	}
}

/* A file of n bytes, read as memory; the reason is "FILE: TEXT". */
static bool
reads(const char *spec, bool code, struct run_image *image, char reason[512])
{
	struct diag why = { .text = "" };
	const bool good = run_image_parse(spec, code, image, &why) &&
			  run_image_read(image, &why);

	snprintf(reason, 512, "%.200s: %.250s", why.file, why.text);
	return good;
}

static void
make_file(const char *name, off_t bytes)
{
	scratch_text(name, bytes ? "x" : "");
	if (truncate(name, bytes) != 0)
		exit(99);
}

static void
test_images(void)
{
	static const struct {
		off_t bytes;
		bool code;
		size_t room; /* 0: refused */
		const char *why;
	} files[] = {
		{ 1, false, 4, "" },
		{ 4, false, 4, "" },
		{ 5, false, 8, "" },
		{ 8, true, 8, "" },
		{ 0, false, 0, "file: empty" },
		{ 0, true, 0, "file: empty" },
		{ 12, true, 0,
		  "file: not a whole number of 8-byte instructions" },
		{ 1 << 30, false, 0, "file: out of memory" },
		{ (1 << 30) + 1, false, 0, "file: larger than the bus" },
	};
	static const char *const others[][2] = {
		{ "absent@1", "absent: No such file or directory" },
		{ "folder@1", "folder: Is a directory" },
		{ "folder@1:rw", "folder: Is a directory" },
		{ "fifo@1:rw", "fifo: not a regular file" },
	};
	struct run_image image;
	char reason[512];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		make_file("file", files[i].bytes);
		const bool good =
			reads("file@100", files[i].code, &image, reason);

		ok(good == (files[i].room > 0) &&
			   (good ? image.len == (size_t)files[i].bytes &&
					    image.room == files[i].room &&
					    image.bytes[0] == 'x' &&
					    (image.room == image.len ||
					     !image.bytes[image.len]) :
				   strcmp(reason, files[i].why) == 0),
		   "a file of %ld bytes: %s", (long)files[i].bytes,
		   good ? "read" : files[i].why);
		run_image_free(&image);
	}
	mkdir("folder", 0777);
	mkfifo("fifo", 0666);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		ok(!reads(others[i][0], false, &image, reason) &&
			   strcmp(reason, others[i][1]) == 0,
		   "%s is no memory", others[i][0]);
		run_image_free(&image);
	}
	rmdir("folder");
	unlink("fifo");
	ok(reads("ZERO:6@1", false, &image, reason) && image.len == 6 &&
		   image.room == 8 && !image.bytes[7],
	   "zeros are made as whole words");
	run_image_free(&image);
	callocs_left = 0;
	ok(!reads("ZERO:6@1", false, &image, reason) &&
		   strcmp(reason, "ZERO:6: out of memory") == 0,
	   "zeros without memory for them are refused");
	callocs_left = UINT_MAX;
	run_image_free(&image);
	fault_at(FAULT_realloc, 1, ENOMEM);
	ok(!reads("-@1", false, &image, reason) &&
		   strcmp(reason, "-: out of memory") == 0,
	   "standard input without memory for it is refused");
	run_image_free(&image);
}

static void
test_writing(void)
{
	struct diag why = { .text = "" };
	struct run_image image;
	char reason[512], text[8] = "";
	struct stat device;
	FILE *stream;

	make_file("file", 6);
	ok(reads("file@1:rw", false, &image, reason) && image.writable,
	   "a file is read to be written");
	memcpy(image.bytes, "abcdefgh", 8);
	ok(run_image_write(&image, &why), "memory is written to its file");
	stream = fopen("file", "r");
	ok(stream && fread(text, 1, 8, stream) == 6 &&
		   strcmp(text, "abcdef") == 0,
	   "a file keeps its length when memory is written to it");
	if (stream)
		fclose(stream);
	unlink("file");
	ok(!run_image_write(&image, &why) &&
		   strcmp(why.text, "No such file or directory") == 0 &&
		   strcmp(why.file, "file") == 0,
	   "a file that is gone when memory is written is named");
	run_image_free(&image);
	for (size_t bytes = 8; bytes < 1000000 && !stat("/dev/full", &device) &&
			       S_ISCHR(device.st_mode);
	     bytes *= 10000) {
		image = (struct run_image){
			.path = "/dev/full",
			.bytes = fault_real_calloc(1, bytes),
			.len = bytes,
		};
		ok(!run_image_write(&image, &why) &&
			   strcmp(why.text, "No space left on device") == 0 &&
			   strcmp(why.file, "/dev/full") == 0,
		   "%zu bytes that do not fit a full disk are an error", bytes);
		run_image_free(&image);
	}
}

static int
report_without_memory(void *data)
{
	static const struct qpu_linemap no_lines;
	struct emu emu = emu_open(NULL);
	const struct run_image image = { .code = true,
					 .len = 8,
					 .bytes = emu.memory };
	int status = 0;

	(void)data;
	for (unsigned i = 0; i < 2; i++) {
		callocs_left = i;
		status |= report_profile(emu.machine, false, &no_lines, &image,
					 1);
	}
	emu_close(&emu);
	return status;
}

static void
test_report(void)
{
	struct capture capture;

	capture_run(&capture, report_without_memory, NULL, true);
	ok(capture.status == 0 && capture.out.len == 0,
	   "without memory a profile is refused");
	capture_free(&capture);
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
	test_many_images();
	test_images();
	test_writing();
	test_report();
	fault_clear();
	make_files();
	test_whole_report();
	if (!freopen("script", "r", stdin))
		return 99;
	balance_test(run_well, "a run of qpurun");
	balance_test(run_badly, "a run of qpurun that fails");
	return tap_done();
}
