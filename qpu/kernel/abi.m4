dnl SPDX-License-Identifier: MIT
dnl abi: the kernels' side of abi.h; a test compares the numbers.
dnl
dnl Uniforms of a launch, in the order they are read:
dnl	job		bus address of the job block, 64-byte aligned
dnl	constants	bus address of K[0..63] and what is after it
dnl
dnl Job block, rows of one word for each of the 16 lanes:
dnl	0..7 state a..h   8 data addresses   9 blocks of the first segment
dnl Behind it a record for each segment:
dnl	rows 0..7	the state when it has ended
dnl	a line of uniforms:
dnl	    0	bit 31 - i: a message begins in lane i
dnl	    1	blocks of the next segment - 1, or -1: that was the last one
dnl	    2	address of K[0]; of the last record the address of word 3
dnl	    3	turns (last record), in which the adder is tested
dnl	    4	nonce (same record)
dnl	    5	finish (same record): 0, or the number of QPUs in the QPU that
dnl		ends the launch
dnl Behind the last record the seal, four rows:
dnl	nonce   address after the last block of each lane   its own address
dnl	proof	a sum over all that was loaded and stored, see abi.h
define(`KERNEL_LANES', `16')dnl
define(`KERNEL_STATE_ROWS', `8')dnl
define(`KERNEL_JOB_ROWS', `10')dnl
define(`KERNEL_JOB_BYTES', `640')dnl
define(`KERNEL_STATE_BYTES', `512')dnl
define(`KERNEL_RECORD_BYTES', `576')dnl
define(`KERNEL_SEAL_ROWS', `4')dnl
define(`KERNEL_AHEAD_BYTES', `80')dnl
define(`KERNEL_UNIFORMS', `2')dnl
define(`KERNEL_SEMAPHORE', `11')dnl
define(`KERNEL_CODE_ALIGN', `64')dnl
dnl
dnl Set-ups of section 11 of the hardware reference.
dnl vdr_rows(n): load n rows of 16 words, 64 bytes apart, to VPM rows 0..
define(`vdr_rows', `(1 << 31 | 3 << 24 | ($1) << 16 | 1 << 12)')dnl
dnl vdw_rows(n): store VPM rows 0.. ; vdw_packed: without gaps in memory
define(`vdw_rows', `(2 << 30 | ($1) << 23 | 16 << 16 | 1 << 14)')dnl
define(`vdw_packed', `(3 << 30)')dnl
dnl vpm_rows_read(n), vpm_rows_write: whole rows, one after the other
define(`vpm_rows_read', `(($1) << 20 | 1 << 12 | 0xa00)')dnl
define(`vpm_rows_write', `(1 << 12 | 0xa00)')dnl
dnl
dnl initial(i): word i of the initial hash value, FIPS 180-4, 5.3.3
define(`initial', `ifelse($1, 0, `0x6a09e667', $1, 1, `0xbb67ae85', $1, 2, `0x3c6ef372', $1, 3, `0xa54ff53a', $1, 4, `0x510e527f', $1, 5, `0x9b05688c', $1, 6, `0x1f83d9ab', `0x5be0cd19')')dnl
dnl
dnl job_open(job): DMA the job block into the VPM and start to read its rows;
dnl the mutex is taken.  uses r2
define(`job_open', `
	mov r2, mutex
	ldi vr_setup, vdr_rows(KERNEL_JOB_ROWS)
	mov vr_addr, $1
	nop
	nop
	nop
	mov r2, vr_wait
	ldi vr_setup, vpm_rows_read(KERNEL_JOB_ROWS)
	nop
	nop
	nop')dnl
dnl proof_add(word): a term of the proof, which is in r0
define(`proof_add', `
	ror r0, r0, 5
	add r0, r0, $1')dnl
dnl proof_state(a, b, c, d, e, f, g, h): the terms of a state
define(`proof_state', `
	proof_add($1)
	proof_add($2)
	proof_add($3)
	proof_add($4)
	proof_add($5)
	proof_add($6)
	proof_add($7)
	proof_add($8)')dnl
dnl job_close: all rows are read
define(`job_close', `
	mov mutex, 0')dnl
dnl record_store(job, a, b, c, d, e, f, g, h): begin to store the state to the
dnl record at job; the mutex is taken until record_done.  uses r2
define(`record_store', `
	mov r2, mutex
	ldi vw_setup, vpm_rows_write
	mov vpm, $2
	mov vpm, $3
	mov vpm, $4
	mov vpm, $5
	mov vpm, $6
	mov vpm, $7
	mov vpm, $8
	mov vpm, $9
	ldi vw_setup, vdw_packed
	ldi vw_setup, vdw_rows(KERNEL_STATE_ROWS)
	mov vw_addr, $1')dnl
dnl record_step(job): on to the next record; uniforms come from this one, two
dnl instructions later.  uses r1
define(`record_step', `
	ldi r1, KERNEL_STATE_BYTES
	add unif_addr, $1, r1
	ldi r1, KERNEL_RECORD_BYTES
	add $1, $1, r1')dnl
dnl record_done: what was stored is in memory.  uses r2
define(`record_done', `
	mov r2, vw_wait
	mov mutex, 0')dnl
dnl launch_close(job, ends, proof): store the seal at job; ends is the row of
dnl the lanes' addresses.  Then the program ends.  uses r0 r1 r2 r3
define(`launch_close', `
	mov r2, unif			# turns
	mov r0, $3; mul24 r1, r2, r2
:launch_turn
	sub.setf r2, r2, 1
	brr.allnn -, r:launch_turn
	add r0, r0, r1
	add r0, r0, r1
	add r0, r0, r1
	mov r3, unif			# nonce
	mov r1, unif			# finish
	proof_add(r3)
	mov r2, mutex
	ldi vw_setup, vpm_rows_write
	mov vpm, r3
	mov vpm, $2
	mov vpm, $1
	mov vpm, r0
	ldi vw_setup, vdw_packed
	ldi vw_setup, vdw_rows(KERNEL_SEAL_ROWS)
	mov vw_addr, $1
	nop
	nop
	nop
	record_done
	launch_finish(r1)')dnl
dnl launch_finish(finish): one QPU waits for all others and interrupts the
dnl host; then the program ends.  finish is in an accumulator.  uses r2
define(`launch_finish', `
	sub.setf r2, $1, 1
	brr.anyn -, r:finish_signal
	nop
	nop
	nop
	brr.allz -, r:finish_interrupt
	nop
	nop
	nop
:finish_wait
	sacq -, KERNEL_SEMAPHORE
	sub.setf r2, r2, 1
	brr.anynz -, r:finish_wait
	nop
	nop
	nop
:finish_interrupt
	mov interrupt, 1
	thrend
	nop
	nop
:finish_signal
	srel -, KERNEL_SEMAPHORE
	thrend
	nop
	nop')dnl
