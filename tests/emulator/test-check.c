/* SPDX-License-Identifier: MIT */
/*
 * Checking mode: each hazard is reported at its instruction, its harmless
 * neighbour is not; noise; random interleaving that a seed repeats.
 */
#include "config.h"

#include "tests/emulator/emu.h"

/*
 * Uniforms 0 and 1 are the address of data, 2 is 1.  The bad program's hazard
 * is at instruction `at`.
 */
static const struct {
	unsigned rule;
	const char *bad;
	unsigned at;
	const char *good;
} rows[] = {
	{ 1, "mov ra0, unif\nmov r0, ra0", 1,
	  "mov ra0, unif\nnop\nmov r0, ra0" },
	{ 1, "mov rb3, unif\nmov r0, rb3", 1, "mov rb3, unif\nmov r0, unif" },
	{ 1,
	  "mov r0, elem_num\nsub.setf -, r0, 8\nmov ra1, r0\nnop\n"
	  "mov.ifn ra1, r0\nmov.ifn r1, ra1",
	  5,
	  "mov r0, elem_num\nsub.setf -, r0, 8\nmov ra1, r0\nnop\n"
	  "mov.ifn ra1, r0\nmov.ifnn r1, ra1" },
	{ 1, "ldi ra0, 0x40001028\nbra -, ra0\nnop\nnop\nnop\nnop", 1,
	  "ldi ra0, 0x40001030\nnop\nbra -, ra0\nnop\nnop\nnop\nnop" },
	{ 2, "mov r0, elem_num\nmov r5rep, 2\nmov r1, r0 << r5", 2,
	  "mov r0, elem_num\nmov r5rep, 2\nnop\nmov r1, r0 << r5" },
	{ 3, "mov r0, elem_num\nmov r1, r0 << 2", 1,
	  "mov r0, elem_num\nnop\nmov r1, r0 << 2" },
	{ 4, "mov unif_addr, unif\nnop\nmov r0, unif", 2,
	  "mov unif_addr, unif\nnop\nnop\nmov r0, unif" },
	{ 5, "mov tmurs, 1\nnop\nmov t0s, unif\nldtmu0", 2,
	  "mov tmurs, 1\nnop\nnop\nnop\nmov t0s, unif\nldtmu0" },
	{ 5, "mov t0s, unif\nldtmu0\nmov tmurs, 1", 2,
	  "mov t0s, unif\nldtmu0\nmov r0, r4" },
	{ 6, "mov recip, unif\nnop\nmov r0, r4", 2,
	  "mov recip, unif\nnop\nnop\nmov r0, r4" },
	{ 6, "mov recip, unif\nmov exp, unif\nnop\nnop", 1,
	  "mov recip, unif\nnop\nnop\nmov exp, unif\nnop\nnop" },
	{ 7, "thrend\nmov r0, unif\nnop", 1, "mov r0, unif" },
	{ 7, "thrend\nmov ra14, 1\nnop", 1, "mov ra14, 1" },
	{ 7, "mov r0, unif\nmov ra1, r0; thrend\nnop\nnop", 1, "mov ra1, 1" },
	{ 8, "brr -, :a\nbrr -, :a\nnop\nnop\n:a\nnop", 1,
	  "brr -, :a\nnop\nnop\nnop\n:a\nnop" },
	{ 10,
	  "mov r0, elem_num\nmov.setf -, r0\nldi vw_setup, 0xa00\n"
	  "mov.ifz vpm, r0",
	  3, "mov r0, elem_num\nmov.setf -, r0\nmov.ifz irq, r0" },
	/* Only the port's own condition counts. */
	{ 10,
	  "mov r0, elem_num\nmov.setf r1, r0\nldi vw_setup, 0xa00\n"
	  "mov.ifz vpm, r0; mov r5rep, r1",
	  3,
	  "mov r0, elem_num\nmov.setf r1, r0\nldi vw_setup, 0xa00\n"
	  "mov.ifz r5rep, r0; mov vpm, r1" },
	{ 12, "mov r0, 1; v8adds r0, 1, 1", 0,
	  "mov.setf -, elem_num\nmov.ifz r0, 1; v8adds.ifnz r0, 1, 1" },
	/* The standard end of py-videocore's programs. */
	{ 12, "mov r0, 1\nadd r0, r0, r0; mov r0, r0", 1,
	  "mov r0, 1\nmov r0, r0; mov r0, r0; thrend\nnop\nnop" },
	/* vc4asm's V110.3. */
	{ 13,
	  "ldi vw_setup, 0xa00\nmov r0, 0\nldi r1, 0x101a00\n"
	  "mov vpm, r0; mov vr_setup, r1\nnop\nnop\nnop\nmov r0, vpm",
	  3,
	  "ldi vw_setup, 0xa00\nmov r0, 0\nldi r1, 0x101a00\nmov vpm, r0\n"
	  "mov vr_setup, r1\nnop\nnop\nnop\nmov r0, vpm" },
	{ 15, "ldi vr_setup, 0x201a00\nnop\nnop\nnop\nmov r0, vpm", 7,
	  "ldi vr_setup, 0x201a00\nnop\nnop\nnop\nmov r0, vpm\n"
	  "mov r0, vpm" },
	{ 15,
	  "ldi vr_setup, 0x201a00\nldi vr_setup, 0x201a00\nnop\nnop\n"
	  "nop\nmov r0, vpm\nmov r0, vpm",
	  1,
	  "ldi vr_setup, 0x101a00\nldi vr_setup, 0x101a00\nnop\nnop\n"
	  "nop\nmov r0, vpm\nmov r0, vpm" },
	{ 20, "ldi ra0, 0x40001034\nnop\nbra -, ra0\nnop\nnop\nnop\nnop", 6,
	  "ldi ra0, 0x40001030\nnop\nbra -, ra0\nnop\nnop\nnop\nnop" },
	{ 21,
	  "mov r0, unif\nmov t0s, r0\nmov t0s, r0\nmov t0s, r0\n"
	  "mov t0s, r0\nmov t0s, r0\nldtmu0\nldtmu0\nldtmu0\nldtmu0\nldtmu0",
	  5,
	  "mov r0, unif\nmov t0s, r0\nmov t0s, r0\nmov t0s, r0\n"
	  "mov t0s, r0\nmov t1s, r0\nldtmu0\nldtmu0\nldtmu0\nldtmu0\nldtmu1" },
	{ 22, "mov r0, ra7", 0, "xor r0, ra7, ra7" },
	{ 23, "mov -, mutex", 3, "mov -, mutex\nmov mutex, 0" },
	{ 25,
	  "ldi vr_setup, 0x81111000\nldi vr_addr, 0x40010002\n"
	  "mov -, vr_wait",
	  1,
	  "ldi vr_setup, 0x81111000\nldi vr_addr, 0x40010004\n"
	  "mov -, vr_wait" },
	{ 27,
	  "ldi vr_setup, 0x81111000\nmov vr_addr, unif\n"
	  "ldi vr_setup, 0x101a00\nnop\nnop\nnop\nmov r0, vpm\n"
	  "mov -, vr_wait",
	  6,
	  "ldi vr_setup, 0x81111000\nmov vr_addr, unif\n"
	  "ldi vr_setup, 0x101a01\nnop\nnop\nnop\nmov r0, vpm\n"
	  "mov -, vr_wait" },
	{ 28,
	  "ldi vw_setup, 0xa00\nldi vw_setup, 0x80904000\n"
	  "mov vw_addr, unif\nmov vpm, 1\nmov -, vw_wait",
	  3,
	  "ldi vw_setup, 0xa00\nldi vw_setup, 0x80904000\n"
	  "mov vw_addr, unif\nmov -, vw_wait\nmov vpm, 1" },
	/* A row of 32 words is two rows of the VPM; a column of 16 rows. */
	{ 28,
	  "ldi vw_setup, 0xa01\nldi vw_setup, 0x80a04000\n"
	  "mov vw_addr, unif\nmov vpm, 1\nmov -, vw_wait",
	  3,
	  "ldi vw_setup, 0xa02\nldi vw_setup, 0x80a04000\n"
	  "mov vw_addr, unif\nmov vpm, 1\nmov -, vw_wait" },
	{ 28,
	  "ldi vw_setup, 0xa03\nldi vw_setup, 0x80900400\n"
	  "mov vw_addr, unif\nmov vpm, 1\nmov -, vw_wait",
	  3,
	  "ldi vw_setup, 0xa10\nldi vw_setup, 0x80900400\n"
	  "mov vw_addr, unif\nmov vpm, 1\nmov -, vw_wait" },
	{ 29, "ldi vw_setup, 0x80904000\nmov vw_addr, unif", 4,
	  "ldi vw_setup, 0x80904000\nmov vw_addr, unif\nmov -, vw_wait" },
	{ 30,
	  "ldi vw_setup, 0x80904000\nmov vw_addr, unif\n"
	  "mov t0s, unif\nldtmu0\nmov -, vw_wait",
	  2,
	  "ldi vw_setup, 0x80904000\nmov vw_addr, unif\n"
	  "mov -, vw_wait\nmov t0s, unif\nldtmu0" },
	{ 31, "mov t0s, unif", 3, "mov t0s, unif\nldtmu0" },
	{ 33, "ldi t0s, 0x3ffffff0\nldtmu0", 0, "mov t0s, unif\nldtmu0" },
	{ 34, "ldi vr_setup, 0x90004000", 0, "ldi vr_setup, 0x90003fff" },
	{ 34, "ldi vw_setup, 0xc0020000", 0, "ldi vw_setup, 0xc001ffff" },
	{ 35, "mov r0, ra39", 0, "mov -, ra39" },
	/* mnop r0 beside mov r1, r1. */
	{ 35, "mov r1, 1\n.int 0x159e7249, 0x10024860", 1,
	  "mov r1, 1\n.int 0x159e7249, 0x10020867" },
	{ 32, "ldi ra1, 0x40001030\nnop\nbra -, ra1\nnop\nnop\nnop\nnop", 2,
	  "ldi ra2, 0x40001030\nnop\nbra -, ra2\nnop\nnop\nnop\nnop" },
};

static struct emu
run_checked(const char *text)
{
	static const struct machine_options options = {
		.check = true,
		.seed = 42,
	};
	const uint32_t uniforms[] = {
		EMU_BASE + EMU_DATA,
		EMU_BASE + EMU_DATA,
		1,
	};
	char whole[1024];

	snprintf(whole, sizeof(whole), "%s%s", text,
		 strstr(text, "thrend") ? "" : EMU_END);
	return emu_run(&options, whole, uniforms, 3);
}

static void
test_rules(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const unsigned rule = rows[i].rule;
		struct emu emu = run_checked(rows[i].bad);
		const char *name = rule <= 20 ? "R" : "C";
		const uint32_t at = EMU_BASE + EMU_CODE + 8 * rows[i].at;

		ok(emu.findings[rule] >= 1 && emu.finding_pc[rule] == at,
		   "%s%u is reported at instruction %u", name, rule,
		   rows[i].at);
		if (emu.finding_pc[rule] != at)
			tap_note("it is at %x", emu.finding_pc[rule]);
		emu_close(&emu);
		emu = run_checked(rows[i].good);
		ok(emu.nfindings == 0 && emu.status == MACHINE_DONE,
		   "and %s%u is not in its harmless neighbour", name, rule);
		for (unsigned k = 0; k < EMU_RULES; k++)
			if (emu.findings[k])
				tap_note("rule %u at %x", k, emu.finding_pc[k]);
		emu_close(&emu);
	}
}

/* A look at vr_busy or vw_busy waits for a transfer only when it has ended. */
static void
test_busy(void)
{
	static const char look[] = "mov r0, %s_busy\n";
	static const char poll[] = ":wait\nmov.setf -, %s_busy\n"
				   "brr.anynz -, :wait\nnop\nnop\nnop\n";
	static const struct {
		unsigned rule;
		const char *engine, *begin, *end;
	} cases[] = {
		{ 27, "vr", "ldi vr_setup, 0x81111000\nmov vr_addr, unif\n",
		  "ldi vr_setup, 0x101a00\nnop\nnop\nnop\nmov r0, vpm\n"
		  "mov -, vr_wait" },
		{ 28, "vw",
		  "ldi vw_setup, 0xa00\nldi vw_setup, 0x80904000\n"
		  "mov vw_addr, unif\n",
		  "mov vpm, 1\nmov -, vw_wait" },
	};
	static const struct machine_options options = {
		.check = true, .timed = true, .qpus = 1, .seed = 42
	};
	const uint32_t uniforms[] = { EMU_BASE + EMU_DATA };

	for (unsigned i = 0; i < 4; i++) {
		const bool polls = i >= 2;
		const unsigned rule = cases[i % 2].rule;
		char between[128], text[512];
		struct emu emu;

		snprintf(between, sizeof(between), polls ? poll : look,
			 cases[i % 2].engine);
		snprintf(text, sizeof(text), "%s%s%s" EMU_END,
			 cases[i % 2].begin, between, cases[i % 2].end);
		emu = emu_run(&options, text, uniforms, 1);
		ok(emu.status == MACHINE_DONE &&
			   (emu.findings[rule] == 0) == polls,
		   "C%u is %sreported behind %s %s_busy", rule,
		   polls ? "not " : "", polls ? "polling" : "one look at",
		   cases[i % 2].engine);
		emu_close(&emu);
	}
}

static void
test_once(void)
{
	struct emu emu = run_checked("ldi r0, 100\n:loop\nmov ra0, r0\n"
				     "mov r1, ra0\nsub.setf r0, r0, 1\n"
				     "brr.anynz -, :loop\nnop\nnop\nnop");

	ok(emu.findings[1] == 1, "a hazard in a loop is reported once");
	emu_close(&emu);
}

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
	   "the same noise for the same seed");
	ok(emu_ra(&other, 5)[0] != emu_ra(&first, 5)[0],
	   "other noise for another seed");
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
	   "a seed repeats its interleaving");
	for (uint64_t seed = 2; seed < 10; seed++) {
		order_of(seed, again, true);
		differs |= memcmp(first, again, 8 * sizeof(*first)) != 0;
	}
	ok(differs, "other seeds have others");
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
	ok(stale_after_clear(~0u, 0) == 1, "and while L2 has it");
	ok(stale_after_clear(~0u, 4) == 0,
	   "and not when SLCACTL and L2CACTL have cleared all of them");
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

	ok(emu_all(emu_r(&emu, 1), 7), "functional mode knows no old lines");
	emu_close(&emu);
	emu = run_stale(true, "");
	ok(emu_all(emu_r(&emu, 1), 0) && emu.findings[30] == 1,
	   "checking mode gives the old line that a TMU still has");
	emu_close(&emu);
	emu = run_stale(true, evict);
	ok(emu_all(emu_r(&emu, 1), 7) && emu.nfindings == 0,
	   "and the new one when the caches have replaced it");
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
		   "an old line is reported although it is as the new one");
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

static void
test_ignore(void)
{
	struct machine_options options = { .check = true };
	struct diag why;
	struct emu emu;

	ok(machine_rules_parse("r1,C22", &options.ignore, &why) &&
		   options.ignore == (1u << 1 | 1u << 22),
	   "a list of rules is parsed");
	emu = emu_run(&options, "mov ra0, 1\nmov r0, ra0\nmov r1, ra7" EMU_END,
		      NULL, 0);
	ok(emu.nfindings == 0, "rules can be ignored");
	emu_close(&emu);
	options.ignore = 0;
	ok(!machine_rules_parse("R1,C5", &options.ignore, &why) &&
		   strstr(why.text, "'C5'") &&
		   !machine_rules_parse("", &options.ignore, &why) &&
		   !machine_rules_parse("R21", &options.ignore, &why) &&
		   !machine_rules_parse("C36", &options.ignore, &why) &&
		   !machine_rules_parse("R5x", &options.ignore, &why),
	   "what is not a rule is refused by name");
}

int
main(void)
{
	test_rules();
	test_busy();
	test_once();
	test_noise();
	test_interleaving();
	test_cache_clear();
	test_stale_lines();
	test_stale_by_luck();
	test_once_for_aliases();
	test_ignore();
	return tap_done();
}
