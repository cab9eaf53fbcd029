/* SPDX-License-Identifier: MIT */
/*
 * streams_x86: SHA-256 by the SHA extensions of x86-64, N messages at a time.
 *
 *	void sha256_sha_xN(uint32_t states[N][8], const uint8_t *const data[N],
 *			   size_t nblocks);	nblocks > 0
 *
 * A message is bound by the latency of sha256rnds2, so N of them are
 * interleaved.  Each is worked on in steps of four rounds, which make one
 * vector of the message schedule, X(j) = W(4j..4j+3), for each j of 0..15.
 * By FIPS 180-4, 6.2.2:
 *	M(j)   = msg1(X(j-1), X(j))			1 <= j <= 12
 *	T(j+1) = M(j-2) + W(4j-3..4j)			3 <= j <= 14
 *	X(j+1) = msg2(T(j+1), X(j))			3 <= j <= 14
 *
 * The code is a software pipeline.  Slot t belongs to step t / N of message
 * t % N; a block has slots 0..16N-1.  While one slot runs its rounds, operands
 * of other slots are prepared: the slot_ macros list, in the order of the
 * code, for which slot each operation is done.  Without these distances an
 * instruction stands right before its users, and the CPU's reordering window
 * does not reach far enough to find other work.
 *
 * The orders of x3, x3_vl and x4_vl were found by search on AMD's Zen 4, where
 * sha256rnds2 starts every second cycle.  On Intel's Golden Cove it starts
 * every third, which bounds all of them.  Cycles a byte, measured:
 *				x1	x2	x3	x3_vl	x4_vl	bound
 *	Zen 4			-	-	0.81	0.76	0.73	0.66
 *	  without the pipeline	2.01	1.07	0.95	0.90	0.84
 *	Golden Cove		1.98	1.53	1.50	1.50	1.49	1.50
 *	  without the pipeline	2.01	1.56	1.55	1.65	1.66
 * One message and two are bound by latency, on Zen 4 to 2 and 1.
 *
 * Registers:	xmm0		W+K, implied by sha256rnds2
 *		xmm1...		a,b,e,f and c,d,g,h of each message
 *		then x_count	X; slot t has number t mod x_count
 *	SSE	xmm14, xmm15	T
 *	_vl	xmm16-30	M, T, both halves of W+K
 *		xmm31		mask of the byte swap
 *		rax rcx rdx	K, offset into the data, its end
 *		r8-r11		data
 * Stack:	the state before this block; without _vl also M
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
	.hidden	sha256_k

/*
 * Operations.  Each expands to nothing where slot \u has no such operation:
 * so the pipeline fills at the start of a block and drains at its end.
 * The GNU assembler needs the parentheses on both sides of &&.
 */

/* X(j): from the data, or by msg2. */
.macro load u
	.if	(\u >= 0) && (\u < 4 * n)
	load_data %(x_at + \u % x_count), %(8 + \u % n), %(\u / n)
	.elseif	(\u >= 0) && (\u < 16 * n)
	load_msg2 %(x_at + \u % x_count), %(x_at + (\u - n) % x_count),	\
		%(t_at + \u % t_count)
	.endif
.endm

.macro load_data x, pointer, j
	.if	vl
	vmovdqu	xmm\x, [r\pointer + rcx + 16 * \j]
	vpshufb	xmm\x, xmm\x, xmm31
	.else
	movdqu	xmm\x, [r\pointer + rcx + 16 * \j]
	pshufb	xmm\x, [rip + byte_swap]
	.endif
.endm

.macro load_msg2 x, previous, t
	.if	vl
	vmovdqa32 xmm\x, xmm\t
	.else
	movdqa	xmm\x, xmm\t
	.endif
	sha256msg2 xmm\x, xmm\previous
.endm

/* M(j), in the place of X(j-1), which is not needed any more. */
.macro msg1 u
	.if	(\u >= 1 * n) && (\u < 13 * n)
	msg1_regs %(x_at + \u % x_count), %(x_at + (\u - n) % x_count),	\
		%(m_at + \u % m_count)
	.endif
.endm

.macro msg1_regs x, previous, m
	sha256msg1 xmm\previous, xmm\x
	.if	vl
	vmovdqa32 xmm\m, xmm\previous
	.else
	movdqa	[rsp + 16 * \m], xmm\previous
	.endif
.endm

/* T(j+1) */
.macro sum u
	.if	(\u >= 3 * n) && (\u < 15 * n)
	sum_regs %(x_at + \u % x_count), %(x_at + (\u - n) % x_count),	\
		%(m_at + (\u - 2 * n) % m_count), %(t_at + (\u + n) % t_count)
	.endif
.endm

.macro sum_regs x, previous, m, t
	.if	vl
	vpalignr xmm\t, xmm\x, xmm\previous, 4
	vpaddd	xmm\t, xmm\t, xmm\m
	.else
	movdqa	xmm\t, xmm\x
	palignr	xmm\t, xmm\previous, 4
	paddd	xmm\t, [rsp + 16 * \m]
	.endif
.endm

/* W+K, and its upper half; without _vl `first` and `second` make them. */
.macro add_k u
	.if	(\u >= 0) && (\u < 16 * n)
	add_k_regs %(w_at + \u % w_count), %(x_at + \u % x_count), %(\u / n)
	.endif
.endm

.macro add_k_regs w, x, j
	vpaddd	xmm\w, xmm\x, [rax + 16 * \j]
.endm

.macro upper u
	.if	(\u >= 0) && (\u < 16 * n)
	upper_regs %(v_at + \u % w_count), %(w_at + \u % w_count)
	.endif
.endm

.macro upper_regs v, w
	vpshufd	xmm\v, xmm\w, 0x0e
.endm

/* Rounds 4j, 4j+1. */
.macro first u
	.if	(\u >= 0) && (\u < 16 * n)
	first_regs %(1 + 2 * (\u % n)), %(2 + 2 * (\u % n)),		\
		%(w_at + \u % w_count), %(x_at + \u % x_count), %(\u / n)
	.endif
.endm

.macro first_regs abef, cdgh, w, x, j
	.if	vl
	vmovdqa32 xmm0, xmm\w
	.else
	movdqa	xmm0, [rax + 16 * \j]
	paddd	xmm0, xmm\x
	.endif
	sha256rnds2 xmm\cdgh, xmm\abef, xmm0
.endm

/* Rounds 4j+2, 4j+3. */
.macro second u
	.if	(\u >= 0) && (\u < 16 * n)
	second_regs %(1 + 2 * (\u % n)), %(2 + 2 * (\u % n)),		\
		%(v_at + \u % w_count)
	.endif
.endm

.macro second_regs abef, cdgh, v
	.if	vl
	vmovdqa32 xmm0, xmm\v
	.else
	pshufd	xmm0, xmm0, 0x0e
	.endif
	sha256rnds2 xmm\abef, xmm\cdgh, xmm0
.endm

/*
 * Slots.  The minimum of x_count is the lead of `load` before `msg1`, plus N; the
 * minima of t_count and w_count are the leads of `sum` and `add_k` before their
 * users.
 */

.macro slot_x4_vl t
	second	%(\t - 3)
	sum	%(\t + 3)
	msg1	%(\t + 2)
	load	%(\t + 5)
	add_k	%(\t)
	upper	%(\t - 1)
	first	%(\t - 1)
.endm

.macro slot_x3_vl t
	add_k	%(\t - 1)
	sum	%(\t + 2)
	second	%(\t - 2)
	first	%(\t - 1)
	load	%(\t + 4)
	msg1	%(\t - 1)
	upper	%(\t - 1)
.endm

.macro slot_x3 t
	second	%(\t - 1)
	msg1	%(\t)
	load	%(\t + 3)
	sum	%(\t + 2)
	first	%(\t)
.endm

.macro slot_x2 t
	second	%(\t - 1)
	msg1	%(\t)
	load	%(\t + 2)
	sum	%(\t + 1)
	first	%(\t)
.endm

.macro slot_x1 t
	second	%(\t - 1)
	msg1	%(\t)
	load	%(\t + 1)
	sum	%(\t + 1)
	first	%(\t)
.endm

/* States.  Lanes of a register, lowest first: a b c d | e f g h <->
 * f e b a | h g d c; the same two shuffles lead there and back. */

.macro state_load_regs stream, abef, cdgh
	movups	xmm0, [rdi + 32 * \stream]
	movups	xmm\cdgh, [rdi + 32 * \stream + 16]
	movaps	xmm\abef, xmm\cdgh
	shufps	xmm\abef, xmm0, 0x11
	shufps	xmm\cdgh, xmm0, 0xbb
.endm

.macro state_store_regs stream, abef, cdgh
	movaps	xmm0, xmm\abef
	shufps	xmm0, xmm\cdgh, 0xbb
	shufps	xmm\abef, xmm\cdgh, 0x11
	movups	[rdi + 32 * \stream], xmm0
	movups	[rdi + 32 * \stream + 16], xmm\abef
.endm

.macro state_save_regs stream, abef, cdgh
	movdqa	[rsp + 32 * \stream], xmm\abef
	movdqa	[rsp + 32 * \stream + 16], xmm\cdgh
.endm

.macro state_add_regs stream, abef, cdgh
	paddd	xmm\abef, [rsp + 32 * \stream]
	paddd	xmm\cdgh, [rsp + 32 * \stream + 16]
.endm

.macro each_state what
	stream = 0
	.rept	n
	state_\what\()_regs %stream, %(1 + 2 * stream), %(2 + 2 * stream)
	stream = stream + 1
	.endr
.endm

.macro load_pointers
	stream = 0
	.rept	n
	load_pointer %stream, %(8 + stream)
	stream = stream + 1
	.endr
.endm

.macro load_pointer stream, pointer
	mov	r\pointer, [rsi + 8 * \stream]
.endm

/* The slots of a block, and before and after them those in which the pipeline
 * fills and drains: \ahead and \behind are the greatest distances in \slot. */
.macro all_slots slot, ahead, behind
	slot_now = -\ahead
	.rept	16 * n + \ahead + \behind
	\slot	%slot_now
	slot_now = slot_now + 1
	.endr
.endm

/* Uses n, vl and the register map, which are set before. */
.macro kernel name, slot, ahead, behind
	x_at = 1 + 2 * n
	.if	vl
	frame = 32 * n + 8
	.else
	/* Places of M, in units of 16 bytes from rsp. */
	m_at = 2 * n
	m_count = 2 * n
	frame = 32 * n + 16 * m_count + 8
	t_at = 14
	t_count = 2
	.endif

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
	vmovdqa32 xmm31, [rip + byte_swap]
	.endif
	load_pointers
	lea	rax, [rip + sha256_k]
	xor	ecx, ecx
	shl	rdx, 6
	each_state load
	.balign	64
.L\name\()_block:
	each_state save
	.if	n == 1
	/* The data of a single message may lie in the cache of the core whose
	 * thread has read them ahead. */
	prefetcht0 [r8 + rcx + 512]
	.endif
	all_slots \slot, \ahead, \behind
	add	rcx, 64
	each_state add
	cmp	rcx, rdx
	jne	.L\name\()_block
	each_state store
	add	rsp, frame
	.cfi_adjust_cfa_offset -frame
	ret
	.cfi_endproc
	.size	\name, . - \name
.endm

	vl = 0
	x_count = 7
	w_at = 0	/* w and v are for the _vl ones only */
	v_at = 0
	w_count = 1

	n = 1
	kernel	sha256_sha_x1, slot_x1, 1, 1
	n = 2
	kernel	sha256_sha_x2, slot_x2, 2, 1
	n = 3
	kernel	sha256_sha_x3, slot_x3, 3, 1

	vl = 1

	x_count = 9
	m_at = 16
	m_count = 3
	t_at = 19
	t_count = 2
	w_at = 21
	v_at = 22
	kernel	sha256_sha_x3_vl, slot_x3_vl, 4, 2

	n = 4
	x_count = 7
	m_at = 16
	m_count = 8
	t_at = 24
	t_count = 3
	w_at = 27
	v_at = 29
	w_count = 2
	kernel	sha256_sha_x4_vl, slot_x4_vl, 5, 3

#endif

	.section .note.GNU-stack, "", %progbits
