/* SPDX-License-Identifier: MIT */
/*
 * Promise: random instructions, one after the other, do what sections 3 to 6
 * say with every vector instruction set that this host has: operations,
 * operands, conversions, rotation, conditions, flags and destinations.
 */
#include "config.h"

#include "tests/emulator/emu.h"
#include "tests/emulator/reference.h"
#include "tests/support/random.h"

enum { WORDS = 8, TRIES = 2000, LANES = MACHINE_LANES };

/* State that instructions can read. */
struct state {
	uint32_t a[32][LANES], b[32][LANES], acc[6][LANES];
	bool z[LANES], n[LANES], c[LANES];
};

/* Return a random word, often one at a limit of an operation or a conversion. */
static uint32_t
random_value(void)
{
	static const uint32_t edges[] = {
		0,	    1,		31,	    32,		255,
		256,	    0x7fff,	0x8000,	    0xffff8000, 0xffff7fff,
		0xffff,	    0xffffff,	0x1000000,  0x7fffffff, 0x80000000,
		0xffffffff, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f000000,
		0x38800000, 0x387fffff, 0x477fe000, 0x477fe001, 0x477fffff,
		0x47800000, 0x4f000000, 0x4effffff, 0xcf000000, 0x4f000001,
		0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
		0x007fffff, 0x00800000, 0x807fffff, 0x3b008080, 0x3b008081,
	};
	const uint32_t value = random_below(0x10000) << 16 |
			       random_below(0x10000);

	if (random_below(3) == 0)
		return edges[random_below(sizeof(edges) / sizeof(*edges))];
	/* Floats around 1. */
	return random_below(4) ? value : (value & 0x81ffffff) | 0x3e000000;
}

static bool
makes_float(const struct qpu_inst *inst, bool mul)
{
	return (mul ? qpu_mul_ops[inst->op_mul].flags :
		      qpu_add_ops[inst->op_add].flags) &
	       QPU_OP_FO;
}

/* Return true if the add, or the mul ALU, packs its result. */
static bool
is_packed(const struct qpu_inst *inst, bool mul)
{
	const unsigned waddr = mul ? inst->waddr_mul : inst->waddr_add;
	const bool to_a = mul ? inst->ws : !inst->ws;

	if (!inst->pack)
		return false;
	if (inst->pm)
		return mul && waddr != QPU_W_NOP;
	return to_a && waddr < 32;
}

/* Return true if no source documents what this instruction does, or another test
 * covers it. */
static bool
is_unknown(const struct qpu_inst *inst)
{
	const bool load = inst->kind == QPU_KIND_LOAD;
	const bool mul = inst->pm || inst->ws;
	const bool is_float = !load && makes_float(inst, mul);

	/* File A packs floats into bytes; or the mul ALU packs other results than
	 * those of fmul, or into parts of r5. */
	if (is_packed(inst, mul) && is_float && !inst->pm &&
	    (inst->pack & 7) > 2)
		return true;
	if (is_packed(inst, true) && inst->pm &&
	    (load || inst->op_mul != QPU_MUL_FMUL ||
	     (inst->waddr_mul == QPU_W_R5 && inst->pack != QPU_PACK_8888)))
		return true;
	/* Both ALUs write the same accumulator. */
	return inst->waddr_add == inst->waddr_mul && inst->waddr_add >= 32 &&
	       inst->waddr_add != QPU_W_NOP;
}

static unsigned
random_destination(void)
{
	static const uint8_t others[] = { QPU_W_R0, QPU_W_R1, QPU_W_R2,
					  QPU_W_R3, QPU_W_R5, QPU_W_NOP };

	return random_below(2) ? random_below(3) : others[random_below(6)];
}

static unsigned
random_source(void)
{
	static const uint8_t others[] = { QPU_R_NUMBER, QPU_R_NOP };

	return random_below(3) ? random_below(3) : others[random_below(2)];
}

static uint64_t
random_word(struct qpu_inst *inst)
{
	for (;;) {
		static const uint8_t sigs[] = { QPU_SIG_NONE, QPU_SIG_NONE,
						QPU_SIG_SMALL, QPU_SIG_LOAD };
		const uint64_t bits = (uint64_t)random_value() << 32 |
				      random_below(0x10000) << 16 |
				      random_below(0x10000);
		uint64_t word = (bits & ~(UINT64_C(15) << 60)) |
				(uint64_t)sigs[random_below(4)] << 60;

		if (!qpu_unpack(word, inst) || inst->kind == QPU_KIND_SEMA)
			continue;
		inst->waddr_add = random_destination();
		inst->waddr_mul = random_destination();
		if (inst->kind != QPU_KIND_LOAD) {
			inst->raddr_a = random_source();
			if (inst->kind == QPU_KIND_ALU)
				inst->raddr_b = random_source();
			if (random_below(2))
				inst->unpack = 0;
			if (random_below(4) == 0)
				inst->mul_b = inst->mul_a;
			if (random_below(4) == 0)
				inst->add_b = inst->add_a;
		}
		if (random_below(2))
			inst->cond_add = QPU_COND_ALWAYS;
		if (random_below(2))
			inst->cond_mul = QPU_COND_ALWAYS;
		if (random_below(2))
			inst->pack = 0;
		word = qpu_pack(inst);
		if (!is_unknown(inst) && qpu_unpack(word, inst))
			return word;
	}
}

static bool
holds(const struct state *state, unsigned cond, unsigned lane)
{
	switch (cond) {
	case QPU_COND_NEVER: return false;
	case QPU_COND_ZS: return state->z[lane];
	case QPU_COND_ZC: return !state->z[lane];
	case QPU_COND_NS: return state->n[lane];
	case QPU_COND_NC: return !state->n[lane];
	case QPU_COND_CS: return state->c[lane];
	case QPU_COND_CC: return !state->c[lane];
	default: return true;
	}
}

/* One lane of what file A or B delivers. */
static uint32_t
delivered(const struct state *state, const struct qpu_inst *inst, bool b,
	  unsigned lane)
{
	const unsigned addr = b ? inst->raddr_b : inst->raddr_a;

	if (b && inst->kind == QPU_KIND_SMALL)
		return qpu_small_value(inst->small);
	if (addr == QPU_R_NUMBER)
		return b ? 0 : lane;
	if (addr == QPU_R_NOP)
		return UINT32_MAX;
	return b ? state->b[addr][lane] : state->a[addr][lane];
}

static uint32_t
operand(const struct state *state, const struct qpu_inst *inst, unsigned mux,
	bool as_float, unsigned lane)
{
	if (mux == QPU_MUX_A) {
		const uint32_t x = delivered(state, inst, false, lane);

		return inst->pm || inst->raddr_a >= 32 ?
			       x :
			       unpacked(inst->unpack, as_float, x);
	}
	if (mux == QPU_MUX_B)
		return delivered(state, inst, true, lane);
	if (mux == QPU_MUX_R4 && inst->pm)
		return unpacked(inst->unpack, true, state->acc[4][lane]);
	return state->acc[mux][lane];
}

/* Both results before packing, and the exact sum of the add ALU. */
struct results {
	struct result add[LANES], mul[LANES];
	int64_t exact[LANES];
};

static void
compute_add(const struct state *state, const struct qpu_inst *inst,
	    struct results *results)
{
	const bool as_float = qpu_add_ops[inst->op_add].flags & QPU_OP_FI;

	for (unsigned i = 0; i < LANES; i++) {
		const uint32_t a =
			operand(state, inst, inst->add_a, as_float, i);
		const uint32_t b =
			operand(state, inst, inst->add_b, as_float, i);

		results->add[i] = add_alu(inst->op_add, a, b);
		results->exact[i] = (int32_t)results->add[i].value;
		if (inst->op_add == QPU_ADD_ADD)
			results->exact[i] = (int64_t)(int32_t)a + (int32_t)b;
		if (inst->op_add == QPU_ADD_SUB)
			results->exact[i] = (int64_t)(int32_t)a - (int32_t)b;
	}
}

/* Section 6: where a lane of the result comes from. */
static void
compute_mul(const struct state *state, const struct qpu_inst *inst,
	    struct results *results)
{
	const bool rotates = inst->kind == QPU_KIND_SMALL &&
			     inst->small >= QPU_SMALL_ROT;
	const unsigned n = !rotates ? 0 :
			   inst->small == QPU_SMALL_ROT_R5 ?
				      state->acc[5][0] & 15 :
				      inst->small & 15;
	const bool acc_a = inst->mul_a < 4, acc_b = inst->mul_b < 4;
	const bool as_float = qpu_mul_ops[inst->op_mul].flags & QPU_OP_FI;

	for (unsigned i = 0; i < LANES; i++) {
		const unsigned in_quad = (i & 12) | ((i - n) & 3);
		const unsigned across = (in_quad - (n & 12)) & 15;
		const unsigned from = acc_a && acc_b ? (i - n) & 15 : in_quad;

		results->mul[i] =
			mul_alu(inst->op_mul,
				operand(state, inst, inst->mul_a, as_float,
					acc_a && !acc_b ? across : from),
				operand(state, inst, inst->mul_b, as_float,
					acc_b && !acc_a ? across : from));
	}
}

static uint32_t *
destination(struct state *state, unsigned waddr, bool b)
{
	if (waddr < 32)
		return b ? state->b[waddr] : state->a[waddr];
	return state->acc[waddr == QPU_W_R5 ? 5 : waddr - QPU_W_R0];
}

static void
write_result(struct state *state, const struct state *old,
	     const struct qpu_inst *inst, bool mul,
	     const struct results *results)
{
	const unsigned waddr = mul ? inst->waddr_mul : inst->waddr_add;
	const unsigned cond = mul ? inst->cond_mul : inst->cond_add;
	const struct result *from = mul ? results->mul : results->add;
	const bool b = mul ? !inst->ws : inst->ws;
	const bool is_float = inst->kind != QPU_KIND_LOAD &&
			      makes_float(inst, mul);
	uint32_t *to;

	if (waddr == QPU_W_NOP)
		return;
	to = destination(state, waddr, b);
	for (unsigned i = 0; i < LANES; i++) {
		/* Section 3.4: which lane r5 gets its value from. */
		const unsigned at = waddr != QPU_W_R5 ? i : b ? 0 : i & 12;
		uint32_t value = from[at].value;

		if (!holds(old, cond, at))
			continue;
		if (is_packed(inst, mul))
			value = inst->pm ?
					packed_mul(inst->pack, value, to[i]) :
					packed(inst->pack, is_float,
					       mul ? (int32_t)value :
						     results->exact[i],
					       value, to[i]);
		to[i] = value;
	}
}

static void
set_flags(struct state *state, const struct state *old, unsigned cond,
	  const struct result *from)
{
	for (unsigned i = 0; i < LANES; i++) {
		if (!holds(old, cond, i))
			continue;
		state->z[i] = !from[i].value;
		state->n[i] = from[i].value >> 31;
		state->c[i] = from[i].carry;
	}
}

static void
execute_load(struct state *state, const struct qpu_inst *inst)
{
	const struct state old = *state;
	struct results results;

	for (unsigned i = 0; i < LANES; i++) {
		const unsigned low = inst->imm >> i & 1;
		const unsigned high = inst->imm >> (16 + i) & 1;
		const uint32_t value =
			inst->load == QPU_LOAD_32     ? inst->imm :
			inst->load == QPU_LOAD_SIGNED ? low - 2 * high :
							low + 2 * high;

		results.add[i] = results.mul[i] =
			(struct result){ value, false };
		results.exact[i] = (int32_t)value;
	}
	write_result(state, &old, inst, false, &results);
	write_result(state, &old, inst, true, &results);
	if (inst->sf)
		set_flags(state, &old,
			  inst->cond_add ? inst->cond_add : inst->cond_mul,
			  results.add);
}

static void
execute_alu(struct state *state, const struct qpu_inst *inst)
{
	const struct state old = *state;
	struct results results;

	if (inst->op_add) {
		compute_add(&old, inst, &results);
		write_result(state, &old, inst, false, &results);
		if (inst->sf)
			set_flags(state, &old, inst->cond_add, results.add);
	}
	if (inst->op_mul) {
		compute_mul(&old, inst, &results);
		if (inst->sf && !inst->op_add)
			set_flags(state, &old, inst->cond_mul, results.mul);
	} else {
		for (unsigned i = 0; i < LANES; i++)
			results.mul[i].value = UINT32_MAX;
	}
	write_result(state, &old, inst, true, &results);
}

static bool
are_equal(const char *name, unsigned number, const uint32_t *lanes,
	  const uint32_t *expected)
{
	if (emu_lanes_are(lanes, expected))
		return true;
	tap_note("of %s%u", name, number);
	return false;
}

static bool
is_state(const struct emu *emu, const struct state *state)
{
	struct machine_view view;
	bool good = true;

	machine_look(emu->machine, 0, &view);
	for (unsigned i = 0; i < 32; i++)
		good = good &&
		       are_equal("ra", i,
				 machine_register(emu->machine, 0, 0, i),
				 state->a[i]) &&
		       are_equal("rb", i,
				 machine_register(emu->machine, 0, 1, i),
				 state->b[i]);
	for (unsigned i = 0; i < 6; i++)
		good = good &&
		       are_equal("r", i,
				 machine_register(emu->machine, 0, 2, i),
				 state->acc[i]);
	for (unsigned i = 0; i < LANES; i++)
		good = good && (view.z >> i & 1) == state->z[i] &&
		       (view.n >> i & 1) == state->n[i] &&
		       (view.c >> i & 1) == state->c[i];
	return good;
}

/* Registers that nothing but the instructions changes. */
static void
fill(struct emu *emu, struct state *state)
{
	for (unsigned i = 0; i < 32; i++)
		for (unsigned lane = 0; lane < LANES; lane++) {
			state->a[i][lane] = random_value();
			state->b[i][lane] = random_value();
		}
	for (unsigned i = 0; i < 6; i++)
		for (unsigned lane = 0; lane < LANES; lane++)
			state->acc[i][lane] = random_value();
	memcpy((uint32_t *)machine_register(emu->machine, 0, 0, 0), state->a,
	       sizeof(state->a));
	memcpy((uint32_t *)machine_register(emu->machine, 0, 1, 0), state->b,
	       sizeof(state->b));
	memcpy((uint32_t *)machine_register(emu->machine, 0, 2, 0), state->acc,
	       sizeof(state->acc));
}

static bool
try(struct emu *emu, uint8_t *code)
{
	/* Reads both files and makes both results, so that nothing of the program
	 * before is left. */
	static const struct qpu_inst first = {
		.sig = QPU_SIG_NONE,
		.cond_add = QPU_COND_ALWAYS,
		.cond_mul = QPU_COND_ALWAYS,
		.sf = true,
		.op_add = QPU_ADD_SUB,
		.op_mul = QPU_MUL_MUL24,
		.waddr_add = QPU_W_R0,
		.waddr_mul = QPU_W_R1,
		.raddr_a = 31,
		.raddr_b = 31,
		.add_a = QPU_MUX_A,
		.add_b = QPU_MUX_B,
		.mul_a = QPU_MUX_A,
		.mul_b = QPU_MUX_B,
	};
	struct qpu_inst insts[WORDS];
	struct state state;

	memset(&state, 0, sizeof(state));
	fill(emu, &state);
	insts[0] = first;
	qpu_word_store(code, qpu_pack(&first));
	for (unsigned i = 1; i < WORDS; i++)
		qpu_word_store(code + 8 * i, random_word(&insts[i]));
	for (unsigned i = 0; i < WORDS; i++)
		if (insts[i].kind == QPU_KIND_LOAD)
			execute_load(&state, &insts[i]);
		else
			execute_alu(&state, &insts[i]);
	if (emu_go(emu, 100) == MACHINE_DONE && is_state(emu, &state))
		return true;
	for (unsigned i = 0; i < WORDS; i++)
		tap_note("%016llx",
			 (unsigned long long)qpu_word_load(code + 8 * i));
	return false;
}

static void
test_words(const char *set, enum machine_simd simd)
{
	const struct machine_options options = { .simd = simd };
	struct emu emu = emu_open(&options);
	const uint32_t code = emu_assemble(
		&emu, "nop\nnop\nnop\nnop\nnop\nnop\nnop\nnop" EMU_END);
	bool good = true;

	emu_program(&emu, code, NULL, 0);
	for (unsigned n = 0; good && n < TRIES; n++)
		good = try(&emu, emu.memory + (code - EMU_BASE));
	ok(good, "%u times %u random instructions do what they should (%s)",
	   TRIES, WORDS, set);
	emu_close(&emu);
}

int
main(void)
{
	emu_each_simd(test_words);
	return tap_done();
}
