# SPDX-License-Identifier: MIT
#
# heat: temperatures on a plate of 32 rows of 16 points, in integers.  In a
# step each inner point takes up an eighth of what its four neighbours have
# more than it:
#	t + (left + right + above + below - 4 t) / 8, rounded down
# and the border keeps its temperature.
#
# It shows a grid in the VPM, a row to a vector: neighbours in the row come
# by rotation, neighbours in other rows by reading three rows; predicates keep the
# border columns; the QPUs share the rows and meet at a barrier after each
# step.  Two copies of the plate, VPM rows 0..31 and 32..63, take turns.
#
# A cold plate whose first row is hot, after 20 steps:
#
#	$ m4 -s -I qpu/examples qpu/examples/heat.m4 |
#	>	qpuasm -o heat.bin --lines=heat.map -
#	$ echo '.int 0, 2, 10, 0x40002000, 0x40003000
#	>	.int 1, 2, 10, 0x40002000, 0x40003000' | qpuasm -o heat.unif -
#	$ for i in $(seq 512)
#	>	do
#	>		echo ".int $((i <= 16 ? 100000 : 0))"
#	>	done | qpuasm -o heat.in -
#	$ truncate -s 2048 heat.out
#	$ qpurun --check --lines=heat.map --code heat.bin@0x40000000 \
#	>	--mem heat.unif@0x40001000 --mem heat.in@0x40002000 \
#	>	--mem heat.out@0x40003000:rw --uniforms 0x40001000,0x40001014
#	$ od -An -v -w64 -td4 heat.out
#
# Uniforms of a QPU
#	0	logical number of the QPU
#	1	number of QPUs
#	2	half the number of steps
#	3	address of the 2048 bytes of the plate
#	4	address of the result
include(`common.m4')dnl
define(`qpu_id', `ra0')dnl
define(`nqpus', `rb0')dnl
define(`row', `ra1')dnl counts
define(`input', `rb1')dnl
define(`pairs', `ra2')dnl of steps left
define(`out', `rb2')dnl
define(`inner', `ra3')dnl 0 in the border columns, 1 elsewhere
define(`above', `ra4')dnl

# heat_step(from, to): the inner rows of this QPU from the plate at VPM row
# from to the one at row to: uses r0 (sum), r1 (t), r2, r3, flags, row, above.
define(`heat_step', `add row, qpu_id, 1
	nop
:6
	# Rows row - 1, row, row + 1; row - 1 counts from 0.
	mov r0, vpm_count(3) | vpm_rows($1)
	add r0, r0, row
	sub vr_setup, r0, 1
	mov r0, vpm_rows($2)
	add vw_setup, r0, row
	nop
	mov above, vpm
	mov r1, vpm
	add r0, above, vpm
	lanes_up(r2, r1, 1)
	lanes_down(r3, r1, 1)
	add r0, r0, r2
	add r0, r0, r3
	shl r2, r1, 2
	sub r0, r0, r2
	asr r0, r0, 3
	mov.setf -, inner
	add r0, r0, r1
	mov.ifz r0, r1
	mov vpm, r0

	add row, row, nqpus
	mov r0, 31
	sub.setf -, row, r0
	brr.anyn -, r:6b
	nop
	nop
	nop')dnl

	prologue(qpu_id, nqpus)
	mov pairs, unif
	mov input, unif
	mov out, unif
	ldi inner, [0,1,1,1,1,1,1,1,1,1,1,1,1,1,1,0]

	# QPU 0 loads the plate, 16 rows at a time, and its first and last row
	# to the other copy, since no other QPU writes them there.
	mov.setf -, qpu_id
	brr.anynz -, r:loaded
	nop
	nop
	nop
	dma_load(vdr_rows(16, 0), input)
	mov r0, 1024
	add r0, r0, input
	dma_load(vdr_rows(16, 16), r0)
	dma_load(vdr_rows(1, 32), input)
	mov r0, 31 * 64
	add r0, r0, input
	dma_load(vdr_rows(1, 63), r0)
:loaded
	barrier(qpu_id, nqpus, 1)

:next_pair
	mov.setf -, pairs
	brr.allz -, r:done
	sub pairs, pairs, 1
	nop
	nop
	heat_step(0, 32)
	barrier(qpu_id, nqpus, 2)
	heat_step(32, 0)
	barrier(qpu_id, nqpus, 1)
	brr -, r:next_pair
	nop
	nop
	nop

:done
	mov.setf -, qpu_id
	brr.anynz -, r:stored
	nop
	nop
	nop
	dma_store(vdw_rows(32, 0), out)
:stored
	finish(qpu_id, nqpus)
	padding()
