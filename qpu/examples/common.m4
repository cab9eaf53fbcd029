# SPDX-License-Identifier: MIT
#
# common: what the example programs share.  A program starts with
#
#	include(`common.m4')
#
# and goes through m4 -s, so that every message of the assembler and every
# report of the emulator names the line of the macro source.
#
# All examples agree on this:
#	- the first two uniforms are the logical number of the QPU, 0 and up,
#	  and how many QPUs run the program.  The register qpu_num would be
#	  the physical number, and which QPU gets which program is not known.
#	- semaphore 0 counts who has arrived, 1 and 2 let them go again; all
#	  are 0 at the start and left at 0.
#	- QPU 0 raises the host interrupt, last of all: the host takes it as
#	  the end of the whole launch.
#	- no macro is called b or f, since m4 would find it in the label 1b.
# A head line "uses" names the accumulators, flags and semaphores that a
# macro changes; operands are what the text says.
divert(-1)

# repeat(n, text): text n times, for unrolled loops
define(`repeat', `ifelse(eval($1 > 0), 1, `$2
	repeat(eval($1 - 1), `$2')')')

# unroll(name, from, to, text): text with name as from, from + 1, ... to
define(`unroll', `ifelse(eval($2 <= $3), 1, `define(`$1', `$2')$4
	unroll(`$1', incr($2), $3, `$4')')')

# ---- Set-up words of the VPM and its DMA; numbers, made by the assembler ----

# vpm_rows(y, stride): one vector a row, from row y on; stride is 1 if left out
define(`vpm_rows', `(ifelse($2, , 1, `($2)') << 12 | 0xa00 | ($1))')

# vpm_columns(y, x, stride): one vector a column, its lanes down from row y
# (0, 16, 32 or 48), from column x on
define(`vpm_columns',
	`(ifelse($3, , 1, `($3)') << 12 | 0x200 | ($1) | ($2))')

# vpm_count(n): how many vectors will be read, or-ed to one of the above
define(`vpm_count', `((($1) & 15) << 20)')

# vdr_rows(n, y): load n rows (1..16) of 64 bytes, which follow each other in
# memory, to the VPM rows from y on; a row further adds 16 to the word
define(`vdr_rows', `(0x83001000 | (($1) & 15) << 16 | ($2) << 4)')

# vdw_rows(n, y): store n rows (1..128) of 64 bytes from VPM row y on; a row
# further adds 128 to the word
define(`vdw_rows', `(0x80104000 | (($1) & 127) << 23 | ($2) << 7)')

# vdw_stride(bytes): gap in memory between the rows of a store
define(`vdw_stride', `(0xc0000000 | ($1))')

# ---- Procedures -------------------------------------------------------------

# prologue(id, nqpus): the first two uniforms to two registers
define(`prologue', `mov $1, unif
	mov $2, unif')

# lanes_up(d, s, n): lane i of s to lane i + n of d, the upper n around to the
# lower.  The arrow points to where a lane goes when they are written down in
# order.  s is r0..r3 and not written by the instruction before; n is 1..15.
define(`lanes_up', `mov $1, $2 >> $3')

# lanes_down(d, s, n): the other way
define(`lanes_down', `mov $1, $2 << $3')

# dma_load(setup, address): memory to the VPM, done when it returns.  The one
# DMA engine serves all QPUs, so it is taken with the mutex.
define(`dma_load', `mov -, mutex
	mov vr_setup, $1
	mov vr_addr, $2
	mov -, vr_wait
	mov mutex, 0')

# dma_store(setup, address): rows of the VPM to memory, packed
define(`dma_store', `mov -, mutex
	mov vw_setup, $1
	mov vw_setup, vdw_stride(0)
	mov vw_addr, $2
	mov -, vw_wait
	mov mutex, 0')

# gather(nqpus): QPU 0 waits for the others: uses r0, flags, semaphore 0.
# The semaphore is taken in a delay slot; that it may wait there is fine.
define(`gather', `mov r0, $1
	sub.setf r0, r0, 1
	brr.allz -, r:2f
	nop
	nop
	nop
:1
	sub.setf r0, r0, 1
	brr.anynz -, r:1b
	sacq -, 0
	nop
	nop
:2')

# barrier(id, nqpus, release): no QPU goes on before all have come: uses r0,
# flags, semaphores 0 and release.  Two barriers in turn need release 1 and 2:
# with one semaphore a quick QPU could come to the second barrier and take
# what a slow one was to get in the first.
define(`barrier', `mov.setf -, $1
	brr.anynz -, r:4f
	nop
	nop
	nop
	gather($2)
	mov r0, $2
	sub.setf r0, r0, 1
	brr.allz -, r:5f
	nop
	nop
	nop
:3
	sub.setf r0, r0, 1
	brr.anynz -, r:3b
	srel -, $3
	nop
	nop
	brr -, r:5f
	nop
	nop
	nop
:4
	srel -, 0
	sacq -, $3
:5')

# finish(id, nqpus): the end of every program: uses r0, flags, semaphore 0.
# A QPU that comes here has waited for its own stores.
define(`finish', `mov.setf -, $1
	brr.anynz -, r:3f
	nop
	nop
	nop
	gather($2)
	mov irq, 1
	thrend
	nop
	nop
:3
	srel -, 0
	thrend
	nop
	nop')

# padding(): what follows the program.  Instructions are fetched by lines of
# 64 bytes and ahead; after the end there must be something to fetch.
define(`padding', `repeat(16, `nop')')
divert(0)dnl
