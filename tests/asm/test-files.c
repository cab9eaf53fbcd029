/* SPDX-License-Identifier: MIT */
/*
 * Promise: sources are texts, files and standard input, of any bytes and up to
 * a size; each file is read once; and where memory ends one message says so
 * and nothing is kept.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "qpu/asm/asm.h"
#include "qpu/isa/rules.h"
#include "tests/support/fault.h"
#include "tests/support/scratch.h"
#include "tests/support/tap.h"

enum { MOST_LINES = 1 << 20, MOST_BYTES = 1 << 26 };

static bool
assemble(const char *text, struct qpu_asm_program *program)
{
	return qpu_asm_text("t", text, strlen(text), NULL, program);
}

/* Return true if this is the only message about the source. */
static bool
says(const struct qpu_asm_program *program, unsigned number, const char *text)
{
	const struct qpu_message *row = program->messages;
	const bool same = program->nmessages == 1 && program->nerrors == 1 &&
			  row->severity == QPU_SEVERITY_ERROR &&
			  qpu_rule_number_of(row->rule) == number &&
			  strcmp(row->text, text) == 0 && !program->words &&
			  !program->nwords;

	if (!same && program->nmessages)
		tap_note("%zu messages, the first: %s", program->nmessages,
			 row->text);
	return same;
}

static bool
is_at(const struct qpu_message *row, const char *file, unsigned line,
      const char *source)
{
	return strcmp(row->file, file) == 0 && row->line == line &&
	       row->source && strcmp(row->source, source) == 0;
}

static void
check_texts(void)
{
	static const char places[] = "nop\r\n frob \n#line 7 \"u\"\nmov r0\r";
	static const char zeros[] = "nop # \0\nnop\0\nfr\0b";
	static char name[300], text[700];
	struct qpu_asm_program program;

	qpu_asm_text("t", places, sizeof(places) - 1, NULL, &program);
	ok(program.nmessages == 2 &&
		   is_at(&program.messages[0], "t", 2, " frob ") &&
		   is_at(&program.messages[1], "u", 7, "mov r0"),
	   "a message has the line that it is about, without its end");
	qpu_asm_free(&program);

	qpu_asm_text("t", zeros, sizeof(zeros) - 1, NULL, &program);
	ok(program.nmessages == 2 &&
		   is_at(&program.messages[0], "t", 2, "nop\1") &&
		   is_at(&program.messages[1], "t", 3, "fr\1b"),
	   "a null byte does not hide the rest of its line");
	qpu_asm_free(&program);

	memset(name, 'n', sizeof(name) - 1);
	memset(text, 't', sizeof(text) - 1);
	qpu_asm_text(name, text, strlen(text), NULL, &program);
	ok(program.nmessages == 1 && strlen(program.messages->file) == 255 &&
		   strlen(program.messages->text) == 511,
	   "long names of files and of instructions are cut in messages");
	qpu_asm_free(&program);

	ok(assemble("", &program) && !program.nwords,
	   "an empty text is a program without words");
	qpu_asm_free(&program);
}

/* Sizes around those at which the buffer of a file grows. */
static void
check_sizes(void)
{
	static const size_t sizes[] = { 65535,	65536,	65537,
					131072, 131073, (1 << 25) + 1 };
	struct qpu_asm_program program;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		/* A comment with a hole, and an instruction at the end. */
		scratch_text("size", "nop #");
		const int fd = open("size", O_WRONLY);
		const bool written =
			pwrite(fd, "\nbkpt", 5, (off_t)sizes[i] - 5) == 5;

		close(fd);
		ok(written && qpu_asm_file("size", NULL, &program) &&
			   program.nwords == 2 && program.words[1].line == 2,
		   "a file of %zu bytes is read to its end", sizes[i]);
		qpu_asm_free(&program);
	}
}

/* All sources together have at most 2^20 lines and 2^26 bytes. */
static void
check_limits(void)
{
	char *lines = malloc(MOST_LINES + 1);
	struct qpu_asm_program program;

	memset(lines, '\n', MOST_LINES + 1);
	scratch_file("most", lines, MOST_LINES);
	scratch_file("more", lines, MOST_LINES + 1);
	for (const char *name = "abc"; *name; name++)
		scratch_file((char[]){ *name, '\0' }, lines, 400000);
	free(lines);
	qpu_asm_file("more", NULL, &program);
	ok(says(&program, ASM_E_FILE, "cannot read 'more': File too large"),
	   "a file of 2^20 lines and one is refused");
	qpu_asm_free(&program);
	qpu_asm_file("most", NULL, &program);
	ok(says(&program, ASM_E_DEPTH, "too many lines to run"),
	   "a file of 2^20 lines is read, and its lines are too many to run");
	qpu_asm_free(&program);
	assemble("nop\n.include \"more\"\nfrob\n.set x", &program);
	ok(says(&program, ASM_E_FILE, "cannot read 'more': File too large") &&
		   program.messages->line == 2,
	   "an included file that is too large ends the run");
	qpu_asm_free(&program);
	assemble(".include \"a\"\n.include \"b\"\n.include \"c\"", &program);
	ok(says(&program, ASM_E_FILE, "cannot read 'c': File too large"),
	   "the lines of all files count together");
	qpu_asm_free(&program);
	scratch_text("large", "#");
	ok(truncate("large", MOST_BYTES + 1) == 0 &&
		   !qpu_asm_file("large", NULL, &program) &&
		   says(&program, ASM_E_FILE,
			"cannot read 'large': File too large"),
	   "a file of 2^26 bytes and one is refused");
	qpu_asm_free(&program);
}

/* Messages about a file that cannot be read. */
static void
load_nothing(void)
{
	struct qpu_asm_program program;

	qpu_asm_file("/dev/zero", NULL, &program);
	ok(says(&program, ASM_E_FILE,
		"cannot read '/dev/zero': File too large"),
	   "a file without end is refused");
	qpu_asm_free(&program);
	qpu_asm_file(".", NULL, &program);
	ok(says(&program, ASM_E_FILE, "cannot read '.': Is a directory"),
	   "a directory is no source");
	qpu_asm_free(&program);
	qpu_asm_file("none", NULL, &program);
	ok(says(&program, ASM_E_FILE,
		"cannot read 'none': No such file or directory"),
	   "a file that is not there is refused with the reason");
	ok(!*program.messages->file && !program.messages->source,
	   "what is said of the whole source has no place");
	qpu_asm_free(&program);
}

/* 4095 bytes are the longest path, and those name another file here. */
static void
check_long_names(void)
{
	static char source[4200] = ".include \".//";
	struct qpu_asm_program program;

	while (strlen(source) < 10 + 4091)
		strcat(source, "./");
	strcat(source, "near.qinc\"");
	scratch_text("near", "nop");
	assemble(source, &program);
	ok(program.nerrors == 1 &&
		   !strncmp(program.messages->text, "cannot read './/./", 18),
	   "the name of an included file is not cut");
	qpu_asm_free(&program);
}

static void
check_reading(void)
{
	static const char *const dirs[] = { "lib" };
	static const char *const preloads[] = { "first" };
	const struct qpu_asm_options options = {
		.include_dirs = dirs,
		.ninclude_dirs = 1,
		.preloads = preloads,
		.npreloads = 1,
	};
	static const char good[] = ".include \"a\"\n.include \"a\"\n.int x, y";
	struct qpu_asm_program program;

	scratch_text("a", ".set x, 1");
	scratch_text("lib/first", ".set y, 2");
	fault_clear();
	ok(qpu_asm_text("t", good, strlen(good), &options, &program) &&
		   program.words[0].word == UINT64_C(0x200000001),
	   "included files are run, and those to run before");
	/* "first" is not in this directory; then it is looked for in lib. */
	ok(fault_count(FAULT_fopen) == 3, "a file is opened once");
	qpu_asm_free(&program);
}

static void
check_stdin(void)
{
	struct qpu_asm_program program;

	scratch_text("in", "nop\nbkpt");
	if (!freopen("in", "rb", stdin))
		exit(99);
	ok(qpu_asm_file("-", NULL, &program) && program.nwords == 2 &&
		   strcmp(program.words[1].file, "-") == 0,
	   "- is standard input");
	qpu_asm_free(&program);
	ok(fcntl(0, F_GETFD) >= 0 && fgetc(stdin) == EOF,
	   "standard input is read to its end and stays open");
}

static const char source[] = ".macro m, a\n.int a\n.endm\n"
			     ".set f(x) x + 1\n"
			     ":l m f(1)\nm 2\n.clone :l, 5000\n"
			     "1: brr -, r:1b\n.word 1\n";

/* One error says so where a text or a file has no memory. */
static enum fault_outcome
outcome_of(bool done, struct qpu_asm_program *program)
{
	static const char reason[] =
		"cannot read 'program': Cannot allocate memory";
	const bool good = done ? program->nwords == 5003 :
			  qpu_rule_number_of(program->messages->rule) ==
					  ASM_E_FILE ?
				 says(program, ASM_E_FILE, reason) :
				 says(program, ASM_E_MEMORY, "out of memory");

	qpu_asm_free(program);
	return !good || program->memory || program->messages ? FAULT_WRONG :
	       done					     ? FAULT_WHOLE :
							       FAULT_TOLD;
}

static enum fault_outcome
assemble_text(void)
{
	struct qpu_asm_program program;
	const bool done = assemble(source, &program);

	return outcome_of(done, &program);
}

static enum fault_outcome
assemble_file(void)
{
	struct qpu_asm_program program;
	const bool done = qpu_asm_file("program", NULL, &program);

	return outcome_of(done, &program);
}

int
main(void)
{
	static char large[80000];

	scratch_enter();
	check_texts();
	check_sizes();
	check_limits();
	check_long_names();
	check_reading();
	check_stdin();
	balance_test(load_nothing, "a run without a source");
	fault_each(FAULT_MEMORY, ENOMEM, assemble_text, "a text");
	/* A comment for which the assembler needs more memory. */
	snprintf(large, sizeof(large), "%s#%70000s", source, "");
	scratch_text("program", large);
	fault_each(FAULT_MEMORY, ENOMEM, assemble_file, "a file");
	return tap_done();
}
