/* SPDX-License-Identifier: MIT */
/*
 * Promise: lookups get the words that the caches hold, as in a short reference;
 * checking mode reports all stale words (C30) and no others.  Stores in flight
 * are tested in machine.golden.
 */
#include "config.h"

#include "qpu/abi/v3d.h"
#include "tests/emulator/emu.h"
#include "tests/support/random.h"

enum {
	DATA = EMU_BASE + EMU_DATA,
};

static const struct machine_options checking = { .check = true };
static const struct machine_options words = { .words = true };

/* --- Random lookups and stores against a short reference ----------------------- */

enum {
	MACHINES = 12,
	STEPS = 300, /* of a machine, each with code of its own */
	LINES = 512, /* of data: twice as many as L2 has */
	SETS = 64,   /* of each unit, and of L2 */
	WAYS = 4,    /* of L2 */
	LINE_WORDS = 16,
};

/* A line as it was when it was fetched; `old` are words that were stored since. */
struct line {
	bool valid;
	unsigned number, used;
	uint32_t words[LINE_WORDS];
	bool old[LINE_WORDS];
};

static bool told; /* of old words */

static struct caches {
	struct line tmu[6][SETS], l2[SETS][WAYS];
	unsigned uses;
} caches;

/* The line of L2, which takes the place of the oldest one of its set. */
static struct line *
l2_line(const uint32_t *data, unsigned number)
{
	struct line *set = caches.l2[number % SETS], *oldest = set;

	for (unsigned i = 0; i < WAYS; i++) {
		if (set[i].valid && set[i].number == number)
			oldest = &set[i];
		if (oldest->valid && oldest->number == number)
			break;
		if (!set[i].valid || set[i].used < oldest->used)
			oldest = &set[i];
	}
	if (!oldest->valid || oldest->number != number) {
		*oldest = (struct line){ .valid = true, .number = number };
		memcpy(oldest->words, data + LINE_WORDS * number,
		       sizeof(oldest->words));
	}
	oldest->used = ++caches.uses;
	return oldest;
}

/* A word as a unit gets it; counts those that memory has otherwise. */
static uint32_t
look(const uint32_t *data, unsigned unit, unsigned at, unsigned *stale)
{
	struct line *line = &caches.tmu[unit][at / LINE_WORDS % SETS];
	const unsigned word = at % LINE_WORDS;

	if (!line->valid || line->number != at / LINE_WORDS)
		*line = *l2_line(data, at / LINE_WORDS);
	*stale += line->old[word] || line->words[word] != data[at];
	return line->words[word];
}

static void
mark_old(struct line *line, unsigned at)
{
	if (line->valid && line->number == at / LINE_WORDS)
		line->old[at % LINE_WORDS] = true;
}

static void
clear(bool l2, uint32_t slices)
{
	if (l2)
		memset(caches.l2, 0, sizeof(caches.l2));
	for (unsigned unit = 0; unit < 6; unit++)
		if (slices >> (16 + 8 * (unit & 1) + unit / 2) & 1)
			memset(caches.tmu[unit], 0, sizeof(caches.tmu[unit]));
}

/* One QPU alone runs a program: by registers, or by a launch that keeps some
 * caches. */
static void
run_on(struct emu *emu, unsigned qpu, const char *text)
{
	const unsigned keeps = random_below(4);

	for (unsigned i = 0; i < 2; i++)
		machine_write(emu->machine, V3D_SQRSV0 + 4 * i,
			      qpu / 8 == i ? ~(1u << qpu % 8 * 4) : ~0u);
	emu->nprograms = 0;
	emu_program(emu, emu_assemble(emu, text), NULL, 0);
	/* The first program clears nothing. */
	if (emu->programs[0].code != EMU_BASE + EMU_CODE &&
	    random_below(30) == 0) {
		machine_keep_caches(emu->machine, keeps);
		clear(!(keeps & MACHINE_L2), keeps & MACHINE_SLICES ? 0 : ~0u);
		emu_go(emu, 1000);
		return;
	}
	machine_write(emu->machine, V3D_SRQPC, emu->programs[0].code);
	emu->status = machine_run(emu->machine, 0, 0, &emu->why);
}

/* A word of a few sets. */
static unsigned
random_word(void)
{
	return random_below(LINES / SETS) * SETS * LINE_WORDS +
	       random_below(4 * LINE_WORDS);
}

/* Lanes at addresses of a stride, often all of one set. */
static bool
try_lookup(struct emu *emu, const uint32_t *data)
{
	const unsigned qpu = random_below(MACHINE_QPUS), tmu = random_below(2);
	const bool swaps = random_below(4);
	const unsigned unit = tmu ^ (swaps && qpu & 2);
	const unsigned stride = random_below(3) ? random_below(4) :
						  SETS * LINE_WORDS;
	const unsigned at = random_word();
	const unsigned before = emu->findings[30];
	uint32_t expected[MACHINE_LANES];
	unsigned stale = 0;
	char text[256];

	snprintf(text, sizeof(text),
		 "mov tmurs, %u\nldi r1, %u\nmov r2, elem_num\n"
		 "mul24 r2, r2, r1\nldi r0, %u\nadd r2, r2, r0\n"
		 "ldi r0, 0x7fff\nand r2, r2, r0\nldi r0, 0x%x\n"
		 "add t%us, r2, r0\nldtmu%u\nmov r0, r4" EMU_END,
		 !swaps, 4 * stride, 4 * at, (unsigned)DATA, tmu, tmu);
	run_on(emu, qpu, text);
	for (unsigned i = 0; i < MACHINE_LANES; i++)
		expected[i] = look(data, qpu / 4 * 2 + unit,
				   (at + i * stride) % (LINES * LINE_WORDS),
				   &stale);
	return emu->status == MACHINE_DONE &&
	       emu_lanes_are(machine_register(emu->machine, qpu, 2, 0),
			     expected) &&
	       emu->findings[30] - before == (told && stale) &&
	       emu->nfindings == emu->findings[30];
}

/* A row of up to 16 words, over what may be the same. */
static bool
try_store(struct emu *emu)
{
	const unsigned n = 1 + random_below(MACHINE_LANES);
	const unsigned at = random_word();
	char text[256];

	snprintf(text, sizeof(text),
		 "ldi vw_setup, 0x1a00\nmov vpm, %u\nldi vw_setup, 0x%x\n"
		 "ldi vw_addr, 0x%x\nmov -, vw_wait" EMU_END,
		 random_below(2), 0x80804000 | n << 16,
		 (unsigned)DATA + 4 * at);
	run_on(emu, random_below(MACHINE_QPUS), text);
	for (unsigned word = at; word < at + n; word++) {
		for (unsigned i = 0; i < 6; i++)
			mark_old(&caches.tmu[i][word / LINE_WORDS % SETS],
				 word);
		for (unsigned i = 0; i < WAYS; i++)
			mark_old(&caches.l2[word / LINE_WORDS % SETS][i], word);
	}
	return emu->status == MACHINE_DONE && !emu->findings[0];
}

static bool
try(struct emu *emu, uint32_t *data)
{
	const uint32_t slices = random_below(0x10000) << 16;
	const uint32_t bits = random_below(8);

	switch (random_below(20)) {
	case 0: return try_store(emu);
	case 1:
	case 2: data[random_word()] = random_below(3); return true;
	case 3:
		machine_write(emu->machine, V3D_SLCACTL, slices);
		clear(false, slices);
		return true;
	case 4:
		machine_write(emu->machine, V3D_L2CACTL, bits);
		clear(bits & 4, 0);
		return true;
	default: return try_lookup(emu, data);
	}
}

static void
test_random(const struct machine_options *options, const char *mode)
{
	bool good = true;

	told = options == &checking;
	for (unsigned n = 0; good && n < MACHINES; n++) {
		struct emu emu = emu_open(options);

		memset(&caches, 0, sizeof(caches));
		machine_on_message(emu.machine, emu_finding, &emu);
		for (unsigned i = 0; good && i < STEPS; i++)
			good = try(&emu, emu_words(&emu, EMU_DATA));
		if (!good)
			tap_note("machine %u: %s, %s", n, emu.why.text,
				 emu.finding);
		emu_close(&emu);
	}
	ok(good, "lookups get the words that caches hold, %s", mode);
}

int
main(void)
{
	test_random(&checking, "in checking mode");
	test_random(&words, "with words from the beginning on");
	test_random(NULL, "from the first program on that keeps them");
	return tap_done();
}
