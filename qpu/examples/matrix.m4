# SPDX-License-Identifier: MIT
#
# matrix: C = A B, with n x 16 floats in A and C and 16 x 16 in B.
#
# It shows how one lane gets to all lanes (rotate it to lane 0, write r5rep),
# how both ALUs work in one instruction, and that the VPM is shared: QPU 0
# loads B by DMA, and after a barrier every QPU reads it from there.
#
# A row of C is the sum of the 16 rows of B, each times an element of the row
# of A:  c = a[0] B[0] + a[1] B[1] + ... + a[15] B[15], in that order.  It
# differs from the exact value by at most
#	18 * 2^-23 * (|a[0] B[0]| + ... + |a[15] B[15]|)
# since a product and at most 16 sums are truncated.  Small integers are exact.
#
# Two rows, 1 2 3 ... 16 and seven times a unit vector, times a B whose
# element (i, j) is i + 10 j, on two QPUs:
#
#	$ m4 -s -I qpu/examples qpu/examples/matrix.m4 |
#	>	qpuasm -o matrix.bin --lines=matrix.map -
#	$ echo '.int 0, 2, 2, 0x40002000, 0x40003000, 0x40004000
#	>	.int 1, 2, 2, 0x40002000, 0x40003000, 0x40004000' |
#	>	qpuasm -o matrix.unif -
#	$ echo '.float 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
#	>	.float 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0' |
#	>	qpuasm -o matrix.a -
#	$ for i in $(seq 0 255)
#	>	do
#	>		echo ".float $((i / 16 + i % 16 * 10))"
#	>	done | qpuasm -o matrix.b -
#	$ truncate -s 128 matrix.c
#	$ qpurun --check --lines=matrix.map --code matrix.bin@0x40000000 \
#	>	--mem matrix.unif@0x40001000 --mem matrix.a@0x40002000 \
#	>	--mem matrix.b@0x40003000 --mem matrix.c@0x40004000:rw \
#	>	--uniforms 0x40001000,0x40001018
#	$ od -An -v -w64 -tf4 matrix.c
#
# Uniforms of a QPU
#	0	logical number of the QPU
#	1	number of QPUs
#	2	n, rows of A and C, shared by all QPUs
#	3	address of A, row by row
#	4	address of B
#	5	address of C
include(`common.m4')dnl
define(`qpu_id', `ra0')dnl
define(`nqpus', `rb0')dnl
define(`row', `ra1')dnl counts
define(`nrows', `rb1')dnl
define(`coming', `ra2')dnl is fetched
define(`a_lane', `rb2')dnl A + 4 * lane
define(`write_setup', `ra3')dnl
define(`b_address', `rb3')dnl
define(`c_address', `rb3')dnl after b_address
define(`store_setup', `ra4')dnl
define(`row_of_b', `rb`'eval(16 + $1)')dnl rb16..rb31

# fetch(number): ask for a row of A: uses r3
define(`fetch', `shl r3, $1, 6
	add t0s, r3, a_lane')dnl

	prologue(qpu_id, nqpus)
	mov nrows, unif
	shl r0, elem_num, 2
	add a_lane, r0, unif
	mov b_address, unif

	mov.setf -, qpu_id
	brr.anynz -, r:loaded
	nop
	nop
	nop
	dma_load(vdr_rows(16, 0), b_address)
:loaded
	barrier(qpu_id, nqpus, 1)
	mov vr_setup, vpm_count(16) | vpm_rows(0)
	mov c_address, unif
	nop
	nop
	unroll(`k', 0, 15, `mov row_of_b(k), vpm')

	# B has the VPM rows 0..15, QPU q writes its rows of C to 16 + q.
	mov r0, vpm_rows(16)
	add write_setup, r0, qpu_id
	shl r0, qpu_id, 7
	mov r1, vdw_rows(1, 16)
	add store_setup, r0, r1

	mov row, qpu_id
	mov r0, nrows
	sub.setf -, qpu_id, r0
	brr.allnn -, r:done
	nop
	nop
	nop
	fetch(row)

:next_row
	ldtmu0
	mov r0, r4

	# Behind the last row fetch that one again.
	add r3, row, nqpus
	mov coming, r3
	sub.setf -, r3, nrows
	mov.ifnn coming, row
	nop
	fetch(coming)

	# Two instructions an element: the add ALU sums up the last product
	# while the mul ALU brings the next element to r5.
	mov r5rep, r0
	fmul r2, r5, row_of_b(0)
	lanes_down(r5rep, r0, 1)
	fmul r1, r5, row_of_b(1)
	unroll(`k', 2, 15, `fadd r2, r2, r1; lanes_down(r5rep, r0, k)
	fmul r1, r5, row_of_b(k)')
	mov vw_setup, write_setup
	fadd vpm, r2, r1

	shl r3, row, 6
	add r3, r3, c_address
	dma_store(store_setup, r3)

	add row, row, nqpus
	nop
	sub.setf -, row, nrows
	brr.anyn -, r:next_row
	nop
	nop
	nop

	ldtmu0
:done
	finish(qpu_id, nqpus)
	padding()
