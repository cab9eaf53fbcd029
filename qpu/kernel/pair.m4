dnl SPDX-License-Identifier: MIT
include(`qpu/kernel/pair_map.m4')dnl
dnl
dnl uniform(kind[, memory, word]): read the next word of the stream.  With
dnl -DPAIR_UNIFORMS the rows of pair_uniforms come out, not the program.
define(`PAIR_COUNT', 0)dnl
ifdef(`PAIR_UNIFORMS', `define(`to_code', -1)define(`to_rows', 0)',
	`define(`to_code', 0)define(`to_rows', -1)')dnl
define(`uniform', `define(`PAIR_COUNT', incr(PAIR_COUNT))unif`'divert(to_rows)UNIFORM($1, ifelse($2, `', TABLE, $2), ifelse($3, `', 0, $3))
divert(to_code)')dnl
dnl uniforms_here: what a write to unif_addr adds to the address it reads next
define(`uniforms_here', `eval(4 * (PAIR_COUNT + 1))')dnl
divert(to_code)dnl
# pair: SHA-256 as a fragment shader, two lanes a message.
#
# Lanes 4q and 4q+1 of a quad, the A lanes, have e f g h of two messages; the
# lanes 4q+2 and 4q+3 beside them, the B lanes, a b c d.  With s0..s3 the state
# of a lane, a round is the same in both but for constants and predicates:
#
#	Sigma	ror(s0 ^ ror(s0 ^ ror(s0, c1), c2), c3)
#		A: Sigma1 by 18 19 6, B: Sigma0 by 21 23 22
#	Ch|Maj	(s0 & s1) + (s2 & p); A: p = ~s0, B: p = s0 ^ s1
#	sum	of both, in A with s3 + W + K: T1|T2
#	new s0	sum + (A: d = s3 of B, B: T1 = sum of A)
#
# What crosses turns all 16 lanes by 14, which is right in A, and then by 2
# where the lane is B.
#
#	w_k	A: W(2k), B: W(2k+1)	two words of the schedule at once
#	x_k	A: W(2k+1), B: W(2k+2)
#	w_(k+8)	w_k + sigma0(x_k) + x_(k+4) + sigma1(w_(k+7))
#	K	loaded like the data, two words at once; odd rounds turn w_k + K
#
# The kernel's driver allows no uniforms that walk, so a pass reads the same
# ones each time: its first instructions reset the stream, and clamp the index
# of its loads.
#
# Registers: pair_map.m4.
#	state_0..3	s0..s3 when a pass starts
#	chain_0..3	hash value
#	w_0..7 x_0..6	the window; x_7 is made from w_7 and the new word
#	sigma_1..3	the rotations of Sigma
#	k_index		offset in K of the pass
#	data		offset in the data memory
#	left		blocks of the lane to come after this one; < 0: none is
#			left, the hash value stays
#	passes		0 in A lanes, so that Z says which lane this is; in B
#			lanes the top bit of what is shifted out: once more
#	parity		A: 0, B: 4
divert(-1)
dnl per_lane(register, a, b): a constant of A and one of B lanes; Z is set.
define(`per_lane', `
	ldi r0, $2
	ldi.ifnz r0, $3
	mov $1, r0')
divert(to_code)dnl
ifdef(`PAIR_COMPUTE', `
# For a test on a machine without pixels: one thread, 8 x 2 of them.
	shr r0, elem_num, 2
	shl r0, r0, 1
	and r1, elem_num, 1
	add r0, r0, r1
	shr r1, elem_num, 1
	and r1, r1, 1
	shl r1, r1, uniform(WIDTH)
	add r0, r0, r1
', `
	nop
	shl r0, y_coord, uniform(WIDTH)
	add r0, x_coord, r0
')dnl
	shl r0, r0, 5			# rows of 32 bytes
	max r0, r0, 0
	min r2, r0, uniform(CLAMP, TABLE, 24)
	add t0s, r2, uniform(BASE, TABLE, 0)
	add t0s, r2, uniform(BASE, TABLE, 4)
	add t0s, r2, uniform(BASE, TABLE, 8)
	add t0s, r2, uniform(BASE, TABLE, 12)
	add t1s, r2, uniform(BASE, TABLE, 16)
	add t1s, r2, uniform(BASE, TABLE, 20)
	mov ra0, uniform(DELAY)
	and.setf -, elem_num, 2		# Z: A lane
	per_lane(sigma_1, 18, 21)
	per_lane(sigma_2, 19, 23)
	per_lane(sigma_3, 6, 22)
	per_lane(passes_begin, 0, 0x60000001)
	per_lane(parity, 0, 4)
	ldtmu0
	mov data, r4
	ldtmu0
	sub left, r4, 1
	ldtmu0
	mov state_0, r4; v8min chain_0, r4, r4
	ldtmu0
	mov state_1, r4; v8min chain_1, r4, r4
	ldtmu1
	mov state_2, r4; v8min chain_2, r4, r4
	ldtmu1
	mov state_3, r4; v8min chain_3, r4, r4
	mul24 r0, ra0, qpu_num
	sub.setf r0, r0, 1
:delay
	brr.allnn -, r:delay
	sub.setf r0, r0, 1
	nop
	nop
include(`qpu/kernel/pair_hot.m4')dnl
divert(to_code)dnl
# ---- the four samples ----
ifdef(`PAIR_COMPUTE', `
	mov ra0, uniform(ADDRESS)
	mov ra0, unif			# where the results go
	mov r0, mutex
	ldi vw_setup, (1 << 12 | 0xa00)
	mov vpm, chain_0
	mov vpm, chain_1
	mov vpm, chain_2
	mov vpm, chain_3
	ldi vw_setup, (3 << 30)
	ldi vw_setup, (2 << 30 | 4 << 23 | 16 << 16 | 1 << 14)
	mov vw_addr, ra0
	nop
	nop
	nop
	mov r0, vw_wait
	mov mutex, 0
	thrend
	nop
	nop
', `
	mov tlbm, chain_0
	mov tlbm, chain_1
	mov tlbm, chain_2
	mov tlbm, chain_3
	thrend
	nop
	sbdone
divert(-1)
# The branch back to the first reset leaves the stream at this word.
uniform(ADDRESS)
divert(to_code)dnl
')dnl
