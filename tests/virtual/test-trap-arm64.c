/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores of AArch64 on trapped registers: each is seen as the calls
 * it ought to be, and leaves the registers as it should.
 */
#include "config.h"

#ifdef __aarch64__

#include "tests/virtual/trap-device.h"

static struct device device;

static uint8_t *
at(uint32_t offset)
{
	return device.base + offset;
}

static void
test_loads(void)
{
	uint64_t x = UINT64_MAX, y = 0;
	uint8_t *p;

	asm volatile("ldr %w0, [%1, #16]" : "=r"(x) : "r"(at(0)));
	ok(x == 0xa0000010, "ldr of 32 bits clears the upper half");
	SEEN(&device, "r10", "ldr w");
	asm volatile("ldr %0, [%1]" : "=r"(x) : "r"(at(0x18)));
	ok(x == 0xa000001ca0000018, "ldr of 64 bits loads two");
	SEEN(&device, "r18 r1c", "ldr x");
	asm volatile("ldrb %w0, [%1, #1]" : "=r"(x) : "r"(at(0x120)));
	ok(x == 1, "ldrb takes a byte out of its word");
	asm volatile("ldrsh %0, [%1, #2]" : "=r"(x) : "r"(at(0x120)));
	ok(x == 0xffffffffffffa000, "ldrsh extends the sign to 64 bits");
	asm volatile("ldrsb %w0, [%1, #3]" : "=r"(x) : "r"(at(0x120)));
	ok(x == 0xffffffa0, "ldrsb extends the sign to 32 bits");
	asm volatile("ldrsw %0, [%1]" : "=r"(x) : "r"(at(0x120)));
	ok(x == 0xffffffffa0000120, "ldrsw extends the sign of a register");
	SEEN(&device, "r120 r120 r120 r120", "each narrow load");
	p = at(0x20);
	asm volatile("ldr %w0, [%1], #4" : "=r"(x), "+r"(p));
	ok(x == 0xa0000020 && p == at(0x24),
	   "a post-indexed load moves its base after it");
	asm volatile("ldr %w0, [%1, #-4]!" : "=r"(x), "+r"(p));
	ok(x == 0xa0000020 && p == at(0x20),
	   "a pre-indexed load moves its base before it");
	asm volatile("ldur %w0, [%1, #-3]" : "=r"(x) : "r"(at(0x23)));
	ok(x == 0xa0000020,
	   "a load with an unscaled offset finds its register");
	asm volatile("ldr %w0, [%1, %w2, sxtw #2]"
		     : "=r"(x)
		     : "r"(at(0x24)), "r"(0xffffffff));
	ok(x == 0xa0000020, "an index is extended and shifted");
	asm volatile("ldar %w0, [%1]" : "=r"(x) : "r"(at(0x20)));
	ok(x == 0xa0000020, "an ordered load finds its register");
	SEEN(&device, "r20 r20 r20 r20 r20",
	     "a load by each way to form an address");
	asm volatile("ldp %w0, %w1, [%2, #8]"
		     : "=&r"(x), "=&r"(y)
		     : "r"(at(0)));
	ok(x == 0xa0000008 && y == 0xa000000c, "ldp loads a pair");
	asm volatile("ldpsw %0, %1, [%2]" : "=&r"(x), "=&r"(y) : "r"(at(8)));
	ok(x == 0xffffffffa0000008 && y == 0xffffffffa000000c,
	   "ldpsw loads a pair and extends the signs");
	SEEN(&device, "r8 rc r8 rc", "a load of a pair");
	asm volatile("ldr %w0, [%1, #2]" : "=r"(x) : "r"(at(0x10)));
	ok(x == 0x0014a000, "a load between two registers gets both");
	SEEN(&device, "r10 r14", "unaligned ldr");
}

static void
test_stores(void)
{
	uint8_t *p = at(0x10);

	asm volatile("str %w1, [%0]" ::"r"(p), "r"(42) : "memory");
	SEEN(&device, "w10=2a", "str w");
	asm volatile("str wzr, [%0]" ::"r"(p) : "memory");
	SEEN(&device, "w10=0", "str wzr");
	asm volatile("str %w1, [%0]" ::"r"(p), "r"(0xa0000010) : "memory");
	SEEN(&device, "w10=a0000010", "a store of the value that is there");
	asm volatile("str %1, [%0], #8"
		     : "+r"(p)
		     : "r"(0x100000002)
		     : "memory");
	ok(p == at(0x18), "a post-indexed store moves its base");
	SEEN(&device, "w10=2 w14=1", "str x");
	asm volatile("stp %w1, wzr, [%0, #-8]!" : "+r"(p) : "r"(5) : "memory");
	ok(p == at(0x10), "a pre-indexed store of a pair moves its base");
	SEEN(&device, "w10=5 w14=0", "stp w");
	asm volatile("strb %w1, [%0, #3]" ::"r"(p), "r"(7) : "memory");
	SEEN(&device, "r10 w10=7000010", "strb");
	asm volatile("strh %w1, [%0, #2]" ::"r"(p), "r"(9) : "memory");
	SEEN(&device, "r10 w10=90010", "strh");
	asm volatile("stlr %w1, [%0]" ::"r"(p), "r"(3) : "memory");
	SEEN(&device, "w10=3", "stlr");
}

static void
test_vectors(void)
{
	uint32_t v[8];
	float f;

	asm volatile("ldr s7, [%1]; ucvtf %s0, s7"
		     : "=w"(f)
		     : "r"(at(0))
		     : "v7");
	ok(f == 2684354560.0F, "ldr s loads a register");
	SEEN(&device, "r0", "ldr s");
	asm volatile("ldr q7, [%1]; str q7, [%0]" ::"r"(v), "r"(at(0x14))
		     : "v7", "memory");
	ok(v[0] == 0xa0000014 && v[3] == 0xa0000020, "ldr q loads four");
	SEEN(&device, "r14 r18 r1c r20", "ldr q");
	asm volatile("ldp q7, q8, [%1]; stp q7, q8, [%0]" ::"r"(v),
		     "r"(at(0x40))
		     : "v7", "v8", "memory");
	ok(v[0] == 0xa0000040 && v[7] == 0xa000005c, "ldp q loads eight");
	SEEN(&device, "r40 r44 r48 r4c r50 r54 r58 r5c", "ldp q");
	asm volatile("movi v7.4s, #1; stp d7, d7, [%0]" ::"r"(at(0x50))
		     : "v7", "memory");
	SEEN(&device, "w50=1 w54=1 w58=1 w5c=1", "stp d");
}

int
main(void)
{
	if (!ok(device_open(&device), "registers are trapped on AArch64"))
		return tap_done();
	test_loads();
	test_stores();
	test_vectors();
	return tap_done();
}

#else

#include "tests/support/tap.h"

int
main(void)
{
	tap_skip("for AArch64 only");
	return tap_done();
}

#endif
