/* SPDX-License-Identifier: MIT */
/*
 * Promise: of each value that an operation on a small immediate and itself
 * gives, all such operations are found, those on integers first, and nothing
 * else is.
 */
#include "config.h"

#include "qpu/asm/constant.h"

#include <stdlib.h>

#include "qpu/asm/stmt.h"
#include "qpu/isa/isa.h"
#include "tests/support/tap.h"

enum { NSMALL = 48, REPLICATED = 64, MOST = 48 * 12 };

/* What the search is to find: an operation of a unit on an immediate. */
struct answer {
	unsigned code; /* or REPLICATED */
	uint32_t operand, value;
};

/* -16 to 15, 1.0 to 128.0, and 1.0/256 to 0.5; section 2.3. */
static uint32_t
small_value(unsigned i)
{
	if (i < 32)
		return i < 16 ? i : i - 32;
	return (127 + (i < 40 ? i - 32 : i - 48)) << 23;
}

static uint32_t
rotate_right(uint32_t x)
{
	uint32_t result = x;

	for (unsigned i = x % 32; i > 0; i--)
		result = result % 2 << 31 | result / 2;
	return result;
}

static uint32_t
shift_sign(uint32_t x)
{
	uint32_t result = x;

	for (unsigned i = x % 32; i > 0; i--)
		result = (result & 0x80000000) | result / 2;
	return result;
}

static uint32_t
leading_zeros(uint32_t x)
{
	uint32_t n = 0;

	while (n < 32 && !(x & UINT32_C(0x80000000) >> n))
		n++;
	return n;
}

static uint32_t
add_bytes(uint32_t x)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < 4; i++) {
		const uint32_t twice = 2 * (x >> 8 * i & 255);

		sum += (twice < 256 ? twice : 255) << 8 * i;
	}
	return sum;
}

static uint32_t
to_float(int x)
{
	const float f = (float)x;
	uint32_t word;

	memcpy(&word, &f, sizeof(word));
	return word;
}

/* All answers for a unit; i is the small immediate's number. */
static size_t
list_answers(unsigned unit, struct answer answers[MOST])
{
	size_t n = 0;

#define ANSWER(of, result)                                                     \
	answers[n++] = (struct answer)                                         \
	{                                                                      \
		of, x, (uint32_t)(result)                                      \
	}

	for (unsigned i = 0; i < NSMALL; i++) {
		const uint32_t x = small_value(i);

		ANSWER(REPLICATED, x % 256 * 0x01010101);
		if (unit == ASM_UNIT_MUL) {
			ANSWER(2, (uint64_t)(x % 0x1000000) * (x % 0x1000000));
			ANSWER(6, add_bytes(x));
			continue;
		}
		ANSWER(12, 2 * x);
		ANSWER(14, x >> x % 32);
		ANSWER(15, shift_sign(x));
		ANSWER(16, rotate_right(x));
		ANSWER(17, x << x % 32);
		ANSWER(23, ~x);
		ANSWER(24, leading_zeros(x));
		ANSWER(30, add_bytes(x));
		if (i < 32)
			ANSWER(8, to_float(i < 16 ? (int)i : (int)i - 32));
		if (i >= 32 && i < 40)
			ANSWER(7, 1 << (i - 32));
	}
#undef ANSWER
	return n;
}

/* In which order: integers, from 12 on; 0 to 11; copies of a byte. */
static unsigned
turn(unsigned unit, unsigned code)
{
	if (code == REPLICATED)
		return 100;
	return unit == ASM_UNIT_ADD ? (code + 20) % 32 : code;
}

static unsigned
count_answers(const struct answer *answers, size_t n, const struct answer *one)
{
	unsigned found = 0;

	for (size_t i = 0; i < n; i++)
		found += answers[i].value == one->value &&
			 (one->code == MOST ||
			  (answers[i].code == one->code &&
			   answers[i].operand == one->operand));
	return found;
}

/* Is what the search gives for a value all that there is, and in order? */
static bool
finds_all(unsigned unit, uint32_t value, const struct answer *answers, size_t n)
{
	const struct answer any = { .code = MOST, .value = value };
	struct asm_constant constant = { .unit = unit, .value = value };
	const unsigned move = unit == ASM_UNIT_ADD ? 21 : 4;
	unsigned found = 0, last = 0;
	bool good = true;

	while (good && asm_constant_next(&constant) && found <= MOST) {
		const struct answer one = { constant.replicates ? REPLICATED :
								  constant.code,
					    constant.operand, value };

		good = count_answers(answers, n, &one) == 1 &&
		       (!constant.replicates || constant.code == move) &&
		       turn(unit, one.code) >= last;
		last = turn(unit, one.code);
		found++;
	}
	return good && found == count_answers(answers, n, &any) &&
	       !asm_constant_next(&constant);
}

static void
check_unit(unsigned unit, const char *name)
{
	static struct answer answers[MOST];
	const size_t n = list_answers(unit, answers);
	unsigned nwrong = 0;

	for (size_t i = 0; i < n; i++)
		if (!finds_all(unit, answers[i].value, answers, n) &&
		    nwrong++ < 5)
			tap_note("%08x", answers[i].value);
	ok(!nwrong, "for each of %zu values of the %s ALU", n, name);
	nwrong = 0;
	for (uint32_t value = 300; value < 1000; value++)
		nwrong += !finds_all(unit, value, answers, n);
	ok(!nwrong, "and for 700 others that few operations give");
}

int
main(void)
{
	check_unit(ASM_UNIT_ADD, "add");
	check_unit(ASM_UNIT_MUL, "mul");
	return tap_done();
}
