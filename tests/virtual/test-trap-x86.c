/* SPDX-License-Identifier: MIT */
/*
 * Instructions of x86-64 on trapped registers: each kind of access is seen
 * as the calls it ought to be, and does what it does to memory.
 */
#include "config.h"

#if defined(__x86_64__) && defined(__LP64__)

#include "tests/virtual/trap-instructions.h"

static void
test_loads(void)
{
	uint64_t x = UINT64_MAX;

	asm volatile("movl (%1), %k0" : "=r"(x) : "r"(at(0x10)));
	ok(x == 0xa0000010, "mov r32 loads and clears the upper half");
	SEEN("r10", "mov r32, m");
	asm volatile("movq (%1), %0" : "=r"(x) : "r"(at(0x18)));
	ok(x == 0xa000001ca0000018, "mov r64 loads two registers");
	SEEN("r18 r1c", "mov r64, m");
	asm volatile("movzbl 1(%1), %k0" : "=r"(x) : "r"(at(0x120)));
	ok(x == 0x01, "movzx of a byte takes it out of its word");
	SEEN("r120", "movzx r32, m8");
	asm volatile("movswq 2(%1), %0" : "=r"(x) : "r"(at(0x120)));
	ok(x == 0xffffffffffffa000, "movsx of a half extends its sign");
	SEEN("r120", "movsx r64, m16");
	asm volatile("movslq (%1), %0" : "=r"(x) : "r"(at(0x120)));
	ok(x == 0xffffffffa0000120, "movsxd extends the sign of a register");
	SEEN("r120", "movsxd");
	asm volatile("movb (%%rsi), %%ah; movzbl %%ah, %%eax"
		     : "=a"(x)
		     : "S"(at(0x144)));
	ok(x == 0x44, "mov to ah");
	SEEN("r144", "mov r8 (high), m");
	asm volatile("movl 0x20(%1,%2,4), %k0"
		     : "=r"(x)
		     : "r"(at(0x100)), "r"((uint64_t)-4));
	ok(x == 0xa0000110, "an address of base, index and displacement");
	SEEN("r110", "mov with SIB");
	asm volatile("movq $2, %%r12; movl (%1,%%r12,4), %k0"
		     : "=r"(x)
		     : "r"(at(0x100))
		     : "r12");
	SEEN("r108", "mov with an upper register as the index");
	asm volatile("movl 2(%1), %k0" : "=r"(x) : "r"(at(0x10)));
	ok(x == 0x0014a000, "a load between two registers gets both");
	SEEN("r10 r14", "unaligned mov");
	asm volatile("stc; movl (%1), %k0; setc %b0; movzbl %b0, %k0"
		     : "=r"(x)
		     : "r"(at(0x10)));
	ok(x == 1, "flags are left alone");
	device_clear(&device);
	asm volatile("lea 1f(%%rip), %%rcx\n\t"
		     "mov %1, %%rbx\n\t"
		     "1: mov (%%rbx), %%ebx\n\t"
		     "mov %%rbx, %0"
		     : "=r"(x)
		     : "r"(at(0x24))
		     : "rbx", "rcx");
	ok(x == 0xa0000024, "the base register itself is loaded");
	SEEN("r24", "mov ebx, [rbx]");
}

static void
test_stores(void)
{
	asm volatile("movl %1, (%0)" ::"r"(at(0x10)), "r"(42));
	SEEN("w10=2a", "mov m, r32");
	asm volatile("movl $0x12345678, 8(%0)" ::"r"(at(0x10)));
	SEEN("w18=12345678", "mov m, imm32");
	asm volatile("movq $-2, (%0)" ::"r"(at(0x10)));
	SEEN("w10=fffffffe w14=ffffffff", "mov m64, imm32");
	asm volatile("movq %1, (%0)" ::"r"(at(0xff8)), "r"(0x100000002));
	SEEN("wff8=2 wffc=1", "mov m, r64");
	asm volatile("movl %1, (%0)" ::"r"(at(0x10)), "r"(0xa0000010));
	SEEN("w10=a0000010", "a store of the value that is there");
	asm volatile("movb $7, 3(%0)" ::"r"(at(0x10)));
	SEEN("r10 w10=7000010", "mov m8, imm8");
	asm volatile("movw %1, 2(%0)" ::"r"(at(0x10)), "r"((uint16_t)9));
	SEEN("r10 w10=90010", "mov m16, r16");
	asm volatile("movw %1, (%0)" ::"r"(at(0x10)), "r"((uint16_t)9));
	SEEN("r10 w10=a0000009", "aligned mov m16, r16");
	asm volatile("movl %1, 1(%0)" ::"r"(at(0x10)), "r"(0x11223344));
	SEEN("r10 r14 w10=22334410 w14=a0000011", "unaligned mov");
	asm volatile("movntil %1, (%0)" ::"r"(at(0x10)), "r"(3) : "memory");
	SEEN("w10=3", "movnti");
	asm volatile("test %1, %1; setz 1(%0)" ::"r"(at(0x10)), "r"(0) : "cc");
	SEEN("r10 w10=a0000110", "setz");
}

static void
test_changes(void)
{
	uint32_t x = 5;
	uint8_t flag;

	asm volatile("orl $0x80, (%0)" ::"r"(at(0x10)) : "cc");
	SEEN("r10 w10=a0000090", "or m, imm8");
	asm volatile("andl $0x0fffffff, (%0)" ::"r"(at(0x10)) : "cc");
	SEEN("r10 w10=10", "and m, imm32");
	asm volatile("xorl %1, (%0)" ::"r"(at(0x10)), "r"(1) : "cc");
	SEEN("r10 w10=a0000011", "xor m, r");
	asm volatile("stc; adcl $0, (%0)" ::"r"(at(0x10)) : "cc");
	SEEN("r10 w10=a0000011", "adc takes the carry");
	asm volatile("incl (%0)" ::"r"(at(0x10)) : "cc");
	SEEN("r10 w10=a0000011", "inc");
	asm volatile("notl (%0)" ::"r"(at(0x10)));
	SEEN("r10 w10=5fffffef", "not");
	asm volatile("notb (%0)" ::"r"(at(0x10)));
	SEEN("r10 w10=a00000ef", "not of a byte");
	asm volatile("shll $4, (%0)" ::"r"(at(0x10)) : "cc");
	SEEN("r10 w10=100", "shl");
	asm volatile("btsl $1, (%0)" ::"r"(at(0x10)) : "cc");
	SEEN("r10 w10=a0000012", "bts m, imm8");
	asm volatile("xchgl %0, (%1)" : "+r"(x) : "r"(at(0x10)));
	ok(x == 0xa0000010, "xchg returns what was there");
	SEEN("r10 w10=5", "xchg");
	asm volatile("lock xaddl %0, (%1)" : "+r"(x) : "r"(at(0)) : "cc");
	ok(x == 0xa0000000, "xadd returns what was there");
	SEEN("r0 w0=40000010", "lock xadd");
	asm volatile("lock cmpxchgl %2, (%1); setz %0"
		     : "=q"(flag)
		     : "r"(at(0)), "r"(1), "a"(0xa0000000)
		     : "cc");
	ok(flag, "cmpxchg with what is there succeeds");
	SEEN("r0 w0=1", "lock cmpxchg");
	asm volatile("cmpl $0xa0000010, (%1); sete %0"
		     : "=q"(flag)
		     : "r"(at(0x10))
		     : "cc");
	ok(flag, "cmp sets the flags");
	SEEN("r10", "cmp m, imm32");
	asm volatile("testb $0x20, 3(%1); setnz %0"
		     : "=q"(flag)
		     : "r"(at(0x10))
		     : "cc");
	ok(flag, "test of a byte sees its byte");
	SEEN("r10", "test m8, imm8");
	x = 1;
	asm volatile("addl (%1), %0" : "+r"(x) : "r"(at(0x10)) : "cc");
	ok(x == 0xa0000011, "add takes an operand from a register");
	SEEN("r10", "add r, m");
	asm volatile("imull $3, (%1), %0" : "=r"(x) : "r"(at(0x10)) : "cc");
	ok(x == 0xe0000030, "imul with an immediate");
	SEEN("r10", "imul r, m, imm8");
}

static void
test_vectors(void)
{
	uint32_t v[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	double d;

	asm volatile("movd (%1), %%xmm1; movd %%xmm1, %0"
		     : "=r"(v[0])
		     : "r"(at(0x10))
		     : "xmm1");
	ok(v[0] == 0xa0000010, "movd loads a register");
	SEEN("r10", "movd xmm, m");
	asm volatile("movups (%1), %%xmm1; movups %%xmm1, (%0)" ::"r"(v),
		     "r"(at(0x14))
		     : "xmm1", "memory");
	ok(v[0] == 0xa0000014 && v[3] == 0xa0000020, "movups loads four");
	SEEN("r14 r18 r1c r20", "movups xmm, m");
	asm volatile("movaps (%1), %%xmm1; movups %%xmm1, (%0)" ::"r"(v),
		     "r"(at(0x40))
		     : "xmm1", "memory");
	ok(v[0] == 0xa0000040 && v[3] == 0xa000004c, "movaps loads four");
	SEEN("r40 r44 r48 r4c", "movaps xmm, m");
	v[0] = 1;
	v[3] = 4;
	asm volatile("movups (%1), %%xmm1; movaps %%xmm1, (%0)" ::"r"(at(0x50)),
		     "r"(v)
		     : "xmm1", "memory");
	SEEN("w50=1 w54=a0000044 w58=a0000048 w5c=4", "movaps m, xmm");
	asm volatile("movups (%1), %%xmm1; movlps %%xmm1, (%0)" ::"r"(at(0x50)),
		     "r"(v)
		     : "xmm1", "memory");
	SEEN("w50=1 w54=a0000044", "movlps m, xmm");
	asm volatile("pxor %%xmm1, %%xmm1; paddd (%1), %%xmm1;"
		     "movups %%xmm1, (%0)" ::"r"(v),
		     "r"(at(0x40))
		     : "xmm1", "memory");
	ok(v[1] == 0xa0000044, "paddd with an aligned operand");
	SEEN("r40 r44 r48 r4c", "paddd xmm, m");
	asm volatile("cvtsi2sdl (%1), %0" : "=x"(d) : "r"(at(0)));
	ok(d == -1610612736.0, "cvtsi2sd converts a register");
	SEEN("r0", "cvtsi2sd");
	asm volatile("fildl (%1); fstpl %0" : "=m"(d) : "r"(at(0)));
	ok(d == -1610612736.0, "fild converts a register");
	SEEN("r0", "fild");
}

#define EIGHT "r44 r48 r4c r50 r54 r58 r5c r60"
#define EIGHT_ALIGNED "r40 r44 r48 r4c r50 r54 r58 r5c"

__attribute__((target("avx2"))) static void
test_avx2(void)
{
	uint32_t v[8] = { 0 };

	asm volatile(
		"vmovdqu (%1), %%ymm1; vmovdqu %%ymm1, (%0); vzeroupper" ::"r"(
			v),
		"r"(at(0x44))
		: "xmm1", "memory");
	ok(v[0] == 0xa0000044 && v[7] == 0xa0000060, "vmovdqu loads eight");
	SEEN(EIGHT, "vmovdqu ymm, m");
	asm volatile(
		"vmovdqa (%1), %%ymm1; vmovdqu %%ymm1, (%0); vzeroupper" ::"r"(
			v),
		"r"(at(0x40))
		: "xmm1", "memory");
	ok(v[7] == 0xa000005c, "vmovdqa loads eight");
	SEEN(EIGHT_ALIGNED, "vmovdqa ymm, m");
	asm volatile("vpbroadcastd 4(%1), %%ymm9; vmovdqu %%ymm9, (%0);"
		     "vzeroupper" ::"r"(v),
		     "r"(at(0x40))
		     : "xmm9", "memory");
	ok(v[7] == 0xa0000044, "vpbroadcastd spreads one");
	SEEN("r44", "vpbroadcastd ymm, m");
}

__attribute__((target("avx512f"))) static void
test_avx512(void)
{
	uint32_t v[16] = { 0 };

	asm volatile(
		"vmovdqu32 64(%1), %%zmm17; vmovdqu32 %%zmm17, (%0)" ::"r"(v),
		"r"(at(0))
		: "xmm17", "memory");
	ok(v[0] == 0xa0000040 && v[15] == 0xa000007c, "vmovdqu32 loads 16");
	SEEN(EIGHT_ALIGNED " r60 r64 r68 r6c r70 r74 r78 r7c",
	     "vmovdqu32 zmm, m");
	asm volatile("vpxord %%zmm17, %%zmm17, %%zmm17;"
		     "vpaddd 8(%1)%{1to16%}, %%zmm17, %%zmm18;"
		     "vmovdqu32 %%zmm18, (%0)" ::"r"(v),
		     "r"(at(0))
		     : "xmm17", "xmm18", "memory");
	ok(v[0] == 0xa0000008 && v[15] == 0xa0000008, "one is broadcast");
	SEEN("r8", "vpaddd with broadcast");
	asm volatile("movl $2, %%eax; kmovw %%eax, %%k1;"
		     "vpxord %%zmm18, %%zmm18, %%zmm18;"
		     "vmovdqu32 %%zmm18, (%0)%{%%k1%}" ::"r"(at(0x40))
		     : "eax", "xmm18", "memory");
	SEEN("r40 r44 w40=a0000040 w44=0", "vmovdqu32 with a mask");
}

static void
test_wide_vectors(void)
{
	if (__builtin_cpu_supports("avx2"))
		test_avx2();
	else
		tap_skip("no AVX2 here");
	if (__builtin_cpu_supports("avx512f"))
		test_avx512();
	else
		tap_skip("no AVX-512 here");
}

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
	SEEN("r10 r14 r18", "rep movsd from registers");
	from = plain, to = at(0x20), count = 2;
	asm volatile("rep movsl" : "+S"(from), "+D"(to), "+c"(count)::"memory");
	SEEN("w20=a0000010 w24=a0000014", "rep movsd to registers");
	from = at(0x40), to = at(0x80), count = 2;
	asm volatile("rep movsl" : "+S"(from), "+D"(to), "+c"(count)::"memory");
	SEEN("r40 w80=a0000040 r44 w84=a0000044", "rep movsd between them");
	from = at(0x40), to = plain, count = 9;
	asm volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(count)::"memory");
	ok(to == (uint8_t *)plain + 9 && count == 0, "rep movsb counts bytes");
	SEEN("r40 r44 r48", "rep movsb reads each register once");
	to = at(0x40), count = 2;
	asm volatile("rep stosl" : "+D"(to), "+c"(count) : "a"(7) : "memory");
	SEEN("w40=7 w44=7", "rep stosd");
	to = at(0x40), count = 1;
	asm volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(7) : "memory");
	SEEN("w40=7 w44=0", "rep stosq");
	to = at(0x44), count = 2;
	asm volatile("std; rep stosl; cld"
		     : "+D"(to), "+c"(count)
		     : "a"(7)
		     : "memory");
	ok(to == at(0x3c), "strings go down");
	SEEN("w44=7 w40=7", "rep stosd, downwards");
	to = at(0x40), count = 10;
	asm volatile("repne scasl"
		     : "+D"(to), "+c"(count)
		     : "a"(0xa0000044)
		     : "cc");
	ok(count == 8 && to == at(0x48), "repne scas stops where it is equal");
	SEEN("r40 r44", "repne scasd");
	from = at(0x40), to = plain, count = 10;
	plain[0] = 0xa0000040, plain[1] = 0;
	asm volatile("repe cmpsl"
		     : "+D"(to), "+S"(from), "+c"(count)::"cc", "memory");
	ok(count == 8, "repe cmps stops where it differs");
	SEEN("r40 r44", "repe cmpsd");
	from = plain, to = at(0x40), count = 10;
	asm volatile("repe cmpsl"
		     : "+D"(to), "+S"(from), "+c"(count)::"cc", "memory");
	ok(count == 8, "also where it is less");
	SEEN("r40 r44", "repe cmpsd, the other way around");
	to = at(0x40), count = 10;
	asm volatile("repne scasl" : "+D"(to), "+c"(count) : "a"(0x40) : "cc");
	ok(count == 0, "repne scas goes on where it is less");
	SEEN("r40 r44 r48 r4c r50 r54 r58 r5c r60 r64", "repne scasd, to the "
							"end");
	from = at(0x42);
	asm volatile("lodsb" : "+S"(from)::"rax");
	SEEN("r40", "lodsb");
}

static void
test_edges(void)
{
	const uint32_t last = DEVICE_BYTES - 4;
	uint64_t x;
	uint32_t *behind = (uint32_t *)(void *)at(DEVICE_BYTES);
	uint32_t *before = (uint32_t *)(void *)at(0) - 1;

	asm volatile("movl %1, (%0)" ::"r"(at(last)), "r"(1));
	SEEN("w1ffc=1", "the last register");
	asm volatile("movq (%1), %0" : "=r"(x) : "r"(at(0xffc)));
	ok(x == 0xa0001000a0000ffc, "a load from two pages");
	SEEN("rffc r1000", "mov over the edge of a page");
	asm volatile("movq %1, (%0)" ::"r"(at(0xffe)), "r"(-1L));
	SEEN("rffc r1000 r1004 wffc=ffff0ffc w1000=ffffffff w1004=a000ffff",
	     "unaligned mov over the edge of a page");
	*behind = 0x55;
	asm volatile("movq (%1), %0" : "=r"(x) : "r"(at(last)));
	ok(x == 0x55a0001ffc, "plain memory follows the last register");
	SEEN("r1ffc", "mov over the end");
	*before = 0x66;
	asm volatile("movq (%1), %0" : "=r"(x) : "r"(before));
	ok(x == 0xa000000000000066, "plain memory before the first register");
	SEEN("r0", "mov over the begin");
	asm volatile("movq %1, (%0)" ::"r"(before), "r"(0x0000000200000001)
		     : "memory");
	ok(*before == 1, "plain memory before the first register is written");
	SEEN("w0=2", "mov m, r64 over the begin");
	asm volatile("movl $8, 2(%0)" ::"r"(before) : "memory");
	ok(*before == 0x00080001, "a half before the first register");
	SEEN("r0 w0=a0000000", "unaligned mov over the begin");
}

int
main(void)
{
	if (!opens_device())
		return tap_done();
	test_loads();
	test_stores();
	test_changes();
	test_vectors();
	test_wide_vectors();
	test_strings();
	test_edges();
	return tap_done();
}

#else

#include "tests/support/tap.h"

int
main(void)
{
	tap_skip("for x86-64 only");
	return tap_done();
}

#endif
