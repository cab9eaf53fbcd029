dnl SPDX-License-Identifier: MIT
include(`qpu/kernel/abi.m4')dnl
include(`qpu/kernel/optimised_map.m4')dnl
dnl
dnl chain_in(i): one row of the state, to the chaining value and the state
define(`chain_in', `
	mov r2, vpm
	mov h_$1, r2
	mov s_$1, r2')dnl
dnl word_request: ask for the word at r3 of every lane, and step on
define(`word_request', `
	mov t0s, r3
	add r3, r3, 4')dnl
dnl word_receive(i): the oldest word asked for, bytes swapped.  uses r0 r2 r4
define(`word_receive', `
	ldtmu0
	ror r0, r4, 8
	ror r2, r4, -8
	v8subs r0, r0, even
	v8min r2, r2, even
	v8adds w_$1, r0, r2')dnl
dnl
# ---- once a launch: job block, constants, the first block's words ----
	mov r0, unif			# job
	mov r1, unif			# constants
	or job, r0, unif		# finish: below the alignment of job
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
	ldi pow_6, 1 << 6
	ldi pow_9, 1 << 9
	ldi pow_10, 1 << 10
	ldi pow_13, 1 << 13
	ldi pow_14, 1 << 14
	ldi pow_15, 1 << 15
	ldi r2, 0xffff
	mov r5rep, r2
	ldi even, 0x00ff00ff
	ldi passes, 0x08088888
	mov unif_addr, r1
	mov r2, s_1
	xor b_xor_c, r2, s_2
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
	.align KERNEL_CODE_ALIGN
include(`qpu/kernel/optimised_hot.m4')dnl
# ---- once a launch: the requests of a block that never comes, the state ----
	ldtmu0
	ldtmu0
	ldtmu0
	ldtmu0
	mov r1, job
	shr r0, r1, 6
	shl r0, r0, 6
	job_store(r0, h_0, h_1, h_2, h_3, h_4, h_5, h_6, h_7)
	sub r1, r1, r0
	launch_finish(r1)
