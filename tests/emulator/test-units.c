/* SPDX-License-Identifier: MIT */
/*
 * Promise: units make instructions wait as the cycle model says, clock by
 * clock.  The costs are simple ones of these tests, so that better ones of the
 * model change nothing here; test-timing has those.
 */
#include "config.h"

#include "qpu/emulator/timing.h"
#include "tests/emulator/emu.h"

/* Small caches, and costs of which each sum is of one kind only. */
static const struct machine_timing costs = {
	.clock_mhz = 100,
	.icache_bytes = 512, /* 2 sets; no QPU of four is in another's way */
	.icache_ways = 4,
	.icache_overhead = 40,
	.l2_bytes = 1024, /* 8 sets */
	.l2_ways = 2,
	.l2_hit = 100,
	.l2_service = 8,
	.memory_extra = 1000,
	.bus_line = 16,
	.system_l2_bytes = 8192, /* 64 sets */
	.system_l2_ways = 2,
	.sdram_extra = 4000,
	.sdram_line_x10 = 205,
	.sdram_write_back_x10 = 995,
	.tmu_bytes = 256, /* 4 sets */
	.tmu_issue = 4,
	.tmu_lane = 2,
	.tmu_tail = 12,
	.tmu_miss = 400,
	.tmu_outstanding = 3,
	.uniform_bytes = 256,
	.uniform_ways = 2,
	.uniform_hit = 20,
	.uniform_miss = 500,
	.vpm_read_setup = 24,
	.vpm_vertical = 36,
	.vpm_horizontal = 16,
	.vdr_fixed = 200,
	.vdr_row_x10 = 605,
	.vdr_word_x10 = 405,
	.vdw_fixed = 300,
	.vdw_row_x10 = 705,
	.vdw_word_x10 = 305,
	.vdw_far_bytes = 512,
	.vdw_far_row_x10 = 2000,
	.semaphore_handover = 8,
	.mutex_handover = 12,
	.launch_direct_us = 3,
	.launch_mailbox_us = 5,
};

/* Clocks of the instructions that are not nops, by QPU. */
struct log {
	struct machine *machine;
	char text[MACHINE_QPUS][256];
	uint64_t last;
	bool backward;
};

static void
note(void *context, const struct machine_step *step)
{
	struct log *log = context;
	char *text = log->text[step->qpu];
	const size_t used = strlen(text);
	const uint64_t now = machine_clocks(log->machine);

	log->backward |= now < log->last;
	log->last = now;
	if (step->word == UINT64_C(0x100009e7009e7000))
		return;
	snprintf(text + used, sizeof(log->text[0]) - used, "%s%u",
		 used ? " " : "", (unsigned)step->clock);
}

static const struct row {
	const char *name;
	const char *texts[5]; /* the programs; those without one have the last */
	unsigned qpus;
	const char *clocks; /* of each QPU, between bars */
} rows[] = {
	{ "instructions: a line for the slice, and one after the "
	  "other",
	  { "mov r0, 1\nmov r0, 2\n.rep i, 6\nnop\n.endr\nmov r0, 3" },
	  6,
	  "5284 5288 10480 10484|5285 5289 10477 10481|5286 5290 "
	  "10478 10482|5287 5291 10479 10483|5284 5288 10480 10484|"
	  "5285 5289 10477 10481" },
	{ "a fifth line of a set takes the place of the first",
	  { "mov ra1, 2\n:again\n.rep i, 84\nnop\n.endr\nsub.setf "
	    "ra1, ra1, 1\nbrr.anynz -, :again\nnop\nnop\nnop" },
	  1,
	  "5184 57164 57168 64224 64228 64384" },
	{ "uniforms: two are fetched ahead, a line at a time",
	  { ".rep i, 18\nmov r0, unif\n.endr" },
	  2,
	  "5204 5208 5224 5244 5264 5284 5304 5324 10492 10496 "
	  "10512 10532 10552 10572 10592 10612 15812 15816 15820|"
	  "5205 5209 5225 5245 5265 5285 5305 5325 10489 10493 "
	  "10509 10529 10549 10569 10589 10609 15813 15817 15821" },
	{ "uniforms from a new address, and of a line that is there",
	  { "mov unif_addr, unif\nnop\nnop\nmov r0, unif\nldi "
	    "unif_addr, 0x40010000\nnop\nnop\nmov r0, unif\nmov r0, "
	    "unif\nmov r0, unif" },
	  1,
	  "5184 5688 5692 5716 10884 10888 10892" },
	{ "a lookup of one line, and again, by both units",
	  { "mov ra0, unif\nnop\nmov t0s, ra0\nldtmu0\nmov t0s, ra0\n"
	    "ldtmu0\nmov t1s, ra0\nldtmu1" },
	  1,
	  "5184 5192 10732 10736 10784 10788 11304 16472" },
	{ "a lookup of 16 lines, and again",
	  { "mov ra0, unif\nmov r1, elem_num\nshl r1, r1, 6\nnop\n"
	    "add t0s, ra0, r1\nldtmu0\nadd t0s, ra0, r1\nldtmu0" },
	  1,
	  "5184 5188 5192 5200 38344 38348 41364 46532" },
	{ "lookups of four QPUs by the two units of their slice",
	  { "mov ra0, unif\nmov r1, qpu_num\nshl r1, r1, 7\nnop\nadd "
	    "t0s, ra0, r1\nmov t0s, ra0\nldtmu0\nldtmu0" },
	  4,
	  "5244 5248 5252 5260 5264 10848 10888 16032|5245 5249 "
	  "5253 5261 5265 10889 10893 16033|5246 5250 5254 5262 "
	  "5266 10866 10870 16034|5243 5247 5251 5259 5263 10827 "
	  "10867 16035" },
	{ "lookups of lines through the direct alias, again",
	  { "mov ra0, unif\nldi r1, 0x80000000\nldi r3, 2\n:again\n"
	    "or t0s, ra0, r1\nldtmu0\nadd r1, r1, r2\nldi r2, 4096\n"
	    "sub.setf r3, r3, 1\nbrr.anynz -, :again\nnop\nnop\nnop" },
	  1,
	  "5184 5188 5192 5196 10736 10740 10744 10748 15916 15932 "
	  "15980 15984 15988 15992 15996 16012" },
	{ "lookups of a program that has ended delay no other program",
	  { "mov ra0, unif\nmov r1, elem_num\nshl r1, r1, 6\nnop\n"
	    "add t0s, ra0, r1\nadd t0s, ra0, r1\nmov t1s, ra0",
	    "mov ra0, unif\nmov r1, elem_num\nshl r1, r1, 7\nnop\n"
	    "add t0s, ra0, r1\nmov t1s, ra0\nldtmu0\nldtmu1" },
	  2,
	  "5204 5208 5212 5220 5224 5228 5232|5225 5229 5233 5241 "
	  "5245 38389 38393 43561" },
	{ "the line that was used last stays in L2",
	  { "mov ra0, unif\nldi r1, 512\nldi r2, 1024\nnop\nmov t0s, "
	    "ra0\nldtmu0\nadd t0s, ra0, r1\nldtmu0\nmov t1s, ra0\n"
	    "ldtmu1\nadd t0s, ra0, r2\nldtmu0\nldi r3, 0x40010000\n"
	    "mov t1s, r3\nldtmu1\nadd t1s, ra0, r1\nldtmu1" },
	  1,
	  "5184 5188 5192 5200 10740 10744 16284 21452 21968 21972 "
	  "27512 27516 27520 27568 27572 32740 32744" },
	{ "rows that are written to the VPM by two QPUs",
	  { ".rep i, 14\nnop\n.endr\nldi vw_setup, 0x1a00\n.rep i, "
	    "5\nmov vpm, 1\n.endr" },
	  2,
	  "10424 10428 15592 15596 15608 15640 15644|10421 10425 "
	  "15593 15597 15625 15657 15661" },
	{ "columns that are written",
	  { "ldi vw_setup, 0x1200\n.rep i, 5\nmov vpm, 1\n.endr" },
	  1,
	  "5184 5188 5192 5224 5260 5296 5300" },
	{ "rows that are read by two QPUs",
	  { "ldi vr_setup, 0x401a00\n.rep i, 4\nmov r0, vpm\n.endr" },
	  2,
	  "5204 5228 5260 5292 5324 5328|5205 5245 5277 5309 5341 "
	  "5345" },
	{ "loads, one at a time, that only their QPU waits for",
	  { "ldi vr_setup, 0x82041000\nldi vr_addr, 0x40010000\nmov "
	    "r0, vr_busy\nmov -, vw_wait\nmov -, vr_wait\nmov r0, "
	    "vr_busy" },
	  2,
	  "5204 5208 5212 5216 5652 5656 5660|5205 5653 5657 5661 "
	  "6097 6101 6105" },
	{ "stores, one at a time",
	  { "ldi vw_setup, 0x82104000\nldi vw_addr, 0x40010000\nmov "
	    "r0, vw_busy\nmov -, vr_wait\nmov -, vw_wait\nmov r0, "
	    "vw_busy" },
	  2,
	  "5204 5208 5212 5216 5792 5796 5800|5205 5793 5797 5801 "
	  "6377 6381 6385" },
	{ "stores of rows of 1, 2, 15, 16, 17 and 32 words",
	  { "ldi vw_setup, 0x81014000\nldi vw_addr, 0x40010000\nmov "
	    "-, vw_wait\nldi vw_setup, 0x81024000\nldi vw_addr, "
	    "0x40010000\nmov -, vw_wait\nldi vw_setup, 0x810f4000\n"
	    "ldi vw_addr, 0x40010000\nmov -, vw_wait\nldi vw_setup, "
	    "0x81104000\nldi vw_addr, 0x40010000\nmov -, vw_wait\n"
	    "ldi vw_setup, 0x81114000\nldi vw_addr, 0x40010000\nmov "
	    "-, vw_wait\nldi vw_setup, 0x81204000\nldi vw_addr, "
	    "0x40010000\nmov -, vw_wait\n" },
	  1,
	  "5184 5188 5552 5556 5560 5928 5932 5936 11104 11108 "
	  "11112 11556 11560 11564 12148 12152 17320 17904 17908" },
	{ "stores of rows that are 508 and 512 bytes apart, and of "
	  "one",
	  { "ldi vw_setup, 0xc00001dc\nldi vw_setup, 0x81084000\nldi "
	    "vw_addr, 0x40010000\nmov -, vw_wait\nldi vw_setup, "
	    "0xc00001e0\nldi vw_addr, 0x40010000\nmov -, vw_wait\n"
	    "ldi vw_setup, 0x80884000\nldi vw_addr, 0x40010000\nmov "
	    "-, vw_wait\nldi vw_setup, 0xc0000200\nldi vw_setup, "
	    "0x81604000\nldi vw_addr, 0x40010000\nmov -, vw_wait" },
	  1,
	  "5184 5188 5192 5592 5596 5600 6300 6304 11472 11824 "
	  "11828 11832 11836 12984 12988" },
	{ "a store after writes to the VPM",
	  { "ldi vw_setup, 0x80904000\nldi vw_setup, 0x1200\nnop\n"
	    "mov vpm, 1\nmov vpm, 1\nldi vw_addr, 0x40010000\nmov -, "
	    "vw_wait" },
	  1,
	  "5184 5188 5196 5200 5204 5640 5644" },
	{ "lookups of lines that were stored, and that have others "
	  "written back",
	  { "mov ra0, unif\nldi vw_setup, 0x81204000\nldi vw_setup, "
	    "0xc0001f80\nmov vw_addr, ra0\nmov -, vw_wait\nldi r1, "
	    "0x2000\nmov t0s, ra0\nldtmu0\nadd r2, r1, r1\nadd t0s, "
	    "ra0, r2\nldtmu0\nadd r2, r2, r1\nadd t0s, ra0, r2\n"
	    "ldtmu0" },
	  1,
	  "5184 5188 5192 5196 5896 5900 5904 7420 12588 12592 "
	  "18132 18136 18140 23680 23684" },
	{ "a semaphore that three QPUs wait for",
	  { "sacq -, 0\nsacq -, 0", "sacq -, 0", "sacq -, 0",
	    ".rep i, 40\nnop\n.endr\nsrel -, 0\nsrel -, 0\nsrel -, "
	    "0\nsrel -, 0\nsrel -, 1\nsrel -, 1\nsacq -, 1" },
	  4,
	  "31436 31440 31444|31297 31301|31454 31458|31287 31311 "
	  "31323 31327 31331 31343 31347 31351" },
	{ "a full semaphore",
	  { ".rep i, 17\nsrel -, 3\n.endr",
	    ".rep i, 40\nnop\n.endr\nsacq -, 3\nsacq -, 3" },
	  2,
	  "5204 5216 5220 5224 5228 5232 5236 5240 10408 10412 "
	  "10416 10420 10424 10428 10432 31220 36388 36392|31209 "
	  "31233 31237" },
	{ "the mutex: to the one that waits longest, then the lowest",
	  { "mov -, mutex\n.rep i, 40\nnop\n.endr\nmov mutex, 0",
	    "nop\nnop\nmov -, mutex\nnop\nmov mutex, 0",
	    "nop\nmov -, mutex\nnop\nmov mutex, 0",
	    "nop\nnop\nnop\nmov -, mutex\nnop\nmov mutex, 0",
	    "nop\nmov -, mutex\nnop\nnop\nmov mutex, 0" },
	  12,
	  "5408 31392 31396|31641 31649 31653|31666 31674 31678|"
	  "31691 31699 31703|31468 31480 31484|31525 31537 31541|"
	  "31582 31594 31598|31411 31423 31427|31496 31508 31512|"
	  "31553 31565 31569|31610 31622 31626|31439 31451 31455" },
	{ "the mutex again, while another QPU waits for it",
	  { "mov -, mutex\nnop\nmov mutex, 0\nmov -, mutex\nnop\nmov "
	    "mutex, 0" },
	  2,
	  "5204 5212 5256 5264 5268|5229 5237 5281 5289 5293" },
};

static void
run(const struct row *row)
{
	const struct machine_options options = { .timed = true,
						 .timing = &costs };
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA,
				      EMU_BASE + EMU_DATA };
	struct emu emu = emu_open(&options);
	struct log log = { .machine = emu.machine };
	char clocks[2048] = "";
	uint32_t code = 0;

	for (unsigned i = 0; i < row->qpus; i++) {
		char text[1024];

		if (i < 5 && row->texts[i]) {
			snprintf(text, sizeof(text), "%s" EMU_END,
				 row->texts[i]);
			code = emu_assemble(&emu, text);
		}
		emu_program(&emu, code, uniforms, 2);
	}
	machine_on_step(emu.machine, note, &log);
	emu_go(&emu, 10000);
	for (unsigned i = 0; i < row->qpus; i++) {
		strcat(clocks, i ? "|" : "");
		strcat(clocks, log.text[i]);
	}
	is(clocks, row->clocks, "%s", row->name);
	ok(emu.status == MACHINE_DONE && !log.backward,
	   "the clocks of '%s' never go backward", row->name);
	emu_close(&emu);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		run(&rows[i]);
	return tap_done();
}
