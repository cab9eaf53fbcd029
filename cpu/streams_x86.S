/* SPDX-License-Identifier: MIT */
/*
 * streams_x86: SHA-256 by the SHA extensions of x86-64, N messages at a time.
 *
 *	void sha256_sha_xN(uint32_t states[N][8], const uint8_t *const data[N],
 *			   size_t nblocks);	nblocks > 0
 *
 * One message is bound by the latency of sha256rnds2, so N of them are
 * interleaved, four rounds (a step) of each in turn.  The compilers at hand
 * spill or reorder the same thing in C, hence assembly; the text exists once
 * and is instantiated for each N, and for each of two ways to keep what does
 * not fit into the sixteen registers that SHA instructions can name: on the
 * stack, or (_vl) in xmm16-31, which AVX-512VL adds.
 *
 * Registers:	xmm0		W+K, implied by sha256rnds2
 *		xmm1...		a,b,e,f and c,d,g,h of each stream
 *		next N+1	X(j), the last four schedule words of each
 *				stream, and one to make the next in; which is
 *				which rotates
 *		then		slots: what waits for a later step
 *		xmm14, xmm15	scratch; byte swap mask
 *		rax rcx rdx	K, offset into the data, its end
 *		r8-r11		data
 *
 * With X(j) = W(4j..4j+3), the schedule of FIPS 180-4, 6.2.2 reads
 *	X(j+1) = msg2(T(j+1), X(j))
 *	T(j+1) = msg1(X(j-3), X(j-2)) + W(4j-3..4j)
 * Each msg1 is made as soon as its second operand exists, in the register of
 * the first, which nobody needs any more.  Per stream three values wait:
 * T and two of msg1's.
 *
 * On Intel's Golden Cove sha256rnds2 starts every third cycle on port 5, which
 * msg1, msg2 (twice) and palignr want too; every conflict delays a round.  So
 * the kernels without _vl take W(4j-3..4j) by movss and pshufd, and the second
 * half of W+K by way of the stack, off that port: 97 cycles a block instead of
 * 107, where 96 is the limit.  The _vl ones keep the form that was measured to
 * be good on AMD's Zen 4.
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

	.intel_syntax noprefix
	.altmacro

	.section .rodata.cst16, "aM", @progbits, 16
	.balign	16
byte_swap:
	.byte	3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12

	.text

/* Slots: the first nregs are registers from xmm\first on, the others are on
 * the stack. */

.macro slot_load dst, slot
	.if	\slot < slot_nregs
	slot_load_reg \dst, %(slot_first + \slot)
	.else
	movdqa	xmm\dst, [rsp + 16 * \slot]
	.endif
.endm

.macro slot_load_reg dst, reg
	.if	vl
	vmovdqa32 xmm\dst, xmm\reg
	.else
	movdqa	xmm\dst, xmm\reg
	.endif
.endm

.macro slot_store slot, src
	.if	\slot < slot_nregs
	slot_store_reg %(slot_first + \slot), \src
	.else
	movdqa	[rsp + 16 * \slot], xmm\src
	.endif
.endm

.macro slot_store_reg reg, src
	.if	vl
	vmovdqa32 xmm\reg, xmm\src
	.else
	movdqa	xmm\reg, xmm\src
	.endif
.endm

/* xmm\dst += slot */
.macro slot_add dst, slot
	.if	\slot < slot_nregs
	slot_add_reg \dst, %(slot_first + \slot)
	.else
	paddd	xmm\dst, [rsp + 16 * \slot]
	.endif
.endm

.macro slot_add_reg dst, reg
	paddd	xmm\dst, xmm\reg
.endm

/* slot t = T(j+1); slot m holds its msg1 */
.macro make_t t, m, new, old
	.if	vl
	make_t_vl %(slot_first + \t), %(slot_first + \m), \new, \old
	.else
	movdqa	xmm14, xmm\old
	movss	xmm14, xmm\new
	pshufd	xmm14, xmm14, 0x39
	slot_add 14, \m
	slot_store \t, 14
	.endif
.endm

.macro make_t_vl t, m, new, old
	vpalignr xmm\t, xmm\new, xmm\old, 4
	vpaddd	xmm\t, xmm\t, xmm\m
.endm

/* Rounds 4j..4j+3 of one stream: X(j) into xmm\new, X(j-1) is in xmm\old. */
.macro step_regs j, data, abef, cdgh, new, old, t, m, wk
	.if	\j < 4
	movdqu	xmm\new, [\data + rcx + 16 * \j]
	pshufb	xmm\new, xmm15
	.else
	slot_load \new, \t
	sha256msg2 xmm\new, xmm\old
	.endif
	.if	vl
	vpaddd	xmm0, xmm\new, [rax + 16 * \j]
	sha256rnds2 xmm\cdgh, xmm\abef, xmm0
	pshufd	xmm0, xmm0, 0x0e
	.else
	movdqa	xmm0, [rax + 16 * \j]
	paddd	xmm0, xmm\new
	movdqa	[rsp + wk_at + 16 * \wk], xmm0
	sha256rnds2 xmm\cdgh, xmm\abef, xmm0
	movq	xmm0, qword ptr [rsp + wk_at + 16 * \wk + 8]
	.endif
	.if	\j >= 3 && \j <= 14
	make_t	\t, \m, \new, \old
	.endif
	sha256rnds2 xmm\abef, xmm\cdgh, xmm0
	.if	\j >= 1 && \j <= 12
	sha256msg1 xmm\old, xmm\new
	slot_store \m, \old
	.endif
.endm

/* The k-th step of a block, k = j * n + stream. */
.macro step k, n, j, stream, data
	step_regs \j, \data, %(1 + 2 * \stream), %(2 + 2 * \stream),	\
		%(1 + 2 * \n + (\k) % (\n + 1)),			\
		%(1 + 2 * \n + (\k + 1) % (\n + 1)),			\
		%(\stream), %(\n + 2 * \stream + ((\j + 1) & 1)),	\
		%(\stream)
.endm

.macro steps n, j
	step	%(\j * \n), \n, \j, 0, r8
	.if	\n > 1
	step	%(\j * \n + 1), \n, \j, 1, r9
	.endif
	.if	\n > 2
	step	%(\j * \n + 2), \n, \j, 2, r10
	.endif
	.if	\n > 3
	step	%(\j * \n + 3), \n, \j, 3, r11
	.endif
.endm

/* Lanes of a register, lowest first: a b c d | e f g h <-> f e b a | h g d c;
 * the same two shuffles lead there and back. */
.macro state_load_regs stream, abef, cdgh
	movups	xmm14, [rdi + 32 * \stream]
	movups	xmm\cdgh, [rdi + 32 * \stream + 16]
	movaps	xmm\abef, xmm\cdgh
	shufps	xmm\abef, xmm14, 0x11
	shufps	xmm\cdgh, xmm14, 0xbb
.endm

.macro state_store_regs stream, abef, cdgh
	movaps	xmm14, xmm\abef
	shufps	xmm14, xmm\cdgh, 0xbb
	shufps	xmm\abef, xmm\cdgh, 0x11
	movups	[rdi + 32 * \stream], xmm14
	movups	[rdi + 32 * \stream + 16], xmm\abef
.endm

.macro state_save_regs stream, abef, cdgh
	movdqa	[rsp + state_at + 32 * \stream], xmm\abef
	movdqa	[rsp + state_at + 32 * \stream + 16], xmm\cdgh
.endm

.macro state_add_regs stream, abef, cdgh
	paddd	xmm\abef, [rsp + state_at + 32 * \stream]
	paddd	xmm\cdgh, [rsp + state_at + 32 * \stream + 16]
.endm

.macro each_state what, n
	state_\what\()_regs 0, 1, 2
	.if	\n > 1
	state_\what\()_regs 1, 3, 4
	.endif
	.if	\n > 2
	state_\what\()_regs 2, 5, 6
	.endif
	.if	\n > 3
	state_\what\()_regs 3, 7, 8
	.endif
.endm

.macro kernel name, n, with_vl
	vl = \with_vl
	.if	vl
	slot_first = 16
	slot_nregs = 3 * \n
	.else
	slot_first = 2 + 3 * \n
	slot_nregs = 12 - 3 * \n
	.endif
	state_at = 16 * 3 * \n
	wk_at = state_at + 32 * \n
	frame = wk_at + 16 * \n + 8

	.globl	\name
	.hidden	\name
	.type	\name, @function
	.balign	64
\name:
	.cfi_startproc
	_CET_ENDBR
	sub	rsp, frame
	.cfi_adjust_cfa_offset frame
	.if	vl
	vzeroupper
	.endif
	mov	r8, [rsi]
	.if	\n > 1
	mov	r9, [rsi + 8]
	.endif
	.if	\n > 2
	mov	r10, [rsi + 16]
	.endif
	.if	\n > 3
	mov	r11, [rsi + 24]
	.endif
	lea	rax, [rip + sha256_k]
	movdqa	xmm15, [rip + byte_swap]
	xor	ecx, ecx
	shl	rdx, 6
	each_state load, \n
	.balign	32
.L\name\()_block:
	each_state save, \n
	.irp	j, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	steps	\n, \j
	.endr
	add	rcx, 64
	each_state add, \n
	cmp	rcx, rdx
	jne	.L\name\()_block
	each_state store, \n
	add	rsp, frame
	.cfi_adjust_cfa_offset -frame
	ret
	.cfi_endproc
	.size	\name, . - \name
.endm

	.hidden	sha256_k
	kernel	sha256_sha_x1, 1, 0
	kernel	sha256_sha_x2, 2, 0
	kernel	sha256_sha_x3, 3, 0
	kernel	sha256_sha_x4, 4, 0
	kernel	sha256_sha_x3_vl, 3, 1
	kernel	sha256_sha_x4_vl, 4, 1

#endif

	.section .note.GNU-stack, "", %progbits
