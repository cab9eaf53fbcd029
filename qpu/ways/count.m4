# SPDX-License-Identifier: MIT
#
# count: counts down from its uniform, five instructions a step, and leaves
# zeros in its samples.  A job of known length shows the clock of the QPUs.
	mov r0, unif
	nop
:step
	sub.setf r0, r0, 1
	brr.anynz -, :step
	nop
	nop
	nop
	mov tlbm, r0
	mov tlbm, r0
	mov tlbm, r0
	mov tlbm, r0
	thrend
	nop
	nop; sbdone
