# SPDX-License-Identifier: MIT
#
# rotate: vertices in space, each multiplied with a 3 x 3 matrix of floats.
#
# It shows floats in memory, uniforms as coefficients, TMU prefetch (the next
# block is asked for before the present one is computed), and work shared by
# logical QPU number: QPU q of n takes the blocks q, q + n, q + 2n, ...
#
# Of each sum of three products the result differs by at most
#	4 * 2^-23 * (|m0 x| + |m1 y| + |m2 z|)
# from the exact value: a product and at most two sums, each truncated, make 3,
# and the rest is for what they do to each other.
#
# A quarter turn about z, of 16 vertices (i, 100 + i, 200 + i):
#
#	$ m4 -s -I qpu/examples qpu/examples/rotate.m4 |
#	>	qpuasm -o rotate.bin --lines=rotate.map -
#	$ echo '.int 0, 1, 1, 0x40002000, 0x40003000
#	>	.float 0, -1, 0, 1, 0, 0, 0, 0, 1' | qpuasm -o rotate.unif -
#	$ for axis in 0 100 200
#	>	do
#	>		for i in $(seq 0 15)
#	>		do
#	>			echo ".float $((axis + i))"
#	>		done
#	>	done | qpuasm -o rotate.in -
#	$ truncate -s 192 rotate.out
#	$ qpurun --check --lines=rotate.map --code rotate.bin@0x40000000 \
#	>	--mem rotate.unif@0x40001000 --mem rotate.in@0x40002000 \
#	>	--mem rotate.out@0x40003000:rw --uniforms 0x40001000
#	$ od -An -v -tf4 rotate.out
#
# Uniforms of a QPU
#	0	logical number of the QPU
#	1	number of QPUs
#	2	number of blocks, shared by all QPUs
#	3	address of the input, 192 bytes a block: 16 x, 16 y, 16 z
#	4	address of the output, of the same form and elsewhere
#	5..13	the matrix, row by row
#
# Registers
#	ra0	qpu_id			rb0	nqpus
#	ra1	block, counts		rb1	nblocks
#	ra2	coming, is fetched	rb2	in_lane: input + 4 * lane
#	ra3	product_y		rb3	out
#	ra4	line, 64		rb4	block_bytes, 192
#	ra5	store_setup		rb8..rb16	matrix
#	ra6	write_setup
#	ra7	product_z
#	r0..r2	x, y, z			r3	sum, address
include(`common.m4')dnl
define(`qpu_id', `ra0')dnl
define(`nqpus', `rb0')dnl
define(`block', `ra1')dnl
define(`nblocks', `rb1')dnl
define(`coming', `ra2')dnl
define(`in_lane', `rb2')dnl
define(`product_y', `ra3')dnl
define(`out', `rb3')dnl
define(`line', `ra4')dnl
define(`block_bytes', `rb4')dnl
define(`store_setup', `ra5')dnl
define(`write_setup', `ra6')dnl
define(`product_z', `ra7')dnl
define(`matrix', `rb`'eval(8 + 3 * $1 + $2)')dnl

# fetch(number): ask for x, y, z of a block: uses r3.  Three requests wait,
# of the four that are safe.
define(`fetch', `mul24 r3, $1, block_bytes
	add r3, r3, in_lane
	mov t0s, r3
	add r3, r3, line
	mov t0s, r3
	add t0s, r3, line')dnl

# rotate_row(row): x, y, z times a row of the matrix to the VPM: uses r3.
# Two products wait in registers, as the accumulators are taken; an
# instruction must lie between writing such a register and reading it.
define(`rotate_row', `fmul product_y, r1, matrix($1, 1)
	fmul product_z, r2, matrix($1, 2)
	fmul r3, r0, matrix($1, 0)
	fadd r3, r3, product_y
	fadd vpm, r3, product_z')dnl

	prologue(qpu_id, nqpus)
	mov nblocks, unif
	shl r0, elem_num, 2
	add in_lane, r0, unif
	mov out, unif
	unroll(`row', 0, 2, `unroll(`column', 0, 2,
		`mov matrix(row, column), unif')')
	mov line, 64
	mov block_bytes, 192

	# QPU q has the VPM rows 3q to 3q + 2.
	mul24 r0, qpu_id, 3
	mov r1, vpm_rows(0)
	add write_setup, r0, r1
	shl r0, r0, 7
	mov r1, vdw_rows(3, 0)
	add store_setup, r0, r1

	# A QPU may have nothing to do.
	mov block, qpu_id
	mov r0, nblocks
	sub.setf -, qpu_id, r0
	brr.allnn -, r:done
	nop
	nop
	nop
	fetch(block)

:next_block
	# The answers come in the order of the requests.  Each line takes the
	# last one from r4 while its signal gets the next one.
	ldtmu0
	mov r0, r4; ldtmu0
	mov r1, r4; ldtmu0
	mov r2, r4

	# Behind the last block fetch that one again: an address must be good
	# even if nobody wants the answer.
	add r3, block, nqpus
	mov coming, r3
	sub.setf -, r3, nblocks
	mov.ifnn coming, block
	nop
	fetch(coming)

	mov vw_setup, write_setup
	unroll(`row', 0, 2, `rotate_row(row)')
	mul24 r3, block, block_bytes
	add r3, r3, out
	dma_store(store_setup, r3)

	add block, block, nqpus
	nop
	sub.setf -, block, nblocks
	brr.anyn -, r:next_block
	nop
	nop
	nop

	# Nobody wants the last answers, but they must be taken.
	ldtmu0
	ldtmu0
	ldtmu0
:done
	finish(qpu_id, nqpus)
	padding()
