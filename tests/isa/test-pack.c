/* SPDX-License-Identifier: MIT */
/*
 * pack and unpack are inverse: for each value of each field, for random
 * words, and reserved encodings are refused.
 */
#include "config.h"

#include "qpu/isa/pack.h"

#include "qpu/isa/use.h"
#include "tests/support/tap.h"

enum { RANDOM_WORDS = 2000000 };

static uint64_t seed = 0x9e3779b97f4a7c15;

/* xorshift64*: the same words in every run. */
static uint64_t
next_random(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return seed * UINT64_C(2685821657736338717);
}

static void
check_random(void)
{
	unsigned accepted = 0, different = 0;

	for (unsigned i = 0; i < RANDOM_WORDS; i++) {
		const uint64_t word = next_random();
		struct qpu_inst inst;

		if (!qpu_unpack(word, &inst))
			continue;
		accepted++;
		different += qpu_pack(&inst) != word;
	}
	ok(accepted > RANDOM_WORDS / 4, "many random words are instructions");
	ok(different == 0, "unpack then pack gives the same word");
}

/* One word of each kind as the ground for its fields. */
static const uint64_t grounds[] = {
	UINT64_C(0x100009e7009e7000), /* nop */
	UINT64_C(0xd00208670c106dc0), /* small immediate */
	UINT64_C(0xe002082712345678), /* load */
	UINT64_C(0xe80009e700000013), /* semaphore */
	UINT64_C(0xf03809e7ffffffe0), /* branch */
};

/* Every value of every run of up to six bits, wherever it lies. */
static void
check_fields(void)
{
	for (size_t g = 0; g < sizeof(grounds) / sizeof(*grounds); g++) {
		unsigned different = 0, accepted = 0;

		for (unsigned low = 0; low < 64; low++)
			for (uint64_t value = 0; value < 64; value++) {
				const uint64_t mask = UINT64_C(63) << low;
				const uint64_t word = (grounds[g] & ~mask) |
						      (value << low);
				struct qpu_inst inst;

				if (!qpu_unpack(word, &inst))
					continue;
				accepted++;
				different += qpu_pack(&inst) != word;
			}
		ok(accepted > 2000 && !different,
		   "all values of all fields around %016llx",
		   (unsigned long long)grounds[g]);
	}
}

/* Each field of the struct lands in bits of its own. */
static void
check_members(void)
{
	struct qpu_inst inst;
	bool good = true;

	for (unsigned value = 0; value < 64; value++) {
		qpu_inst_nop(&inst, QPU_KIND_ALU);
		inst.raddr_a = value;
		inst.raddr_b = 63 - value;
		inst.waddr_add = value ^ 21;
		inst.waddr_mul = value ^ 42;
		inst.add_a = value & 7;
		inst.add_b = value >> 3;
		inst.mul_a = 7 - (value & 7);
		inst.mul_b = 7 - (value >> 3);
		inst.cond_add = value & 7;
		inst.cond_mul = value >> 3;
		inst.op_mul = value & 7;
		inst.op_add = value & 1 ? QPU_ADD_V8SUBS : QPU_ADD_ROR;
		inst.sf = value & 1;
		inst.ws = value & 2;
		inst.unpack = value & 7;
		inst.pack = value & 15;

		struct qpu_inst copy;
		good &= qpu_unpack(qpu_pack(&inst), &copy);
		good &= memcmp(&inst, &copy, sizeof(inst)) == 0;
	}
	ok(good, "pack then unpack gives the same members");
}

static void
check_reserved(void)
{
	static const struct {
		uint64_t word;
		const char *what;
	} rows[] = {
		{ UINT64_C(0x10020827099e7000), "add op 9" },
		{ UINT64_C(0x10020827199e7000), "add op 25" },
		{ UINT64_C(0xe402082700000000), "load type 2" },
		{ UINT64_C(0xea02082700000000), "load type 5" },
		{ UINT64_C(0xf0c809e700000000), "branch condition 12" },
		{ UINT64_C(0xf0e809e700000000), "branch condition 14" },
		{ UINT64_C(0x111049e0209e700a), "mul pack 1" },
		{ UINT64_C(0x118049e0209e700a), "mul pack 8" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct qpu_inst inst;

		ok(!qpu_unpack(rows[i].word, &inst),
		   "a reserved encoding is no instruction: %s", rows[i].what);
	}
}

static void
check_tables(void)
{
	bool good = true;

	for (unsigned small = 0; small < QPU_SMALL_ROT; small++)
		good &= qpu_small_find(qpu_small_value(small)) == (int)small;
	ok(good, "each small immediate is found by its value");
	ok(qpu_small_value(32) == 0x3f800000 &&
		   qpu_small_value(47) == 0x3f000000 &&
		   qpu_small_value(40) == 0x3b800000,
	   "the codes of 1.0, 0.5 and 1/256 have their floats");
	ok(qpu_small_value(48) == (uint32_t)-16 &&
		   qpu_small_value(63) == (uint32_t)-1,
	   "rotation codes read as -16 to -1");
	ok(qpu_load_lane(QPU_LOAD_SIGNED, 0x00010001, 0) == (uint32_t)-1 &&
		   qpu_load_lane(QPU_LOAD_SIGNED, 0x00010000, 0) ==
			   (uint32_t)-2 &&
		   qpu_load_lane(QPU_LOAD_UNSIGNED, 0x00020002, 1) == 3,
	   "a lane of a per-element load has its two bits");
	ok(qpu_conds_are_disjoint(QPU_COND_ZS, QPU_COND_ZC) &&
		   !qpu_conds_are_disjoint(QPU_COND_ZS, QPU_COND_NS) &&
		   qpu_conds_are_disjoint(QPU_COND_NEVER, QPU_COND_ALWAYS),
	   "conditions that exclude each other are known");
}

/* Section 2.4: lane n has bit n, and bit 16 + n above or as a sign. */
static void
check_load_lanes(void)
{
	bool good = true;

	for (unsigned lane = 0; lane < 16; lane++)
		for (unsigned bits = 0; bits < 4; bits++) {
			const uint32_t imm = (bits & 1) << lane |
					     (bits >> 1) << (16 + lane);
			const uint32_t value = bits < 2 ? bits : bits - 4;

			good &= qpu_load_lane(QPU_LOAD_UNSIGNED, imm, lane) ==
				bits;
			good &= qpu_load_lane(QPU_LOAD_SIGNED, imm, lane) ==
				value;
			good &= qpu_load_lane(QPU_LOAD_32, imm, lane) == imm;
			/* The bits of the other lanes do not matter. */
			good &= qpu_load_lane(QPU_LOAD_UNSIGNED,
					      imm | ~(0x10001u << lane),
					      lane) == bits;
		}
	ok(good, "each lane of a load has two bits of its own");
}

/* An operand that the operation does not take is not read. */
static void
check_use(void)
{
	enum { R1 = 1, R2, R3 };
	struct qpu_inst inst;
	struct qpu_use use;

	qpu_inst_nop(&inst, QPU_KIND_ALU);
	inst.op_add = QPU_ADD_NOT;
	inst.add_a = R1;
	inst.add_b = QPU_MUX_R4;
	inst.op_mul = QPU_MUL_NOP;
	inst.mul_a = inst.mul_b = R2;
	qpu_use(&inst, &use);
	ok(use.add_reads[R1] && !use.add_reads[QPU_MUX_R4] &&
		   !use.mul_reads[R2],
	   "an operation reads as many operands as it has");
	inst.op_add = QPU_ADD_SUB;
	inst.op_mul = QPU_MUL_MUL24;
	inst.mul_b = R3;
	qpu_use(&inst, &use);
	ok(use.add_reads[R1] && use.add_reads[QPU_MUX_R4] &&
		   use.mul_reads[R2] && use.mul_reads[R3] && !use.rotates,
	   "an operation with two operands reads both");
}

static bool
is_write(const struct qpu_result *write, unsigned addr, bool file_b,
	 bool of_mul, unsigned cond)
{
	return write->addr == addr && write->file_b == file_b &&
	       write->of_mul == of_mul && write->cond == cond;
}

static void
check_writes(void)
{
	struct qpu_inst inst;
	struct qpu_use use;

	qpu_inst_nop(&inst, QPU_KIND_ALU);
	qpu_use(&inst, &use);
	ok(use.nwrites == 0, "nothing is written where nothing listens");
	inst.waddr_add = 3;
	inst.cond_add = QPU_COND_ZS;
	inst.waddr_mul = 4;
	inst.cond_mul = QPU_COND_ALWAYS;
	qpu_use(&inst, &use);
	ok(use.nwrites == 2 &&
		   is_write(&use.writes[0], 3, false, false, QPU_COND_ZS) &&
		   is_write(&use.writes[1], 4, true, true, QPU_COND_ALWAYS),
	   "the add ALU writes file A, the mul ALU file B");
	inst.ws = true;
	inst.cond_add = QPU_COND_NEVER;
	qpu_use(&inst, &use);
	ok(use.nwrites == 1 &&
		   is_write(&use.writes[0], 4, false, true, QPU_COND_ALWAYS),
	   "exchanged files are written the other way round, and never is no write");
	qpu_inst_nop(&inst, QPU_KIND_BRANCH);
	inst.waddr_add = 5;
	inst.waddr_mul = 6;
	inst.raddr_a = 7;
	qpu_use(&inst, &use);
	ok(use.nwrites == 2 &&
		   is_write(&use.writes[0], 5, false, false, QPU_COND_ALWAYS) &&
		   is_write(&use.writes[1], 6, true, true, QPU_COND_ALWAYS) &&
		   use.port_a == -1 && use.port_b == -1 &&
		   !use.add_reads[QPU_MUX_A],
	   "a branch writes its links, and reads no register");
	inst.reg = true;
	qpu_use(&inst, &use);
	ok(use.port_a == 7 && use.port_b == -1 && use.add_reads[QPU_MUX_A] &&
		   !use.mul_reads[QPU_MUX_A],
	   "a branch whose target is a register reads it");
}

static void
check_ports(void)
{
	struct qpu_inst inst;
	struct qpu_use use;

	qpu_inst_nop(&inst, QPU_KIND_ALU);
	inst.raddr_a = 8;
	inst.raddr_b = 9;
	qpu_use(&inst, &use);
	ok(use.port_a == 8 && use.port_b == 9 && !use.rotates,
	   "two ports are read");
	qpu_inst_nop(&inst, QPU_KIND_SMALL);
	inst.raddr_a = 8;
	inst.small = QPU_SMALL_ROT;
	qpu_use(&inst, &use);
	ok(use.port_a == 8 && use.port_b == -1 && !use.rotates,
	   "an immediate takes port B, and rotates nothing without a mul operation");
	inst.op_mul = QPU_MUL_MUL24;
	qpu_use(&inst, &use);
	ok(use.rotates, "the first code of a rotation rotates a result");
	inst.small = QPU_SMALL_ROT - 1;
	qpu_use(&inst, &use);
	ok(!use.rotates, "the code of the last immediate rotates nothing");
	qpu_inst_nop(&inst, QPU_KIND_LOAD);
	qpu_use(&inst, &use);
	ok(use.port_a == -1 && use.port_b == -1, "a load reads nothing");
}

static void
check_mapped(void)
{
	ok(qpu_read_is_mapped(0, false) && qpu_read_is_mapped(31, true) &&
		   qpu_write_is_mapped(0, true) &&
		   qpu_write_is_mapped(31, false),
	   "each file has 32 registers");
	ok(qpu_read_is_mapped(QPU_R_UNIF, false) &&
		   qpu_write_is_mapped(QPU_W_R0, true) &&
		   !qpu_read_is_mapped(33, false),
	   "after the registers of a file some addresses are mapped");
	ok(!qpu_read_is_mapped(64, false) && !qpu_write_is_mapped(64, true),
	   "no address after the last one is mapped");
	ok(qpu_small_find(16) == -1 && qpu_small_find(15) == 15 &&
		   qpu_small_find((uint32_t)-16) == 16 &&
		   qpu_small_find((uint32_t)-17) == -1 &&
		   qpu_small_find(0x43000000) == 39 &&
		   qpu_small_find(0x3f000000) == 47,
	   "no other immediates are found");
}

static void
check_flags(void)
{
	struct qpu_inst inst;

	qpu_inst_nop(&inst, QPU_KIND_ALU);
	ok(!qpu_inst_sets_flags(&inst), "a nop sets no flags");
	inst.sf = true;
	ok(qpu_inst_sets_flags(&inst),
	   "an instruction with the flag bit sets flags");
	qpu_inst_nop(&inst, QPU_KIND_BRANCH);
	inst.raddr_a = 5;
	ok(!qpu_inst_sets_flags(&inst), "a branch without a register does not");
	inst.reg = true;
	ok(qpu_inst_sets_flags(&inst),
	   "a branch to an odd register sets flags");
	inst.raddr_a = 6;
	ok(!qpu_inst_sets_flags(&inst),
	   "a branch to an even register sets no flags");
}

/* Words of instructions that do nothing, and the order of bytes. */
static void
check_words(void)
{
	static const uint64_t words[] = {
		[QPU_KIND_ALU] = UINT64_C(0x100009e7009e7000),
		[QPU_KIND_SMALL] = UINT64_C(0xd00009e7009c0000),
		[QPU_KIND_LOAD] = UINT64_C(0xe00009e700000000),
		[QPU_KIND_SEMA] = UINT64_C(0xe80009e700000000),
		[QPU_KIND_BRANCH] = UINT64_C(0xf0f009e700000000),
	};
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 0x88 };
	uint8_t stored[8];

	for (unsigned kind = 0; kind < 5; kind++) {
		struct qpu_inst inst;

		qpu_inst_nop(&inst, kind);
		ok(qpu_pack(&inst) == words[kind],
		   "an instruction of kind %u without an effect is packed and unpacked",
		   kind);
	}
	ok(qpu_word_load(bytes) == UINT64_C(0x8807060504030201),
	   "a word is loaded from little-endian bytes");
	qpu_word_store(stored, UINT64_C(0x8807060504030201));
	ok(memcmp(stored, bytes, 8) == 0,
	   "a word is stored as little-endian bytes");
}

int
main(void)
{
	check_fields();
	check_members();
	check_random();
	check_reserved();
	check_tables();
	check_load_lanes();
	check_use();
	check_writes();
	check_ports();
	check_mapped();
	check_flags();
	check_words();
	return tap_done();
}
