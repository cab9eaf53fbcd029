/* SPDX-License-Identifier: MIT */
/*
 * Promise: each mistake is told once, with its place, and in these words; what
 * comes after it is assembled as if it were right.
 */
#include "config.h"

#include "qpu/asm/asm.h"

#include <stdlib.h>

#include "tests/support/tap.h"

/* Messages are written LINE:COLUMN LETTER NUMBER TEXT, each with a newline. */
/* clang-format off */
static const struct {
	const char *source, *messages;
} rows[] = {
	/* What is no instruction. */
	{ "5", "1:1 E103 an instruction is expected\n" },
	{ "nop; \"x\"", "1:6 E103 an instruction is expected\n" },
	{ "frob r0, r1", "1:1 E130 unknown instruction 'frob'\n" },
	{ "nop; mvo r0, r1",
	  "1:6 E130 unknown instruction 'mvo'; did you mean 'mov'?\n" },
	{ "mov r0, r1 r2", "1:12 E103 expected ';' or the end of the line\n" },
	{ "ldtmu0 5; nop", "1:8 E103 expected ';' or the end of the line\n" },
	{ "mov r0 r1, r2", "1:8 E103 expected ','\n" },

	/* Suffixes. */
	{ "add.setf.ifz.sf r0, r1, r2\nmov.ifn.setf r0, r1\nldi.ifz.setf r0, 5\n"
	  "sacq.setf.ifz r0, 1", "" },
	{ "nop.setf", "1:4 E131 'nop' has no suffix '.setf'\n" },
	{ "read.ifz ra1", "1:5 E131 'read' has no suffix '.ifz'\n" },
	{ "ldtmu0.sf", "1:7 E131 'ldtmu0' has no suffix '.sf'\n" },
	{ "brr.setf -, 8", "1:4 E131 'brr' has no suffix '.setf'\n" },
	{ "brr.ifz -, 8", "1:4 E131 'brr' has no suffix '.ifz'\n" },
	{ "mov.anyz r0, r1", "1:4 E131 'mov' has no suffix '.anyz'\n" },
	{ "brr.anyz.allz -, 8", "" },
	{ "mov.set r0, r1", "1:4 E131 'mov' has no suffix '.set'\n" },
	{ "mov.s r0, r1", "1:4 E131 'mov' has no suffix '.s'\n" },
	{ "mov.pack r0, r1", "1:4 E131 'mov' has no suffix '.pack'\n" },
	{ "mov.pacx16a ra1, r1", "1:4 E131 'mov' has no suffix '.pacx16a'\n" },
	{ "mov.pack9 ra1, r1", "1:4 E131 'mov' has no suffix '.pack9'\n" },
	{ "mov.unpacx16a r1, ra1",
	  "1:4 E131 'mov' has no suffix '.unpacx16a'\n" },
	{ "mov.unpack r1, ra1", "1:4 E131 'mov' has no suffix '.unpack'\n" },
	{ "ldi.rot 1, r0, 5", "1:4 E131 'ldi' has no suffix '.rot'\n" },
	{ "nop.rot 1", "1:4 E131 'nop' has no suffix '.rot'\n" },
	{ "read.rot 1, ra1", "1:5 E131 'read' has no suffix '.rot'\n" },
	{ "mov.rota 1, r0, r1", "1:4 E131 'mov' has no suffix '.rota'\n" },
	{ "mov r0.frob, r1", "1:7 E131 a destination has no suffix '.frob'\n" },
	{ "brr ra1.setf, 8", "1:8 E131 a destination has no suffix '.setf'\n" },
	{ "brr ra1.ifz, 8", "1:8 E131 a destination has no suffix '.ifz'\n" },
	{ "mov r0, r1.setf", "1:11 E131 a source has no suffix '.setf'\n" },
	{ "mov r0, 5.8a", "1:9 E102 malformed number\n" },
	{ "mov r0, (5).8a", "1:12 E131 a source has no suffix '.8a'\n" },
	{ "mov.ifnc r0, r1\nmov r0.nc, r1",
	  "1:4 W200 '.ifnc' is taken as carry clear, as in Raspberry Pi's"
	  " assembler; vc4asm takes it as n clear: write .ifcc or .ifnn\n"
	  "2:7 W200 '.nc' is taken as carry clear, as in Raspberry Pi's"
	  " assembler; vc4asm takes it as n clear: write .ifcc or .ifnn\n" },

	/* Rotations. */
	{ "mov.rot -15, r0, r1\nmov.rot 15, r0, r1\nmov.rot r5, r0, r1", "" },
	{ "mov.rot 16, r0, r1",
	  "1:9 E147 a rotation is r5 or -15 to 15 lanes\n" },
	{ "mov.rot -16, r0, r1",
	  "1:9 E147 a rotation is r5 or -15 to 15 lanes\n" },
	{ "mov.rot r4, r0, r1",
	  "1:9 E147 a rotation is r5 or -15 to 15 lanes\n" },
	{ "mov.rot 1.0, r0, r1",
	  "1:9 E147 a rotation is r5 or -15 to 15 lanes\n" },
	{ "mov.rot 1; r0, r1", "1:10 E103 expected ','\n" },
	{ "mov.rot x, r0, r1", "1:9 E111 'x' is not defined\n" },

	/* How many operands. */
	{ "add r0, r1", "1:1 E132 'add' takes 3 operands, not 2\n" },
	{ "nop; add r0, r1, r2, r3",
	  "1:6 E132 'add' takes 3 operands, not 4\n" },
	{ "not r0, r1, r2", "1:1 E132 'not' takes 2 operands, not 3\n" },
	{ "mov", "1:1 E132 'mov' takes 2 operands, not 0\n" },
	{ "mov ; nop", "1:1 E132 'mov' takes 2 operands, not 0\n" },
	{ "mov r0", "1:1 E132 'mov' takes 2 operands, not 1\n" },
	{ "mov r0, r1, r2, r3", "1:1 E132 'mov' takes 2 operands, not 4\n" },
	{ "ldi r0", "1:1 E132 'ldi' takes 2 operands, not 1\n" },
	{ "ldi ra0, rb1, 2, 3", "1:1 E132 'ldi' takes 2 operands, not 4\n" },
	{ "sacq 5", "1:1 E132 'sacq' takes 2 operands, not 1\n" },
	{ "srel ra0, rb1, 2, 3", "1:1 E132 'srel' takes 2 operands, not 4\n" },
	{ "brr 8", "1:1 E132 'brr' takes 2 operands, not 1\n" },
	{ "bra ra0, rb0, ra1, 8, 9",
	  "1:1 E132 'bra' takes 3 operands, not 5\n" },
	{ "bra -, ra1, 8\nbra ra0, rb0, ra1, 8\nbrr ra0, 8", "" },
	{ "read", "1:1 E132 'read' takes 1 operand, not 0\n" },
	{ "read ra1, rb1", "1:1 E132 'read' takes 1 operand, not 2\n" },
	{ "nop ra1\nnop", "" },
	{ "nop ra1, r0", "1:1 E132 'nop' takes 1 operand, not 2\n" },

	/* Only a comma outside of brackets begins another operand. */
	{ "add r0, (1), (1)", "" },
	{ "add r0, (1, 2), r1", "1:11 E103 expected ')'\n" },
	{ "add r0, [1, 2), r1", "1:14 E103 expected ','\n" },
	{ "add r0, (1; 2), r1", "1:11 E103 expected ')'\n" },
	{ "add r0), r1, r2", "1:7 E103 expected ','\n" },
	{ "add r0, r1, r2; mov r3", "1:17 E132 'mov' takes 2 operands, not 1\n" },
	{ "mov r3; add r0, r1, r2", "1:1 E132 'mov' takes 2 operands, not 1\n" },
	{ "ldi r0, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]", "" },

	/* Operands. */
	{ "mov 5, r0", "1:5 E132 the destination must be a register\n" },
	{ "mov r5, r0", "1:5 E132 r5 is written as r5quad or r5rep\n" },
	{ "mov r4, r0", "1:5 E132 r4 cannot be written\n" },
	{ "mov r0, r:x\n:x", "1:9 E132 r:label is for branches only\n" },
	{ "mov r0, x\nmov x, r0\nbrr -, r:x",
	  "1:9 E111 'x' is not defined\n2:5 E111 'x' is not defined\n"
	  "3:10 E111 label 'x' is not defined\n" },
	{ "mov r0, uniff",
	  "1:9 E111 'uniff' is not defined; did you mean 'unif'?\n" },
	{ "and r0, r1, 0x64 ; nop",
	  "1:13 E143 0x64 is not a small immediate (-16 to 15, or a power of two"
	  " from 1.0/256 to 128.0): load it into a register with ldi first\n" },
	{ ".set big, 99\nand r0, r1, big + 1",
	  "2:13 E143 big + 1 is not a small immediate (-16 to 15, or a power of"
	  " two from 1.0/256 to 128.0): load it into a register with ldi first\n" },

	/* Too much for one instruction. */
	{ "nop; nop; nop; nop; nop; nop; nop",
	  "1:11 E140 both ALUs are in use: there is none left for 'nop'\n" },
	{ "nop; nop; nop; nop; nop; nop; nop; nop",
	  "1:36 E140 too much for one instruction\n" },
	{ ";;nop;;;", "" },

	/* A line that is wrong has the length of one that is right. */
	{ ":a frob\n:b mov r0\n:c add r0, ra1, ra2\n:d .assert :b - :a == 8\n"
	  ".assert :c - :b == 8\n.assert :d - :c == 8\n.assert :d - :a == 8",
	  "1:4 E130 unknown instruction 'frob'\n"
	  "2:4 E132 'mov' takes 2 operands, not 1\n"
	  "3:17 E141 regfile A is read at ra1 and ra2 in one instruction\n"
	  "7:9 E123 assertion failed\n" },
	{ ".byte 1\n:a ;\n:b frob\n:c .assert :c - :a == 8\n.assert 0",
	  "3:4 E130 unknown instruction 'frob'\n5:9 E123 assertion failed\n" },

	/* What was joined in the first pass and does not fit in the second. */
	{ ":a nop\n:b mov r0, ra1;\n;and r1, r1, :b - :a\n.back 2\nnop\n.endb",
	  "3:14 E143 :b - :a is not a small immediate (-16 to 15, or a power of"
	  " two from 1.0/256 to 128.0): load it into a register with ldi first\n" },

	/* Parameters. */
	{ ".set f(a, b) a + b\n.set g(a), a\n.set h() 3\n"
	  "ldi r0, f(1, g(2)) + h()", "" },
	{ ".set f(5) 1", "1:8 E122 the name of a parameter is expected\n" },
	{ ".set f(a, 5) 1", "1:11 E122 the name of a parameter is expected\n" },
	{ ".set f(a, b, a) 1", "1:14 E112 parameter 'a' is there already\n" },
	{ ".set f(a, b, b) 1", "1:14 E112 parameter 'b' is there already\n" },
	{ ".set f(a, a) 1", "1:11 E112 parameter 'a' is there already\n" },
	{ ".set f(a b) 1", "1:10 E103 expected ','\n" },
	{ ".set f(a", "1:9 E103 expected ','\n" },
	{ ".set f(a, ", "1:11 E122 the name of a parameter is expected\n" },
	{ ".set f(a)", "1:10 E122 an expression is expected\n" },
	{ ".set f(a),", "1:11 E122 an expression is expected\n" },
	{ ".macro 5\n.endm", "1:8 E122 a name is expected\n" },
	{ ".macro\n.endm", "1:7 E122 a name is expected\n" },
	{ ".macro m, 5\n.endm", "1:11 E122 the name of a parameter is expected\n" },
	{ ".macro m(a, a)\n.endm", "1:13 E112 parameter 'a' is there already\n" },
	{ ".macro m a, b a\n.endm", "1:15 E112 parameter 'a' is there already\n" },
	{ ".macro m(a\n.endm", "1:11 E103 expected ','\n" },
	{ ".macro m(a) b, c d\nmov a, b\nmov c, d\n.endm\n"
	  "m r0, r1, r2, r3\n"
	  ".macro n a b\nmov a, b\n.endm\nn r0, r1", "" },
	{ ".macro m(a), b\n.endm\nm 1",
	  "3:1 E122 'm' takes 2 arguments, not 1\n" },
	{ ".func 5\n.endf", "1:7 E122 a name is expected\n" },
	{ ".func f(a, a)\n.endf", "1:12 E112 parameter 'a' is there already\n" },
	/* Messages in a body name its line. */
	{ "nop\n.set f(x) x + none\n.int f(1)",
	  "2:15 E111 'none' is not defined\n3:6 N0 in function 'f' called here\n" },
	{ ".macro m\nnop\nfrob\n.endm\nnop\n m",
	  "3:1 E130 unknown instruction 'frob'\n"
	  "6:2 N0 in macro 'm' called here\n" },

	/* Labels. */
	{ ":l nop\n:l nop",
	  "2:2 E112 label 'l' is defined twice\n1:1 N0 it was defined here\n" },
	{ ":1 nop\n:1 nop\nbrr -, r:1f\nbrr -, r:2b",
	  "3:10 E111 there is no label 1 after here\n"
	  "4:10 E111 there is no label 2 before here\n" },

	/* Names. */
	{ ".set x, 1\n.unset x\n.unset x\n.int x",
	  "3:8 E111 'x' is not defined\n4:6 E111 'x' is not defined\n" },
	{ ".const x, 1\n.set x, 2", "2:6 E112 'x' is constant\n" },

	/* Places that m4 names. */
	{ "nop\n#line 7 \"t\"\nfrob\nfrob",
	  "7:1 E130 unknown instruction 'frob'\n"
	  "8:1 E130 unknown instruction 'frob'\n" },
};
/* clang-format on */

static void
print_messages(const struct qpu_asm_program *program, char *text, size_t size)
{
	static const char letters[] = {
		[ASM_ERROR] = 'E',
		[ASM_WARNING] = 'W',
		[ASM_NOTE] = 'N',
	};
	size_t len = 0;

	*text = '\0';
	for (size_t i = 0; i < program->nmessages && len < size; i++) {
		const struct asm_message *message = &program->messages[i];
		const struct diag *diag = &message->diag;

		len += snprintf(text + len, size - len, "%u:%u %c%u %s\n",
				diag->line, diag->column,
				letters[message->severity], diag->rule,
				diag->text);
	}
}

static void
check_row(size_t row)
{
	const char *source = rows[row].source;
	struct qpu_asm_program program;
	char text[4096];

	qpu_asm_text("t", source, strlen(source), NULL, &program);
	print_messages(&program, text, sizeof(text));
	is(text, rows[row].messages, "the messages of row %zu", row);
	qpu_asm_free(&program);
}

/* Has a message this place and source line? */
static bool
is_at(const struct asm_message *message, const char *file, unsigned line,
      const char *source)
{
	return strcmp(message->diag.file, file) == 0 &&
	       message->diag.line == line &&
	       (source ? message->source && !strcmp(message->source, source) :
			 !message->source);
}

static void
check_places(void)
{
	static const char source[] = "nop\n frob \n#line 7 \"u\"\nmov r0\n";
	static char name[300], text[700];
	struct qpu_asm_program program;

	qpu_asm_text("t", source, strlen(source), NULL, &program);
	ok(program.nmessages == 2 &&
		   is_at(&program.messages[0], "t", 2, " frob ") &&
		   is_at(&program.messages[1], "u", 7, "mov r0"),
	   "a message has its file and source line");
	qpu_asm_free(&program);

	memset(name, 'n', sizeof(name) - 1);
	memset(text, 't', sizeof(text) - 1);
	qpu_asm_text(name, text, strlen(text), NULL, &program);
	ok(program.nmessages == 1 &&
		   strlen(program.messages->diag.file) == 255 &&
		   strlen(program.messages->diag.text) == 511,
	   "long names are cut");
	qpu_asm_free(&program);

	ok(!qpu_asm_file("no/such/file", NULL, &program) &&
		   program.nmessages == 1 && program.nerrors == 1 &&
		   is_at(program.messages, "", 0, NULL),
	   "a file that cannot be read has no lines");
	is(program.messages->diag.text,
	   "cannot read 'no/such/file': No such file or directory",
	   "but a reason");
	qpu_asm_free(&program);
}

static void
check_limit(size_t limit, const char *source, size_t nerrors,
	    const char *messages)
{
	const struct qpu_asm_options options = { .error_limit = limit };
	struct qpu_asm_program program;
	char text[4096];

	qpu_asm_text("t", source, strlen(source), &options, &program);
	print_messages(&program, text, sizeof(text));
	is(text, messages, "the messages up to error %zu", limit);
	ok(program.nerrors == nerrors, "all %zu errors are counted", nerrors);
	qpu_asm_free(&program);
}

static void
check_limits(void)
{
	static const char source[] = "mov.ifnc r0, r1\nmvo\nmov r0, uniff\n"
				     "mov.ifnc r0, r1\nmvo\nmov.ifnc r0, r1";
	static char many[200], usual[2000];
	const char *const warning =
		"'.ifnc' is taken as carry clear, as in Raspberry Pi's"
		" assembler; vc4asm takes it as n clear: write .ifcc or .ifnn";
	char two[1000];

	snprintf(two, sizeof(two),
		 "1:4 W200 %s\n"
		 "2:1 E130 unknown instruction 'mvo'; did you mean 'mov'?\n"
		 "3:9 E111 'uniff' is not defined; did you mean 'unif'?\n"
		 "4:4 W200 %s\n",
		 warning, warning);
	check_limit(2, source, 3, two);
	check_limit(
		1, "mvo\nmvo", 2,
		"1:1 E130 unknown instruction 'mvo'; did you mean 'mov'?\n");
	for (unsigned i = 1; i <= 21; i++) {
		strcat(many, "x\n");
		if (i <= 20)
			sprintf(usual + strlen(usual),
				"%u:1 E130 unknown instruction 'x'\n", i);
	}
	check_limit(0, many, 21, usual);
}

/* A program has at most 2^17 words. */
static void
check_length(void)
{
	static const char longest[] = ".rep i, 131072\nnop\n.endr";
	static const char longer[] = "nop\n.rep i, 131072\nnop\n.endr\nnop";
	struct qpu_asm_program program;
	char text[1024];

	ok(qpu_asm_text("t", longest, strlen(longest), NULL, &program) &&
		   program.nwords == 131072,
	   "the longest program is taken");
	qpu_asm_free(&program);
	qpu_asm_text("t", longer, strlen(longer), NULL, &program);
	print_messages(&program, text, sizeof(text));
	is(text, "3:0 E124 the program is too long\n",
	   "one word more is refused, once");
	qpu_asm_free(&program);
}

int
main(void)
{
	check_length();
	check_places();
	check_limits();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(i);
	return tap_done();
}
