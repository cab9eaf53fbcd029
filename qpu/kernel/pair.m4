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
# A rotation by 14 brings values across, which is right in lanes A; lanes B
# rotate by 2 more.
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
# Structure of a block
#	pair_heavy	16 rounds and 8 pairs of new words, three times
#	pair_light	8 rounds and 4 pairs of the next block's words, twice
#	end		hash value, counters
# The first two are in pair_rounds.m4, an operation a line; pair_hot.m4 has them as
# make search has scheduled them, with a comment for each operation.  What goes to
# the mul ALU there, and how, is said in optimised.m4.
#
# A pass asks for what the next one needs: when a thread begins a pass, four
# pairs of K and of data are on their way.
#
# Registers: pair_map.m4; ra0..ra9, rb0..rb16 and r0..r4 are temporaries.
#	state_0..3	s0..s3 when a pass starts
#	chain_0..3	hash value
#	w_0..7 x_0..6	the window
#	sigma_0..2	the rotations of Sigma
#	power_k		2^k
#	ones		0xffff
#	k_index		offset in K of the pass
#	data		offset in the data memory of the pairs to ask for
#	left		blocks of the lane to come after this one; < 0: none is
#			left, the hash value stays
#	passes		0 in A lanes, so that Z says which lane this is; in B
#			lanes the top bit of what is shifted out: once more
#	parity		A: 0, B: 4
divert(-1)
define(`even', `ra0')
define(`later', `ra1')
define(`turns', `r3')
define(`step', `r0')
define(`began', `ra2')
define(`table', `rb0')
define(`block', `r3')
define(`k_clamped', `r0')
# ask(tmu, memory, offset): by the index of the memory in a register of its name
define(`ask', `add t$1s, ifelse($2, K, k_clamped, $2, DATA, block, table), uniform(BASE, $2, $3)')
# first(k, j): the word in r4 begins to be w_k; the bytes of the word before, w_j,
# come together: no byte of v8subs, v8min and v8adds carries
define(`first', `
	ror r1, r4, 8ifelse($2, `', `', `; v8adds w_$2, r1, r2')
	ror r2, r4, 24; v8subs r1, r1, even')
# crossed(k, j): x_k from w_k and w_j
define(`crossed', `
	v8min.rot 14, x_$1, w_$1, w_$1
	v8min.ifnz.rot 2, x_$1, w_$2, w_$2')
divert(to_code)dnl
# ---- once a thread: its row of the table, on TMU 1 as K; data are on TMU 0 ----
	shl r0, y_coord, uniform(WIDTH)
	add r0, x_coord, r0
	shl r0, r0, 5			# rows of 32 bytes
	max r0, r0, 0
	min table, r0, uniform(CLAMP, TABLE, 24)
	and.setf r1, elem_num, 2	# Z: A lane; r1 is 0 there, and 2 in B
	ask(1, TABLE, 0); v8adds r0, r1, r1
	ask(1, TABLE, 8); v8adds r2, r0, r0
	ask(1, TABLE, 12); v8adds r2, r2, r2
	ask(1, TABLE, 16); v8min k_index, r0, r0
	add sigma_1, r0, -13		# 19 or 23, modulo 32
	add sigma_2, r2, 6
	ldi sigma_0, 18
	ldi.ifnz sigma_0, 21
	ldi power_13, r2, 1 << 13
	ldi data_step, 32
	ldi even, 0x00ff00ff
# ---- the rest of the row, and four lookups of the first block ----
	add r0, r2, r2; v8adds power_14, r2, r2; ldtmu1
	max r3, r4, 0; v8min began, r4, r4
	ask(1, TABLE, 20)
	min block, r3, uniform(CLAMP, DATA, 92); ldtmu1
	ask(1, TABLE, 4); v8min state_0, r4, r4
	ask(0, DATA, 0); v8min chain_0, r4, r4
	add power_15, r0, r0; ldtmu1
	ask(0, DATA, 8); v8min state_1, r4, r4
	ask(0, DATA, 16); v8min chain_1, r4, r4
	mul24 later, uniform(DELAY), qpu_num; ldtmu1
	ask(0, DATA, 24); v8min state_2, r4, r4
	max r0, k_index, 0; v8min parity, k_index, k_index
	min k_clamped, r0, uniform(CLAMP, K, 28); v8min chain_2, r4, r4; ldtmu1
	ask(1, K, 0); v8min state_3, r4, r4
	ask(1, K, 8); v8min chain_3, r4, r4
	ask(1, K, 16)
	ldtmu1
	sub left, r4, 1; v8subs passes_begin, r4, r4
	ask(1, K, 24)
	ldi.ifnz passes_begin, 0x68000001
# ---- its words; what the light pass loads first is asked for ----
	ldtmu0
	first(0)
	ask(0, DATA, 32); v8min r2, r2, even
	ldtmu0
	first(1, 0)
	ask(0, DATA, 40); v8min r2, r2, even
	ldtmu0
	first(2, 1)
	ask(0, DATA, 48); v8min r2, r2, even
	ldtmu0
	first(3, 2)
	ask(0, DATA, 56); v8min r2, r2, even
	ldtmu0
	first(4, 3)
	ask(0, DATA, 64); v8min r2, r2, even
	add r0, began, data_step; v8adds power_6, data_step, data_step; ldtmu0
	first(5, 4)
	ask(0, DATA, 72); v8min r2, r2, even
	add data, r0, power_6; mov step, uniform(STEP); ldtmu0
	first(6, 5)
	ask(0, DATA, 80); v8min r2, r2, even
	ldtmu0
	first(7, 6)
	ask(0, DATA, 88); v8min r2, r2, even
	add turns, later, uniform(TURNS); v8adds w_7, r1, r2
	crossed(0, 1)
	crossed(1, 2)
	crossed(2, 3)
	crossed(3, 4)
	crossed(4, 5)
	crossed(5, 6)
	crossed(6, 7)
# ---- wait, or add if step is not 0 ----
:delay
	sub.setf turns, turns, 1
	brr.allnn -, r:delay
	add chain_0, chain_0, step
	add chain_1, chain_1, step
	mov.setf -, left
	brr.alln -, r:done		# no lane has a block
	ldi r1, 0xffff
	mov r5rep, r1			# ones
	mov.setf passes, passes_begin
ifdef(`UNSCHEDULED',`include(`qpu/kernel/pair_rounds.m4')',`include(`qpu/kernel/pair_hot.m4')')dnl
divert(to_code)dnl
# end: 11 instructions, once a block
	mov.setf -, left; v8min k_index, parity, parity
	add r0, chain_0, state_0
	add r1, chain_1, state_1; mov.ifnn chain_0, r0
	add r2, chain_2, state_2; mov.ifnn chain_1, r1
	add r3, chain_3, state_3; mov.ifnn chain_2, r2
	mov state_0, r0; mov.ifnn chain_3, r3
	sub.setf left, left, 1
	brr.anynn -, r:pair_heavy
	mov state_1, r1
	mov state_2, r2
	mov state_3, r3; mov.setf passes, passes_begin
# ---- what was asked for a block that never comes; the four samples ----
:done
	ldtmu0
	ldtmu0
	ldtmu0
	ldtmu0
	ldtmu1
	ldtmu1
	ldtmu1
	ldtmu1
	mov tlbm, chain_0
	mov tlbm, chain_1
	mov tlbm, chain_2
	mov tlbm, chain_3; thrend
	nop
	sbdone
divert(-1)
# The branch back to the first reset leaves the stream at this word.
uniform(ADDRESS)
divert(to_code)dnl
