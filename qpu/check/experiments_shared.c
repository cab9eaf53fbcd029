/* SPDX-License-Identifier: MIT */
/*
 * What QPUs share: the mutex, semaphores, and perhaps set-ups.  Semaphores 1
 * and 2 put two QPUs in order; all end at 0 if they work as we know them.
 */
#include "config.h"

#include "qpu/check/experiment.h"

/* The other QPU does this between the first one's set-up and its use. */
#define IN_BETWEEN(what) "sacq -, 1\n" what "srel -, 2\n"

/* clang-format off */
const struct experiment experiments_shared[] = {
	{ .id = "mutex", .question = "the mutex, read through file A,",
	  .source = "mov r0, ra51\nmov mutex, 0",
	  .answers = {
		{ "is the lane's number", LANES(1, 0) },
		{ "is 0", ALL(0) },
		{ "is 1", ALL(1) } } },
	{ .id = "mutex", .question = "the mutex, read through file B,",
	  .source = "mov r1, qpu_num\nadd r1, r1, 1\nmov r0, rb51\n"
		    "mov mutex, 0\nsub r0, r0, r1",
	  .answers = { { "is the QPU's number", ALL(0xffffffff) } } },

	{ .id = "U5", .question = "the set-up of a DMA store",
	  .source =
		"put 1, 1\n"
		"put 2, 2\n"
		"ldi vw_setup, 0x80904080\n"
		"ldi vw_setup, 0xc0000000\n"
		"srel -, 1\n"
		"sacq -, 2\n"
		"mov vw_addr, rb30\n"
		"mov -, vw_wait\n"
		"fetch r0, rb30",
	  .other = IN_BETWEEN("ldi vw_setup, 0x80904100\n"),
	  .answers = {
		{ "is each QPU's own", ALL(1) },
		{ "is one for all QPUs", ALL(2) } } },
	{ .id = "U5", .question = "the stride of a DMA store",
	  .source =
		"put 1, 1\n"
		"put 2, 2\n"
		"ldi vw_setup, 0x81104080\n"
		"ldi vw_setup, 0xc0000000\n"
		"srel -, 1\n"
		"sacq -, 2\n"
		"mov vw_addr, rb30\n"
		"mov -, vw_wait\n"
		"ldi r1, 64\n"
		"add ra1, rb30, r1\n"
		"nop\n"
		"fetch r0, ra1",
	  .other = IN_BETWEEN("ldi vw_setup, 0xc0000100\n"),
	  .answers = {
		{ "is each QPU's own", ALL(2) },
		{ "is one for all QPUs", ALL(0) } } },
	{ .id = "U5", .question = "the set-up of a DMA load",
	  .source =
		"put 1, 1\n"
		"put 2, 2\n"
		"ldi vr_setup, 0x83011010\n"
		"srel -, 1\n"
		"sacq -, 2\n"
		"mov vr_addr, ra30\n"
		"mov -, vr_wait\n"
		"get r0, 1",
	  .other = IN_BETWEEN("ldi vr_setup, 0x83011020\n"),
	  .answers = {
		{ "is each QPU's own", LANES(0x00020002, 0x00010000) },
		{ "is one for all QPUs", ALL(1) } } },
	{ .id = "U5", .question = "the pitch of a DMA load",
	  .source =
		"put 1, 1\n"
		"ldi vr_setup, 0x90000040\n"
		"ldi vr_setup, 0x80021000\n"
		"srel -, 1\n"
		"sacq -, 2\n"
		"mov vr_addr, ra30\n"
		"mov -, vr_wait\n"
		"get r0, 1",
	  .other = IN_BETWEEN("ldi vr_setup, 0x90000080\n"),
	  .answers = {
		{ "is each QPU's own", LANES(0x00020002, 0x00210020) },
		{ "is one for all QPUs", LANES(0x00020002, 0x00410040) } } },
	{ .id = "U5", .question = "the set-up of writes to the VPM",
	  .source =
		"put 1, 1\n"
		"put 2, 2\n"
		"ldi vw_setup, 0x1a01\n"
		"srel -, 1\n"
		"sacq -, 2\n"
		"mov vpm, 9\n"
		"get r0, 1",
	  .other = IN_BETWEEN("ldi vw_setup, 0x1a02\n"),
	  .answers = {
		{ "is each QPU's own", ALL(9) },
		{ "is one for all QPUs", ALL(1) } } },

	/*
	 * Row 20 tells whether the 16th increment came through before any
	 * decrement.  Only if it did not is it waited for, so that no QPU
	 * waits for what the hardware may do otherwise.
	 */
	{ .id = "semaphore", .question = "an increment of a semaphore at 15",
	  .source =
		"put 20, 0\n"
		"nop\nnop\nnop\nnop\n"
		".rep i, 15\nsrel -, 15\n.endr\n"
		"srel -, 1\n"
		"srel -, 15\n"
		"put 20, 1\n"
		"sacq -, 2\n"
		"get r0, 21\n",
	  .other =
		"sacq -, 1\n"
		"ldi r1, 500\n"
		":wait\n"
		"sub.setf r1, r1, 1\n"
		"brr.anynz -, r:wait\nnop\nnop\nnop\n"
		"get r0, 20\n"
		"put 21, r0\n"
		"nop\nnop\nnop\nnop\n"
		"mov.setf -, r0\n"
		"brr.anynz -, r:through\nnop\nnop\nnop\n"
		".rep i, 16\nsacq -, 15\n.endr\n"
		":through\n"
		"srel -, 2\n",
	  .answers = {
		{ "waits", ALL(0) },
		{ "does not wait", ALL(1) } } },
	{ 0 }
};
/* clang-format on */
