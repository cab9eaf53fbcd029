/* SPDX-License-Identifier: MIT */
/*
 * Checking mode as a whole: noise and interleaving that a seed repeats, lines
 * that caches hold, and how often a hazard is reported.  What each rule finds
 * is in tests/validate/hazards.golden.
 */
#include "config.h"

#include "tests/emulator/emu.h"

static void
test_noise(void)
{
	struct machine_options options = {
		.qpus = 1,
		.check = true,
		.seed = 1,
	};
	struct emu first = emu_run(&options, "nop" EMU_END, NULL, 0);
	struct emu again = emu_run(&options, "nop" EMU_END, NULL, 0);
	struct emu other;

	options.seed = 2;
	other = emu_run(&options, "nop" EMU_END, NULL, 0);
	ok(!emu_all(emu_ra(&first, 5), 0) && !emu_all(emu_r(&first, 4), 0) &&
		   !emu_all(machine_vpm(first.machine, 40), 0),
	   "registers, accumulators and VPM start with noise");
	ok(emu_lanes_are(emu_ra(&again, 5), emu_ra(&first, 5)),
	   "a seed repeats its noise");
	ok(emu_ra(&other, 5)[0] != emu_ra(&first, 5)[0],
	   "another seed gives other noise");
	emu_close(&first);
	emu_close(&again);
	emu_close(&other);
}

/* Each program appends its number to a log in the VPM, unguarded. */
static void
order_of(uint64_t seed, unsigned order[MACHINE_QPUS], bool check)
{
	const struct machine_options options = {
		.check = check,
		.seed = seed,
	};
	struct emu emu = emu_open(&options);
	const uint32_t code = emu_assemble(
		&emu,
		"mov r0, unif\nldi r1, 20\n:wait\nsub.setf r1, r1, 1\n"
		"brr.anynz -, :wait\nnop\nnop\nnop\n"
		"ldi vr_setup, 0x101a00\nnop\nnop\nnop\nmov r2, vpm\n"
		"ldi vw_setup, 0xa00\nshl r2, r2, 4\nor vpm, r2, r0" EMU_END);

	memset(machine_vpm(emu.machine, 0), 0, 64);
	for (uint32_t i = 0; i < MACHINE_QPUS; i++)
		emu_program(&emu, code, &i, 1);
	emu_go(&emu, 100000);
	for (unsigned i = 0; i < 8; i++)
		order[i] = machine_vpm(emu.machine, 0)[0] >> 4 * i & 15;
	emu_close(&emu);
}

static void
test_interleaving(void)
{
	unsigned first[MACHINE_QPUS], again[MACHINE_QPUS];
	bool differs = false;

	order_of(1, first, true);
	order_of(1, again, true);
	ok(!memcmp(first, again, 8 * sizeof(*first)),
	   "a seed repeats the interleaving of QPUs");
	for (uint64_t seed = 2; seed < 10; seed++) {
		order_of(seed, again, true);
		differs |= memcmp(first, again, 8 * sizeof(*first)) != 0;
	}
	ok(differs, "other seeds give other interleavings");
}

/*
 * A line is looked up and stored; then a program that is queued by registers,
 * after a write to the register that clears caches, looks it up again.
 */
static unsigned
stale_after_clear(uint32_t cleared, uint32_t l2)
{
	static const struct machine_options options = {
		.check = true,
		.qpus = 1,
	};
	static const uint32_t uniforms[] = {
		EMU_BASE + EMU_DATA,
		EMU_BASE + EMU_DATA,
		1,
	};
	enum { L2CACTL = 0x20, SLCACTL = 0x24, SRQPC = 0x430, SRQUA = 0x434 };
	struct emu emu = emu_run(&options,
				 "mov t0s, unif\nldtmu0\n"
				 "ldi vw_setup, 0x80904000\nmov vw_addr, unif\n"
				 "mov -, vw_wait" EMU_END,
				 uniforms, 3);
	const uint32_t code =
		emu_assemble(&emu, "mov t0s, unif\nldtmu0" EMU_END);
	unsigned findings;

	machine_on_finding(emu.machine, emu_finding, &emu);
	machine_write(emu.machine, SLCACTL, cleared);
	machine_write(emu.machine, L2CACTL, l2);
	machine_write(emu.machine, SRQUA, emu.programs[0].uniforms);
	machine_write(emu.machine, SRQPC, code);
	emu.status = machine_run(emu.machine, 100, 0, &emu.why);
	findings = emu.findings[30];
	emu_close(&emu);
	return emu.status == MACHINE_DONE ? findings : 99;
}

static void
test_cache_clear(void)
{
	ok(stale_after_clear(0x0000000f, 4) == 1,
	   "a stored line stays stale while a TMU has it");
	ok(stale_after_clear(~0u, 0) == 1,
	   "a stored line stays stale while L2 has it");
	ok(stale_after_clear(~0u, 4) == 0,
	   "a stored line is looked up anew when SLCACTL and L2CACTL have "
	   "cleared all caches");
}

/* Look up a word, store 7 there, do something, look it up again. */
static struct emu
run_stale(bool check, const char *between)
{
	const struct machine_options options = {
		.check = check,
		.seed = 3,
		.qpus = 1,
	};
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA };
	char text[1024];

	snprintf(text, sizeof(text),
		 "mov ra0, unif\nnop\nmov t0s, ra0\nldtmu0\nmov r0, r4\n"
		 "ldi vw_setup, 0xa00\nmov vpm, 7\n"
		 "ldi vw_setup, 0xc0000000\nldi vw_setup, 0x80904000\n"
		 "mov vw_addr, ra0\nmov -, vw_wait\n%s"
		 "mov t0s, ra0\nldtmu0\nmov r1, r4" EMU_END,
		 between);
	return emu_run(&options, text, uniforms, 1);
}

/*
 * VC4C, issue 60: on a board a lookup really gets what was there before the
 * store.  GPU_FFT looks up what it has stored, and works where the caches
 * cannot hold the lines any more (from 4096 points on).
 */
static void
test_stale_lines(void)
{
	/* Sixteen lines that share the set of the caches. */
	static const char evict[] =
		"mov r2, elem_num\nadd r2, r2, 1\nshl r2, r2, 12\n"
		"add t0s, ra0, r2\nldtmu0\n";
	struct emu emu = run_stale(false, "");

	ok(emu_all(emu_r(&emu, 1), 7),
	   "a lookup without checking mode gets what was stored");
	emu_close(&emu);
	emu = run_stale(true, "");
	ok(emu_all(emu_r(&emu, 1), 0) && emu.findings[30] == 1,
	   "a lookup gets the old line that a TMU still has, and it is "
	   "reported");
	emu_close(&emu);
	emu = run_stale(true, evict);
	ok(emu_all(emu_r(&emu, 1), 7) && emu.nfindings == 0,
	   "a lookup gets the new line when the caches have replaced it");
	emu_close(&emu);
}

/*
 * The hazard is there whatever was stored, and in L2 as well: 7 again where 7
 * was, looked up by the other unit.
 */
static void
test_stale_by_luck(void)
{
	const struct machine_options options = { .check = true, .qpus = 1 };
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA };

	for (unsigned unit = 0; unit < 2; unit++) {
		struct emu emu = emu_open(&options);
		char text[512];

		snprintf(text, sizeof(text),
			 "mov ra0, unif\nldi vw_setup, 0xa00\nmov vpm, 7\n"
			 "mov t0s, ra0\nldtmu0\n"
			 "ldi vw_setup, 0xc0000000\nldi vw_setup, 0x80904000\n"
			 "mov vw_addr, ra0\nmov -, vw_wait\n"
			 "mov t%us, ra0\nldtmu%u" EMU_END,
			 unit, unit);
		for (unsigned i = 0; i < MACHINE_LANES; i++)
			emu_words(&emu, EMU_DATA)[i] = 7;
		emu_program(&emu, emu_assemble(&emu, text), uniforms, 1);
		emu_go(&emu, 1000);
		ok(emu.findings[30] == 1 && emu.nfindings == 1,
		   "an old line is reported although the new one is the same");
		emu_close(&emu);
	}
}

/* One program through two aliases. */
static void
test_once_for_aliases(void)
{
	const struct machine_options options = { .check = true };
	struct emu emu = emu_open(&options);
	const uint32_t code = emu_assemble(&emu, "mov r0, ra7" EMU_END);

	emu_program(&emu, code, NULL, 0);
	emu_program(&emu, code ^ 0x80000000, NULL, 0);
	ok(emu_go(&emu, 1000) == MACHINE_DONE && emu.nfindings == 1,
	   "a hazard is reported once for its place, whatever its alias");
	emu_close(&emu);
}

/* A program may begin within an instruction. */
static void
test_start(void)
{
	static const struct machine_options options = { .check = true };

	for (unsigned bytes = 0; bytes <= 4; bytes++) {
		struct emu emu = emu_open(&options);

		emu_program(&emu, emu_assemble(&emu, "nop" EMU_END) + bytes,
			    NULL, 0);
		ok(emu_go(&emu, 100) == MACHINE_DONE &&
			   emu.findings[20] == (bytes != 0),
		   "a start %u bytes after a multiple of 8 is %sreported",
		   bytes, bytes ? "" : "not ");
		emu_close(&emu);
	}
}

/*
 * Each rule at each instruction of a loop is told once, until half of the set
 * is used.  Two rules at each, so that collisions of the set are many.
 */
static void
test_once(void)
{
	static const struct machine_options options = { .check = true };
	struct emu emu = emu_open(&options);

	emu_program(&emu,
		    emu_assemble(&emu,
				 "ldi r0, 3\n:loop\n"
				 ".rep i, 2100\nmov r1, ra7\n"
				 ".endr\n"
				 "sub.setf r0, r0, 1\nbrr.anynz -, :loop\n"
				 "nop\nnop\nnop" EMU_END),
		    NULL, 0);
	emu_go(&emu, 10000);
	ok(emu.nfindings == 2100 && emu.findings[22] == 2100,
	   "a hazard at each of 2100 instructions of a loop is reported "
	   "once");
	emu_close(&emu);
	emu = emu_open(&options);
	emu_program(&emu,
		    emu_assemble(&emu,
				 "ldi r0, 3\n:loop\n"
				 ".rep i, 2100\nadd r1, ra7, rb39\n"
				 ".endr\n"
				 "sub.setf r0, r0, 1\nbrr.anynz -, :loop\n"
				 "nop\nnop\nnop" EMU_END),
		    NULL, 0);
	ok(emu_go(&emu, 10000) == MACHINE_DONE && emu.nfindings == 4096 &&
		   emu.findings[22] == 2048 && emu.findings[35] == 2048,
	   "after 4096 hazards nothing is reported any more");
	emu_close(&emu);
}

static void
test_names(void)
{
	static const struct {
		const char *list;
		uint64_t rules; /* 0: is refused */
		const char *why;
	} lists[] = {
		{ "R1", 1 << 1, "" },
		{ "r20,c21", 1 << 20 | 1 << 21, "" },
		{ "C35,R5,C35", UINT64_C(1) << 35 | 1 << 5, "" },
		{ "R0", 0, "R0" },
		{ "R21", 0, "R21" },
		{ "C20", 0, "C20" },
		{ "C36", 0, "C36" },
		{ "R", 0, "R" },
		{ "R005", 0, "R005" },
		{ "R:", 0, "R:" },
		{ "C3/", 0, "C3/" },
		{ "X5", 0, "X5" },
		{ "R1,", 0, "" },
		{ "R1,,R2", 0, "" },
		{ "R1,abcdefghijklmnopqrstuvwxyz0123456789,R2", 0,
		  "abcdefghijklmnopqrstuvwxyz012345" },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		uint64_t rules = 0;
		struct diag why = { .text = "" };
		char expected[128] = "";
		const bool good =
			machine_rules_parse(lists[i].list, &rules, &why);

		if (!lists[i].rules)
			snprintf(expected, sizeof(expected),
				 "'%s' is not a rule: there are R1 to R20 and "
				 "C21 to C35",
				 lists[i].why);
		ok(good == (lists[i].rules != 0) &&
			   (!good || rules == lists[i].rules),
		   "the list of rules '%s' is %s", lists[i].list,
		   lists[i].rules ? "read" : "refused");
		is(why.text, expected, "what is said of the list of rules '%s'",
		   lists[i].list);
	}
}

static void
test_ignore(void)
{
	struct machine_options options = { .check = true };
	struct diag why;
	struct emu emu;

	machine_rules_parse("r1,C22", &options.ignore, &why);
	emu = emu_run(&options, "mov ra0, 1\nmov r0, ra0\nmov r1, ra7" EMU_END,
		      NULL, 0);
	ok(emu.nfindings == 0, "rules that are ignored are not reported");
	emu_close(&emu);
}

int
main(void)
{
	test_noise();
	test_interleaving();
	test_cache_clear();
	test_stale_lines();
	test_stale_by_luck();
	test_once_for_aliases();
	test_start();
	test_once();
	test_names();
	test_ignore();
	return tap_done();
}
