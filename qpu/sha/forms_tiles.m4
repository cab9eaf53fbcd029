dnl SPDX-License-Identifier: MIT
include(`qpu/sha/forms.m4')dnl
# forms_tiles: leaves four words of answers in the samples of its pixels.
	forms_begin
	mov tlbm, r0
	mov tlbm, r1
	mov tlbm, r2
	mov tlbm, r3
	thrend
	nop
	sbdone
