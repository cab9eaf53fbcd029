dnl SPDX-License-Identifier: MIT
dnl pair_hot: a block of the pair kernel, by hand.
divert(-1)
define(`even', `rb0')
define(`clamped', `rb1')
define(`wk_even', `ra0')
define(`wk_odd', `rb2')
dnl repeat(name, from, to, text)
define(`repeat', `ifelse(eval(($2) > ($3)), 1, `', `pushdef(`$1', `$2')$4`'popdef(`$1')repeat(`$1', incr($2), $3, `$4')')')
dnl s(i, t): register of state i at round t
define(`s', `indir(`state_'eval((($1) - ($2) + 64) % 4))')
define(`w', `indir(`w_'eval(($1) % 8))')
dnl x(k): x_k and x_(k+8) share a register; x_7 has its own
define(`x', `ifelse(eval(($1) % 8), 7, `ra9', `indir(`x_'eval(($1) % 8))')')
dnl crossed(to, a, b): A lanes have a from B, B lanes b from A
define(`crossed', `
	nop; v8min.rot 14, $1, $2, $2
	nop; v8min.ifnz.rot 2, $1, $3, $3')
dnl reset: the uniforms of this place again, and again for each pass
define(`reset', `
	ldi r1, uniforms_here
	add unif_addr, r1, uniform(ADDRESS)
	nop')
define(`ask_k', `
	add t1s, clamped, uniform(BASE, K, eval(8 * ($1)))')
define(`ask_data', `
	add t0s, clamped, uniform(BASE, DATA, eval(8 * ($1)))')
dnl round(t, wk): r0 is s0; another instruction may stand in its gap
define(`round', `
	and r2, r0, s(1, $1); v8min s(0, $1), r0, r0
	xor r3, r0, s(1, $1)
	ror r1, r0, sigma_1
	xor r1, r0, r1; v8subs.ifz r3, -1, r0
	ror r1, r1, sigma_2
	xor r1, r0, r1
	and r3, s(2, $1), r3
	ror r1, r1, sigma_3; v8adds r2, r2, r3
	add.ifz r2, r2, s(3, $1); v8min.rot 14, r3, s(3, $1), s(3, $1)
	add.ifz r2, r2, $2
	add r1, r1, r2
	$3
	nop; v8min.ifnz.rot 2, r3, r1, r1
	add r0, r1, r3')
dnl rounds(k): 2k and 2k + 1, with the constants of k asked for
define(`rounds', `
	ldtmu1
	add wk_even, w($1), r4
	ask_k($1 + 4)
	round(eval(2 * ($1)), wk_even,
		`nop; v8min.rot 14, wk_odd, wk_even, wk_even')
	round(eval(2 * ($1) + 1), wk_odd, `nop')')
dnl schedule(k): w_(k+8) and x_(k+7); s0 goes through its register
define(`schedule', `
	mov s(0, eval(2 * ($1) + 2)), r0
	ror r1, x($1), 7
	ror r2, x($1), -14
	xor r1, r1, r2
	shr r2, x($1), 3
	xor r1, r1, r2
	ror r2, w($1 + 7), -15
	ror r3, w($1 + 7), -13
	xor r2, r2, r3
	shr r3, w($1 + 7), 10
	xor r2, r2, r3
	add r1, r1, x($1 + 4)
	add r2, r2, w($1)
	add r1, r1, r2; v8min.rot 14, x($1 + 7), w($1 + 7), w($1 + 7)
	mov w($1), r1
	nop; v8min.ifnz.rot 2, x($1 + 7), r1, r1
	mov r0, s(0, eval(2 * ($1) + 2))')
dnl word(k): w_k from memory, its bytes swapped, and word k + 4 asked for
define(`word', `
	ldtmu0
	ror r1, r4, 8
	ror r2, r4, 24
	v8subs r1, r1, even; v8min r2, r2, even
	v8adds w($1), r1, r2
	ifelse(eval($1 < 4), 1, `ask_data(eval($1 + 4))')')
divert(to_code)dnl
	ldi even, 0x00ff00ff
	nop
:block
	reset
	mov.setf passes, passes_begin	# Z: A lane
	max r1, data, 0
	min clamped, r1, uniform(CLAMP, DATA, 60)
	nop
repeat(`i', 0, 3, `ask_data(i)')
repeat(`i', 0, 7, `word(i)')
repeat(`i', 0, 6, `crossed(x(i), w(i), w(eval(i + 1)))')
	mov k_index, parity
	ldi r1, 64
	add data, data, r1
	mov r0, state_0
:heavy
	reset
	max r1, k_index, 0
	min clamped, r1, uniform(CLAMP, K, 92)
	nop
repeat(`i', 0, 3, `ask_k(i)')
repeat(`i', 0, 7, `rounds(i)`'schedule(i)')
repeat(`i', 0, 3, `
	ldtmu1')
	ldi r1, 64
	add k_index, k_index, r1
	shl.setf passes, passes, 1
	brr.anyn -, r:heavy
	nop
	nop
	nop
# the last 16 rounds
	reset
	max r1, k_index, 0
	min clamped, r1, uniform(CLAMP, K, 92)
	nop
repeat(`i', 0, 3, `ask_k(i)')
repeat(`i', 0, 7, `rounds(i)')
repeat(`i', 0, 3, `
	ldtmu1')
	mov state_0, r0
	nop
	mov.setf r3, left
	add r0, chain_0, state_0
	add r1, chain_1, state_1; mov.ifnn chain_0, r0
	mov state_0, r0; mov.ifnn chain_1, r1
	add r2, chain_2, state_2; mov state_1, r1
	add r0, chain_3, state_3; mov.ifnn chain_2, r2
	mov state_2, r2; mov.ifnn chain_3, r0
	sub.setf left, r3, 1
	brr.anynn -, r:block
	mov state_3, r0
	nop
	nop
