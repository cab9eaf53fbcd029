# SPDX-License-Identifier: MIT
#
# coordinate: a corner of the triangle for the binner (bin_list.h).  Seven words
# a vertex go back: x, y, z, w in clip coordinates, then what vertex.m4 gives
# (Broadcom's guide, section 7, shaded coordinates format).
	ldi vr_setup, 0x301a00		# three rows from row 0 on
	ldi vw_setup, 0x1a00
	mov r0, unif
	mov r1, unif
	and r1, r1, vpm
	mov r2, vpm
	mov r3, vpm
	mov vpm, r2
	mov vpm, r3
	mov vpm, 0
	mov vpm, 1.0
	xor vpm, r0, r1
	mov vpm, 0
	mov vpm, 1.0
	thrend
	nop
	nop
