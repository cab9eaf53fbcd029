# SPDX-License-Identifier: MIT
#
# debug: look into a program without a debugger.  The program adds up 16
# lanes to their prefix sums in four steps; the host can have it stop after
# any of them and log the register, by naming a checkpoint in a uniform.
#
# The convention is in common.m4: debug_prologue(), debug_point(number,
# register) and debug_routine().  A checkpoint costs five instructions and no
# register of the program.
#
# What is in r0 after the second step (checkpoint 3) of a start with 10, 11,
# ... 25?  The log has the 16 lanes, then 16 times the place; that line of
# the map after the load address is the one after the checkpoint.
#
#	$ m4 -s -I qpu/examples qpu/examples/debug.m4 |
#	>	qpuasm -o debug.bin --lines=debug.map -
#	$ echo '.int 0, 1, 3, 0x40003000, 10, 0x40002000' |
#	>	qpuasm -o debug.unif -
#	$ truncate -s 64 debug.out
#	$ truncate -s 128 debug.log
#	$ qpurun --check --lines=debug.map --code debug.bin@0x40000000 \
#	>	--mem debug.unif@0x40001000 --mem debug.out@0x40002000:rw \
#	>	--mem debug.log@0x40003000:rw --uniforms 0x40001000
#	$ od -An -v -td4 -N64 debug.log
#	$ od -An -v -tx4 -j64 -N4 debug.log
#
# Uniforms of a QPU
#	0	logical number of the QPU
#	1	number of QPUs
#	2	checkpoint wanted, 0 for none; the same for all QPUs
#	3	address of the 128 bytes of log of this QPU
#	4	the number that lane 0 starts with; lane i has i more
#	5	address of the 64 bytes of result of this QPU
#
# Checkpoints
#	1	the start
#	2..5	after adding the lane 1, 2, 4, 8 below
#
# Registers
#	ra0	qpu_id
#	rb0	nqpus
#	r0	sum
#	r1, r2	scratch
#	ra30, ra31, rb30, rb31	see common.m4
include(`common.m4')dnl
define(`qpu_id', `ra0')dnl
define(`nqpus', `rb0')dnl
define(`sum', `r0')dnl

# add_lane_below(distance): uses r1, flags.  Lanes below the distance have
# nobody to add: the rotation brings them the upper lanes, not wanted here.
define(`add_lane_below', `lanes_up(r1, sum, $1)
	sub.setf -, elem_num, $1
	add.ifnn sum, sum, r1')dnl

	prologue(qpu_id, nqpus)
	debug_prologue()
	mov r1, unif
	add sum, elem_num, r1
	debug_point(1, sum)

	unroll(`k', 0, 3, `add_lane_below(eval(1 << k))
	debug_point(eval(k + 2), sum)')

	mov r1, vpm_rows(0)
	add vw_setup, r1, qpu_id
	mov vpm, sum
	mov r1, vdw_rows(1, 0)
	shl r2, qpu_id, 7
	add r1, r1, r2
	dma_store(r1, unif)

	finish(qpu_id, nqpus)
	debug_routine(qpu_id, nqpus)
	padding()
