/* SPDX-License-Identifier: MIT */
/*
 * hybrid_x86: SHA-256 of eight messages by vectors and the SHA extensions at
 * once, for AMD's Zen 4.
 *
 *	void sha256_hybrid_x8(uint32_t states[8][8],
 *			      const uint8_t *const data[8], size_t nblocks);
 *								nblocks > 0
 *
 * The message schedule (FIPS 180-4, 6.2.2, step 1) is computed for eight
 * messages in the lanes of 256-bit vectors, W + K goes through the first-level
 * cache, and sha256rnds2 runs the rounds.
 *
 * Why it is faster: Zen 4 starts a sha256rnds2 in each cycle, all on one of its
 * four vector pipes, so that 32 cycles a block are the bound.  By the other SHA
 * instructions a schedule takes 132 slots of these pipes a block, and they are
 * full after 41 cycles; in lanes it takes 90 to 100.  Vectors of 512 bits would
 * take a pipe for two cycles each and delay the rounds.  Measured: 40.0 cycles,
 * 0.625 a byte, where four streams of streams_x86.S have 46.7.  A Zen 5 starts a
 * sha256rnds2 in every second cycle and Intel's cores in every third, so there
 * this order gains nothing.
 *
 * It is one loop.  Its iteration i
 *	- makes W + K of block i, of all messages: the schedule;
 *	- runs the rounds of block i - 1 where the schedule leaves room.
 * One message's rounds are a chain of 32 instructions with a latency of four
 * cycles, so four chains run at a time, one in each column: messages c and
 * c + 4 in column c.  Chains begin CHAIN_LEAD rounds apart, which keeps one
 * instruction due at any time; those that begin late in an iteration end in the
 * next one, with the W + K of block i - 2.  Leads of 7 to 10 rounds and other
 * places in the schedule took 40.2 to 40.8 cycles.
 *
 * The first two iterations and the last one have rounds without a block.  Their
 * states are a second set, which is not read.
 *
 * Registers:	xmm0		W + K of two rounds, implied by sha256rnds2
 *		xmm1-8		a,b,e,f and c,d,g,h of each column
 *		ymm13-31	the schedule: 16 words and three others
 *		rsi rdx rax	data, offset of the block, one message
 *		r9 r8 r10	W + K that is made, of block i - 1, of i - 2
 *		r11 rcx		states of block i - 1, of i - 2
 *		rbx		blocks that are left
 */

#ifdef __x86_64__

#if defined __has_include
#if __has_include(<cet.h>)
#include <cet.h>
#endif
#endif
#ifndef _CET_ENDBR
#define _CET_ENDBR
#endif

/* What a search for a better order may vary: rounds between the starts of two
 * chains, and by how much rounds come before their place in the schedule. */
#ifndef CHAIN_LEAD
#define CHAIN_LEAD 8
#endif
#ifndef ROUNDS_EARLY
#define ROUNDS_EARLY 0
#endif

	.intel_syntax noprefix
	.altmacro

	.set	words_bytes, 32 * 64		/* W + K of a block, in pairs */
	.set	states_bytes, 8 * 32
	.set	states_at, 3 * words_bytes
	.set	unused_at, states_at + states_bytes
	.set	frame_bytes, unused_at + states_bytes

	.section .rodata.cst32, "aM", @progbits, 32
	.balign	32
byte_swap:
	.rept	2
	.byte	3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12
	.endr

	.text
	.hidden	sha256_k

/* --- The rounds -------------------------------------------------------------- */

	.set	rounds_bodies, 256	/* sha256rnds2 in an iteration */
	.set	schedule_slots, 904	/* instructions of the schedule in it */

/* The kth sha256rnds2 of an iteration: in column k % 4, at step k / 4 of 64. */
.macro rounds k
	rounds_of %((\k) % 4), %((\k) / 4)
.endm

.macro rounds_of column, step
	.set	since, (\step + 64 - CHAIN_LEAD * \column) % 64
	.set	message, \column + since / 32 * 4
	.set	pair, since % 32
	.if	\step < CHAIN_LEAD * message
	rounds_regs %(1 + 2 * \column), %(2 + 2 * \column), %message, %pair, \
		r10, rcx
	.else
	rounds_regs %(1 + 2 * \column), %(2 + 2 * \column), %message, %pair, \
		r8, r11
	.endif
.endm

/* Two rounds of a message: a pair has W + K of messages 0 1 4 5, 2 3 6 7. */
.macro rounds_regs abef, cdgh, m, p, words, states
	.if	\p == 0
	vmovdqa	xmm\abef, [r11 + 32 * \m]
	vmovdqa	xmm\cdgh, [r11 + 32 * \m + 16]
	.endif
	vmovq	xmm0, qword ptr [\words + 64 * \p + \m % 4 / 2 * 32 + \m / 4 * 16 + \m % 2 * 8]
	.if	\p % 2 == 0
	sha256rnds2 xmm\cdgh, xmm\abef
	.else
	sha256rnds2 xmm\abef, xmm\cdgh
	.endif
	.if	\p == 31
	vpaddd	xmm\abef, xmm\abef, [\states + 32 * \m]
	vpaddd	xmm\cdgh, xmm\cdgh, [\states + 32 * \m + 16]
	vmovdqa	[\states + 32 * \m], xmm\abef
	vmovdqa	[\states + 32 * \m + 16], xmm\cdgh
	.endif
.endm

/* An instruction of the schedule was written: rounds that are due follow. */
.macro slot
	.set	slots, slots + 1
	.if	(slots + ROUNDS_EARLY) * rounds_bodies > done * schedule_slots
	.if	done < rounds_bodies
	rounds	%done
	.set	done, done + 1
	.endif
	.endif
.endm

/* --- The schedule ------------------------------------------------------------ */

.macro y2 op, to, a, last
	\op	ymm\to, ymm\a, \last
	slot
.endm

.macro y3 op, to, a, b
	\op	ymm\to, ymm\a, ymm\b
	slot
.endm

/* Words 0..7 and 8..15 of a message. */
.macro load m
	mov	rax, [rsi + 8 * \m]
	slot
	load_half %(row_at + \m), 0
	load_half %(row_at + 8 + \m), 32
.endm

.macro load_half row, at
	vmovdqu32 ymm\row, [rax + rdx + \at]
	slot
	y2	vpshufb, \row, \row, <[rip + byte_swap]>
.endm

/* Two rows of the transposition change places in part: the first one moves to
 * the spare register, and its own is spare. */
.macro exchange low, high, i, j
	y3	\low, %spare, %row_\i, %row_\j
	y3	\high, %row_\j, %row_\i, %row_\j
	swap_spare row_\i
.endm

.macro exchange_halves i, j
	halves	%spare, %row_\i, %row_\j, 0
	halves	%row_\j, %row_\i, %row_\j, 3
	swap_spare row_\i
.endm

.macro halves to, a, b, which
	vshufi32x4 ymm\to, ymm\a, ymm\b, \which
	slot
.endm

.macro swap_spare row
	.set	freed, \row
	.set	\row, spare
	.set	spare, freed
.endm

/* Eight rows, one a message, become eight columns, one a word. */
.macro transpose a, b, c, d, e, f, g, h, w0, w1, w2, w3, w4, w5, w6, w7
	exchange vpunpckldq, vpunpckhdq, \a, \b
	exchange vpunpckldq, vpunpckhdq, \c, \d
	exchange vpunpckldq, vpunpckhdq, \e, \f
	exchange vpunpckldq, vpunpckhdq, \g, \h
	exchange vpunpcklqdq, vpunpckhqdq, \a, \c
	exchange vpunpcklqdq, vpunpckhqdq, \b, \d
	exchange vpunpcklqdq, vpunpckhqdq, \e, \g
	exchange vpunpcklqdq, vpunpckhqdq, \f, \h
	exchange_halves \a, \e
	exchange_halves \c, \g
	exchange_halves \b, \f
	exchange_halves \d, \h
	.set	word_\w0, row_\a
	.set	word_\w1, row_\c
	.set	word_\w2, row_\b
	.set	word_\w3, row_\d
	.set	word_\w4, row_\e
	.set	word_\w5, row_\g
	.set	word_\w6, row_\f
	.set	word_\w7, row_\h
.endm

/* W + K of rounds 2p and 2p + 1, in pairs. */
.macro store p
	store_of %(2 * (\p)), %(2 * (\p) % 16), %(2 * (\p) % 16 + 1)
.endm

.macro store_of t, even, odd
	y2	vpaddd, %spare, %word_\even, <dword ptr [rip + sha256_k + 4 * \t]{1to8}>
	y2	vpaddd, 14, %word_\odd, <dword ptr [rip + sha256_k + 4 * \t + 4]{1to8}>
	y3	vpunpckldq, 15, %spare, 14
	y3	vpunpckhdq, 14, %spare, 14
	vmovdqa	[r9 + 32 * \t], ymm15
	slot
	vmovdqa	[r9 + 32 * \t + 32], ymm14
	slot
.endm

/* W(t), in the place of W(t - 16). */
.macro word t
	word_of %((\t) % 16), %(((\t) + 1) % 16), %(((\t) + 9) % 16), %(((\t) + 14) % 16)
.endm

.macro word_of t16, t15, t7, t2
	sigma	%word_\t15, 7, 18, 3
	y3	vpaddd, %word_\t16, %word_\t16, %word_\t7
	y3	vpaddd, %word_\t16, %word_\t16, %spare
	sigma	%word_\t2, 17, 19, 10
	y3	vpaddd, %word_\t16, %word_\t16, %spare
.endm

/* FIPS 180-4, 4.1.2: (4.6) and (4.7). */
.macro sigma of, first, second, shift
	y2	vprord, %spare, \of, \first
	y2	vprord, 14, \of, \second
	y2	vpsrld, 15, \of, \shift
	y3	vpxord, 14, 14, 15
	y3	vpxord, %spare, %spare, 14
.endm

.macro schedule
	.set	slots, 0
	.set	done, 0
	.set	row_at, 16
	.set	spare, 13
	.set	i, 0
	.rept	8
	load	%i
	.set	i, i + 1
	.endr
	.irp	row, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.set	row_\row, row_at + \row
	.endr
	transpose 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7
	transpose 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15
	.set	i, 0
	.rept	8
	store	%i
	.set	i, i + 1
	.endr
	.rept	24
	word	%(2 * i)
	word	%(2 * i + 1)
	store	%i
	.set	i, i + 1
	.endr
	.if	(slots != schedule_slots) || (done != rounds_bodies)
	.error	"the schedule has another length"
	.endif
.endm

/* --- The function ------------------------------------------------------------ */

/* a..h from memory as a,b,e,f and c,d,g,h, and back. */
.macro load_state m
	vmovdqu	xmm1, [rdi + 32 * \m]
	vmovdqu	xmm2, [rdi + 32 * \m + 16]
	vpunpcklqdq xmm3, xmm1, xmm2
	vpunpckhqdq xmm4, xmm1, xmm2
	vpshufd	xmm3, xmm3, 0x1b
	vpshufd	xmm4, xmm4, 0x1b
	vmovdqa	[rsp + states_at + 32 * \m], xmm3
	vmovdqa	[rsp + states_at + 32 * \m + 16], xmm4
.endm

.macro store_state m
	vpshufd	xmm3, [rsp + states_at + 32 * \m], 0x1b
	vpshufd	xmm4, [rsp + states_at + 32 * \m + 16], 0x1b
	vpunpcklqdq xmm1, xmm3, xmm4
	vpunpckhqdq xmm2, xmm3, xmm4
	vmovdqu	[rdi + 32 * \m], xmm1
	vmovdqu	[rdi + 32 * \m + 16], xmm2
.endm

	.globl	sha256_hybrid_x8
	.hidden	sha256_hybrid_x8
	.type	sha256_hybrid_x8, @function
	.balign	64
sha256_hybrid_x8:
	.cfi_startproc
	_CET_ENDBR
	push	rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	rbp, rsp
	.cfi_def_cfa_register rbp
	push	rbx
	.cfi_offset rbx, -24
	sub	rsp, frame_bytes + 56
	and	rsp, -64
	mov	rbx, rdx
	xor	edx, edx
	.irp	m, 0, 1, 2, 3, 4, 5, 6, 7
	load_state \m
	.endr
	lea	r9, [rsp]
	lea	r8, [rsp + words_bytes]
	lea	r10, [rsp + 2 * words_bytes]
	lea	r11, [rsp + unused_at]
	mov	rcx, r11
	.balign	64
1:
	schedule
	/* The new W + K are of block i - 1 now. */
	mov	rax, r10
	mov	r10, r8
	mov	r8, r9
	mov	r9, rax
	mov	rcx, r11
	/* After the last block it is read once more, twice, for nothing. */
	lea	rax, [rdx + 64]
	dec	rbx
	cmovg	rdx, rax
	lea	r11, [rsp + states_at]
	jns	1b
	lea	r11, [rsp + unused_at]
	cmp	rbx, -1
	je	1b
	.irp	m, 0, 1, 2, 3, 4, 5, 6, 7
	store_state \m
	.endr
	vzeroupper
	mov	rbx, [rbp - 8]
	leave
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size	sha256_hybrid_x8, . - sha256_hybrid_x8

#endif

	.section .note.GNU-stack, "", %progbits
