/* SPDX-License-Identifier: MIT */
/*
 * Promise: mnemonics, conditions, registers and pack modes are known by their
 * names and by those that other assemblers use, and by no others.  The numbers
 * are those of the VideoCore IV reference guide.
 */
#include "config.h"

#include <stdint.h>

#include "qpu/asm/reg.h"
#include "qpu/asm/stmt.h"
#include "qpu/asm/value.h"
#include "tests/support/tap.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

enum { NO = ASM_NO_CODE };

/* clang-format off */
static const struct {
	const char *name;
	enum asm_stmt_kind kind;
	uint8_t add, mul, noperands;
	uint8_t flag; /* relative, acquire, or the signal */
} mnemonics[] = {
	{ "fadd", ASM_STMT_ALU, 1, NO, 2, 0 },
	{ "fsub", ASM_STMT_ALU, 2, NO, 2, 0 },
	{ "fmin", ASM_STMT_ALU, 3, NO, 2, 0 },
	{ "fmax", ASM_STMT_ALU, 4, NO, 2, 0 },
	{ "fminabs", ASM_STMT_ALU, 5, NO, 2, 0 },
	{ "fmaxabs", ASM_STMT_ALU, 6, NO, 2, 0 },
	{ "ftoi", ASM_STMT_ALU, 7, NO, 1, 0 },
	{ "itof", ASM_STMT_ALU, 8, NO, 1, 0 },
	{ "add", ASM_STMT_ALU, 12, NO, 2, 0 },
	{ "sub", ASM_STMT_ALU, 13, NO, 2, 0 },
	{ "shr", ASM_STMT_ALU, 14, NO, 2, 0 },
	{ "asr", ASM_STMT_ALU, 15, NO, 2, 0 },
	{ "ror", ASM_STMT_ALU, 16, NO, 2, 0 },
	{ "shl", ASM_STMT_ALU, 17, NO, 2, 0 },
	{ "min", ASM_STMT_ALU, 18, NO, 2, 0 },
	{ "max", ASM_STMT_ALU, 19, NO, 2, 0 },
	{ "and", ASM_STMT_ALU, 20, NO, 2, 0 },
	{ "or", ASM_STMT_ALU, 21, NO, 2, 0 },
	{ "xor", ASM_STMT_ALU, 22, NO, 2, 0 },
	{ "not", ASM_STMT_ALU, 23, NO, 1, 0 },
	{ "clz", ASM_STMT_ALU, 24, NO, 1, 0 },
	{ "v8adds", ASM_STMT_ALU, 30, 6, 2, 0 },
	{ "v8subs", ASM_STMT_ALU, 31, 7, 2, 0 },
	{ "fmul", ASM_STMT_ALU, NO, 1, 2, 0 },
	{ "mul24", ASM_STMT_ALU, NO, 2, 2, 0 },
	{ "v8muld", ASM_STMT_ALU, NO, 3, 2, 0 },
	{ "v8mul", ASM_STMT_ALU, NO, 3, 2, 0 },
	{ "v8min", ASM_STMT_ALU, NO, 4, 2, 0 },
	{ "v8max", ASM_STMT_ALU, NO, 5, 2, 0 },
	{ "av8adds", ASM_STMT_ALU, 30, NO, 2, 0 },
	{ "mv8adds", ASM_STMT_ALU, NO, 6, 2, 0 },
	{ "av8subs", ASM_STMT_ALU, 31, NO, 2, 0 },
	{ "mv8subs", ASM_STMT_ALU, NO, 7, 2, 0 },
	{ "mov", ASM_STMT_MOV, 0, 0, 0, 0 },
	{ "amov", ASM_STMT_MOV, 0, NO, 0, 0 },
	{ "mmov", ASM_STMT_MOV, NO, 0, 0, 0 },
	{ "nop", ASM_STMT_NOP, 0, 0, 0, 0 },
	{ "anop", ASM_STMT_NOP, 0, NO, 0, 0 },
	{ "mnop", ASM_STMT_NOP, NO, 0, 0, 0 },
	{ "ldi", ASM_STMT_LDI, 0, 0, 0, 0 },
	{ "read", ASM_STMT_READ, 0, 0, 0, 0 },
	{ "bra", ASM_STMT_BRANCH, 0, 0, 0, false },
	{ "brr", ASM_STMT_BRANCH, 0, 0, 0, true },
	{ "srel", ASM_STMT_SEMA, 0, 0, 0, false },
	{ "sacq", ASM_STMT_SEMA, 0, 0, 0, true },
	{ "bkpt", ASM_STMT_SIGNAL, 0, 0, 0, 0 },
	{ "thrsw", ASM_STMT_SIGNAL, 0, 0, 0, 2 },
	{ "thrend", ASM_STMT_SIGNAL, 0, 0, 0, 3 },
	{ "sbwait", ASM_STMT_SIGNAL, 0, 0, 0, 4 },
	{ "sbdone", ASM_STMT_SIGNAL, 0, 0, 0, 5 },
	{ "lthrsw", ASM_STMT_SIGNAL, 0, 0, 0, 6 },
	{ "loadcv", ASM_STMT_SIGNAL, 0, 0, 0, 7 },
	{ "loadc", ASM_STMT_SIGNAL, 0, 0, 0, 8 },
	{ "ldcend", ASM_STMT_SIGNAL, 0, 0, 0, 9 },
	{ "ldtmu0", ASM_STMT_SIGNAL, 0, 0, 0, 10 },
	{ "ldtmu1", ASM_STMT_SIGNAL, 0, 0, 0, 11 },
	{ "loadam", ASM_STMT_SIGNAL, 0, 0, 0, 12 },
};

static const char *const no_mnemonics[] = {
	"ad", "addd", "ADD", "madd", "aadd", "afmul", "mldi", "aread", "xmov",
	"xnop", "a", "m", "av8min", "mv8muld", "ldtmu2", "v8mulx", "small",
};

/* A name that is not known, and the one that is suggested for it. */
static const struct {
	const char *wanted, *best;
} mnemonic_hints[] = {
	{ "braa", "bra" }, { "sreel", "srel" }, { "ldii", "ldi" },
	{ "faddd", "fadd" }, { "v8add", "v8adds" }, { "clzz", "clz" },
	{ "fmull", "fmul" }, { "v8maxx", "v8max" }, { "v8minn", "v8min" },
	{ "bkppt", "bkpt" }, { "loadaam", "loadam" }, { "thrrend", "thrend" },
	{ "xyzzy", NULL },
}, register_hints[] = {
	{ "unnif", "unif" }, { "elem_nun", "elem_num" },
	{ "qpu_nun", "qpu_num" }, { "vww_busy", "vw_busy" },
	{ "vrr_busy", "vr_busy" }, { "vww_setup", "vw_setup" },
	{ "vrr_setup", "vr_setup" }, { "t11b", "t1b" }, { "t1bb", "t1b" },
	{ "recpi", "recip" }, { "muttex", "mutex" }, { "tlbcc", "tlbc" },
	{ "r5quat", "r5quad" }, { "r5repp", "r5rep" }, { "plugh", NULL },
};

static const struct {
	const char *text;
	int code; /* -1: no such condition */
	int of_dest;
} conds[] = {
	{ "never", 0, 0 }, { "ifz", 2, 2 }, { "ifzs", 2, 2 }, { "ifnz", 3, 3 },
	{ "ifzc", 3, 3 }, { "ifn", 4, 4 }, { "ifns", 4, 4 }, { "ifnn", 5, 5 },
	{ "ifc", 6, 6 }, { "ifcs", 6, 6 }, { "ifcc", 7, 7 }, { "ifnc", 7, 7 },
	{ "z", -1, 2 }, { "zs", -1, 2 }, { "nz", -1, 3 }, { "zc", -1, 3 },
	{ "n", -1, 4 }, { "ns", -1, 4 }, { "nn", -1, 5 }, { "c", -1, 6 },
	{ "cs", -1, 6 }, { "cc", -1, 7 }, { "nc", -1, 7 },
	{ "ifx", -1, -1 }, { "ifzz", -1, -1 }, { "always", -1, -1 },
	{ "ififz", -1, -1 }, { "setf", -1, -1 }, { "if", -1, -1 },
}, branch_conds[] = {
	{ "allz", 0, 0 }, { "allnz", 1, 0 }, { "anyz", 2, 0 },
	{ "anynz", 3, 0 }, { "alln", 4, 0 }, { "allnn", 5, 0 },
	{ "anyn", 6, 0 }, { "anynn", 7, 0 }, { "allc", 8, 0 },
	{ "allnc", 9, 0 }, { "anyc", 10, 0 }, { "anync", 11, 0 },
	{ "allcs", 8, 0 }, { "allcc", 9, 0 }, { "anycs", 10, 0 },
	{ "anycc", 11, 0 }, { "ifz", -1, 0 }, { "all", -1, 0 },
	{ "anyx", -1, 0 }, { "allzs", -1, 0 }, { "always", -1, 0 },
};

enum { A = ASM_FILE_A, B = ASM_FILE_B, BOTH = A | B };

static const struct {
	const char *name;
	uint8_t addr, read, write;
	int8_t mux;
} registers[] = {
	{ "ra0", 0, A, A, -1 }, { "ra9", 9, A, A, -1 }, { "ra10", 10, A, A, -1 },
	{ "ra31", 31, A, A, -1 }, { "rb0", 0, B, B, -1 },
	{ "rb31", 31, B, B, -1 }, { "ra32", 32, A, A, -1 },
	{ "rb32", 32, B, B, -1 }, { "ra33", 33, 0, A, -1 },
	{ "rb36", 36, 0, B, -1 }, { "ra51", 51, A, A, -1 },
	{ "ra52", 52, 0, A, -1 }, { "ra63", 63, 0, A, -1 },
	{ "rb63", 63, 0, B, -1 },
	{ "r0", 32, 0, BOTH, 0 }, { "r1", 33, 0, BOTH, 1 },
	{ "r2", 34, 0, BOTH, 2 }, { "r3", 35, 0, BOTH, 3 },
	{ "r4", 0, 0, 0, 4 }, { "r5", 0, 0, 0, 5 },
	{ "unif", 32, BOTH, 0, -1 }, { "vary", 35, BOTH, 0, -1 },
	{ "tmurs", 36, 0, BOTH, -1 }, { "tmu_noswap", 36, 0, BOTH, -1 },
	{ "r5quad", 37, 0, A, -1 }, { "r5rep", 37, 0, B, -1 },
	{ "elem_num", 38, A, 0, -1 }, { "qpu_num", 38, B, 0, -1 },
	{ "irq", 38, 0, BOTH, -1 }, { "interrupt", 38, 0, BOTH, -1 },
	{ "-", 39, BOTH, BOTH, -1 }, { "nop", 39, BOTH, BOTH, -1 },
	{ "unif_addr", 40, 0, A, -1 }, { "unif_addr_rel", 40, 0, B, -1 },
	{ "x_coord", 41, A, A, -1 }, { "y_coord", 41, B, B, -1 },
	{ "ms_mask", 42, A, A, -1 }, { "rev_flag", 42, B, B, -1 },
	{ "stencil", 43, 0, BOTH, -1 }, { "tlbz", 44, 0, BOTH, -1 },
	{ "tlbm", 45, 0, BOTH, -1 }, { "tlbc", 46, 0, BOTH, -1 },
	{ "tlbam", 47, 0, BOTH, -1 }, { "vpm", 48, BOTH, BOTH, -1 },
	{ "vr_busy", 49, A, 0, -1 }, { "vw_busy", 49, B, 0, -1 },
	{ "vr_setup", 49, 0, A, -1 }, { "vw_setup", 49, 0, B, -1 },
	{ "vr_wait", 50, A, 0, -1 }, { "vw_wait", 50, B, 0, -1 },
	{ "vr_addr", 50, 0, A, -1 }, { "vw_addr", 50, 0, B, -1 },
	{ "mutex", 51, BOTH, BOTH, -1 }, { "mutex_acq", 51, BOTH, BOTH, -1 },
	{ "mutex_rel", 51, BOTH, BOTH, -1 }, { "recip", 52, 0, BOTH, -1 },
	{ "recipsqrt", 53, 0, BOTH, -1 }, { "exp", 54, 0, BOTH, -1 },
	{ "log", 55, 0, BOTH, -1 }, { "t0s", 56, 0, BOTH, -1 },
	{ "t0t", 57, 0, BOTH, -1 }, { "t0r", 58, 0, BOTH, -1 },
	{ "t0b", 59, 0, BOTH, -1 }, { "t1s", 60, 0, BOTH, -1 },
	{ "t1t", 61, 0, BOTH, -1 }, { "t1r", 62, 0, BOTH, -1 },
	{ "t1b", 63, 0, BOTH, -1 },
};

static const char *const no_registers[] = {
	"r", "r6", "r/", "r00", "r0x", "ra", "rb", "rc1", "xa1", "ra64", "rb64",
	"ra99", "ra100", "ra00", "ra01", "ra1x", "rax", "ra-1", "unifs", "x",
	"t2s", "elem", "sacq", "sacq16", "sacq01", "srel16", "srel99", "sacqx",
	"srex1", "sac1", "sacr1",
};

static const struct {
	const char *text;
	uint8_t part;
	bool saturate;
	char domain;
} packs[] = {
	{ "32", ASM_PART_32, false, 0 }, { "32s", ASM_PART_32, true, 0 },
	{ "16a", ASM_PART_16A, false, 0 }, { "16b", ASM_PART_16B, false, 0 },
	{ "8abcd", ASM_PART_8ABCD, false, 0 },
	{ "8888", ASM_PART_8ABCD, false, 0 },
	{ "8a", ASM_PART_8A, false, 0 }, { "8b", ASM_PART_8B, false, 0 },
	{ "8c", ASM_PART_8C, false, 0 }, { "8d", ASM_PART_8D, false, 0 },
	{ "8dr", ASM_PART_8DR, false, 0 }, { "8ddup", ASM_PART_8DR, false, 0 },
	{ "8ddupe", ASM_PART_8DDUPE, false, 0 },
	{ "8as", ASM_PART_8A, true, 0 }, { "16aclamp", ASM_PART_16A, true, 0 },
	{ "8bi", ASM_PART_8B, false, 'i' }, { "8cf", ASM_PART_8C, false, 'f' },
	{ "8dsi", ASM_PART_8D, true, 'i' },
	{ "8abcdclampf", ASM_PART_8ABCD, true, 'f' },
};

static const char *const no_packs[] = {
	"", "8", "8e", "16", "16c", "31", "8888x", "8aif", "8ais", "8ass",
	"8aclam", "8aclamps", "8ascl", "8dx", "16ax", "x8a",
};
/* clang-format on */

static void
check_mnemonics(void)
{
	for (size_t i = 0; i < COUNT(mnemonics); i++) {
		struct asm_stmt stmt = { .kind = ASM_STMT_READ };
		const bool found = asm_stmt_find(&stmt, mnemonics[i].name);
		const uint8_t flag = stmt.kind == ASM_STMT_BRANCH ?
					     stmt.relative :
				     stmt.kind == ASM_STMT_SEMA ? stmt.acquire :
								  stmt.sig;

		ok(found && stmt.kind == mnemonics[i].kind &&
			   stmt.code[ASM_UNIT_ADD] == mnemonics[i].add &&
			   stmt.code[ASM_UNIT_MUL] == mnemonics[i].mul &&
			   stmt.noperands == mnemonics[i].noperands &&
			   flag == mnemonics[i].flag,
		   "%s is an instruction", mnemonics[i].name);
	}
	for (size_t i = 0; i < COUNT(no_mnemonics); i++) {
		struct asm_stmt stmt = { .noperands = 0 };

		ok(!asm_stmt_find(&stmt, no_mnemonics[i]),
		   "%s is no instruction", no_mnemonics[i]);
	}
}

static void
check_hint(const char *wanted, const char *best, const char *got)
{
	if (best && got)
		is(got, best, "%s is suggested for %s", best, wanted);
	else
		ok(!best && !got, "the right thing is suggested for %s",
		   wanted);
}

static void
check_hints(void)
{
	for (size_t i = 0; i < COUNT(mnemonic_hints); i++)
		check_hint(mnemonic_hints[i].wanted, mnemonic_hints[i].best,
			   asm_stmt_suggest(mnemonic_hints[i].wanted));
	for (size_t i = 0; i < COUNT(register_hints); i++)
		check_hint(register_hints[i].wanted, register_hints[i].best,
			   asm_reg_suggest(register_hints[i].wanted));
}

typedef bool
cond_parser(const char *text, uint8_t *cond);

static void
check_cond(cond_parser *parse, const char *text, int code, const char *where)
{
	uint8_t cond = 0x55;
	const bool found = parse(text, &cond);

	if (!ok(found == (code >= 0) && (!found || cond == code),
		"'%s' is condition %d of %s", text, code, where))
		tap_note("got %d", found ? cond : -1);
}

static void
check_conds(void)
{
	for (size_t i = 0; i < COUNT(conds); i++) {
		check_cond(asm_stmt_cond, conds[i].text, conds[i].code,
			   "an operation");
		check_cond(asm_stmt_dest_cond, conds[i].text, conds[i].of_dest,
			   "a destination");
		ok(asm_stmt_cond_is_ambiguous(conds[i].text) ==
			   (strcmp(conds[i].text, "nc") == 0 ||
			    strcmp(conds[i].text, "ifnc") == 0),
		   "only nc is ambiguous");
	}
	for (size_t i = 0; i < COUNT(branch_conds); i++)
		check_cond(asm_stmt_branch_cond, branch_conds[i].text,
			   branch_conds[i].code, "a branch");
}

static void
check_registers(void)
{
	struct asm_value value;

	for (size_t i = 0; i < COUNT(registers); i++) {
		const bool found =
			asm_value_find_reg(registers[i].name, &value);
		const struct asm_reg *reg = &value.reg;

		ok(found && value.type == ASM_REG &&
			   reg->addr == registers[i].addr &&
			   reg->read_files == registers[i].read &&
			   reg->write_files == registers[i].write &&
			   reg->mux == registers[i].mux && !reg->rotate &&
			   reg->pack.part == ASM_PART_32,
		   "%s is a register", registers[i].name);
	}
	for (size_t i = 0; i < COUNT(no_registers); i++)
		ok(!asm_value_find_reg(no_registers[i], &value),
		   "%s is no register", no_registers[i]);
	for (int i = 0; i < 32; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%s%d", i & 1 ? "sacq" : "srel",
			 i / 2);
		ok(asm_value_find_reg(name, &value) && value.type == ASM_SEMA &&
			   value.i == i / 2 && value.acquire == (i & 1),
		   "%s is a semaphore", name);
	}

	const struct asm_reg nop = asm_reg_nop();
	ok(nop.addr == 39 && nop.read_files == BOTH &&
		   nop.write_files == BOTH && nop.mux == -1,
	   "the register that is none is at address 39");
}

/* How a register is called in messages. */
static void
check_reg_names(void)
{
	/* clang-format off */
	static const struct {
		struct asm_reg reg;
		const char *read, *written;
	} rows[] = {
		{ { .addr = 7, .read_files = A, .write_files = A, .mux = -1 },
		  "ra7", "ra7" },
		{ { .addr = 31, .read_files = B, .write_files = B, .mux = -1 },
		  "rb31", "rb31" },
		{ { .addr = 32, .read_files = BOTH, .mux = -1 }, "unif", "r0" },
		{ { .addr = 38, .read_files = B, .mux = -1 }, "qpu_num", "irq" },
		{ { .addr = 38, .read_files = A, .mux = -1 },
		  "elem_num", "irq" },
		{ { .addr = 49, .write_files = B, .mux = -1 },
		  "vw_busy", "vw_setup" },
		{ { .addr = 49, .write_files = A, .mux = -1 },
		  "vr_busy", "vr_setup" },
		{ { .addr = 63, .write_files = B, .mux = -1 }, "rb63", "t1b" },
		{ { .addr = 63, .write_files = BOTH, .mux = -1 }, "ra63", "t1b" },
		{ { .addr = 49, .read_files = A, .write_files = B, .mux = -1 },
		  "vr_busy", "vw_setup" },
		{ { .addr = 33, .write_files = BOTH, .mux = 1 }, "r1", "r1" },
		{ { .addr = 0, .mux = 0 }, "r0", "r0" },
		{ { .addr = 0, .mux = 5 }, "r5", "r5" },
	};
	/* clang-format on */

	for (size_t i = 0; i < COUNT(rows); i++) {
		char name[32];

		asm_reg_name(&rows[i].reg, false, name);
		is(name, rows[i].read, "%s is read", rows[i].read);
		asm_reg_name(&rows[i].reg, true, name);
		is(name, rows[i].written, "%s is written", rows[i].written);
	}
}

static void
check_packs(void)
{
	struct asm_pack pack;

	for (size_t i = 0; i < COUNT(packs); i++)
		ok(asm_reg_parse_pack(packs[i].text, &pack) &&
			   pack.part == packs[i].part &&
			   pack.saturate == packs[i].saturate &&
			   pack.domain == packs[i].domain,
		   "%s is a pack mode", packs[i].text);
	for (size_t i = 0; i < COUNT(no_packs); i++)
		ok(!asm_reg_parse_pack(no_packs[i], &pack),
		   "'%s' is no pack mode", no_packs[i]);
}

int
main(void)
{
	check_mnemonics();
	check_hints();
	check_conds();
	check_registers();
	check_reg_names();
	check_packs();
	return tap_done();
}
