dnl SPDX-License-Identifier: MIT
include(`qpu/kernel/abi.m4')dnl
include(`qpu/kernel/plain.m4')dnl
# simple: all of SHA-256, plainly: every operation on the add ALU, one after
# the other.  What partial does, 64 rounds of it, for every block of the lane
# with the most blocks; lanes that are done keep their hash value.
#
# Each pass of 16 rounds leaves the window as the next 16 schedule words.

	plain_prologue
:block
	mov r0, constants
	mov unif_addr, r0		# uniforms are K[0..63] now
	repeat(`i', 0, 7, `
	mov var(i, 0), chain(i)')
	load_words
	ldi rb10, 3
:pass
	repeat(`i', 0, 15, `
	round_of(i)
	schedule_of(i)')
	mov r0, rb10			# three passes with schedule words
	sub.setf r0, r0, 1
	brr.anynz -, :pass
	mov rb10, r0
	nop
	nop
	repeat(`i', 0, 15, `
	round_of(i)')

	mov r0, left			# N: this lane was done before
	sub.setf r0, r0, 1
	repeat(`i', 0, 7, `
	add.ifnn chain(i), chain(i), var(i, 16)')
	mov.ifnn left, r0
	ldi r1, 64
	add.ifnn data, data, r1
	mov.setf -, left
	brr.anynz -, :block
	nop
	nop
	nop
	job_store(job, chain(0), chain(1), chain(2), chain(3),
		  chain(4), chain(5), chain(6), chain(7))
	mov r0, finish
	launch_finish(r0)
