# SPDX-License-Identifier: MIT
#
# probe: leaves for each pixel the number of its QPU, its element, and the
# coordinates of its thread's element 0 and its own (tiles_plan.h).
#
# It takes about as long as a block of SHA-256, so that all QPUs get threads
# before the first one is free again.
	mov r0, y_coord
	shl r0, r0, 8
	shl r0, r0, 8
	or r0, r0, x_coord
	mov r5rep, r0
	ldi r1, 200
:step
	sub.setf r1, r1, 1
	brr.anynz -, r:step
	nop
	nop
	nop
	mov tlbm, qpu_num
	mov tlbm, elem_num
	mov tlbm, r5
	mov tlbm, r0
	thrend
	nop
	sbdone
