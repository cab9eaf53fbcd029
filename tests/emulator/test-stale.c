/* SPDX-License-Identifier: MIT */
/*
 * Promise: checking mode knows of each word that a lookup gets whether it is
 * the one that memory has: C30 is told of those that are old, or that are
 * being stored, and of no others.
 */
#include "config.h"

#include "qpu/abi/v3d.h"
#include "tests/emulator/emu.h"

enum {
	DATA = EMU_BASE + EMU_DATA,
};

static const struct machine_options checking = { .check = true };

/* Findings of a program that has two addresses as uniforms. */
static unsigned
findings_of(const char *text, uint32_t first, uint32_t second)
{
	struct emu emu = emu_open(&checking);
	const uint32_t uniforms[] = { first, second };
	unsigned findings;

	for (unsigned i = 0; i < 1024; i++)
		emu_words(&emu, EMU_DATA)[i] = 7;
	for (unsigned i = 0; i < MACHINE_LANES; i++)
		machine_vpm(emu.machine, 0)[i] = 7;
	emu_program(&emu, emu_assemble(&emu, text), uniforms, 2);
	findings = emu_go(&emu, 1000) == MACHINE_DONE &&
				   emu.nfindings == emu.findings[30] ?
			   emu.nfindings :
			   99;
	emu_close(&emu);
	return findings;
}

/* Two rows of a line's size from the middle of line 0 and of line 5 on. */
static void
test_lines(void)
{
	static const char text[] =
		"mov ra0, unif\nldi vw_setup, 0x81104000\n"
		"ldi vw_setup, 0xc0000100\nmov vw_addr, ra0\n"
		"mov t0s, unif\nldtmu0\nmov -, vw_wait" EMU_END;
	static const struct {
		int offset;
		unsigned findings;
	} rows[] = {
		{ -4, 0 },  { 0, 1 },	{ 4, 1 },   { 127, 1 }, { 128, 0 },
		{ 319, 0 }, { 320, 1 }, { 447, 1 }, { 448, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ok(findings_of(text, DATA + 1024 + 32,
			       DATA + 1024 + rows[i].offset) ==
			   rows[i].findings,
		   "a lookup at %d of lines that are being stored is%s told",
		   rows[i].offset, rows[i].findings ? "" : " not");
}

/* A store of some words, over words that are alike, and one lookup. */
static void
test_words(void)
{
	for (unsigned other = 0; other < 2; other++) {
		bool good = true;

		for (unsigned at = 0; at < 16; at++)
			for (unsigned from = 0; from < 15; from++) {
				char text[256];
				const bool old = at == from || at == from + 1;

				snprintf(text, sizeof(text),
					 "mov ra0, unif\nmov ra1, unif\nnop\n"
					 "mov t0s, ra1\nldtmu0\n"
					 "ldi vw_setup, 0x80824000\n"
					 "mov vw_addr, ra0\nmov -, vw_wait\n"
					 "mov t%us, ra1\nldtmu%u" EMU_END,
					 other, other);
				good = good &&
				       findings_of(text, DATA + 4 * from,
						   DATA + 4 * at) == old;
			}
		ok(good, "only words that were stored are old to %s",
		   other ? "the other unit, by L2" :
			   "the unit that has the line");
	}
}

/* One program stores; another one looks up before it has waited, or then. */
static void
test_others(void)
{
	static const char store[] =
		"ldi vw_setup, 0x80904000\nmov vw_addr, unif\n%s"
		"srel -, 0\nsacq -, 1\nmov -, vw_wait" EMU_END;
	static const char look[] =
		"sacq -, 0\nmov t0s, unif\nldtmu0\nsrel -, 1" EMU_END;
	const uint32_t uniforms[] = { DATA };

	for (unsigned waits = 0; waits < 2; waits++) {
		unsigned findings = 0;

		for (unsigned seed = 0; seed < 12; seed++) {
			const struct machine_options options = {
				.check = true,
				.seed = seed,
			};
			struct emu emu = emu_open(&options);
			char text[256];

			snprintf(text, sizeof(text), store,
				 waits ? "mov -, vw_wait\n" : "");
			emu_program(&emu, emu_assemble(&emu, text), uniforms,
				    1);
			emu_program(&emu, emu_assemble(&emu, look), uniforms,
				    1);
			emu_go(&emu, 10000);
			findings += emu.findings[30] +
				    100 * (emu.nfindings - emu.findings[30]);
			emu_close(&emu);
		}
		ok(findings == (waits ? 0 : 12),
		   "a store of any QPU is seen by any other, %s",
		   waits ? "until it is waited for" : "while it runs");
	}
}

/*
 * A lookup by one QPU, a store by the CPU, caches cleared, and once more:
 * which bit of V3D_SLCACTL is about the unit that the QPU uses?
 */
static bool
is_stale(unsigned qpu, unsigned tmu, uint32_t cleared, uint32_t l2)
{
	struct emu emu = emu_open(&checking);
	char text[128];
	bool old;

	for (unsigned i = 0; i < 2; i++)
		machine_write(emu.machine, V3D_SQRSV0 + 4 * i,
			      qpu / 8 == i ? ~(1u << qpu % 8 * 4) : ~0u);
	snprintf(text, sizeof(text),
		 "ldi t%us, 0x40010000\nldtmu%u\nmov r0, r4" EMU_END, tmu, tmu);
	emu_program(&emu, emu_assemble(&emu, text), NULL, 0);
	emu_go(&emu, 100);
	emu_words(&emu, EMU_DATA)[0] = 5;
	machine_write(emu.machine, V3D_L2CACTL, l2);
	machine_write(emu.machine, V3D_SLCACTL, cleared);
	machine_write(emu.machine, V3D_SRQPC, emu.programs[0].code);
	machine_run(emu.machine, 0, 0, &emu.why);
	old = emu.findings[30] == 1;
	if (emu.nfindings != old ||
	    !emu_all(machine_register(emu.machine, qpu, 2, 0), old ? 0 : 5)) {
		tap_note("%s", emu.finding);
		old = !old;
	}
	emu_close(&emu);
	return old;
}

static void
test_clearing(void)
{
	for (unsigned qpu = 0; qpu < MACHINE_QPUS; qpu++)
		for (unsigned tmu = 0; tmu < 2; tmu++) {
			const unsigned slice = qpu / 4;
			/* Half of the QPUs swap their units. */
			const unsigned unit = qpu % 4 < 2 ? tmu : 1 - tmu;
			const uint32_t bit = 1u << (16 + 8 * unit + slice);

			ok(!is_stale(qpu, tmu, bit, 4) &&
				   is_stale(qpu, tmu, ~bit, 4),
			   "SLCACTL clears what QPU %u has by TMU %u", qpu,
			   tmu);
		}
	ok(is_stale(0, 0, ~0u, 0),
	   "a stored line stays stale while L2 has it, whatever SLCACTL clears");
}

/* QPU 2 looks up by its unit 1, by unit 0 after tmurs, and by 1 again. */
static void
test_swap(void)
{
	static const struct machine_options timed = { .timed = true };
	struct emu emu = emu_open(&timed);

	machine_write(emu.machine, V3D_SQRSV0, ~(1u << 8));
	machine_write(emu.machine, V3D_SQRSV0 + 4, ~0u);
	emu_program(&emu,
		    emu_assemble(&emu, "ldi t0s, 0x40010000\nldtmu0\n"
				       "ldi t0s, 0x40010000\nldtmu0" EMU_END),
		    NULL, 0);
	emu_go(&emu, 100);
	ok(machine_counter(emu.machine, 25) == 1, "one unit fetches one line");
	machine_write(emu.machine, V3D_SRQPC,
		      emu_assemble(&emu,
				   "mov tmurs, 1\nnop\nnop\nnop\n"
				   "ldi t0s, 0x40010000\nldtmu0" EMU_END));
	machine_run(emu.machine, 0, 0, &emu.why);
	ok(machine_counter(emu.machine, 25) == 2,
	   "the other unit, by tmurs, fetches its own");
	emu_close(&emu);
}

/* A launch begins with empty caches. */
static void
test_launch(void)
{
	const struct machine_options one = { .check = true, .qpus = 1 };
	struct emu emu = emu_open(&one);

	emu_program(&emu,
		    emu_assemble(&emu, "ldi t0s, 0x40010000\nldtmu0\n"
				       "mov r0, r4" EMU_END),
		    NULL, 0);
	emu_go(&emu, 100);
	for (unsigned i = 1; i < 40; i++) {
		emu_words(&emu, EMU_DATA)[0] = i;
		emu_go(&emu, 100);
	}
	ok(emu.nfindings == 0, "a launch by the mailbox clears all caches");
	machine_keep_caches(emu.machine, 3);
	machine_reset(emu.machine);
	emu_words(&emu, EMU_DATA)[0] = 5;
	emu_go(&emu, 100);
	ok(emu.nfindings == 0, "a reset clears all caches");
	emu_close(&emu);
}

/* What a second launch looks up where the first one saw 0 and there is 5 by now.
 * Without `words` the caches are kept in both launches. */
static uint32_t
second_lookup(unsigned keeps, bool words, bool by_registers)
{
	const struct machine_options options = { .qpus = 1, .words = words };
	struct emu emu = emu_open(&options);
	uint32_t word;

	emu_program(&emu,
		    emu_assemble(&emu, "ldi t0s, 0x40010000\nldtmu0\n"
				       "mov r0, r4" EMU_END),
		    NULL, 0);
	if (!words)
		machine_keep_caches(emu.machine, keeps);
	emu_go(&emu, 100);
	emu_words(&emu, EMU_DATA)[0] = 5;
	machine_keep_caches(emu.machine, keeps);
	if (by_registers) {
		machine_write(emu.machine, V3D_L2CACTL, keeps & 2 ? 0 : 4);
		machine_write(emu.machine, V3D_SLCACTL,
			      keeps & 1 ? 0xffff : ~0u);
		machine_write(emu.machine, V3D_SRQPC, emu.programs[0].code);
		machine_run(emu.machine, 0, 0, &emu.why);
	} else {
		emu_go(&emu, 100);
	}
	word = machine_register(emu.machine, 0, 2, 0)[0];
	if (emu.nfindings > 0)
		word = 99;
	emu_close(&emu);
	return word;
}

/* Without checking mode, and without a finding. */
static void
test_kept(void)
{
	static const char *const what[] = { "no cache", "the units' caches",
					    "L2", "units' caches and L2" };

	for (unsigned keeps = 0; keeps < 4; keeps++)
		ok(second_lookup(keeps, true, false) == (keeps ? 0 : 5) &&
			   second_lookup(keeps, true, true) ==
				   (keeps ? 0 : 5) &&
			   second_lookup(keeps, false, false) ==
				   (keeps ? 0 : 5),
		   "a launch, by either way, that keeps %s gets %s words",
		   what[keeps], keeps ? "old" : "new");
}

/* Lines that end with memory, by words; noise stays what it was. */
static void
test_outside(void)
{
	struct emu emu = emu_open(&checking);
	static uint32_t more[4] = { 1, 2, 3, 4 };
	const uint32_t *seen;

	machine_add_memory(emu.machine, 0x10000010, more, sizeof(more),
			   &emu.why);
	emu_program(&emu,
		    emu_assemble(&emu, "mov r0, elem_num\nshl r0, r0, 2\n"
				       "ldi r1, 0x10000000\nadd r0, r0, r1\n"
				       "mov t0s, r0\nldtmu0\nmov ra0, r4\n"
				       "mov t0s, r0\nldtmu0\n"
				       "sub ra1, r4, ra0" EMU_END),
		    NULL, 0);
	emu_go(&emu, 1000);
	seen = machine_register(emu.machine, 0, 0, 0);
	for (unsigned qpu = 0; qpu < MACHINE_QPUS; qpu++)
		if (machine_executed(emu.machine, qpu))
			seen = machine_register(emu.machine, qpu, 0, 0);
	ok(emu.nfindings == 2 && emu.findings[33] == 2 && seen[4] == 1 &&
		   seen[7] == 4 && seen[3] > 9 && seen[8] > 9 && seen[15] > 9,
	   "words without memory are noise, those beside them are not");
	ok(emu_all(seen + MACHINE_LANES, 0),
	   "noise of words without memory stays as long as a cache has it");
	emu_close(&emu);
}

/* Lines 4 KiB apart, in the sets of TMU and L2: which one goes? */
static void
test_sizes(void)
{
	static const char text[] =
		"mov ra0, unif\nmov ra1, unif\nnop\nmov r0, ra0\n"
		"mov t0s, ra0\nldtmu0\n"
		".rep i, %u\nadd r0, r0, ra1\nmov t0s, r0\nldtmu0\n.endr\n"
		"ldi vw_setup, 0x80814000\nmov vw_addr, ra0\nmov -, vw_wait\n"
		"mov t0s, ra0\nldtmu0" EMU_END;
	static const struct {
		unsigned lines, apart, findings;
		const char *what;
	} rows[] = {
		{ 1, 4096 - 64, 1, "another line of the unit's cache" },
		{ 1, 4096, 1, "one that takes its place, but not that in L2" },
		{ 3, 4096, 1, "four lines that L2 has room for" },
		{ 4, 4096, 0, "a fifth one" },
		{ 4, 4096 + 64, 1, "four of other sets" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char whole[512];

		snprintf(whole, sizeof(whole), text, rows[i].lines);
		ok(findings_of(whole, DATA, rows[i].apart) == rows[i].findings,
		   "an old line is %s after %s",
		   rows[i].findings ? "there" : "gone", rows[i].what);
	}
}

int
main(void)
{
	test_lines();
	test_words();
	test_others();
	test_clearing();
	test_swap();
	test_launch();
	test_kept();
	test_outside();
	test_sizes();
	return tap_done();
}
