/* SPDX-License-Identifier: MIT */
/*
 * Promise: directives, blocks, functions and macros do what their plain
 * equivalents do, words know the line that they come from, and files are found
 * where the manual says.
 */
#include "config.h"

#include "qpu/asm/asm.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/tap.h"

/* clang-format off */
static const struct {
	const char *text;
	const char *plain;
} rows[] = {
	/* Choices. */
	{ ".if(1)\nnop\n.endif", "nop" },
	{ ".if 0\n.else\nnop\n.else\nbkpt\n.endif\nldtmu0", "nop\nldtmu0" },
	{ ".if 0.0\nbkpt\n.elseif 0.5\nnop\n.endif", "nop" },
	{ ".if 1\nnop\n.elseif 1\nbkpt\n.else\nbkpt\n.endif", "nop" },
	{ ".if 0\nbkpt\n.elseif 0\nbkpt\n.elif 1\nnop\n.elif 1\nbkpt\n.else\n"
	  "bkpt\n.endif", "nop" },
	{ ".ifset a\nbkpt\n.endif\n.set a, 1\n.ifset a\nnop\n.else\nbkpt\n"
	  ".endif", "nop" },
	{ ".ifset a\nbkpt\n.else\nnop\n.endif", "nop" },
	{ ".if 0\n.if 1\n.else\n.endif\nbkpt\n.else\nnop\n.endif", "nop" },
	{ ".if 1\n.rep i, 2\n.if i\nnop\n.else\nbkpt\n.endif\n.endr\n.else\n"
	  "ldtmu0\n.endif", "bkpt\nnop" },

	/* Repetitions, whose name stands for a value inside. */
	{ ".rep i, 0\nbkpt\n.endr\nnop", "nop" },
	{ ".rep i 3\n.int i\n.endr", ".int 0, 1, 2" },
	{ ".rep i, 2\n.rep j, 2\n.int i * 10 + j\n.endr\n.endr",
	  ".int 0, 1, 10, 11" },
	{ ".set i, 7\n.rep i, 2\n.endr\n.int i", ".int 7" },
	{ ".rep i, 2\n.endr\n.ifset i\nbkpt\n.endif\nnop", "nop" },
	{ ".foreach x 1, 2\n.int x\n.endfor", ".int 1, 2" },
	{ ".foreach x\nbkpt\n.endfor\nnop", "nop" },
	{ ".foreach x, ra1, 2.5\nmov r0, x\n.endfor\n.ifset x\nbkpt\n.endif",
	  "mov r0, ra1\nmov r0, 2.5" },
	{ ".rep i, 2\n.set x, i + 5\n.endr\n.int x", ".int 6" },

	/* Scopes. */
	{ ".local\n.lset a, 1\n.set b, 2\n.endloc\n.ifset a\nbkpt\n.endif\n"
	  ".int b", ".int 2" },
	{ ".set a, 1\n.local\n.set a, 2\n.endloc\n.int a", ".int 2" },
	{ ".set a, 1\n.local\n.lset a, 2\n.int a\n.endloc\n.int a",
	  ".int 2, 1" },
	{ ".lset a, 1\n.local\n.set a, 2\n.endloc\n.int a", ".int 2" },
	{ ".set a, 1\n.local\n.lset a, 2\n.lunset a\n.int a\n.endloc",
	  ".int 1" },
	{ ".set a, 1\n.local\n.unset a\n.endloc\n.ifset a\nbkpt\n.endif\nnop",
	  "nop" },
	{ ".const a, 1\n.local\n.lset a, 2\n.set a, 3\n.int a\n.endloc\n.int a",
	  ".int 3, 1" },
	{ ".local\n.const a, 1\n.endloc\n.int a", ".int 1" },
	{ ".local\n.lconst a, 1\n.endloc\n.ifset a\nbkpt\n.endif\nnop", "nop" },
	{ ".const a, 1\n.unset a\n.const a, 2\n.int a", ".int 2" },
	{ ".set a, 1\n.const a, 2\n.int a", ".int 2" },
	{ ".local\n.lconst a, 1\n.int a\n.endloc\n.lconst a, 2\n.int a",
	  ".int 1, 2" },
	{ ".equ a, 1\n.define b 2\n.int a, b\n.undef a\n.ifset a\nbkpt\n.endif",
	  ".int 1, 2" },

	/* What a source defines is unknown again in the next pass. */
	{ ".ifset a\nbkpt\n.endif\n.set a, 1\nnop", "nop" },
	{ ".ifset f\nbkpt\n.endif\n.func f()\n1\n.endf\nnop", "nop" },
	{ ":s .assert :e - :s == 8\nnop\n:e", "nop" },
	{ ":s .rep i, 2\n.assert :e - :s\nnop\n.endr\n:e .int :e",
	  "nop\nnop\n.int 16" },
	{ ":s nop\n.rep i, 2\n.assert (:e - :s) * 1.0\nnop\n.endr\n:e .int :e",
	  "nop\nnop\nnop\n.int 24" },
	{ ".rep i, 2\n.global e\nnop\n.endr\n:e .int :e", "nop\nnop\n.int 16" },
	{ ":s .rep i, 2\n.byte 300 - (:e - :s)\n.endr\n.rep i, 9\nnop\n.endr\n:e",
	  ".byte 220, 220\n.rep i, 9\nnop\n.endr" },

	/* Functions. */
	{ ".set f(x) x + 1\n.int f(1)", ".int 2" },
	{ ".set f(x), x + 1\n.int f(1)", ".int 2" },
	{ ".set f (1)\n.int f", ".int 1" },
	{ ".set f() 7\n.int f() + f()", ".int 14" },
	{ ".lset f(x, y) x - y\n.int f(3, 1)", ".int 2" },
	{ ".set a, 1\n.set a(x) x\n.int a(4)", ".int 4" },
	{ ".set a(x) x\n.set a, 5\n.int a", ".int 5" },
	{ ".set x, 5\n.set f(x) x\n.int f(1), x", ".int 1, 5" },
	{ ".func g(x)\nx * 2\n.endf\n.func f(x)\n.set y, g(x)\ny + g(x) + 1\n"
	  ".endf\n.int f(1), g(3)", ".int 5, 6" },
	{ ".func f(x)\n.if x\nx * f(x - 1)\n.else\n1\n.endif\n.endf\n.int f(4)",
	  ".int 24" },
	{ ".local\n.func f(x)\n\n# a comment\nx\n.endf\n.endloc\n.int f(3)",
	  ".int 3" },
	{ ".func f x\nx\n.endf\n.int f(3)", ".int 3" },
	{ ".func f(x)\nx\n.endf\nadd r0, r0, f(2); mov r1, f(2)",
	  "add r0, r0, 2; mov r1, 2" },
	{ ".set f(x) 1\n.func f(x)\n2\n.endf\n.int f(0)", ".int 2" },

	/* Macros. */
	{ ".macro m a\n.int a\n.endm\n:l m 1\nm 2\n.int :l", ".int 1, 2, 0" },
	{ ".macro m\n.int 1\n.endm\n.macro m\n.int 2\n.endm\nm", ".int 2" },
	{ ".set a, 1\n.macro m, a\n.int a\n.endm\nm 5\n.int a", ".int 5, 1" },
	{ ".macro in\n.int a\n.endm\n.macro out, a\nin\n.endm\nout 3",
	  ".int 3" },
	{ ".macro m(a, b)\n.int a - b\n.endm\nm 5, 3", ".int 2" },
	{ ".macro m a\n.if a\n.int a\nm a - 1\n.endif\n.endm\nm 3",
	  ".int 3, 2, 1" },
	{ ".macro m\n.macro n\nnop\n.endm\n.endm\nm\nn", "nop" },

	/* Names in expressions. */
	{ ".set f(x) x\nmov f(-), r0", "mov -, r0" },
	{ "read -; mov r0, r1\nread -", "mov r0, r1\nnop" },
	{ "mov -, r0", "mov nop, r0" },
	{ ".set isRegister(x) 5\n.int isRegister(ra1)", ".int 1" },
	{ ".set isRegister, 5\n.int isRegister", ".int 5" },
	{ "mov exp, r0\nmov log, r1", "mov ra54, r0\nmov ra55, r1" },
	{ ".set x, 0\n.double exp x, exp 0.0, exp 0, exp(0)",
	  ".double 1, 1, 1, 1" },
	{ ".set exp, 3\n.int exp", ".int 3" },
	{ "x: nop\nbrr -, ::x\nbrr -, r:x", "nop\nbrr -, -40\nbrr -, -48" },
	{ ".set a, ra1.8a\nmov r0, a.16a\nmov r0, a",
	  "mov r0, ra1.16a\nmov r0, ra1.8a" },
	{ ".set r, 5\n.int r", ".int 5" },
	{ ".foreach x, (1), 2 + 3, -(4)\n.int x\n.endfor", ".int 1, 5, -4" },
	{ "mov r0, sacq(3)\nmov r0, srel(3)", "sacq r0, 3\nsrel r0, 3" },

	/* Words that are inserted. */
	{ "nop\nbkpt\n.back 2\nldtmu0\n.endb\nldtmu1",
	  "ldtmu0\nnop\nbkpt\nldtmu1" },
	{ ".back 0\nnop\n.endb", "nop" },
	{ "nop\n.back 1\n.if 1\nbkpt\n.else\nldtmu0\n.endif\n.endb\n.back 1\n"
	  "ldtmu1\n.endb", "bkpt\nldtmu1\nnop" },
	{ "mov r0, ra1;\n.back 1\nnop;\n.endb\n;mov r1, rb1",
	  "nop\nmov r0, ra1\nmov r1, rb1" },

	/* Data. */
	{ ".quad 1.5, -1", ".int 0, 0x3ff80000, -1, -1" },
	{ ".int 1.5, -2.5", ".int 0x3fc00000, 0xc0200000" },
	{ ".float 1, 0.5", ".int 0x3f800000, 0x3f000000" },
	{ ".double 1", ".int 0, 0x3ff00000" },
	{ ".byte -128, 255\n.short -32768, 65535\n.int -0x80000000",
	  ".byte 128, 255, 0, 128, 255, 255, 0, 0, 0, 128" },
	{ ".quad -0x8000000000000000, 0x7fffffffffffffff",
	  ".int 0, 0x80000000, -1, 0x7fffffff" },
	{ ".byte 1\n.int 0x12345678\n.short 5", ".byte 1, 120, 86, 52, 18, 5" },
	{ ":l nop\n.int :l, :m - :l\n:m .short :m", "nop\n.int 0, 16\n.int 16" },
	{ ".bit 1\n.bit 0, 1, 1, 1, 1, 1, 1, 1, 1, 0", ".byte 1, 254, 1" },
	{ ".half 2\n.half -1.5, 3", ".short 0x4000, 0xbe00, 0x4200" },
	{ ".half 131008.0, 2.98023223876954e-8",
	  ".short 0x7c00, 1" },
	{ ".byte 1\n.align\n.byte 2", ".quad 1, 2" },
	{ ".byte 1\n.align 1\n.byte 2", ".byte 1, 2" },
	{ ".byte 1\n.align 2\n.byte 2", ".byte 1, 0, 2" },
	{ "nop\n.align 32, 16\nbkpt", "nop\nnop\nbkpt" },
	{ "nop\n.align 32, 8\nbkpt", "nop\nbkpt" },
	{ "nop\n.align 8, 5\n.byte 1", "nop\n.byte 0, 0, 0, 0, 0, 1" },
	{ "nop\n.align 16, -8\nbkpt", "nop\nbkpt" },
	{ "nop\n.align 4096\nbkpt\n.int :l\n:l",
	  ".rep i, 512\nnop\n.endr\nbkpt\n.int 4108" },
	{ ":l nop\nnop\n.byte 1\n.align 8, :l\nbkpt", "nop\nnop\n.quad 1\nbkpt" },
	{ ".byte 1\n.align 16, 8\n.align 16\nnop", ".quad 1\nnop\nnop" },
	{ ".rodata\n.code\n.text\n.global :x\n.global x, 5\n:x nop", "nop" },

	/* Copies. */
	{ ":l .int 1, 2\n.clone :l, 1\n.clone :l + 8, 1",
	  ".int 1, 2, 1, 2, 1, 2" },
	{ ".clone :l, 1\n.clone :l, 1\n:l .clone :m, 1\n:m nop",
	  "nop\nnop\nnop\nnop" },
	{ "nop\n:l nop\n.clone :l, 0\nbkpt", "nop\nnop\nbkpt" },
	{ ".clone :l, 1\nnop\n:l brr -, r:m\nnop\n:m nop",
	  "brr -, 0\nnop\nbrr -, -16\nnop\nnop" },
};

/* A block in a part that is skipped ends where it should. */
static const struct {
	const char *opens, *closes;
} blocks[] = {
	{ ".if 1", ".endif" }, { ".if(1)", ".endif" },
	{ ".ifset x", ".endif" }, { ".rep i, 2", ".endr" },
	{ ".rep i, 2", ".endrep" }, { ".foreach x, 1", ".endfor" },
	{ ".foreach x, 1", ".endr" }, { ".macro m", ".endm" },
	{ ".func f(a)", ".endf" }, { ".func f(a)", ".endfunc" },
	{ ".back 1", ".endb" }, { ".back 1", ".endback" },
	{ ".local", ".endloc" }, { "l: .if 1", ".endif" },
	{ ":l .if 1", "\t.endif" }, { "::l .if 1", ".endif # x" },
	{ ": .if 1", ".endif" }, { ":.l .if 1", ".endif" },
	{ ":1 .if 1", ".endif" }, { "1: .if 1", ".endif" },
	{ "a: :b 3: .if 1", ".endif" }, { "\t .if 1", " \t.endif" },
	{ "a_b2:.rep i, 2", ".endr" },
};

/* Lines that open and close nothing. */
static const char *const others[] = {
	"name .if 1", ".iff 1", ".if_ 1", ".if2", "# .if 1", "mov .if", "",
	".endiff", "x: .endif", "nop; .if 1", ".elsewhere", ".elif_",
	".else2", "..if 1", "a:b .if 1",
};
/* clang-format on */

static bool
assemble(const char *text, struct qpu_asm_program *program)
{
	const bool good = qpu_asm_text("t", text, strlen(text), NULL, program);

	for (size_t i = 0; i < program->nmessages; i++)
		tap_note("%u:%u: %s", program->messages[i].diag.line,
			 program->messages[i].diag.column,
			 program->messages[i].diag.text);
	return good;
}

/* The same words, of the same kinds, and nothing is said about either. */
static bool
are_equal(const char *text, const char *plain)
{
	struct qpu_asm_program a, b;
	bool equal = assemble(text, &a) && assemble(plain, &b);

	equal = equal && !a.nmessages && !b.nmessages && a.nwords == b.nwords;
	for (size_t i = 0; equal && i < a.nwords; i++)
		equal = a.words[i].word == b.words[i].word &&
			a.words[i].is_inst == b.words[i].is_inst;
	qpu_asm_free(&a);
	qpu_asm_free(&b);
	return equal;
}

/* A text on one line, for the name of its test. */
static const char *
one_line(const char *text, char buffer[256])
{
	snprintf(buffer, 256, "%s", text);
	for (char *c = buffer; *c; c++)
		*c = *c == '\n' ? '|' : *c == '#' ? '*' : *c;
	return buffer;
}

static void
check_row(size_t row)
{
	char text[256], plain[256];

	ok(are_equal(rows[row].text, rows[row].plain), "'%s' is '%s'",
	   one_line(rows[row].text, text), one_line(rows[row].plain, plain));
}

static void
check_blocks(void)
{
	char text[256], name[256];

	for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
		snprintf(text, sizeof(text),
			 ".if 0\n%s\n%s\nldtmu0\n.else\nnop\n.endif\nbkpt",
			 blocks[i].opens, blocks[i].closes);
		ok(are_equal(text, "nop\nbkpt"), "'%s' is skipped as a whole",
		   one_line(blocks[i].opens, name));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		snprintf(text, sizeof(text),
			 ".if 0\n%s\nldtmu0\n.else\nnop\n.endif\nbkpt",
			 others[i]);
		ok(are_equal(text, "nop\nbkpt"), "'%s' is skipped alone",
		   one_line(others[i], name));
	}
}

static bool
comes_from(const struct qpu_asm_word *word, const char *file, unsigned line,
	   const char *text)
{
	return strcmp(word->file, file) == 0 && word->line == line &&
	       strcmp(word->text, text) == 0;
}

static void
check_lines(void)
{
	struct qpu_asm_program program;

	if (!ok(assemble(".macro m\nbkpt\n.endm\n:l nop\nm\n.int 1, 2, 3\n"
			 "#line 3 \"u\"\n.clone :l, 1\n.align 16\n"
			 ".rep i, 2\n ldtmu0 # x\n.endr",
			 &program) &&
			program.nwords == 8,
		"a program has eight words")) {
		qpu_asm_free(&program);
		return;
	}
	ok(comes_from(&program.words[0], "t", 4, ":l nop"),
	   "an instruction comes from its line");
	ok(comes_from(&program.words[1], "t", 2, "bkpt"),
	   "one of a macro from the macro's");
	ok(comes_from(&program.words[2], "t", 6, ".int 1, 2, 3") &&
		   comes_from(&program.words[3], "t", 6, ".int 1, 2, 3"),
	   "data come from their line");
	ok(!program.words[2].is_inst && program.words[1].is_inst,
	   "and are no instructions");
	ok(comes_from(&program.words[4], "u", 3, ".clone :l, 1") &&
		   program.words[4].is_inst,
	   "a copy comes from the line that makes it");
	ok(comes_from(&program.words[5], "u", 4, ".align 16") &&
		   program.words[5].is_inst,
	   "padding is instructions from its line");
	ok(comes_from(&program.words[7], "u", 6, " ldtmu0 # x"),
	   "and a repetition from the repeated line");
	qpu_asm_free(&program);
}

/* A file in the working directory, which is the test's own. */
static void
write_file(const char *path, const char *text)
{
	FILE *stream = fopen(path, "w");

	if (!stream || fputs(text, stream) < 0 || fclose(stream) != 0) {
		perror(path);
		exit(99);
	}
}

/* What a source that has this text places, or ~0 and its first message. */
static uint64_t
place(const char *path, const char *text, const struct qpu_asm_options *options,
      char message[1024])
{
	struct qpu_asm_program program;
	uint64_t word = ~UINT64_C(0);

	*message = '\0';
	if (text ? qpu_asm_text(path, text, strlen(text), options, &program) :
		   qpu_asm_file(path, options, &program))
		word = program.nwords == 1 ? program.words[0].word : 0;
	if (program.nmessages)
		snprintf(message, 1024, "%s:%u:%u: %s",
			 program.messages[0].diag.file,
			 program.messages[0].diag.line,
			 program.messages[0].diag.column,
			 program.messages[0].diag.text);
	qpu_asm_free(&program);
	return word;
}

static void
check_includes(void)
{
	static const char *const dirs[] = { "first", "second" };
	const struct qpu_asm_options options = { .include_dirs = dirs,
						 .ninclude_dirs = 2 };
	static const struct {
		const char *path, *text;
		uint64_t word;
	} cases[] = {
		{ "t", ".include \"both\"\n.int x", 1 },
		{ "t", ".include <both>\n.int x", 2 },
		{ "sub/t", ".include \"both\"\n.int x", 3 },
		{ "./t", ".include \"far\"\n.int x", 4 },
		{ "t", ".include <far>\n.int x", 4 },
		{ "t", ".include \"last\"\n.int x", 5 },
		{ "sub/t", ".include <near>\n.int x", 6 },
		{ "t", ".include <sub/near>  # here\n.int x", 6 },
		{ "t", ".include <near>\n.int x", ~UINT64_C(0) },
		{ "t",
		  ".include \"local\"\n.ifset y\n.int 1\n.else\n.int x\n"
		  ".endif",
		  7 },
		{ "t", ".set x, 8\n.include \"reader\"", 8 },
	};
	char message[1024], here[256], text[512];

	mkdir("first", 0777);
	mkdir("second", 0777);
	mkdir("sub", 0777);
	write_file("both", ".set x, 1");
	write_file("first/both", ".set x, 2");
	write_file("sub/both", ".set x, 3");
	write_file("first/far", ".set x, 4");
	write_file("second/far", ".set x, 0");
	write_file("second/last", ".set x, 5");
	write_file("sub/near", ".set x, 6");
	write_file("local", ".lset y, 1\n.set x, 7");
	write_file("reader", ".int x");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ok(place(cases[i].path, cases[i].text, &options, message) ==
			   cases[i].word,
		   "%s: '%s' finds the file", cases[i].path,
		   one_line(cases[i].text, here));
		if (*message)
			tap_note("%s", message);
	}
	if (!getcwd(here, sizeof(here)))
		exit(99);
	snprintf(text, sizeof(text), ".include \"%s/both\"\n.int x", here);
	ok(place("sub/t", text, &options, message) == 1,
	   "a name from the root on is not looked for beside the source");
	place("sub/t", "nop\n .include \"none\"", &options, message);
	snprintf(text, sizeof(text), "sub/t:2:11: cannot read 'none': %s",
		 strerror(ENOENT));
	is(message, text, "a file that is not found is named");
	place("t", ".include \"both/x\"", &options, message);
	snprintf(text, sizeof(text), "t:1:10: cannot read 'both/x': %s",
		 strerror(ENOTDIR));
	is(message, text, "the reason is that of the place beside the source");
	place("t", ".include <both/x>", &options, message);
	snprintf(text, sizeof(text), "t:1:10: cannot read 'both/x': %s",
		 strerror(ENOTDIR));
	is(message, text, "in angle brackets, too");
}

/* Lines take far more memory than their bytes. */
static void
check_large(void)
{
	FILE *stream = fopen("large", "w");
	struct qpu_asm_program program;
	static const char text[] = "nop\n.include \"large\"\nfrob\n.set x";

	for (unsigned i = 0; stream && i < (1 << 20) + 1; i++)
		fputc('\n', stream);
	if (!stream || fclose(stream) != 0)
		exit(99);
	qpu_asm_text("t", text, strlen(text), NULL, &program);
	ok(program.nerrors == 1 && program.nmessages == 1 &&
		   program.messages[0].diag.rule == 100 &&
		   program.messages[0].diag.line == 2,
	   "a file that is too large ends it all, with one error");
	qpu_asm_free(&program);
}

static void
check_files(void)
{
	static const char *const dirs[] = { "first", "second" };
	static const char *const preloads[] = { "both", "last" };
	struct qpu_asm_options options = { .include_dirs = dirs,
					   .ninclude_dirs = 2,
					   .preloads = preloads,
					   .npreloads = 1 };
	char message[1024], text[256];
	struct qpu_asm_program program;
	struct stat file;

	ok(place("reader", NULL, &options, message) == 1,
	   "a file is run before the source");
	options.npreloads = 2;
	ok(place("reader", NULL, &options, message) == 5,
	   "another one after it, found in a directory");
	ok(place("reader", ".int x", &options, message) == 5,
	   "also before a text");
	options.ninclude_dirs = 1;
	ok(place("reader", ".int 1", &options, message) == ~UINT64_C(0),
	   "where it is not found there is no program");
	snprintf(text, sizeof(text), ":0:0: cannot read 'last': %s",
		 strerror(ENOENT));
	is(message, text, "and an error without a place");
	ok(place("none", NULL, NULL, message) == ~UINT64_C(0),
	   "a source that is not there is no program");
	snprintf(text, sizeof(text), ":0:0: cannot read 'none': %s",
		 strerror(ENOENT));
	is(message, text, "and an error without a place");

	options.npreloads = 1;
	ok(qpu_asm_text("t", ".include \"local\"\nnop", 20, &options,
			&program) &&
		   stat("local", &file) == 0 &&
		   qpu_asm_has_read(&program, &file) &&
		   stat("both", &file) == 0 &&
		   qpu_asm_has_read(&program, &file),
	   "a program knows the files that were read for it");
	ok(stat("reader", &file) == 0 && !qpu_asm_has_read(&program, &file),
	   "and no others");
	qpu_asm_free(&program);
	ok(!qpu_asm_text("t", ".include \"local\"\nfrob", 21, &options,
			 &program) &&
		   stat("local", &file) == 0 &&
		   qpu_asm_has_read(&program, &file),
	   "after an error, too");
	qpu_asm_free(&program);
}

/* The files are in a directory of the test's own, which is left empty. */
static void
remove_files(const char *directory)
{
	static const char *const paths[] = {
		"both",	      "first/both",  "sub/both", "first/far",
		"second/far", "second/last", "sub/near", "local",
		"reader",     "large",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		unlink(paths[i]);
	rmdir("first");
	rmdir("second");
	rmdir("sub");
	if (chdir("/") == 0)
		rmdir(directory);
}

int
main(void)
{
	char directory[] = "/tmp/test-directives-XXXXXX";

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(i);
	check_blocks();
	check_lines();
	if (!mkdtemp(directory) || chdir(directory) != 0)
		return 99;
	check_includes();
	check_large();
	check_files();
	remove_files(directory);
	return tap_done();
}
