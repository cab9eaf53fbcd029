# SPDX-License-Identifier: MIT
#
# gcd: the greatest common divisors of unsigned 32-bit pairs, 16 at a time.
#
# It shows what a data-dependent loop costs on a vector machine: lanes that
# are ready wait for the slowest, so the step must do no harm to them.  The
# loop tests once per four steps, unrolled with repeat().  Carry flags,
# predicates, and two predicated results in one instruction.
#
# Stein's algorithm: for odd u, gcd(u, v) does not change when v loses its
# factors 2; then the smaller of both and their difference go on.  Each step
# takes at least one bit from the two, so 64 steps do.
#
# gcd(48, 36) ... of a block of 16 pairs, first all u, then all v:
#
#	$ m4 -s -I qpu/examples qpu/examples/gcd.m4 |
#	>	qpuasm -o gcd.bin --lines=gcd.map -
#	$ echo '.int 0, 1, 1, 0x40002000, 0x40003000' |
#	>	qpuasm -o gcd.unif -
#	$ echo '.int 48, 17, 0, 9, 0, 1, 12, 35, 1071, 462, 6, 7, 8, 100, 5, 2
#	>	.int 36, 51, 8, 0, 0, 1, 18, 21, 462, 1071, 6, 8, 12, 75, 0, 4' |
#	>	qpuasm -o gcd.in -
#	$ truncate -s 64 gcd.out
#	$ qpurun --check --lines=gcd.map --code gcd.bin@0x40000000 \
#	>	--mem gcd.unif@0x40001000 --mem gcd.in@0x40002000 \
#	>	--mem gcd.out@0x40003000:rw --uniforms 0x40001000
#	$ od -An -v -tu4 gcd.out
#
# Uniforms of a QPU
#	0	logical number of the QPU
#	1	number of QPUs
#	2	number of blocks, shared by all QPUs; at least 1
#	3	address of the input, 128 bytes a block: 16 u, 16 v
#	4	address of the output, 64 bytes a block
#
# Registers
#	ra0	qpu_id			rb0	nqpus
#	ra1	block, counts		rb1	nblocks
#	ra2	twos of the result	rb2	in_lane: input + 4 * lane
#	r0	u			rb3	out
#	r1	v
#	r2	scratch
include(`common.m4')dnl
define(`qpu_id', `ra0')dnl
define(`nqpus', `rb0')dnl
define(`block', `ra1')dnl
define(`nblocks', `rb1')dnl
define(`twos', `ra2')dnl
define(`in_lane', `rb2')dnl
define(`out', `rb3')dnl
define(`u', `r0')dnl
define(`v', `r1')dnl

# trailing_zeros(n, x): x has n of them, by the low 5 bits of n, which are
# all that a shift takes.  x & -x has one bit, at 31 - clz, and that is ~clz
# there.  Of x = 0 it makes 31.
define(`trailing_zeros', `sub $1, 0, $2
	and $1, $1, $2
	clz $1, $1
	not $1, $1')dnl

# gcd_step(u, v): u odd, or both 0: uses r2, flags.  The carry of v - u says
# v < u; both results of that line are made of the old u and v.  A lane that
# is ready has v = 0, becomes (u, u) and then (u, 0) again.
define(`gcd_step', `trailing_zeros(r2, $2)
	shr.setf $2, $2, r2
	mov.ifz $2, $1
	sub.setf r2, $2, $1
	sub.ifc $2, $1, $2; mov.ifc $1, $2
	mov.ifcc $2, r2')dnl

	prologue(qpu_id, nqpus)
	mov nblocks, unif
	shl r0, elem_num, 2
	add in_lane, r0, unif
	mov out, unif
	mov block, qpu_id
	nop
	sub.setf -, block, nblocks
	brr.allnn -, r:done
	nop
	nop
	nop

:next_block
	# Lane i of the TMU's answer is the word at lane i of the address.
	shl r0, block, 7
	add r0, r0, in_lane
	mov r1, 64
	mov t0s, r0
	add t0s, r0, r1
	ldtmu0
	mov u, r4; ldtmu0
	mov v, r4

	# The result has the twos that u and v share.  Then u becomes odd;
	# where it was 0 it is v first: gcd(0, v) = gcd(v, v).
	or r3, u, v
	trailing_zeros(r2, r3)
	mov twos, r2
	mov.setf -, u
	mov.ifz u, v
	trailing_zeros(r2, u)
	shr u, u, r2

:more
	repeat(4, `gcd_step(u, v)')
	mov.setf -, v
	brr.anynz -, r:more
	nop
	nop
	nop

	mov r1, vpm_rows(0)
	add vw_setup, r1, qpu_id
	shl vpm, u, twos
	mov r1, vdw_rows(1, 0)
	shl r2, qpu_id, 7
	add r1, r1, r2
	shl r2, block, 6
	add r2, r2, out
	dma_store(r1, r2)

	add block, block, nqpus
	nop
	sub.setf -, block, nblocks
	brr.anyn -, r:next_block
	nop
	nop
	nop

:done
	finish(qpu_id, nqpus)
	padding()
