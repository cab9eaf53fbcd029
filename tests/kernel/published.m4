dnl SPDX-License-Identifier: MIT
include(`qpu/kernel/abi.m4')dnl
# published: SHA-256 in the style of the fastest kernel published so far, our
# own code for its structure: the baseline for the cycle model and for plots.
#
#	a loop over the 64 rounds that moves the working variables
#	a branch by register into 16 load bodies of 5 instructions, then three
#	times through 16 schedule bodies of 18
#	K by TMU, one request a round; blocks by DMA through the VPM
#	one operation an instruction, empty delay slots
#
# One difference to the ABI: the blocks of the 16 lanes lie side by side.
# data[lane] = data[0] + 64 * lane, and a lane's next block is 1024 further.
#
#	ra0..ra15	w_0..w_15	rb0	b	rb16	constants
#	ra16		a		rb1	c	rb17	step
#	ra17		e		rb2	d	rb18	rounds of the turn
#	ra18		f		rb4	g	rb19	turns
#	ra19		data		rb5	h	rb20	even
#	ra20		left		rb8..rb15	chain_0..chain_7
#	ra22		body (even: a branch by an odd one sets flags)
#	ra24		address of K	ra26 job	ra27 proof
#	r0		the word, then T1	r1..r3	temporaries	r4	K

define(`word', `ra`'eval(($1) % 16)')dnl
define(`chain', `rb`'eval(8 + $1)')dnl
define(`v_a', `ra16')define(`v_b', `rb0')define(`v_c', `rb1')dnl
define(`v_d', `rb2')define(`v_e', `ra17')define(`v_f', `ra18')dnl
define(`v_g', `rb4')define(`v_h', `rb5')dnl
define(`data', `ra19')define(`left', `ra20')define(`body', `ra22')dnl
define(`k_addr', `ra24')define(`job', `ra26')dnl
define(`proof', `ra27')dnl
define(`constants', `rb16')define(`step', `rb17')dnl
define(`rounds', `rb18')define(`turns', `rb19')define(`even', `rb20')dnl
define(`LOAD_BYTES', `40')define(`SCHEDULE_BYTES', `144')dnl
define(`repeat', `ifelse(eval(($2) > ($3)), 1, `', `pushdef(`$1', `$2')$4`'popdef(`$1')repeat(`$1', incr($2), $3, `$4')')')dnl
dnl
dnl load_body(i): r0 = w_i, its bytes swapped; 5 instructions
define(`load_body', `
	ror r1, word($1), 8
	brr -, r:round
	ror r2, word($1), 24
	v8subs r1, r1, even; v8min r2, r2, even
	or word($1), r1, r2; v8adds r0, r1, r2')dnl
dnl
dnl schedule_body(i): r0 = w_i = the word 16 further; 18 instructions
define(`schedule_body', `
	ror r1, word($1 + 1), 7
	ror r2, word($1 + 1), 18
	xor r1, r1, r2
	shr r2, word($1 + 1), 3
	xor r0, r1, r2
	ror r1, word($1 + 14), 17
	ror r2, word($1 + 14), 19
	xor r1, r1, r2
	shr r2, word($1 + 14), 10
	xor r1, r1, r2
	add r0, r0, r1
	add r0, r0, word($1 + 9)
	add r0, r0, word($1)
	brr -, r:round
	mov word($1), r0
	nop
	nop
	nop')dnl

	ldi proof, 0
:begin
	mov job, unif
	mov constants, unif
	job_open(job)
	repeat(`i', 0, 7, `
	mov chain(i), vpm')
	mov data, vpm
	mov r2, vpm
	sub left, r2, 1
	job_close
	ldi r2, KERNEL_JOB_BYTES
	add job, job, r2
	mov r0, proof
	proof_state(chain(0), chain(1), chain(2), chain(3),
		    chain(4), chain(5), chain(6), chain(7))
	mov proof, r0
	ldi even, 0x00ff00ff

:block
	mov r2, mutex
	ldi vr_setup, vdr_rows(0)	# 16 rows: a row is a block
	mov vr_addr, data
	mov v_a, chain(0)
	mov v_b, chain(1)
	mov v_c, chain(2)
	mov v_d, chain(3)
	mov v_e, chain(4)
	mov v_f, chain(5)
	mov v_g, chain(6)
	mov v_h, chain(7)
	mov r2, vr_wait
	ldi vr_setup, 1 << 12 | 0x200	# 16 columns: one word of all lanes
	mov r3, constants
	mov t0s, r3			# K of the first round
	add k_addr, r3, 4
	repeat(`i', 0, 15, `
	mov word(i), vpm')
	mov mutex, 0
	ldi turns, 4
	ldi body, 0
	ldi step, LOAD_BYTES
:turn
	ldi rounds, 16
	nop
	brr -, body, r:bodies
	nop
	nop
	nop

:round
	nop; ldtmu0
	add r0, r0, r4			# T1 = w + K + h
	add r0, r0, v_h
	xor r1, v_f, v_g		# + Ch(e, f, g)
	and r1, r1, v_e
	xor r1, r1, v_g
	add r0, r0, r1
	ror r1, v_e, 6			# + Sigma1(e)
	ror r2, v_e, 11
	xor r1, r1, r2
	ror r2, v_e, 25
	xor r1, r1, r2
	add r0, r0, r1
	mov v_h, v_g
	mov v_g, v_f
	mov v_f, v_e
	add v_e, v_d, r0
	ror r1, v_a, 2			# T2 = Sigma0(a)
	ror r2, v_a, 13
	xor r1, r1, r2
	ror r2, v_a, 22
	xor r1, r1, r2
	add r0, r0, r1
	and r1, v_a, v_b		# + Maj(a, b, c)
	or r2, v_a, v_b
	and r2, r2, v_c
	or r1, r1, r2
	mov v_d, v_c
	mov v_c, v_b
	mov v_b, v_a
	add v_a, r0, r1
	mov t0s, k_addr			# K of the next round
	add k_addr, k_addr, 4
	add body, body, step
	mov r3, rounds
	sub.setf r3, r3, 1
	brr.anynz -, body, r:bodies
	mov rounds, r3
	nop
	nop

	mov r3, turns			# 16 rounds are done
	sub.setf r3, r3, 1
	mov turns, r3
	ldi body, eval(16 * LOAD_BYTES)
	brr.anynz -, r:turn
	ldi step, SCHEDULE_BYTES
	nop
	nop

	ldtmu0				# a K that nobody needs
	add chain(0), v_a, chain(0)
	mov r1, v_b
	add chain(1), r1, chain(1)
	mov r1, v_c
	add chain(2), r1, chain(2)
	mov r1, v_d
	add chain(3), r1, chain(3)
	add chain(4), v_e, chain(4)
	add chain(5), v_f, chain(5)
	mov r1, v_g
	add chain(6), r1, chain(6)
	mov r1, v_h
	add chain(7), r1, chain(7)
	ldi r1, 1024
	add data, data, r1
	sub.setf left, left, 1
	brr.anynn -, r:block
	nop
	nop
	nop
	record_store(job, chain(0), chain(1), chain(2), chain(3),
		     chain(4), chain(5), chain(6), chain(7))
	record_step(job)
	mov r0, proof
	proof_state(chain(0), chain(1), chain(2), chain(3),
		    chain(4), chain(5), chain(6), chain(7))
	proof_add(data)
	mov r1, unif
	shl.setf -, r1, elem_num	# N: a message begins in this lane
	proof_add(r1)
	repeat(`i', 0, 7, `
	ldi.ifn chain(i), initial(i)')
	mov.setf left, unif
	mov r1, unif			# K, which is not read, or what comes
	add proof, r0, r1		# after the job
	brr.anynn -, r:block
	mov unif_addr, r1
	record_done
	mov.setf -, unif		# another job?
	brr.anynz -, r:begin
	nop
	nop
	nop
	launch_close(job, data, proof)

	nop
	nop
:bodies
	repeat(`i', 0, 15, `
	load_body(i)')
	repeat(`i', 0, 15, `
	schedule_body(i)')
