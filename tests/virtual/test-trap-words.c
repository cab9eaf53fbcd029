/* SPDX-License-Identifier: MIT */
/*
 * Instructions on trapped registers: each does what it does to memory, and is
 * seen as a read or a write of the register where it begins; other registers are
 * written where they change.
 *
 * The processor itself executes them, so what matters is which words an access
 * has, and less which instruction it is of.
 */
#include "config.h"

#if defined(__x86_64__) && defined(__LP64__)
#define PROCESSOR "x86-64"
#elif defined(__aarch64__) && defined(__LP64__)
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

typedef volatile uint16_t half __attribute__((aligned(1), may_alias));
typedef volatile uint32_t word __attribute__((aligned(1), may_alias));
typedef volatile uint64_t pair __attribute__((aligned(1), may_alias));

static void
test_loads(void)
{
	ok(*(word *)at(0x10) == 0xa0000010, "a load gets its register");
	SEEN(&device, "r10", "a load of 32 bits");
	ok(*(pair *)at(0x18) == 0xa000001ca0000018,
	   "a load of 64 bits gets two registers");
	SEEN(&device, "r18", "a load of 64 bits");
	ok(*at(0x121) == 0x01, "a load of a byte takes it out of its word");
	SEEN(&device, "r120", "a load of a byte");
	ok(*(word *)at(0x12) == 0x0014a000,
	   "a load between two registers gets both");
	SEEN(&device, "r10", "an unaligned load");
}

static void
test_stores(void)
{
	*(pair *)at(0xff8) = 0x100000002;
	SEEN(&device, "wff8=2 wffc=1", "a store of 64 bits");
	*(word *)at(0x10) = 0xa0000010;
	SEEN(&device, "w10=a0000010", "a store of the value that is there");
	*(volatile uint8_t *)at(0x13) = 7;
	SEEN(&device, "w10=7000010", "a store of a byte");
	*(half *)at(0x12) = 9;
	SEEN(&device, "w10=90010", "a store of 16 bits");
	*(word *)at(0x11) = 0x11223344;
	SEEN(&device, "w10=22334410 w14=a0000011", "an unaligned store");
}

static void
test_edges(void)
{
	const uint32_t last = DEVICE_BYTES - 4;
	word *after = (word *)at(DEVICE_BYTES);
	word *before = (word *)at(0) - 1;

	*(word *)at(last) = 1;
	SEEN(&device, "w1ffc=1", "a store to the last register");
	ok(*(pair *)at(0xffc) == 0xa0001000a0000ffc,
	   "a load gets registers of two pages");
	SEEN(&device, "rffc r1000", "a load over the edge of a page");
	*(pair *)at(0xffe) = UINT64_MAX;
	SEEN(&device, "wffc=ffff0ffc w1000=ffffffff w1004=a000ffff",
	     "an unaligned store over the edge of a page");
	*after = 0x55;
	ok(*(pair *)at(last) == 0x55a0001ffc,
	   "plain memory follows the last register");
	SEEN(&device, "r1ffc", "a load over the end");
	*(pair *)before = 0x0000000200000001;
	ok(*before == 1, "plain memory before the first register is written");
	SEEN(&device, "w0=2", "a store over the beginning");
}

#ifdef __x86_64__

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

#else

static void
test_registers(void)
{
	uint64_t x = UINT64_MAX, y = 0;
	uint8_t *p = at(0x20);

	asm volatile("ldrsh %0, [%1, #2]" : "=r"(x) : "r"(at(0x120)));
	ok(x == 0xffffffffffffa000, "ldrsh extends the sign to 64 bits");
	SEEN(&device, "r120", "ldrsh x");
	asm volatile("ldr %w0, [%1], #4" : "=r"(x), "+r"(p));
	ok(x == 0xa0000020 && p == at(0x24),
	   "a post-indexed load moves its base after it");
	SEEN(&device, "r20", "a post-indexed load");
	asm volatile("str wzr, [%0, #-4]!" : "+r"(p)::"memory");
	ok(p == at(0x20), "a pre-indexed store moves its base before it");
	SEEN(&device, "w20=0", "a pre-indexed store");
	asm volatile("ldar %w0, [%1]" : "=r"(x) : "r"(at(0x20)));
	ok(x == 0xa0000020, "an ordered load finds its register");
	SEEN(&device, "r20", "ldar");
	asm volatile("stlr %w1, [%0]" ::"r"(p), "r"(3) : "memory");
	SEEN(&device, "w20=3", "stlr");
	asm volatile("ldpsw %0, %1, [%2]" : "=&r"(x), "=&r"(y) : "r"(at(8)));
	ok(x == 0xffffffffa0000008 && y == 0xffffffffa000000c,
	   "ldpsw loads a pair and extends the signs");
	SEEN(&device, "r8", "ldpsw");
	asm volatile("stp %w1, wzr, [%0]" ::"r"(p), "r"(5) : "memory");
	SEEN(&device, "w20=5 w24=0", "stp w");
}

#endif

static void
test_words(void)
{
	test_loads();
	test_stores();
	test_edges();
#ifdef __x86_64__
	test_changes();
	test_strings();
#else
	test_registers();
#endif
}

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
