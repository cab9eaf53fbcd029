dnl SPDX-License-Identifier: MIT
include(`qpu/kernel/abi.m4')dnl
# hello: the first teaching step.  Fetch the job block, add the number of each
# lane to the first row of its state, put the state back, tell the host.
#
# The kernels after it, partial and simple, are this frame with more between
# its two halves.
#
#	ra0	job		ra1	finish
#	rb0..rb7	the state a..h, one lane of each in every element

	mov ra0, unif			# uniform 0: job
	mov r0, unif			# uniform 1: constants, not needed here
	mov ra1, unif			# uniform 2: finish
	job_open(ra0)
	mov rb0, vpm			# reads step through the rows
	mov rb1, vpm
	mov rb2, vpm
	mov rb3, vpm
	mov rb4, vpm
	mov rb5, vpm
	mov rb6, vpm
	mov rb7, vpm
	mov r0, vpm			# data addresses and block counts are
	mov r0, vpm			# read too: all that was asked for
	job_close

	mov r0, rb0
	add r0, r0, elem_num		# 0..15, one in each lane
	mov rb0, r0

	nop				# a register is readable one later
	job_store(ra0, rb0, rb1, rb2, rb3, rb4, rb5, rb6, rb7)
	mov r0, ra1
	launch_finish(r0)
