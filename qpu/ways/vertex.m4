# SPDX-License-Identifier: MIT
#
# vertex: a corner of the triangle for the rasterizer (bin_list.h).  Three words
# a vertex go back, in rows of the VPM from 0 on: y << 16 | x, z, 1 / w
# (Broadcom's guide, section 7, shaded vertex format).
	ldi vr_setup, 0x301a00		# three rows from row 0 on
	ldi vw_setup, 0x1a00
	mov r0, unif
	mov r1, unif
	and r1, r1, vpm
	mov -, vpm
	mov -, vpm
	xor vpm, r0, r1
	mov vpm, 0
	mov vpm, 1.0
	thrend
	nop
	nop
