/* SPDX-License-Identifier: MIT */
/*
 * vc4asm-words: compares the words that two assemblers make of the same lines.
 *
 *	vc4asm-words THEIRS OURS SOURCE
 *
 * Each file has a line for each instruction: a word in hexadecimal, or the
 * source.  Words that differ are written as what they do, in one way for all
 * encodings of it: what goes where under which condition, flags, reads of
 * peripherals, signal.  Pairs that differ there are printed; the last line
 * counts all kinds.  The status is 1 if a pair differs.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"
#include "qpu/isa/use.h"

enum { TEXT = 512, PACK_SHIFT = 52 };

/* What an instruction does; texts are made by add(). */
struct effect {
	const struct qpu_inst *inst;
	struct qpu_use use;
	char text[TEXT];
};

static void __attribute__((format(printf, 2, 3)))
add(char text[TEXT], const char *format, ...)
{
	const size_t len = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + len, TEXT - len, format, args);
	va_end(args);
}

static void
add_read(char text[TEXT], unsigned addr, bool file_b)
{
	if (addr < QPU_FILE_REGS || addr == QPU_R_NOP ||
	    !qpu_reads[addr].name[file_b])
		add(text, "r%c%u", "ab"[file_b], addr);
	else
		add(text, "%s", qpu_reads[addr].name[file_b]);
}

static void
add_source(const struct qpu_inst *inst, unsigned mux, char text[TEXT])
{
	if (mux < QPU_MUX_A)
		add(text, "r%u", mux);
	else if (mux == QPU_MUX_A)
		add_read(text, inst->raddr_a, false);
	else if (inst->kind == QPU_KIND_SMALL)
		add(text, "#%" PRIx32, qpu_small_value(inst->small));
	else
		add_read(text, inst->raddr_b, true);
	if (inst->unpack && mux == (inst->pm ? QPU_MUX_R4 : QPU_MUX_A))
		add(text, ".%s", qpu_unpack_names[inst->unpack]);
}

static float
as_float(uint32_t word)
{
	float f;

	memcpy(&f, &word, sizeof(f));
	return (word & 0x7f800000) == 0x7f800000 || !(word & 0x7f800000) ? 0 :
									   f;
}

static uint32_t
as_word(float f)
{
	uint32_t word;

	memcpy(&word, &f, sizeof(word));
	return word;
}

static uint32_t
of_bytes(unsigned (*operation)(unsigned byte), uint32_t x)
{
	uint32_t result = 0;

	for (unsigned shift = 0; shift < 32; shift += 8)
		result |= operation(x >> shift & 0xff) << shift;
	return result;
}

static unsigned
doubled(unsigned byte)
{
	return byte > 127 ? 255 : 2 * byte;
}

static unsigned
squared(unsigned byte)
{
	return (byte * byte + 127) / 255;
}

/* The result of an operation on x and x, where that is known. */
static bool
fold(const char *op, uint32_t x, uint32_t *result)
{
	const unsigned n = x & 31;

	if (!strcmp(op, "mov") || !strcmp(op, "fmin") || !strcmp(op, "fmax"))
		*result = x;
	else if (!strcmp(op, "fminabs") || !strcmp(op, "fmaxabs"))
		*result = x & 0x7fffffff;
	else if (!strcmp(op, "add"))
		*result = x + x;
	else if (!strcmp(op, "fadd") && as_float(x))
		*result = as_word(as_float(x) + as_float(x));
	else if (!strcmp(op, "fadd") || !strcmp(op, "fmul"))
		*result = as_word(as_float(x) * as_float(x));
	else if (!strcmp(op, "fsub"))
		*result = 0;
	else if (!strcmp(op, "shr"))
		*result = x >> n;
	else if (!strcmp(op, "asr"))
		*result = (int32_t)x >> n;
	else if (!strcmp(op, "shl"))
		*result = x << n;
	else if (!strcmp(op, "ror"))
		*result = n ? x >> n | x << (32 - n) : x;
	else if (!strcmp(op, "not"))
		*result = ~x;
	else if (!strcmp(op, "clz"))
		*result = x ? __builtin_clz(x) : 32;
	else if (!strcmp(op, "itof"))
		*result = as_word((int32_t)x);
	else if (!strcmp(op, "ftoi"))
		*result = (int32_t)as_float(x);
	else if (!strcmp(op, "mul24"))
		*result = (x & 0xffffff) * (x & 0xffffff);
	else if (!strcmp(op, "v8adds"))
		*result = of_bytes(doubled, x);
	else if (!strcmp(op, "v8muld"))
		*result = of_bytes(squared, x);
	else
		return false;
	return true;
}

/* One name for what both ALUs have under different ones. */
static const char *
name_of(const char *op, bool same)
{
	static const char *const moves[] = { "or",  "and",   "min",
					     "max", "v8min", "v8max" };

	for (size_t i = 0; same && i < sizeof(moves) / sizeof(*moves); i++)
		if (strcmp(op, moves[i]) == 0)
			return "mov";
	if (same &&
	    (!strcmp(op, "xor") || !strcmp(op, "sub") || !strcmp(op, "v8subs")))
		return "zero";
	return op;
}

static bool
is_shift(const char *op)
{
	return !strcmp(op, "shl") || !strcmp(op, "shr") || !strcmp(op, "asr") ||
	       !strcmp(op, "ror");
}

/* The value that an ALU yields, before it is packed. */
static void
add_value(const struct effect *effect, bool of_mul, char text[TEXT])
{
	const struct qpu_inst *inst = effect->inst;
	const unsigned code = of_mul ? inst->op_mul : inst->op_add;
	const struct qpu_op_row *row = of_mul ? &qpu_mul_ops[code] :
						&qpu_add_ops[code];
	const unsigned a = of_mul ? inst->mul_a : inst->add_a;
	const unsigned b = of_mul ? inst->mul_b : inst->add_b;
	const char *op = name_of(row->mnemonic, a == b);
	const bool constant = inst->kind == QPU_KIND_SMALL && a == QPU_MUX_B &&
			      (row->operands == 1 || b == a);
	uint32_t value;

	if (inst->kind == QPU_KIND_LOAD || inst->kind == QPU_KIND_SEMA) {
		/* Lanes of 0 and 1 are the same with and without a sign. */
		add(text, "%s%" PRIx32,
		    inst->kind == QPU_KIND_SEMA	  ? "sema " :
		    inst->load == QPU_LOAD_32	  ? "#" :
		    !(inst->imm >> 16)		  ? "lanes " :
		    inst->load == QPU_LOAD_SIGNED ? "signed " :
						    "unsigned ",
		    inst->imm);
		return;
	}
	if (strcmp(op, "zero") == 0) {
		add(text, "#0");
		return;
	}
	if (constant && fold(op, qpu_small_value(inst->small), &value)) {
		add(text, "#%" PRIx32, value);
		return;
	}
	if (of_mul && effect->use.rotates)
		add(text, "rotated by %u: ", inst->small - QPU_SMALL_ROT);
	add(text, "%s ", op);
	add_source(inst, a, text);
	if (row->operands < 2 || strcmp(op, "mov") == 0)
		return;
	add(text, ", ");
	if (is_shift(op) && b == QPU_MUX_B && inst->kind == QPU_KIND_SMALL)
		add(text, "#%" PRIx32, qpu_small_value(inst->small) & 31);
	else
		add_source(inst, b, text);
}

static bool
is_idle(const struct qpu_inst *inst, bool of_mul)
{
	const bool computes = inst->kind == QPU_KIND_ALU ||
			      inst->kind == QPU_KIND_SMALL;

	return computes && !(of_mul ? inst->op_mul : inst->op_add) &&
	       (of_mul ? inst->waddr_mul : inst->waddr_add) == QPU_W_NOP;
}

/* Where the result of an ALU goes, or an empty text. */
static void
add_result(const struct effect *effect, bool of_mul, char text[TEXT])
{
	const struct qpu_inst *inst = effect->inst;
	const unsigned addr = of_mul ? inst->waddr_mul : inst->waddr_add;
	const unsigned cond = of_mul ? inst->cond_mul : inst->cond_add;
	const bool file_b = of_mul != inst->ws;

	if (is_idle(inst, of_mul) || addr == QPU_W_NOP)
		return;
	if (addr < QPU_FILE_REGS)
		add(text, "r%c%u", "ab"[file_b], addr);
	else
		add(text, "%s", qpu_writes[addr].name[file_b]);
	if (inst->kind == QPU_KIND_BRANCH) {
		add(text, " = link");
		return;
	}
	if (inst->pack && inst->pm && of_mul)
		add(text, ".%sf", qpu_pack_a_names[inst->pack]);
	if (inst->pack && !inst->pm && !file_b && addr < QPU_FILE_REGS)
		add(text, ".%s", qpu_pack_a_names[inst->pack]);
	add(text, " if %u = ", cond);
	add_value(effect, of_mul, text);
}

static void
add_flags(const struct effect *effect, char text[TEXT])
{
	const struct qpu_inst *inst = effect->inst;
	const bool of_mul =
		(inst->kind == QPU_KIND_ALU || inst->kind == QPU_KIND_SMALL) &&
		!inst->op_add;

	if (inst->kind == QPU_KIND_BRANCH || !inst->sf)
		return;
	add(text, "; flags if %u = ", of_mul ? inst->cond_mul : inst->cond_add);
	add_value(effect, of_mul, text);
}

/* Reads that matter beside their values, those of peripherals, by name. */
static void
add_reads(const struct effect *effect, char text[TEXT])
{
	const struct qpu_inst *inst = effect->inst;
	char reads[2][TEXT] = { "", "" };

	const bool reads_a = inst->kind == QPU_KIND_ALU ||
			     inst->kind == QPU_KIND_SMALL;

	if (reads_a && inst->raddr_a != QPU_R_NOP &&
	    (inst->raddr_a >= QPU_FILE_REGS ||
	     !qpu_use_reads_mux(&effect->use, QPU_MUX_A)))
		add_read(reads[0], inst->raddr_a, false);
	if (inst->kind == QPU_KIND_ALU && inst->raddr_b != QPU_R_NOP &&
	    (inst->raddr_b >= QPU_FILE_REGS ||
	     !qpu_use_reads_mux(&effect->use, QPU_MUX_B)))
		add_read(reads[1], inst->raddr_b, true);
	/* One that both ports read delivers one value. */
	if (strcmp(reads[0], reads[1]) == 0)
		*reads[0] = '\0';
	const bool swap = strcmp(reads[0], reads[1]) > 0;
	add(text, "; reads %s %s", reads[swap], reads[!swap]);
}

/* What a word does, in one way for all encodings of it. */
static void
describe(uint64_t word, char text[TEXT])
{
	struct qpu_inst inst;
	struct effect effect = { .inst = &inst };
	char results[2][TEXT] = { "", "" };

	*text = '\0';
	if (!qpu_unpack(word, &inst)) {
		add(text, "no instruction");
		return;
	}
	qpu_use(&inst, &effect.use);
	add_result(&effect, false, results[0]);
	add_result(&effect, true, results[1]);
	const bool swap = strcmp(results[0], results[1]) > 0;
	add(text, "%s; %s", results[swap], results[!swap]);
	add_flags(&effect, text);
	add_reads(&effect, text);
	if (inst.kind == QPU_KIND_BRANCH)
		add(text, "; branch %u %u %u ra%u %" PRIx32, inst.cond_br,
		    inst.rel, inst.reg, inst.reg ? inst.raddr_a : 0, inst.imm);
	add(text, "; %s", qpu_sigs[inst.sig].text);
}

/* Modes of the mul ALU's pack that the guide does not define: the bit that
 * saturates with pm = 0 is set in addition. */
static bool
has_undefined_mode(uint64_t word)
{
	const unsigned pack = word >> PACK_SHIFT & 15;

	return word >> 60 != QPU_SIG_BRANCH && (word >> 56 & 1) && pack > 10;
}

/* The conditions of results that are discarded, without flags. */
static uint64_t
without_idle_conds(uint64_t word)
{
	struct qpu_inst inst;

	if (!qpu_unpack(word, &inst) || inst.kind == QPU_KIND_BRANCH)
		return word;
	if (inst.waddr_add == QPU_W_NOP &&
	    (!inst.sf || (inst.kind <= QPU_KIND_SMALL && !inst.op_add)))
		inst.cond_add = 0;
	if (inst.waddr_mul == QPU_W_NOP &&
	    (!inst.sf || inst.kind > QPU_KIND_SMALL || inst.op_add))
		inst.cond_mul = 0;
	return qpu_pack(&inst);
}

int
main(int argc, char **argv)
{
	FILE *theirs = argc == 4 ? fopen(argv[1], "r") : NULL;
	FILE *ours = argc == 4 ? fopen(argv[2], "r") : NULL;
	FILE *source = argc == 4 ? fopen(argv[3], "r") : NULL;
	unsigned same = 0, idle = 0, equal = 0, modes = 0, different = 0;
	char line[TEXT], text[2][TEXT];
	uint64_t a, b;

	if (!theirs || !ours || !source)
		return 2;
	while (fscanf(theirs, "%" SCNx64, &a) == 1 &&
	       fscanf(ours, "%" SCNx64, &b) == 1 &&
	       fgets(line, sizeof(line), source)) {
		const bool undefined = has_undefined_mode(a);

		if (a == b) {
			same++;
			continue;
		}
		if (undefined)
			a &= ~(UINT64_C(8) << PACK_SHIFT);
		describe(a, text[0]);
		describe(b, text[1]);
		if (strcmp(text[0], text[1]) != 0) {
			different++;
			printf("%016" PRIx64 " %016" PRIx64 " %s"
			       "    theirs: %s\n    ours:   %s\n",
			       a, b, line, text[0], text[1]);
		} else if (undefined) {
			modes++;
		} else if (without_idle_conds(a) == without_idle_conds(b)) {
			idle++;
		} else {
			equal++;
		}
	}
	printf("%u words: %u same, %u but for the condition of a result that "
	       "goes nowhere, %u other encodings of the same, %u pack modes "
	       "without a definition, %u differ\n",
	       same + idle + equal + modes + different, same, idle, equal,
	       modes, different);
	return different > 0;
}
