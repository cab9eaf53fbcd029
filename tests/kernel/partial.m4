dnl SPDX-License-Identifier: MIT
include(`qpu/kernel/abi.m4')dnl
include(`tests/kernel/plain.m4')dnl
# partial: the second teaching step.  The first 16 rounds of the first block
# of every lane, without the final addition: the record holds the working
# variables a..h.  The block counts are not looked at.

	plain_prologue
	mov r0, constants
	mov unif_addr, r0		# uniforms are K from here on
	repeat(`i', 0, 7, `
	mov var(i, 0), chain(i)')
	load_words
	repeat(`i', 0, 15, `
	round_of(i)')
	plain_close(var(0, 16), var(1, 16), var(2, 16), var(3, 16),
		    var(4, 16), var(5, 16), var(6, 16), var(7, 16))
