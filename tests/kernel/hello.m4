dnl SPDX-License-Identifier: MIT
include(`qpu/kernel/abi.m4')dnl
# hello: the first teaching step.  Fetch the job block, add the number of each
# lane to the first row of its state, store the state in the first record, seal
# the launch, interrupt the host.
#
# The kernel after it, simple, is this frame with more between
# its two halves.
#
#	ra0	job		ra1	data addresses		ra2	proof
#	rb0..rb7	the state a..h, one lane of each in every element

	mov ra0, unif			# uniform 0: job
	mov r0, unif			# uniform 1: constants, not needed here
	job_open(ra0)
	mov rb0, vpm			# reads step through the rows
	mov rb1, vpm
	mov rb2, vpm
	mov rb3, vpm
	mov rb4, vpm
	mov rb5, vpm
	mov rb6, vpm
	mov rb7, vpm
	mov ra1, vpm			# data addresses
	mov r0, vpm			# block counts: all that was asked for
	job_close			# is read
	ldi r0, KERNEL_JOB_BYTES
	add ra0, ra0, r0		# the first record
	ldi r0, 0			# the proof, a sum over what was loaded
	proof_state(rb0, rb1, rb2, rb3, rb4, rb5, rb6, rb7)
	mov ra2, r0

	mov r0, rb0
	add r0, r0, elem_num		# 0..15, one in each lane
	mov rb0, r0

	nop				# a register is readable one later
	record_store(ra0, rb0, rb1, rb2, rb3, rb4, rb5, rb6, rb7)
	record_step(ra0)
	mov r0, ra2			# and stored, and of the record's line
	proof_state(rb0, rb1, rb2, rb3, rb4, rb5, rb6, rb7)
	proof_add(ra1)
	proof_add(unif)			# begins
	mov -, unif			# blocks of a next segment: there is none
	add r0, r0, unif		# address
	mov ra2, r0
	record_done
	launch_close(ra0, ra1, ra2)
