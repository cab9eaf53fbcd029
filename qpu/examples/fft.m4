# SPDX-License-Identifier: MIT
#
# fft: the discrete Fourier transform of 256 complex floats,
#	X[k] = sum over n of x[n] exp(-2 pi i k n / 256),
# in natural order, shared by up to four QPUs.
#
# It shows a computation that lives in the VPM: strided reads, writes by row
# and by column (the transposition costs nothing), semaphores between the
# passes, a subroutine with link register, table look-ups by TMU with an
# address of its own for each lane, and complex products on both ALUs.
#
# n = 16 r + c stands in row r, lane c; k = 16 s + t.  With w = exp(-2 pi i /
# 256) the sum over n is one over c of one over r:
#	X[k] = sum over c of w^(16 c s) w^(c t) sum over r of w^(16 r t) x[n]
# The inner sum is a transform of size 16 down the rows, in all lanes at once.
# Its result t is written to column t, so that c becomes the row, and the
# outer sum is again one down the rows.  Size 16 is radix 4 twice, each time
# four jobs of four rows, one for each QPU.  Thus four passes:
#
#	pass	job j reads	writes		twiddle of its output m
#	1	rows j + 4m	rows j + 4m	w^(16 j m)
#	2	rows 4j + m	columns j + 4m	w^(c (j + 4m)), c the lane
#	3	rows j + 4m	rows j + 4m	w^(16 j m)
#	4	rows 4j + m	rows j + 4m	1
#
# They are one routine with different numbers.  Passes 2 and 4 go from one
# copy to the other: VPM rows 0..15 real, 16..31 imaginary parts; 32..63 the
# second copy.
#
# Against a transform in doubles the relative rms error of white noise is
# 3.4e-7 (modelled; the emulator truncates sums and products).
#
# The table of w, computed by awk, and the transform of exp(2 pi i 5 n / 256),
# which is 256 at k = 5 and nearly 0 elsewhere:
#
#	$ m4 -s -I qpu/examples qpu/examples/fft.m4 |
#	>	qpuasm -o fft.bin --lines=fft.map -
#	$ for q in 0 1 2 3
#	>	do
#	>		echo ".int $q, 4, 0x40002000, 0x40003000, 0x40004000"
#	>	done | qpuasm -o fft.unif -
#	$ awk 'BEGIN {
#	>		for (n = 0; n < 256; n++) {
#	>			angle = n * atan2(0, -1) / 128
#	>			printf ".float %.9g, %.9g\n", cos(angle), -sin(angle)
#	>		}
#	>	}' | qpuasm -o fft.table -
#	$ awk 'BEGIN {
#	>		for (n = 0; n < 512; n++) {
#	>			angle = 5 * n * atan2(0, -1) / 128
#	>			printf ".float %.9g\n",
#	>				n < 256 ? cos(angle) : sin(angle)
#	>		}
#	>	}' | qpuasm -o fft.in -
#	$ truncate -s 2048 fft.out
#	$ qpurun --check --lines=fft.map --code fft.bin@0x40000000 \
#	>	--mem fft.unif@0x40001000 --mem fft.table@0x40002000 \
#	>	--mem fft.in@0x40003000 --mem fft.out@0x40004000:rw \
#	>	--uniforms 0x40001000,0x40001014,0x40001028,0x4000103c
#	$ od -An -v -tf4 -N64 fft.out
#
# Uniforms of a QPU
#	0	logical number of the QPU
#	1	number of QPUs; those above four have nothing to do
#	2	address of the table: w^n for n = 0..255, real and imaginary
#		part in turn
#	3	address of x: 256 real, then 256 imaginary parts
#	4	address of X, of the same form
#
# Parameters of fft_pass, the same in all lanes but for start and step:
#	read, read_step		set-up of the VPM read of job 0; more by job
#	write			set-up of the VPM write of job 0; 1 more by job
#	start			table offset in bytes by job of output 0
#	step, step_by_job	table offset from an output to the next
include(`common.m4')dnl
define(`qpu_id', `ra0')dnl
define(`nqpus', `rb0')dnl
define(`job', `ra1')dnl counts
define(`table', `rb1')dnl
define(`return', `ra2')dnl a link
define(`output', `rb2')dnl
define(`input', `ra3')dnl
define(`read', `ra4')dnl
define(`read_step', `rb3')dnl
define(`write', `rb4')dnl
define(`start', `rb5')dnl
define(`step', `ra5')dnl
define(`step_by_job', `rb6')dnl
define(`lane8', `ra6')dnl 8 * lane
define(`write_imaginary', `ra7')dnl the set-up
define(`imaginary', `ra`'eval(16 + $1)')dnl of the results: ra16..ra19

# Halves of the butterfly
#	ra8, rb8	real of a + c, b + d
#	ra9, rb9	real of a - c, imaginary of b - d
#	ra10, rb10	imaginary of a - c, real of b - d
#	ra11, rb11	imaginary of a + c, b + d

# The VPM set-ups; 16 rows further are the imaginary parts.
define(`strided_rows', `(vpm_count(4) | vpm_rows($1, 4))')dnl
define(`adjacent_rows', `(vpm_count(4) | vpm_rows($1, 1))')dnl

# twiddle(m, re, add, im): output m of the butterfly, made of the register
# pairs re and im, times its twiddle; the real part goes to the VPM, the
# imaginary part to its register: uses r0 r1 r2 r3.  Real parts of the
# twiddles come from TMU 0, imaginary ones from TMU 1.  What a signal fetches
# is in r4 from the next instruction on; the one that carries the signal still
# reads the last one.
define(`twiddle', `$2; ldtmu0
	$3; fmul r2, r0, r4
	fmul r3, r1, r4; ldtmu1
	fmul r1, r1, r4
	fsub vpm, r2, r1; fmul r0, r0, r4
	fadd imaginary($1), r3, r0')dnl

	prologue(qpu_id, nqpus)
	mov table, unif
	mov input, unif
	mov output, unif
	shl lane8, elem_num, 3

	mov.setf -, qpu_id
	brr.anynz -, r:loaded
	nop
	nop
	nop
	dma_load(vdr_rows(16, 0), input)
	mov r0, 1024
	add r0, r0, input
	dma_load(vdr_rows(16, 16), r0)
:loaded
	barrier(qpu_id, nqpus, 1)

	# Pass 1; a branch leaves three instructions to set parameters with.
	mov read, strided_rows(0)
	mov write, vpm_rows(0, 4)
	mov read_step, 1
	mov start, 0
	brr return, r:fft_pass
	mov step, 0
	mov step_by_job, 16 * 8
	nop
	barrier(qpu_id, nqpus, 2)

	# Pass 2; the twiddle of lane c advances by c entries a job and by 4 c
	# an output.
	mov read, adjacent_rows(0)
	mov write, vpm_columns(32, 0, 4)
	mov read_step, 4
	mov r0, lane8
	brr return, r:fft_pass
	mov start, r0
	shl step, r0, 2
	mov step_by_job, 0
	barrier(qpu_id, nqpus, 1)

	# Pass 3
	mov read, strided_rows(32)
	mov write, vpm_rows(32, 4)
	mov read_step, 1
	mov start, 0
	brr return, r:fft_pass
	mov step, 0
	mov step_by_job, 16 * 8
	nop
	barrier(qpu_id, nqpus, 2)

	# Pass 4; times w^0, which is exactly 1.
	mov read, adjacent_rows(32)
	mov write, vpm_rows(0, 4)
	mov read_step, 4
	mov start, 0
	brr return, r:fft_pass
	mov step, 0
	mov step_by_job, 0
	nop
	barrier(qpu_id, nqpus, 1)

	mov.setf -, qpu_id
	brr.anynz -, r:stored
	nop
	nop
	nop
	dma_store(vdw_rows(32, 0), output)
:stored
	finish(qpu_id, nqpus)

# fft_pass: the jobs of this QPU: uses r0 r1 r2 r3, flags, job.
:fft_pass
	mov job, qpu_id
	nop
	sub.setf r0, job, 4
	brr.anynn -, r:pass_done
	nop
	nop
	nop

:next_job
	# Ask for the four twiddles, by byte address in each lane.
	mul24 r0, job, start
	mul24 r1, job, step_by_job
	add r1, r1, step
	add r0, r0, table
	mov t0s, r0
	add t1s, r0, 4
	add r0, r0, r1
	mov t0s, r0
	add t1s, r0, 4
	add r0, r0, r1
	mov t0s, r0
	add t1s, r0, 4
	add r0, r0, r1
	mov t0s, r0
	add t1s, r0, 4

	# The real parts of a, b, c, d
	mul24 r0, job, read_step
	add r0, r0, read
	mov vr_setup, r0
	mov r1, 16
	add r3, r0, r1
	nop
	mov r0, vpm
	mov r1, vpm
	mov r2, vpm
	fadd ra8, r0, r2
	fsub ra9, r0, r2
	mov r0, vpm
	fadd rb8, r1, r0
	fsub rb10, r1, r0

	# The imaginary parts
	mov vr_setup, r3
	add r0, job, write
	mov vw_setup, r0
	mov r1, 16
	add write_imaginary, r0, r1
	mov r0, vpm
	mov r1, vpm
	mov r2, vpm
	fadd ra11, r0, r2
	fsub ra10, r0, r2
	mov r0, vpm
	fadd rb11, r1, r0
	fsub rb9, r1, r0
	nop

	# The butterfly: with p = a + c, q = a - c, u = b + d, v = b - d the
	# outputs are p + u, q - iv, p - u, q + iv.
	twiddle(0, `fadd r0, ra8, rb8', `fadd r1, ra11, rb11')
	twiddle(1, `fadd r0, ra9, rb9', `fsub r1, ra10, rb10')
	twiddle(2, `fsub r0, ra8, rb8', `fsub r1, ra11, rb11')
	twiddle(3, `fsub r0, ra9, rb9', `fadd r1, ra10, rb10')
	mov vw_setup, write_imaginary
	unroll(`m', 0, 3, `mov vpm, imaginary(m)')

	add job, job, nqpus
	nop
	sub.setf r0, job, 4
	brr.anyn -, r:next_job
	nop
	nop
	nop
:pass_done
	bra -, return
	nop
	nop
	nop
	padding()
