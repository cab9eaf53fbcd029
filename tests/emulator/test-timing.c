/* SPDX-License-Identifier: MIT */
/*
 * The cycle model reproduces what was measured on hardware; caches are cleared
 * as the registers say; a profile counts what each instruction took.  The clocks of programs.golden and jobs.golden change with
 * every cost of timing.h: where a better measurement changes one, they do, too.
 */
#include "config.h"

#include "qpu/abi/v3d.h"
#include "tests/emulator/emu.h"

static const struct machine_options timed = { .timed = true };

/* Share of slots, in percent, that a loop of n instructions issues in. */
static double
loop_efficiency(unsigned n)
{
	char *text = calloc(n + 32, 8);
	struct emu emu;
	double share;

	strcat(text, "ldi ra0, 50\nnop\nnop\nnop\nnop\nnop\nnop\nnop\n"
		     ":loop\nsub.setf ra0, ra0, 1\n");
	for (unsigned i = 0; i < n - 5; i++)
		strcat(text, "nop\n");
	strcat(text, "brr.anynz -, :loop\nnop\nnop\nnop" EMU_END);
	emu = emu_run(&timed, text, NULL, 0);
	share = 400.0 * (double)machine_instructions(emu.machine) /
		(double)machine_clocks(emu.machine);
	free(text);
	emu_close(&emu);
	return share;
}

static void
test_icache_cliff(void)
{
	static const struct {
		unsigned n;
		double low, high;
	} rows[] = {
		{ 256, 92, 100 }, { 504, 91, 97 }, { 520, 83, 91 },
		{ 544, 69, 79 },  { 576, 55, 67 }, { 640, 40, 53 },
		{ 1000, 40, 53 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const double share = loop_efficiency(rows[i].n);

		ok(share >= rows[i].low && share <= rows[i].high,
		   "a loop of %u instructions issues in %.0f %% of its slots",
		   rows[i].n, share);
	}
}

/* Slots of two programs that go round a number of times. */
static uint64_t
ping_pong_slots(const char *ping, const char *pong, uint32_t rounds)
{
	struct emu emu = emu_open(&timed);
	uint64_t slots;

	emu_program(&emu, emu_assemble(&emu, ping), &rounds, 1);
	emu_program(&emu, emu_assemble(&emu, pong), &rounds, 1);
	emu_go(&emu, 100000);
	slots = (machine_clocks(emu.machine) + 3) / 4;
	emu_close(&emu);
	return slots;
}

/* A round, without the start: the difference of 300 rounds and 100. */
static void
test_ping_pong(void)
{
	static const char pong[] =
		"mov ra0, unif\nnop\nmov.setf -, ra0\n:loop\nsacq -, 0\n"
		"srel -, 1\nbrr.anynz -, :loop\nnop\nnop\n"
		"sub.setf ra0, ra0, 1" EMU_END;
	/* Chain: srel, (sacq, srel), sacq, brr and three delay slots. */
	static const char ping_8[] =
		"mov ra0, unif\nnop\nmov.setf -, ra0\n:loop\nsrel -, 0\n"
		"sacq -, 1\nbrr.anynz -, :loop\nnop\nnop\n"
		"sub.setf ra0, ra0, 1" EMU_END;
	/* Chain: sacq, brr, two delay slots, srel, (sacq, srel). */
	static const char ping_7[] =
		"mov ra0, unif\nsrel -, 0\nmov.setf -, ra0\n:loop\n"
		"sacq -, 1\nbrr.anynz -, :loop\nnop\n"
		"sub.setf ra0, ra0, 1\nsrel -, 0" EMU_END;

	ok(ping_pong_slots(ping_7, pong, 300) -
			   ping_pong_slots(ping_7, pong, 100) ==
		   200 * 7,
	   "a semaphore ping-pong of 7 instructions takes 7 slots");
	ok(ping_pong_slots(ping_8, pong, 300) -
			   ping_pong_slots(ping_8, pong, 100) ==
		   200 * 8,
	   "a semaphore ping-pong of 8 instructions takes 8 slots");
}

/* A loop over fresh uniforms, a read in every 1 + nops instructions. */
static double
uniform_efficiency(unsigned nops)
{
	char text[32768] = "ldi ra0, 15\nnop\n:loop\nsub.setf ra0, ra0, 1\n";
	struct emu emu;
	double share;

	for (unsigned i = 0; i < 64; i++) {
		if (i == 61)
			strcat(text, "brr.anynz -, :loop\n");
		strcat(text, "mov r0, unif\n");
		for (unsigned k = 0; i < 60 && k < nops; k++)
			strcat(text, "nop\n");
	}
	strcat(text, EMU_END);
	emu = emu_run(&timed, text, NULL, 0);
	share = 400.0 * (double)machine_instructions(emu.machine) /
		(double)(4 * machine_instructions(emu.machine) +
			 machine_stalled(emu.machine, 0,
					 MACHINE_STALL_UNIFORM));
	emu_close(&emu);
	return share;
}

static void
test_uniforms(void)
{
	const double back_to_back = uniform_efficiency(0);
	const double spaced = uniform_efficiency(7);

	ok(back_to_back > 50 && back_to_back < 75,
	   "64 uniforms in a row run at %.0f %%", back_to_back);
	ok(spaced > 97, "uniforms with 7 instructions between run at %.0f %%",
	   spaced);
}

/* Clocks from the write of t0s until ldtmu0 is through, less 4 each. */
static uint64_t
tmu_stall(bool warm)
{
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA };
	struct emu emu = emu_run(
		&timed,
		warm ? "mov ra0, unif\nnop\nnop\nnop\nnop\nmov t0s, ra0\nldtmu0\n"
		       "nop\nmov t0s, ra0\nldtmu0" EMU_END :
		       "mov ra0, unif\nnop\nnop\nnop\nnop\nnop\nmov t0s, ra0\nldtmu0" EMU_END,
		uniforms, 1);
	uint64_t stall = machine_stalled(emu.machine, 0, MACHINE_STALL_TMU);

	emu_close(&emu);
	return stall;
}

static void
test_tmu(void)
{
	const uint64_t cold = tmu_stall(false);
	const uint64_t hit = tmu_stall(true) - cold;

	ok(hit + 4 == 28, "a TMU hit takes 28 clocks from write to load");
	ok(cold > hit + 90 && cold < hit + 150,
	   "a miss to SDRAM takes %u clocks more", (unsigned)(cold - hit));
}

/* The clocks that a wait after the start of a transfer takes, with its slot. */
static unsigned
transfer_clocks(const char *unit, unsigned setup)
{
	char text[256];
	struct emu emu;
	uint64_t stalled;

	snprintf(text, sizeof(text),
		 "ldi %s_setup, 0x%x\nldi %s_addr, 0x40010000\n"
		 "mov -, %s_wait" EMU_END,
		 unit, setup, unit, unit);
	emu = emu_run(&timed, text, NULL, 0);
	stalled = machine_stalled(emu.machine, 0,
				  unit[1] == 'r' ? MACHINE_STALL_VDR :
						   MACHINE_STALL_VDW);
	emu_close(&emu);
	return stalled + 4;
}

static void
test_dma(void)
{
	/* Measured: rows of 64 bytes by QV52 and QV53; QPULib's Rot3D moves
	 * 16 rows of a word in at most 230 and 187 clocks. */
	static const struct {
		const char *unit;
		unsigned setup, clocks;
		const char *what;
	} rows[] = {
		{ "vr", 0x83011000, 61 + 19, "a load of a row" },
		{ "vr", 0x83001000, 61 + 310, "a load of 16 rows" },
		{ "vr", 0x83101000, 230, "a load of 16 rows of a word" },
		{ "vr", 0x83801000, 61 + 235, "a load of 16 rows of 8 words" },
		{ "vw", 0x80904000, 39 + 14, "a store of a row" },
		{ "vw", 0x88104000, 39 + 229, "a store of 16 rows" },
		{ "vw", 0x88014000, 187, "a store of 16 rows of a word" },
		{ "vw", 0x88084000, 39 + 186, "a store of 16 rows of 8 words" },
		{ "vw", 0x80a04000, 39 + 29, "a store of a row of 32 words" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const unsigned clocks =
			transfer_clocks(rows[i].unit, rows[i].setup);

		ok(clocks + 2 >= rows[i].clocks && clocks <= rows[i].clocks + 6,
		   "%s takes %u clocks", rows[i].what, rows[i].clocks);
		tap_note("modelled: %u", clocks);
	}
}

/* Lines of code are fetched again when the ARM has cleared the cache. */
static void
test_cache_clear(void)
{
	enum { SLCACTL = 0x24 };
	struct emu emu = emu_open(&timed);
	uint64_t misses;

	emu_program(&emu,
		    emu_assemble(&emu, ":loop\nbrr -, :loop\nnop\nnop\nnop"),
		    NULL, 0);
	machine_launch(emu.machine, emu.programs, 1, &emu.why);
	machine_run(emu.machine, 100, 0, &emu.why);
	misses = machine_counter(emu.machine, 21);
	machine_run(emu.machine, 100, 0, &emu.why);
	ok(misses == 1 && machine_counter(emu.machine, 21) == 1,
	   "a loop in the instruction cache is fetched once");
	machine_write(emu.machine, SLCACTL, ~0u);
	machine_run(emu.machine, 100, 0, &emu.why);
	ok(machine_counter(emu.machine, 21) == 2,
	   "a loop is fetched again after the cache was cleared");
	emu_close(&emu);
}

/* Misses of instructions, uniforms, lookups by two units, and L2. */
enum { KINDS = 4 };

static void
count_misses(const struct emu *emu, uint64_t misses[KINDS])
{
	static const unsigned sources[KINDS] = { 21, 23, 25, 29 };

	for (unsigned i = 0; i < KINDS; i++)
		misses[i] = machine_counter(emu->machine, sources[i]);
}

/* What a program on a QPU misses again after a write to SLCACTL, L2CACTL. */
static bool
are_missed(unsigned qpu, uint32_t slices, uint32_t l2,
	   const unsigned expected[KINDS])
{
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA };
	struct emu emu = emu_open(&timed);
	uint64_t before[KINDS], after[KINDS];
	bool good = true;

	for (unsigned i = 0; i < 2; i++)
		machine_write(emu.machine, V3D_SQRSV0 + 4 * i,
			      qpu / 8 == i ? ~(1u << qpu % 8 * 4) : ~0u);
	emu_program(&emu,
		    emu_assemble(&emu, "mov t0s, unif\nldi t1s, 0x40020000\n"
				       "ldtmu0\nldtmu1\nnop" EMU_END),
		    uniforms, 1);
	emu_go(&emu, 0);
	count_misses(&emu, before);
	machine_write(emu.machine, 0x20, l2);
	machine_write(emu.machine, 0x24, slices);
	machine_write(emu.machine, V3D_SRQUA, emu.programs[0].uniforms);
	machine_write(emu.machine, V3D_SRQPC, emu.programs[0].code);
	machine_run(emu.machine, 0, 0, &emu.why);
	count_misses(&emu, after);
	for (unsigned i = 0; i < KINDS; i++)
		if (after[i] - before[i] != expected[i]) {
			tap_note("kind %u: %u", i,
				 (unsigned)(after[i] - before[i]));
			good = false;
		}
	good = good && machine_executed(emu.machine, qpu) == 16;
	emu_close(&emu);
	return good;
}

static void
test_clearing(void)
{
	for (unsigned slice = 0; slice < 3; slice++) {
		static const unsigned missed[4][KINDS] = {
			{ 1, 0, 0, 0 },
			{ 0, 1, 0, 0 },
			{ 0, 0, 1, 0 },
			{ 0, 0, 1, 0 },
		};
		static const unsigned others[4][KINDS] = {
			{ 0, 1, 2, 0 },
			{ 1, 0, 2, 0 },
			{ 1, 1, 1, 0 },
			{ 1, 1, 1, 0 },
		};

		for (unsigned kind = 0; kind < 4; kind++) {
			const uint32_t bit = 1u << (8 * kind + slice);

			ok(are_missed(4 * slice, bit, 0, missed[kind]) &&
				   are_missed(4 * slice, ~bit, 0, others[kind]),
			   "bit %u of SLCACTL clears one cache of a slice",
			   8 * kind + slice);
		}
	}
	ok(are_missed(0, ~0u, 4, (const unsigned[]){ 1, 1, 2, 4 }) &&
		   are_missed(0, ~0u, ~4u, (const unsigned[]){ 1, 1, 2, 0 }) &&
		   are_missed(0, 0, 4, (const unsigned[]){ 0, 0, 0, 0 }),
	   "bit 2 of L2CACTL clears L2");
}

/* Bit 0 of what is read tells, right after the start and after the wait. */
static void
test_busy(void)
{
	struct emu emu = emu_run(
		&timed,
		"ldi vr_setup, 0x83001000\nldi vr_addr, 0x40010000\n"
		"mov r0, vr_busy\nmov -, vr_wait\nmov r1, vr_busy\n"
		"ldi vw_setup, 0x88104000\nldi vw_addr, 0x40010000\n"
		"mov r2, vw_busy\nmov -, vw_wait\nmov r3, vw_busy" EMU_END,
		NULL, 0);

	ok(emu_all(emu_r(&emu, 0), 1) && emu_all(emu_r(&emu, 1), 0),
	   "a load is busy until it has ended");
	ok(emu_all(emu_r(&emu, 2), 1) && emu_all(emu_r(&emu, 3), 0),
	   "a store is busy until it has ended");
	emu_close(&emu);
}

static void
test_launch_clocks(void)
{
	struct emu emu = emu_run(&timed, "nop" EMU_END, NULL, 0);

	ok(machine_launch_clocks(emu.machine) == 85 * 250,
	   "a mailbox launch is modelled as 85 us, apart");
	emu_close(&emu);
}

static void
test_clock_limit(void)
{
	struct emu emu = emu_open(&timed);

	emu_program(&emu,
		    emu_assemble(&emu, ":loop\nbrr -, :loop\nnop\nnop\nnop"),
		    NULL, 0);
	machine_launch(emu.machine, emu.programs, 1, &emu.why);
	ok(machine_run(emu.machine, 0, 10000, &emu.why) == MACHINE_LIMIT &&
		   machine_clocks(emu.machine) <= 10000 &&
		   machine_clocks(emu.machine) > 9900,
	   "a run stops by the clock");
	emu_close(&emu);
}

static bool
row_is(const struct machine_profile_row *row, uint32_t pc, uint64_t executions)
{
	if (row->pc == pc && row->executions == executions)
		return true;
	tap_note("%08x: %u", row->pc, (unsigned)row->executions);
	return false;
}

/* The rows of a profile rise by address: a loop, and code in another page. */
static void
test_profile(void)
{
	static const struct machine_options options = { .profile = true };
	struct machine_profile_row rows[16];
	struct emu emu = emu_open(&options);
	uint32_t first, second;
	size_t n;

	ok(machine_profile(emu.machine, rows, 16) == 0,
	   "a machine that has not run has no profile");
	second = emu_assemble(&emu, "mov r0, 5\n:a\nsub.setf r0, r0, 1\n"
				    "brr.anynz -, :a\nnop\nnop\nnop" EMU_END);
	emu.code_end = 0x3000;
	first = emu_assemble(&emu, "nop" EMU_END);
	emu_program(&emu, first, NULL, 0);
	emu_program(&emu, second | 0xc0000000, NULL, 0);
	emu_program(&emu, first, NULL, 0);
	emu_go(&emu, 0);
	memset(rows, 0, sizeof(rows));
	n = machine_profile(emu.machine, rows, 12);
	ok(n == 13 && row_is(&rows[0], 0x1000, 1) &&
		   row_is(&rows[1], 0x1008, 5) && row_is(&rows[5], 0x1028, 5) &&
		   row_is(&rows[6], 0x1030, 1) && row_is(&rows[8], 0x1040, 1) &&
		   row_is(&rows[9], 0x3000, 2) && row_is(&rows[11], 0x3010, 2),
	   "a profile counts each instruction, by rising address");
	ok(rows[12].executions == 0 && rows[0].stall[1] == 0,
	   "a profile has no more rows than asked for");
	ok(machine_profile(emu.machine, NULL, 0) == 13,
	   "a profile can be asked for the number of its rows alone");
	emu_close(&emu);
}

static void
test_stalls_of_profile(void)
{
	static const struct machine_options options = { .profile = true,
							.timed = true };
	struct emu emu = emu_run(&options,
				 "nop\nldi vw_setup, 0x80904000\n"
				 "ldi vw_addr, 0x40010000\n"
				 "mov -, vw_wait" EMU_END,
				 NULL, 0);
	struct machine_profile_row rows[8];
	uint64_t sum = 0;
	const size_t n = machine_profile(emu.machine, rows, 8);

	ok(n == 7 &&
		   rows[3].stall[MACHINE_STALL_VDW] ==
			   machine_stalled(emu.machine, 0, MACHINE_STALL_VDW) &&
		   rows[3].stall[MACHINE_STALL_VDW] > 0 &&
		   rows[0].stall[MACHINE_STALL_ICACHE] ==
			   machine_stalled(emu.machine, 0,
					   MACHINE_STALL_ICACHE) &&
		   rows[0].stall[MACHINE_STALL_ICACHE] > 0,
	   "stalls are those of the instruction that waits");
	for (size_t i = 0; i < n; i++)
		for (unsigned cause = 0; cause < MACHINE_STALLS; cause++)
			sum += rows[i].stall[cause];
	ok(4 * machine_instructions(emu.machine) + sum ==
		   machine_clocks(emu.machine),
	   "stalls and instructions are the time of a run");
	emu_close(&emu);
}

int
main(void)
{
	test_icache_cliff();
	test_ping_pong();
	test_uniforms();
	test_tmu();
	test_dma();
	test_cache_clear();
	test_clearing();
	test_busy();
	test_launch_clocks();
	test_clock_limit();
	test_profile();
	test_stalls_of_profile();
	return tap_done();
}
