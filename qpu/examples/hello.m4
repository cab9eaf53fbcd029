# SPDX-License-Identifier: MIT
#
# hello: the smallest program that can be seen to work.  Each QPU adds a
# uniform to 0x1234 in all 16 lanes and stores the vector.
#
# It shows how values come in (uniforms), how they go out (a row of the VPM,
# then a DMA store), and how a program ends.
#
# One QPU, which gets 100 and answers 0x1298, sixteen times:
#
#	$ m4 -s -I qpu/examples qpu/examples/hello.m4 |
#	>	qpuasm -o hello.bin --lines=hello.map -
#	$ echo '.int 0, 1, 100, 0x40002000' | qpuasm -o hello.unif -
#	$ truncate -s 64 hello.out
#	$ qpurun --check --lines=hello.map --code hello.bin@0x40000000 \
#	>	--mem hello.unif@0x40001000 --mem hello.out@0x40002000:rw \
#	>	--uniforms 0x40001000
#	$ od -An -v -tx4 hello.out
#
# Uniforms of a QPU
#	0	logical number of the QPU
#	1	number of QPUs
#	2	the number to add
#	3	address of the 64 bytes of result of this QPU
include(`common.m4')dnl
define(`qpu_id', `ra0')dnl
define(`nqpus', `rb0')dnl

	prologue(qpu_id, nqpus)
	mov r0, 0x1234
	add r0, r0, unif

	# Each QPU has the VPM row of its number.
	mov r1, vpm_rows(0)
	add vw_setup, r1, qpu_id
	mov vpm, r0

	# One row of 64 bytes; the row's number is at bit 7 of the word.
	mov r1, vdw_rows(1, 0)
	shl r2, qpu_id, 7
	add r1, r1, r2
	dma_store(r1, unif)

	finish(qpu_id, nqpus)
	padding()
