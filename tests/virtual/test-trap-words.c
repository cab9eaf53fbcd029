/* SPDX-License-Identifier: MIT */
/*
 * Instructions on trapped registers: each does what it does to memory, and is
 * seen as a read or a write of the register where it begins; other registers are
 * written where they change.
 *
 * On x86-64 the processor itself executes them, so what matters is which words an
 * access has, not which instruction it is of.  On AArch64 loads and stores are
 * decoded, and leave the processor's registers as they should.
 */
#include "config.h"

#if defined(__x86_64__) && defined(__LP64__)
#define PROCESSOR "x86-64"
#elif defined(__aarch64__)
#define PROCESSOR "AArch64"
#endif

#ifdef PROCESSOR

#include "tests/virtual/trap-device.h"

static struct device device;

static uint8_t *
at(uint32_t offset)
{
	return device.base + offset;
}

#ifdef __x86_64__

static void
test_loads(void)
{
	uint64_t x = UINT64_MAX;

	asm volatile("movq (%1), %0" : "=r"(x) : "r"(at(0x18)));
	ok(x == 0xa000001ca0000018, "mov r64 loads two registers");
	SEEN(&device, "r18", "mov r64, m");
	asm volatile("movzbl 1(%1), %k0" : "=r"(x) : "r"(at(0x120)));
	ok(x == 0x01, "movzx of a byte takes it out of its word");
	SEEN(&device, "r120", "movzx r32, m8");
	asm volatile("movl 2(%1), %k0" : "=r"(x) : "r"(at(0x10)));
	ok(x == 0x0014a000, "a load between two registers gets both");
	SEEN(&device, "r10", "unaligned mov");
	asm volatile("stc; movl (%1), %k0; setc %b0; movzbl %b0, %k0"
		     : "=r"(x)
		     : "r"(at(0x10)));
	ok(x == 1, "a load leaves the flags alone");
	device_clear(&device);
	asm volatile("push (%1); pop %0" : "=r"(x) : "r"(at(0x10)));
	ok(x == 0xa0000014a0000010, "push takes registers to the stack");
	SEEN(&device, "r10", "push m");
}

static void
test_stores(void)
{
	asm volatile("movq %1, (%0)" ::"r"(at(0xff8)), "r"(0x100000002));
	SEEN(&device, "wff8=2 wffc=1", "mov m, r64");
	asm volatile("movl %1, (%0)" ::"r"(at(0x10)), "r"(0xa0000010));
	SEEN(&device, "w10=a0000010", "a store of the value that is there");
	asm volatile("movb $7, 3(%0)" ::"r"(at(0x10)));
	SEEN(&device, "w10=7000010", "mov m8, imm8");
	asm volatile("movl %1, 1(%0)" ::"r"(at(0x10)), "r"(0x11223344));
	SEEN(&device, "w10=22334410 w14=a0000011", "unaligned mov");
}

static void
test_changes(void)
{
	uint32_t x = 5;
	uint8_t flag;

	asm volatile("orl $0x80, (%0)" ::"r"(at(0x10)) : "cc");
	SEEN(&device, "w10=a0000090", "or m, imm8");
	asm volatile("orl $0x10, (%0)" ::"r"(at(0x10)) : "cc");
	SEEN(&device, "w10=a0000010", "or that changes nothing");
	asm volatile("xchgl %0, (%1)" : "+r"(x) : "r"(at(0x10)));
	ok(x == 0xa0000010, "xchg returns what was there");
	SEEN(&device, "w10=5", "xchg");
	asm volatile("cmpl $0xa0000010, (%1); sete %0"
		     : "=q"(flag)
		     : "r"(at(0x10))
		     : "cc");
	ok(flag, "cmp sets the flags");
	SEEN(&device, "r10", "cmp m, imm32");
}

static void
test_vectors(void)
{
	uint32_t v[4] = { 1, 2, 3, 4 };

	asm volatile("movaps (%1), %%xmm1; movups %%xmm1, (%0)" ::"r"(v),
		     "r"(at(0x40))
		     : "xmm1", "memory");
	ok(v[0] == 0xa0000040 && v[3] == 0xa000004c,
	   "movaps loads four registers");
	SEEN(&device, "r40", "movaps xmm, m");
	v[0] = 1;
	v[3] = 4;
	asm volatile("movups (%1), %%xmm1; movups %%xmm1, (%0)" ::"r"(at(0x50)),
		     "r"(v)
		     : "xmm1", "memory");
	SEEN(&device, "w50=1 w54=a0000044 w58=a0000048 w5c=4", "movups m, xmm");
}

/* Each element of a repeated instruction is an access of its own. */
static void
test_strings(void)
{
	static uint32_t plain[8];
	void *from = at(0x10), *to = plain;
	uint64_t count = 3;

	asm volatile("rep movsl" : "+S"(from), "+D"(to), "+c"(count)::"memory");
	ok(plain[2] == 0xa0000018 && from == at(0x1c) && to == plain + 3 &&
		   count == 0,
	   "rep movsd loads and counts");
	SEEN(&device, "r10 r14 r18", "rep movsd from registers");
	from = plain, to = at(0x20), count = 2;
	asm volatile("rep movsl" : "+S"(from), "+D"(to), "+c"(count)::"memory");
	SEEN(&device, "w20=a0000010 w24=a0000014", "rep movsd to registers");
	from = at(0x40), to = at(0x80), count = 2;
	asm volatile("rep movsl" : "+S"(from), "+D"(to), "+c"(count)::"memory");
	SEEN(&device, "r40 w80=a0000040 r44 w84=a0000044",
	     "rep movsd between registers of a page");
	from = at(0x40), to = at(0x1040), count = 1;
	asm volatile("rep movsl" : "+S"(from), "+D"(to), "+c"(count)::"memory");
	SEEN(&device, "r40 w1040=a0000040",
	     "rep movsd between registers of two pages");
	to = at(0x44), count = 2;
	asm volatile("std; rep stosl; cld"
		     : "+D"(to), "+c"(count)
		     : "a"(7)
		     : "memory");
	ok(to == at(0x3c), "rep stosd can go down");
	SEEN(&device, "w44=7 w40=7", "rep stosd, downwards");
}

static void
test_edges(void)
{
	const uint32_t last = DEVICE_BYTES - 4;
	uint32_t *after = (uint32_t *)(void *)at(DEVICE_BYTES);
	uint32_t *before = (uint32_t *)(void *)at(0) - 1;
	uint64_t x;

	asm volatile("movl %1, (%0)" ::"r"(at(last)), "r"(1));
	SEEN(&device, "w1ffc=1", "a store to the last register");
	asm volatile("movq (%1), %0" : "=r"(x) : "r"(at(0xffc)));
	ok(x == 0xa0001000a0000ffc, "a load gets registers of two pages");
	SEEN(&device, "rffc r1000", "mov over the edge of a page");
	asm volatile("movq %1, (%0)" ::"r"(at(0xffe)), "r"(-1L));
	SEEN(&device, "wffc=ffff0ffc w1000=ffffffff w1004=a000ffff",
	     "unaligned mov over the edge of a page");
	*after = 0x55;
	asm volatile("movq (%1), %0" : "=r"(x) : "r"(at(last)));
	ok(x == 0x55a0001ffc, "plain memory follows the last register");
	SEEN(&device, "r1ffc", "mov over the end");
	asm volatile("movq %1, (%0)" ::"r"(before), "r"(0x0000000200000001)
		     : "memory");
	ok(*before == 1, "plain memory before the first register is written");
	SEEN(&device, "w0=2", "mov m, r64 over the beginning");
}

static void
test_words(void)
{
	test_loads();
	test_stores();
	test_changes();
	test_vectors();
	test_strings();
	test_edges();
}

#else

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

static void
test_words(void)
{
	test_loads();
	test_stores();
	test_vectors();
}

#endif

int
main(void)
{
	if (ok(device_open(&device), "registers are trapped on " PROCESSOR))
		test_words();
	return tap_done();
}

#else

#include "tests/support/tap.h"

int
main(void)
{
	tap_skip("for x86-64 and AArch64 only");
	return tap_done();
}

#endif
