/* SPDX-License-Identifier: MIT */
/*
 * vc4asm-lines: random lines of assembler source for vc4asm-compare.
 *
 *	vc4asm-lines LINES SEED
 *
 * Each line is one instruction in the syntax that qpuasm and vc4asm share:
 * one or two operations, reads and a signal, or a load, a semaphore or a
 * branch, with all suffixes.  Most of them are valid: a line reads one
 * register of each file and one constant.
 *
 * What vc4asm is known to get wrong in silence is left out; README.md lists it.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The registers and the constant that the operands of a line are taken from. */
struct line {
	unsigned a, b;
	const char *constant;
	const char *io;
	const char *suffix; /* of what is read and can be unpacked */
};

static uint64_t state;

/* xorshift64*, uniform enough below small limits. */
static unsigned
below(unsigned limit)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * UINT64_C(2685821657736338717) >> 33) % limit;
}

#define ONE_OF(array) (array)[below(sizeof(array) / sizeof(*(array)))]

static const char *
maybe(const char *text, unsigned of)
{
	return below(of) ? "" : text;
}

static const char *
condition(void)
{
	static const char *const names[] = {
		".ifz",	 ".ifnz", ".ifn",  ".ifnn", ".ifc",
		".ifcc", ".ifzs", ".ifzc", ".ifns", ".ifcs",
	};

	return below(4) ? "" : ONE_OF(names);
}

static const char *
condition_of_dest(void)
{
	static const char *const names[] = { ".z",  ".nz", ".n",  ".nn", ".c",
					     ".cc", ".zs", ".zc", ".ns", ".cs" };

	return below(16) ? "" : ONE_OF(names);
}

/* What may follow a destination: the pack modes of fmul name their type. */
enum suffixes { PLAIN, OF_FLOAT, ANY };

static void
print_dest(enum suffixes suffixes)
{
	static const char *const io[] = {
		"r5quad",  "r5rep",    "irq",	    "tlbam",	 "vpm",
		"ra35",	   "vr_setup", "vw_setup",  "vr_addr",	 "vw_addr",
		"mutex",   "recip",    "recipsqrt", "exp",	 "log",
		"t0s",	   "t0t",      "t0r",	    "t0b",	 "t1s",
		"t1t",	   "t1r",      "t1b",	    "tmurs",	 "rb34",
		"stencil", "tlbz",     "tlbm",	    "tlbc",	 "x_coord",
		"y_coord", "ms_mask",  "rev_flag",  "interrupt", "mutex_rel",
	};
	static const char *const packs[] = {
		".16a",	  ".16ai",   ".16af",	".16as",    ".16asi", ".16b",
		".16bi",  ".16bf",   ".16bs",	".16bsi",   ".8888",  ".8888i",
		".8888s", ".8888si", ".8abcd",	".8abcds",  ".8a",    ".8ai",
		".8as",	  ".8asi",   ".8b",	".8bi",	    ".8bs",   ".8c",
		".8ci",	  ".8d",     ".8di",	".8ds",	    ".8dsi",  ".32s",
		".32",	  ".8abcdi", ".8ddupe", ".8aclamp",
	};
	static const char *const of_float[] = {
		".16af", ".16bf", ".8asf",  ".8bsf",   ".8csf",
		".8dsf", ".8asi", ".8888i", ".8888sf", ".8abcdsf",
	};

	switch (below(8)) {
	case 0: printf("-"); return;
	case 1: printf("%s", ONE_OF(io)); break;
	case 2:
	case 3: printf("ra%u", below(32)); break;
	case 4: printf("rb%u", below(32)); break;
	default: printf("r%u", below(4)); break;
	}
	/* vc4asm takes one suffix here. */
	if (suffixes == PLAIN)
		return;
	if (below(6))
		printf("%s", condition_of_dest());
	else
		printf("%s",
		       suffixes == ANY ? ONE_OF(packs) : ONE_OF(of_float));
}

/* The kinds of operands: a constant is 0. */
enum { SOURCES = 11 };

static void
print_source(const struct line *line, unsigned kind)
{
	static const char *const accumulators[] = { "r0", "r1", "r2", "r3",
						    "r5" };

	switch (kind) {
	case 0: printf("%s", line->constant); return;
	case 1: printf("%s", line->io); return;
	case 2: printf("ra%u", line->a); return;
	case 3: printf("ra%u%s", line->a, line->suffix); return;
	case 4: printf("rb%u", line->b); return;
	case 5: printf("r4%s", maybe(line->suffix, 3)); return;
	default: printf("%s", accumulators[kind - 6]); return;
	}
}

static const char *
rotation(void)
{
	static const char *const counts[] = {
		" << 1", " << 3", " << 8",  " << 15", " >> 1",
		" >> 2", " >> 5", " >> 15", " << r5", " << 4",
	};

	return below(12) ? "" : ONE_OF(counts);
}

/* Where an operation stands in a line.  Printing is false if it was a nop. */
enum place { ALONE, FIRST, SECOND, AFTER_NOP };

static bool
print_operation(const struct line *line, enum place place)
{
	static const char *const of_add[] = {
		"fadd", "fsub", "fmin", "fmax", "fminabs", "fmaxabs",
		"add",	"sub",	"shr",	"asr",	"ror",	   "shl",
		"min",	"max",	"and",	"or",	"xor",
	};
	static const char *const of_mul[] = {
		"fmul",	  "mul24",   "v8muld",	"v8min",   "v8max",   "v8adds",
		"v8subs", "mv8adds", "mv8subs", "av8adds", "av8subs",
	};
	static const char *const unary[] = { "ftoi", "itof", "not", "clz" };
	static const char *const moves[] = { "mov", "mov", "amov", "mmov" };
	const char *const unpack = maybe(".unpack8b", 100);
	enum { NOP, MOVE, UNARY, OF_MUL, OF_ADD } kind = below(5);
	unsigned a = below(SOURCES), b = below(SOURCES);

	if (kind == NOP && (place >= SECOND || below(2)))
		kind = OF_ADD;
	if (kind == NOP) {
		printf("nop");
		return false;
	}
	if (kind == MOVE && a == 0 && (place == FIRST || place == AFTER_NOP))
		a = 1;
	if (kind == MOVE && a == 3 && place != ALONE)
		a = 2;
	/* Known results of equal operands are another matter. */
	if (kind != MOVE && a == b)
		b = (a + 1) % SOURCES;
	if (kind == UNARY && a == 0)
		a = 1;
	const bool plain = kind == MOVE && a == 0;
	const char *const op = ONE_OF(of_mul);
	const bool sets_flags =
		!plain && (place == ALONE || kind == OF_ADD || kind == UNARY);

	switch (kind) {
	case MOVE: printf("%s", plain ? "mov" : ONE_OF(moves)); break;
	case UNARY: printf("%s", ONE_OF(unary)); break;
	case OF_MUL: printf("%s", op); break;
	default: printf("%s", ONE_OF(of_add)); break;
	}
	printf("%s%s%s ",
	       sets_flags ? maybe(below(2) ? ".setf" : ".sf", 6) : "", unpack,
	       plain ? "" : condition());
	print_dest(plain				 ? PLAIN :
		   kind == OF_MUL && !strcmp(op, "fmul") ? OF_FLOAT :
							   ANY);
	printf(", ");
	print_source(line, a);
	if (kind == MOVE && !plain)
		printf("%s", rotation());
	if (kind == MOVE || kind == UNARY)
		return true;
	printf(", ");
	print_source(line, b);
	return true;
}

static void
print_operations(void)
{
	static const char *const io[] = {
		"unif",	   "elem_num", "qpu_num", "vpm",       "vr_busy",
		"vw_busy", "vr_wait",  "vw_wait", "mutex",     "vary",
		"x_coord", "y_coord",  "ms_mask", "rev_flag",  "ra39",
		"rb39",	   "ra32",     "rb32",	  "mutex_acq",
	};
	static const char *const constants[] = {
		"0",   "1",    "2",	"7",	 "15",	     "-16",   "-7",
		"-1",  "1.0",  "2.0",	"128.0", "1.0/256",  "0.5",   "16",
		"31",  "20",   "-0.5",	"0x10",	 "-3",	     "0o10",  "0.0625",
		"-15", "64.0", "1 + 2", "~0",	 "(3 << 1)", "0.125",
	};
	static const char *const suffixes[] = {
		".16a", ".16b", ".16af", ".16bf", ".16ai", ".16bi",
		".8a",	".8b",	".8c",	 ".8d",	  ".8af",  ".8bi",
		".8dr", ".8cf", ".8di",	 ".32",
	};
	static const char *const signals[] = {
		"bkpt",	 "thrend", "ldtmu0", "ldtmu1", "thrsw",	 "sbwait",
		"loadc", "sbdone", "lthrsw", "loadcv", "ldcend", "loadam",
	};
	const struct line line = {
		.a = below(32),
		.b = below(32),
		.constant = ONE_OF(constants),
		.io = ONE_OF(io),
		.suffix = ONE_OF(suffixes),
	};

	const bool two = below(2);

	const bool works = print_operation(&line, two ? FIRST : ALONE);
	if (two) {
		printf("; ");
		print_operation(&line, works ? SECOND : AFTER_NOP);
	}
	switch (below(16)) {
	case 0: printf("; read %s", ONE_OF(io)); break;
	case 1: printf("; read r%c%u", 'a' + below(2), below(32)); break;
	}
	if (!below(4))
		printf("; %s", ONE_OF(signals));
}

static unsigned
any_word(void)
{
	return below(1 << 16) << 16 | below(1 << 16);
}

static void
print_load(void)
{
	const bool two = !below(3), is_mov = !below(3);
	const bool is_float = !below(6);

	printf("%s", is_mov ? "mov " : "ldi");
	if (!is_mov)
		printf("%s%s ", maybe(".setf", 6), two ? "" : condition());
	print_dest(is_mov || is_float ? PLAIN : ANY);
	if (two) {
		printf(", ");
		print_dest(is_mov || is_float ? PLAIN : ANY);
	}
	if (is_float) {
		printf(", %u.%u", below(1000), below(1000));
		return;
	}
	switch (below(5)) {
	case 0:
		printf(", [");
		for (unsigned lane = 0, least = below(2); lane < 16; lane++)
			printf("%s%d", lane ? "," : "",
			       (int)below(4) - 2 * (int)least);
		printf("]");
		break;
	case 1: printf(", %d", (int)below(70) - 35); break;
	default: printf(", 0x%x", any_word()); break;
	}
}

static void
print_semaphore(void)
{
	if (below(2)) {
		printf("%s%s%s ", below(2) ? "sacq" : "srel", maybe(".setf", 6),
		       condition());
		print_dest(ANY);
		printf(", %u", below(16));
	} else {
		printf("mov%s ", condition());
		print_dest(ANY);
		printf(", %s%u", below(2) ? "sacq" : "srel", below(16));
	}
}

static void
print_branch(void)
{
	static const char *const conditions[] = {
		"",	  ".allz",  ".allnz", ".anyz",	".anynz", ".alln",
		".allnn", ".anyn",  ".anynn", ".allc",	".allnc", ".anyc",
		".anync", ".allcs", ".allcc", ".anycs", ".anycc",
	};
	static const char *const links[] = { "-", "-", "ra7", "rb9", "r0" };
	const unsigned kind = below(6);

	printf("br%c%s %s, ", "ar"[kind % 2], ONE_OF(conditions),
	       ONE_OF(links));
	switch (kind) {
	case 0: printf("ra%u", below(16) * 2); break;
	case 1: printf("r:start"); break;
	case 2: printf("ra%u, %u", below(16) * 2, below(100) * 8); break;
	case 3: printf("ra%u, r:start", below(16) * 2); break;
	case 4: printf("0x%x", any_word() & ~7); break;
	default:
		printf("%s, ra%u, %d", ONE_OF(links), below(16) * 2,
		       (int)below(200) * 8 - 800);
	}
}

int
main(int argc, char **argv)
{
	const unsigned lines = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;

	state = (argc > 2 ? strtoull(argv[2], NULL, 0) : 1) * 2 + 1;
	for (unsigned i = 0; i < lines; i++) {
		switch (below(12)) {
		case 0: print_load(); break;
		case 1: print_semaphore(); break;
		case 2: print_branch(); break;
		default: print_operations(); break;
		}
		printf("\n");
	}
	return fflush(stdout) || ferror(stdout);
}
