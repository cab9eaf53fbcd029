dnl SPDX-License-Identifier: MIT
dnl plain: SHA-256 as FIPS 180-4 writes it, one operation at a time: the
dnl register map and the round templates of simple.
dnl
dnl	ra0..ra15	w_0..w_15	schedule window (they are rotated by
dnl					an immediate, so they live in A)
dnl	ra16..ra23	var		working variables a..h
dnl	ra24		data		address of the lane's next block
dnl	ra25		left		blocks of the segment to go after this one
dnl	ra26		job		address of the job, then of the next record
dnl	ra27		proof		the sum for the seal
dnl	rb0..rb7	chain_0..	hash value H(i) of 6.2.2
dnl	rb8		even		0x00ff00ff
dnl	rb9		constants	address of K
dnl	r0..r3		temporaries of one template
dnl
define(`data', `ra24')dnl
define(`left', `ra25')dnl
define(`job', `ra26')dnl
define(`proof', `ra27')dnl
define(`even', `rb8')dnl
define(`constants', `rb9')dnl
define(`chain', `rb$1')dnl
define(`word', `ra`'eval(($1) % 16)')dnl
dnl
dnl var(role, round): the register that holds a (0) .. h (7) in that round.
dnl A round moves nothing: the names step back by one instead.
define(`var', `ra`'eval(16 + ($1 + 64 - ($2)) % 8)')dnl
dnl
dnl repeat(name, from, to, text): text with name = from, ..., to.  Text that
dnl ends in a comment needs a newline after it, or the rest is comment too.
define(`repeat', `ifelse(eval(($2) > ($3)), 1, `', `pushdef(`$1', `$2')$4`'popdef(`$1')repeat(`$1', incr($2), $3, `$4')')')dnl
dnl
dnl plain_prologue: uniforms, job block, the constant.  uses r0 r2
define(`plain_prologue', `
	mov job, unif
	mov constants, unif
	job_open(job)
	repeat(`i', 0, 7, `
	mov chain(i), vpm')
	mov data, vpm
	mov r2, vpm
	sub left, r2, 1
	job_close
	ldi r2, KERNEL_JOB_BYTES
	add job, job, r2
	ldi r0, 0
	proof_state(chain(0), chain(1), chain(2), chain(3),
		    chain(4), chain(5), chain(6), chain(7))
	mov proof, r0
	ldi even, 0x00ff00ff')dnl
dnl
dnl big_endian(w, x): w = x with its bytes in the other order.  uses r0 r1
dnl No byte of v8subs and v8min carries: subs(x, m) + min(x, m) = x.
define(`big_endian', `
	ror r0, $2, 8
	ror r1, $2, 24
	v8subs r0, r0, even		# bytes 1 and 3
	and r1, r1, even		# bytes 0 and 2
	or $1, r0, r1')dnl
dnl
dnl load_words: w_0..w_15 from data, four requests at a time.  uses r0 r1 r3 r4
define(`load_words', `
	mov r3, data
	repeat(`i', 0, 15, `
	mov t0s, r3
	add r3, r3, 4
	ifelse(eval(i % 4), 3, `
	repeat(`k', eval(i - 3), i, `
	ldtmu0
	big_endian(word(k), r4)')')')')dnl
dnl
dnl round(a, b, c, d, e, f, g, h, w): d becomes the new e, h the new a.
dnl uses r0 r1 r2
define(`round', `
	add r0, $9, unif		# T1 = K + w + h
	add r0, r0, $8
	mov r1, $6			# + Ch(e, f, g) = ((f ^ g) & e) ^ g
	xor r1, r1, $7
	and r1, r1, $5
	xor r1, r1, $7
	add r0, r0, r1
	ror r1, $5, 6			# + Sigma1(e)
	ror r2, $5, 11
	xor r1, r1, r2
	ror r2, $5, 25
	xor r1, r1, r2
	add r0, r0, r1
	add $4, $4, r0			# new e = d + T1
	ror r1, $1, 2			# T2 = Sigma0(a)
	ror r2, $1, 13
	xor r1, r1, r2
	ror r2, $1, 22
	xor r1, r1, r2
	add r0, r0, r1
	mov r1, $1			# + Maj(a, b, c)
	and r2, r1, $2
	or r1, r1, $2
	and r1, r1, $3
	or r1, r1, r2
	add $8, r0, r1			# new a = T1 + T2
')dnl
dnl
dnl round_of(i): round i, by the names it has there
define(`round_of', `
	# round $1 of sixteen
	round(var(0, $1), var(1, $1), var(2, $1), var(3, $1),
	      var(4, $1), var(5, $1), var(6, $1), var(7, $1), word($1))')dnl
dnl
dnl schedule(w, w1, w9, w14): w = w + sigma0(w1) + w9 + sigma1(w14).
dnl uses r0 r1 r2
define(`schedule', `
	ror r0, $2, 7			# sigma0
	ror r1, $2, 18
	xor r0, r0, r1
	shr r1, $2, 3
	xor r0, r0, r1
	ror r1, $4, 17			# sigma1
	ror r2, $4, 19
	xor r1, r1, r2
	shr r2, $4, 10
	xor r1, r1, r2
	add r0, r0, r1
	add r0, r0, $3
	add $1, $1, r0')dnl
define(`schedule_of', `
	schedule(word($1), word($1 + 1), word($1 + 9), word($1 + 14))')dnl
