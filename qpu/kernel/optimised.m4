dnl SPDX-License-Identifier: MIT
include(`qpu/kernel/abi.m4')dnl
include(`qpu/kernel/optimised_map.m4')dnl
# optimised: SHA-256 in 1750 instructions a block of 16 lanes, 412 of them
# different; with the end of a segment 462, so that all fit the instruction
# cache (512).
#
# Structure of a block
#	heavy	8 rounds and 8 schedule words, six times (rounds 0..47)
#	light	8 rounds and 8 words of the next block, twice (48..63)
#	end	hash value, counter, K from the start again
# The three are in optimised_rounds.m4, an operation a line; optimised_hot.m4 has
# them as make search has scheduled them, with a comment for each operation.  The rest is written down as it is meant, and
# qpuasm -O makes 127 of the 222 instructions before the loop.
#
# What makes it short: SHA-256 keeps the add ALU busy, so work goes to the mul
# ALU, which has no shifts and no logic but min, saturating byte additions and
# a 24-bit product.
#	ror 17..24	upper = x.16b & 0xffff; P = upper*2^n, L = x*2^n with
#			n = 32 - count; L + P.16b
#	Ch		(e & f) + (g - (e & g)): no byte carries
#	Sigma0		ror22(a ^ ror23(a ^ ror21(a))), so are two of its
#			rotations 17..24; Sigma1 ror6(e ^ ror19(e ^ ror18(e)));
#			or ror22(a) ^ ror13(a ^ ror21(a)), with one upper
#	shr 10		upper*2^6 + (x.8b*2^6).8b
#	shr 3		upper*2^13, its lower half replaced by (x*2^13).16b
#	Maj		((a^b) & (b^c)) ^ b; a^b is the next round's b^c
#	byte swap	four moves, which unpack and pack a byte each
#
# Names, not data, move: a new e takes the register of the dying d, a new a
# the register of h; after 8 rounds all names are back.  The window moves by 8 words a
# pass: after round t has used w_t it becomes w_(t+8), which takes the new
# word.  The light pass puts words of the next block there.
#
# When a segment has ended (left = -1) nothing of the pipeline is drained: the
# window holds the next block, the first four words of the one after it are
# asked for, and r4 holds 2^13.  So the loop goes on where it was, after the
# state is stored and the lanes that begin a message have the initial value.
#
# Uniforms: job, constants; then K[0..63] and, as word 64 of the same table, its
# address, which the end section writes to unif_addr; between segments the line
# of the record.
#
# Registers: optimised_map.m4; ra0..ra7, rb0..rb9 and r0..r3 are temporaries.
#	state_0..7	working variables a..h when a pass starts
#	chain_0..7	hash value
#	w_0..15		schedule window
#	power_k		2^k
#	ones		0xffff
#	constant	address of a word that is 2^13, for r4: the heavy pass
#			multiplies by it without a port of a register file
#	data		addresses of the lanes: of word 20 of the block
#	left		blocks of the segment to come after this one
#	passes		a nibble for each pass of a block, top bit: once more
#	b_xor_c		of the first round of a pass
#	job		address of the next record
#	proof		the sum for the seal (abi.h); the loop leaves rb10 alone

define(`proof', `rb10')dnl
define(`even', `rb0')dnl			a temporary, until the loop begins
dnl chain_in(i): one row of the state, to the chaining value and the state
define(`chain_in', `
	mov r2, vpm
	mov chain_$1, r2
	mov state_$1, r2')dnl
dnl word_request: ask for the word at r3 of every lane, and step on
define(`word_request', `
	mov t0s, r3
	add r3, r3, 4')dnl
dnl word_receive(i): the oldest word asked for, bytes swapped: no byte of v8subs
dnl and v8min carries.  uses r0 r2 r4
define(`word_receive', `
	ldtmu0
	ror r0, r4, 8
	ror r2, r4, 24
	v8subs r0, r0, even
	v8min r2, r2, even
	v8adds w_$1, r0, r2')dnl
dnl
# ---- once: job block, constants, the first block's words ----
	mov r0, unif			# job
	mov r1, unif			# constants
	job_open(r0)
	chain_in(0)
	chain_in(1)
	chain_in(2)
	chain_in(3)
	chain_in(4)
	chain_in(5)
	chain_in(6)
	chain_in(7)
	mov data, vpm
	mov r2, vpm
	sub left, r2, 1
	job_close
	ldi r2, KERNEL_JOB_BYTES
	add job, r0, r2
	ldi power_6, 1 << 6
	ldi power_9, 1 << 9
	ldi power_10, 1 << 10
	ldi power_11, 1 << 11
	ldi power_13, 1 << 13
	ldi power_14, 1 << 14
	ldi power_15, 1 << 15
	ldi r2, 0xffff
	mov r5rep, r2			# ones
	ldi even, 0x00ff00ff
	ldi passes, 0x08088888		# five times heavy, one light again
	ldi r0, 0
	proof_state(chain_0, chain_1, chain_2, chain_3,
		    chain_4, chain_5, chain_6, chain_7)
	mov proof, r0
	mov unif_addr, r1
	ldi r2, 260			# word 65
	add constant, r1, r2
	mov r2, state_1
	xor b_xor_c, r2, state_2
	mov r3, data
	word_request
	word_request
	word_request
	word_request
	word_receive(0)
	word_request
	word_receive(1)
	word_request
	word_receive(2)
	word_request
	word_receive(3)
	word_request
	word_receive(4)
	word_request
	word_receive(5)
	word_request
	word_receive(6)
	word_request
	word_receive(7)
	word_request
	word_receive(8)
	word_request
	word_receive(9)
	word_request
	word_receive(10)
	word_request
	word_receive(11)
	word_request
	word_receive(12)
	word_request
	word_receive(13)
	word_request
	word_receive(14)
	word_request
	word_receive(15)
	word_request
	mov data, r3
	mov t1s, constant
	ldtmu1				# r4: 2^13
	.align KERNEL_CODE_ALIGN
ifdef(`UNSCHEDULED',`:hot
include(`qpu/kernel/optimised_rounds.m4')',`	.noschedule
:hot
include(`qpu/kernel/optimised_hot.m4')	.schedule
')dnl
# ---- the end of a segment ----
	record_store(job, chain_0, chain_1, chain_2, chain_3,
		     chain_4, chain_5, chain_6, chain_7)
	record_step(job)
	mov r0, proof			# while the DMA is under way
	proof_state(chain_0, chain_1, chain_2, chain_3,
		    chain_4, chain_5, chain_6, chain_7)
	ldi r1, KERNEL_AHEAD_BYTES
	sub r1, data, r1
	proof_add(r1)
	mov r1, unif
	shl.setf -, r1, elem_num	# N: a message begins in this lane
	proof_add(r1)
	ldi chain_0.n, state_0.n, initial(0)
	ldi.ifn chain_1, initial(1)
	ldi.ifn state_1, initial(1)
	ldi chain_2.n, state_2.n, initial(2)
	ldi chain_3.n, state_3.n, initial(3)
	ldi chain_4.n, state_4.n, initial(4)
	ldi chain_5.n, state_5.n, initial(5)
	ldi chain_6.n, state_6.n, initial(6)
	ldi.ifn chain_7, initial(7)
	ldi.ifn state_7, initial(7)
	ldi.ifn b_xor_c, initial(1) ^ initial(2)
	mov.setf left, unif
	mov r1, unif			# K, or what comes after the last segment
	add proof, r0, r1
	brr.anynn -, r:hot
	mov unif_addr, r1
	record_done
:cold
# ---- at the end: the requests of a block that never comes, and the seal ----
	ldtmu0
	ldtmu0
	ldtmu0
	ldtmu0
	ldi r3, KERNEL_AHEAD_BYTES
	sub ra0, data, r3
	nop
	launch_close(job, ra0, proof)
