/* SPDX-License-Identifier: MIT */
/*
 * pack and unpack are inverse for random words and for each member, and reserved
 * encodings are refused.  What instructions read and write is seen by the rules of
 * tests/validate and the programs of tests/emulator.
 */
#include "config.h"

#include "qpu/isa/pack.h"

#include "tests/support/tap.h"

enum { RANDOM_WORDS = 500000, KINDS = 5 };

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
	/* One signal of 16 is a small immediate, one a load or a semaphore, one a
	 * branch; less than these is a code that is not accepted. */
	static const unsigned least[KINDS] = {
		[QPU_KIND_ALU] = RANDOM_WORDS / 2,
		[QPU_KIND_SMALL] = RANDOM_WORDS / 26,
		[QPU_KIND_LOAD] = RANDOM_WORDS / 64,
		[QPU_KIND_SEMA] = RANDOM_WORDS / 160,
		[QPU_KIND_BRANCH] = RANDOM_WORDS / 20,
	};
	unsigned accepted[KINDS] = { 0 }, different = 0;

	for (unsigned i = 0; i < RANDOM_WORDS; i++) {
		const uint64_t word = next_random();
		struct qpu_inst inst;

		if (!qpu_unpack(word, &inst))
			continue;
		accepted[inst.kind]++;
		different += qpu_pack(&inst) != word;
	}
	for (unsigned kind = 0; kind < KINDS; kind++)
		ok(accepted[kind] > least[kind],
		   "many random words are instructions of kind %u: %u", kind,
		   accepted[kind]);
	ok(different == 0, "unpack then pack gives the same word");
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
		{ UINT64_C(0x11a049e0209e700a), "mul pack 10" },
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
	ok(qpu_small_find(16) == -1 && qpu_small_find(15) == 15 &&
		   qpu_small_find((uint32_t)-16) == 16 &&
		   qpu_small_find((uint32_t)-17) == -1 &&
		   qpu_small_find(0x43000000) == 39 &&
		   qpu_small_find(0x3f000000) == 47,
	   "no other immediates are found");
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
	check_members();
	check_random();
	check_reserved();
	check_tables();
	check_words();
	return tap_done();
}
