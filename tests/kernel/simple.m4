dnl SPDX-License-Identifier: MIT
include(`qpu/kernel/abi.m4')dnl
include(`tests/kernel/plain.m4')dnl
# simple: all of SHA-256, plainly: every operation on the add ALU, one after
# the other, for every block, and segment by segment: between two of them the
# lanes whose message has ended begin the next one.
#
# Each pass of 16 rounds leaves the window as the next 16 schedule words.

	plain_prologue
	mov r0, constants
	mov unif_addr, r0		# uniforms are K[0..63] from here on
:block
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

	mov r0, constants
	mov unif_addr, r0
	repeat(`i', 0, 7, `
	add chain(i), chain(i), var(i, 16)')
	ldi r1, 64
	add data, data, r1
	sub.setf left, left, 1
	brr.anynn -, :block
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
	mov r1, unif			# K, or what comes after the last segment
	add proof, r0, r1
	brr.anynn -, :block
	mov unif_addr, r1
	record_done
	launch_close(job, data, proof)
