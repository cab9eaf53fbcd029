/* SPDX-License-Identifier: MIT */
/*
 * encode: sorts the statements of a line and tries the ways to encode
 * them.
 *
 * A line has at most two operations, a signal, and reads without an operation; or a
 * branch or semaphore, which fill an instruction alone.  An operation can stand on
 * either ALU, and a mov of a constant can be written in several ways: as a small
 * immediate, as x op x of another one, or as a load of all 32 bits.  The ways form a
 * ladder of efforts, and the first one that fits is taken:
 *
 *	1. each operation as written, with both assignments to the ALUs
 *	2. a load of one constant to both destinations
 *	3. COMPUTED: a constant by an operation on a small immediate
 *	4. EQUALS: x & x as a move, and the like, on the other ALU
 *
 * fit.c and result.c decide whether one way fits.  They stop at the first reason
 * against it, and asm_refuse() keeps the first of all: so a message is about the
 * line as it was written, and not about an attempt that the user has not thought of.
 * Each rung is finite and takes no rung back, so the search ends after at most
 * MAX_WAYS squared attempts.
 */
#include "config.h"

#include "qpu/asm/stmt.h"

#include <string.h>

#include "qpu/asm/assembly.h"
#include "qpu/isa/isa.h"
#include "qpu/isa/pack.h"

/* The search goes this far for an operation that does not fit as written. */
enum effort {
	AS_WRITTEN,
	COMPUTED, /* an operation that gives the constant of a mov */
	EQUALS,	  /* and the equal of an operation on the other ALU */
};

/* One line's statements, sorted by kind. */
struct line {
	const struct asm_stmt *ops[ASM_UNITS];
	size_t nops;
	const struct asm_stmt *whole; /* fills an instruction alone */
	bool has_ldi;
	struct asm_fit fit; /* signal and reads */
};

enum { MAX_WAYS = QPU_SMALL_ROT };

static uint32_t
bytes_doubled(uint32_t x)
{
	uint32_t sum = 0;

	for (unsigned shift = 0; shift < 32; shift += 8) {
		const uint32_t byte = 2 * (x >> shift & 0xff);

		sum |= (byte > 0xff ? 0xff : byte) << shift;
	}
	return sum;
}

/*
 * x op x.  Only operations whose result the hardware reference states without
 * doubt are here: those on integers, and conversions that are exact.
 */
static bool
add_gives(unsigned code, uint32_t x, uint32_t *result)
{
	const unsigned n = x & 31;
	float f;

	switch (code) {
	case QPU_ADD_FTOI: /* 1.0, 2.0, ... 128.0 */
		memcpy(&f, &x, sizeof(f));
		*result = f >= 1 && f <= 128 ? (uint32_t)f : 0;
		return *result;
	case QPU_ADD_ITOF:
		f = (int32_t)x;
		memcpy(result, &f, sizeof(f));
		return (int32_t)x >= -16 && (int32_t)x < 16;
	case QPU_ADD_ADD: *result = x + x; return true;
	case QPU_ADD_SHR: *result = x >> n; return true;
	case QPU_ADD_ASR: *result = (int32_t)x >> n; return true;
	case QPU_ADD_ROR: *result = n ? x >> n | x << (32 - n) : x; return true;
	case QPU_ADD_SHL: *result = x << n; return true;
	case QPU_ADD_NOT: *result = ~x; return true;
	case QPU_ADD_CLZ: *result = x ? __builtin_clz(x) : 32; return true;
	case QPU_ADD_V8ADDS: *result = bytes_doubled(x); return true;
	default: return false;
	}
}

static bool
mul_gives(unsigned code, uint32_t x, uint32_t *result)
{
	switch (code) {
	case QPU_MUL_MUL24:
		*result = (x & 0xffffff) * (x & 0xffffff);
		return true;
	case QPU_MUL_V8ADDS: *result = bytes_doubled(x); return true;
	default: return false;
	}
}

static bool
is_constant(const struct asm_stmt *stmt)
{
	const enum asm_type type = stmt->sources[0].value.type;

	return (stmt->kind == ASM_STMT_MOV || stmt->kind == ASM_STMT_LDI) &&
	       type != ASM_REG && type != ASM_SEMA;
}

static bool
sort_stmt(const struct asm_stmt *stmt, struct line *line,
	  struct asm_refusal *why)
{
	struct asm_fit *fit = &line->fit;

	switch (stmt->kind) {
	case ASM_STMT_SIGNAL:
		if (fit->signal)
			return asm_refuse(why, ASM_E_SIGNAL, stmt->token,
					  "an instruction has one signal, "
					  "not %s and %s",
					  fit->signal->mnemonic,
					  stmt->mnemonic);
		fit->signal = stmt;
		return true;
	case ASM_STMT_READ:
		if (stmt->sources[0].value.type != ASM_REG &&
		    !asm_value_is_number(&stmt->sources[0].value))
			return asm_refuse(why, ASM_E_OPERAND,
					  stmt->sources[0].token,
					  "a register or a small "
					  "immediate is expected");
		if (fit->nreads == 2)
			return asm_refuse(why, ASM_E_PORT, stmt->token,
					  "there are two read ports");
		fit->reads[fit->nreads++] = stmt;
		return true;
	default: break;
	}
	if (stmt->kind == ASM_STMT_BRANCH || stmt->kind == ASM_STMT_SEMA ||
	    (stmt->kind == ASM_STMT_MOV &&
	     stmt->sources[0].value.type == ASM_SEMA))
		line->whole = stmt;
	if (line->nops == ASM_UNITS)
		return asm_refuse(
			why, ASM_E_UNIT, stmt->token,
			"both ALUs are in use: there is none left for '%s'",
			stmt->mnemonic);
	line->has_ldi |= stmt->kind == ASM_STMT_LDI;
	line->ops[line->nops++] = stmt;
	return true;
}

static bool
add_source(struct asm_slot *slot, const struct asm_operand *operand,
	   struct asm_refusal *why)
{
	const size_t i = slot->nsources++;
	struct asm_input *source = &slot->sources[i];

	source->token = operand->token;
	source->text = operand->text;
	source->reg = operand->value.reg;
	if (operand->value.type == ASM_REG)
		return true;
	source->is_immediate = true;
	if (!asm_value_word(&operand->value, &source->word))
		return asm_refuse(why, ASM_E_IMMEDIATE, operand->token,
				  operand->value.type == ASM_INT ?
					  "the value needs more than 32 bits" :
					  "not an operand for an ALU");
	/* A shift uses the low five bits of its count: 16 to 31 are -16 to -1.
	 * No operation of the mul ALU has one of these codes. */
	if (i == 1 && source->word > 15 && source->word < 32 &&
	    (slot->code == QPU_ADD_SHL || slot->code == QPU_ADD_SHR ||
	     slot->code == QPU_ADD_ASR || slot->code == QPU_ADD_ROR))
		source->word -= 32;
	return true;
}

/*
 * Add the operations of a unit that give a value when both operands are the
 * same small immediate: at last the low byte of one in all bytes.  The source
 * has no text for messages: if nothing fits, the message is about the constant
 * as it is written, which was tried first.
 */
static size_t
add_computed(const struct asm_stmt *stmt, unsigned unit, uint32_t value,
	     struct asm_slot ways[MAX_WAYS], size_t n)
{
	const bool is_add = unit == ASM_UNIT_ADD;
	const unsigned ncodes = is_add ? 32 : 8;

	for (unsigned i = 0; i < (ncodes + 1) * QPU_SMALL_ROT; i++) {
		const uint32_t x = qpu_small_value(i % QPU_SMALL_ROT);
		const bool replicates = i / QPU_SMALL_ROT == ncodes;
		/* Integer operations before conversions. */
		const unsigned code =
			(i / QPU_SMALL_ROT + (is_add ? QPU_ADD_ADD : 0)) %
			ncodes;
		uint32_t result = (x & 0xff) * UINT32_C(0x01010101);

		if ((replicates || (is_add ? add_gives(code, x, &result) :
					     mul_gives(code, x, &result))) &&
		    result == value && n < MAX_WAYS)
			ways[n++] = (struct asm_slot){
				.stmt = stmt,
				.code = !replicates ? code :
					is_add	    ? QPU_ADD_OR :
						      QPU_MUL_V8MIN,
				.nsources = 1,
				.sources[0] = { .is_immediate = true,
						.word = x },
				.replicates = replicates,
			};
	}
	return n;
}

static size_t
mov_ways(const struct asm_stmt *stmt, unsigned unit, enum effort effort,
	 struct asm_slot ways[MAX_WAYS], struct asm_refusal *why)
{
	const bool mul = unit == ASM_UNIT_MUL;
	const struct asm_value *value = &stmt->sources[0].value;

	ways[0] = (struct asm_slot){ .stmt = stmt };
	ways[0].code = mul ? QPU_MUL_V8MIN : QPU_ADD_OR;
	/* The guide: regfile A unpacks to floats in operations on floats. */
	if (value->type == ASM_REG && value->reg.pack.domain == 'f' &&
	    value->reg.read_files == ASM_FILE_A) {
		if (mul)
			return 0;
		ways[0].code = QPU_ADD_FMIN;
	}
	if (!add_source(&ways[0], &stmt->sources[0], why))
		return 0;
	if (effort == AS_WRITTEN || !is_constant(stmt))
		return 1;
	if (ways[0].sources[0].word)
		return add_computed(stmt, unit, ways[0].sources[0].word, ways,
				    1);
	/* r0 and itself */
	ways[1] = (struct asm_slot){
		.stmt = stmt,
		.code = mul ? QPU_MUL_V8SUBS : QPU_ADD_XOR,
		.nsources = 1,
	};
	return 2;
}

static bool
reads_one_value(const struct asm_stmt *stmt)
{
	const struct asm_value *a = &stmt->sources[0].value;
	const struct asm_value *b = &stmt->sources[1].value;

	return stmt->nsources == 2 && asm_value_same_source(a, b) &&
	       !a->reg.pack.part && !b->reg.pack.part && !a->reg.rotate &&
	       !b->reg.rotate;
}

/* The operation of one ALU that gives x op x as an operation of the other one
 * does: x & x is x, x ^ x is 0. */
static uint8_t
equal_of(unsigned unit, uint8_t code)
{
	if (unit == ASM_UNIT_ADD)
		return code == QPU_MUL_V8MIN || code == QPU_MUL_V8MAX ?
			       QPU_ADD_OR :
			       ASM_NO_CODE;
	switch (code) {
	case QPU_ADD_AND:
	case QPU_ADD_OR:
	case QPU_ADD_MIN:
	case QPU_ADD_MAX: return QPU_MUL_V8MIN;
	case QPU_ADD_XOR:
	case QPU_ADD_SUB: return QPU_MUL_V8SUBS;
	default: return ASM_NO_CODE;
	}
}

/*
 * The code of a statement on an ALU.  At last, mv8adds may go to the add ALU,
 * as in vc4asm, and an operation on one value, read twice, to where it has an
 * equal.
 */
static uint8_t
code_on(const struct asm_stmt *stmt, unsigned unit, enum effort effort)
{
	const uint8_t code = stmt->code[ASM_UNIT_ADD + ASM_UNIT_MUL - unit];
	struct asm_stmt both;

	if (effort < EQUALS || stmt->code[unit] != ASM_NO_CODE ||
	    stmt->kind != ASM_STMT_ALU || stmt->setf || stmt->unpack.part ||
	    stmt->dests[0].value.reg.pack.part)
		return stmt->code[unit];
	if (stmt->mnemonic[1] == 'v' && /* mv8adds */
	    asm_stmt_find(&both, stmt->mnemonic + 1))
		return both.code[unit];
	return reads_one_value(stmt) ? equal_of(unit, code) : ASM_NO_CODE;
}

/* The ways to execute a statement on an ALU; 0 when there is none. */
static size_t
find_ways(const struct asm_stmt *stmt, unsigned unit, enum effort effort,
	  struct asm_slot ways[MAX_WAYS], struct asm_refusal *why)
{
	const uint8_t code = code_on(stmt, unit, effort);

	if (code == ASM_NO_CODE)
		return 0;
	if (stmt->kind == ASM_STMT_MOV)
		return mov_ways(stmt, unit, effort, ways, why);
	ways[0] = (struct asm_slot){ .stmt = stmt, .code = code };
	for (size_t i = 0; i < stmt->nsources; i++)
		if (!add_source(&ways[0], &stmt->sources[i], why))
			return 0;
	return 1;
}

/* Try all ways to use both ALUs; add or mul may be null. */
static bool
try_units(const struct line *line, const struct asm_stmt *add,
	  const struct asm_stmt *mul, enum effort effort, struct qpu_inst *inst,
	  struct asm_refusal *why)
{
	struct asm_slot add_ways[MAX_WAYS] = { { .stmt = NULL } };
	struct asm_slot mul_ways[MAX_WAYS] = { { .stmt = NULL } };
	size_t nadd = 1, nmul = 1;
	struct asm_fit fit = line->fit;

	if (add)
		nadd = find_ways(add, ASM_UNIT_ADD, effort, add_ways, why);
	if (mul)
		nmul = find_ways(mul, ASM_UNIT_MUL, effort, mul_ways, why);
	for (size_t i = 0; i < nadd; i++)
		for (size_t j = 0; j < nmul; j++) {
			fit.slots[ASM_UNIT_ADD] = add_ways[i];
			fit.slots[ASM_UNIT_MUL] = mul_ways[j];
			if (asm_fit(&fit, inst, why))
				return true;
		}
	return false;
}

static bool
try_alus(const struct line *line, enum effort effort, struct qpu_inst *inst,
	 struct asm_refusal *why)
{
	const struct asm_stmt *first = line->ops[0];
	const struct asm_stmt *second = line->ops[1];
	/* Byte operations, which both ALUs have, go to the mul ALU if nothing
	 * else is to be done. */
	const bool swap = first && first->kind == ASM_STMT_ALU &&
			  first->code[ASM_UNIT_MUL] != ASM_NO_CODE &&
			  (!second || second->kind == ASM_STMT_NOP);

	return try_units(line, swap ? second : first, swap ? first : second,
			 effort, inst, why) ||
	       try_units(line, swap ? first : second, swap ? second : first,
			 effort, inst, why);
}

static bool
same_constant(const struct asm_value *a, const struct asm_value *b)
{
	uint32_t word_a, word_b;

	if (a->type == ASM_ELEMENTS || b->type == ASM_ELEMENTS)
		return a->type == b->type && a->elements == b->elements &&
		       a->load == b->load;
	return asm_value_word(a, &word_a) && asm_value_word(b, &word_b) &&
	       word_a == word_b;
}

/* The guide, load immediates: a load writes one value to both results. */
static bool
try_load(const struct line *line, struct qpu_inst *inst,
	 struct asm_refusal *why)
{
	const struct asm_stmt *first = line->ops[0];
	const struct asm_stmt *second = line->ops[1];
	const struct asm_value *value = &first->sources[0].value;
	const struct asm_operand *dests[ASM_UNITS] = {
		&first->dests[0],
		second		   ? &second->dests[0] :
		first->ndests == 2 ? &first->dests[1] :
				     NULL,
	};
	const bool is_float = value->type == ASM_FLOAT;
	const bool floats[ASM_UNITS] = { is_float, is_float };
	int pm = -1;

	qpu_inst_nop(inst, QPU_KIND_LOAD);
	if (value->type == ASM_ELEMENTS) {
		inst->load = value->load;
		inst->imm = value->elements;
	} else if (!asm_value_word(value, &inst->imm)) {
		return asm_refuse(why, ASM_E_IMMEDIATE, first->sources[0].token,
				  "the value needs more than 32 bits");
	}
	inst->sf = first->setf || (second && second->setf);
	return asm_fit_results(dests, floats, &pm, inst, why);
}

static bool
can_load(const struct line *line, struct asm_refusal *why)
{
	const struct asm_stmt *first = line->ops[0];
	const struct asm_stmt *second = line->ops[1];

	if (!first || !is_constant(first) || (second && !is_constant(second)))
		return line->has_ldi &&
		       asm_refuse(why, ASM_E_UNIT, line->ops[0]->token,
				  "ldi shares an instruction only with "
				  "another load of the same constant");
	if (second && (first->ndests == 2 || second->ndests == 2 ||
		       !same_constant(&first->sources[0].value,
				      &second->sources[0].value)))
		return line->has_ldi &&
		       asm_refuse(why, ASM_E_UNIT, second->token,
				  "one instruction loads one constant");
	if (line->fit.signal)
		return line->has_ldi &&
		       asm_refuse(why, ASM_E_SIGNAL, line->fit.signal->token,
				  "%s cannot "
				  "share an instruction with ldi",
				  line->fit.signal->mnemonic);
	if (line->fit.nreads || first->rotate || (second && second->rotate))
		return false;
	return true;
}

static bool
encode_ops(const struct line *line, struct qpu_inst *inst,
	   struct asm_refusal *why)
{
	const bool elements =
		line->nops && line->ops[0]->kind == ASM_STMT_MOV &&
		line->ops[0]->sources[0].value.type == ASM_ELEMENTS;
	struct asm_refusal ignored = { .token = NULL };

	if (line->has_ldi || elements)
		return can_load(line, why) ?
			       try_load(line, inst, why) :
			       asm_refuse(why, ASM_E_IMMEDIATE,
					  line->ops[0]->token,
					  "a load needs an instruction of "
					  "its own");
	if (try_alus(line, AS_WRITTEN, inst, why))
		return true;
	if (can_load(line, &ignored) && try_load(line, inst, &ignored))
		return true;
	if (try_alus(line, COMPUTED, inst, why) ||
	    try_alus(line, EQUALS, inst, why))
		return true;
	if (why->number)
		return false;
	return asm_refuse(why, ASM_E_UNIT, line->ops[0]->token,
			  line->nops == 2 ? "'%s' and '%s' need the same ALU" :
					    "'%s' cannot be encoded",
			  line->ops[0]->mnemonic,
			  line->nops == 2 ? line->ops[1]->mnemonic : "");
}

bool
asm_encode(struct assembly *as, const struct asm_stmt *stmts, size_t nstmts,
	   bool quietly, struct asm_word *word)
{
	struct asm_refusal why = { .number = 0 };
	struct line line = { .nops = 0 };
	struct qpu_inst inst;
	bool good = true;

	for (size_t i = 0; i < nstmts && good; i++)
		good = sort_stmt(&stmts[i], &line, &why);
	if (good && line.whole) {
		if (line.nops > 1 || line.fit.nreads || line.fit.signal)
			good = asm_refuse(
				&why,
				line.fit.signal ? ASM_E_SIGNAL : ASM_E_UNIT,
				line.whole->token,
				"'%s' needs an instruction of its own",
				line.whole->mnemonic);
		else if (line.whole->kind == ASM_STMT_BRANCH)
			good = asm_fit_branch(line.whole, &inst, word, &why);
		else
			good = asm_fit_semaphore(line.whole, &inst, &why);
	} else if (good) {
		good = encode_ops(&line, &inst, &why);
	}
	if (good) {
		word->word = qpu_pack(&inst);
		return true;
	}
	return !quietly && asm_error(as, why.number, why.token, "%s", why.text);
}
