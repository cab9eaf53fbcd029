/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/sha/forms.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	FORMS = 6,
	WORDS = 4, /* of each element */
	ELEMENTS = 16,
	PIXELS = TILE_PIXELS * TILE_PIXELS,
	TIMEOUT_MS = 1000,
	CODE_WORDS = 2048 / 4, /* of a page; uniforms and results follow */
	RESULT_WORDS = 3072 / 4
};

/* The program packs `packed` into registers that hold `before`, and the memory of
 * the results holds `unwritten`. */
static const uint32_t packed = 0x80f17e01, before = 0x3c3c3c3c,
		      unwritten = 0x5a5a5a5a;

static const struct form {
	const char *name;
	uint32_t result;
} forms[FORMS] = { { "16a", 0x3c3c7e01 }, { "16b", 0x7e013c3c },
		   { "8a", 0x3c3c3c01 },  { "8b", 0x3c3c013c },
		   { "8c", 0x3c013c3c },  { "8d", 0x013c3c3c } };

static const uint64_t lanes_code[] = {
#include "qpu/sha/forms_lanes.words"
};

static const uint64_t tiles_code[] = {
#include "qpu/sha/forms_tiles.words"
};

/* Answers ------------------------------------------------------------------- */

/* The form whose result is a word of an element. */
static unsigned
form_of(unsigned element, unsigned word)
{
	return word < 2 && element % 2 == 1 ? word + 4 : word;
}

static void
append_answer(const struct form *form, uint32_t word, struct diag *answer)
{
	const size_t len = strlen(answer->text);
	char *end = answer->text + len;
	const size_t room = sizeof(answer->text) - len;

	if (word == packed)
		snprintf(end, room, "%s is not packed, ", form->name);
	else if (word == before)
		snprintf(end, room, "%s is lost, ", form->name);
	else
		snprintf(end, room, "%s is %08" PRIx32 ", ", form->name, word);
}

static enum forms_verdict
judge(const uint32_t (*words)[WORDS], unsigned elements, struct diag *answer)
{
	uint32_t seen[FORMS];
	unsigned wrong = 0;

	for (unsigned i = 0; i < WORDS; i++) {
		seen[i] = words[0][i];
		seen[form_of(1, i)] = words[1][i];
	}
	for (unsigned i = 0; i < elements * WORDS; i++) {
		const unsigned element = i / WORDS;
		const unsigned form = form_of(element, i % WORDS);
		const uint32_t word = words[element][i % WORDS];

		if (word == seen[form] && word != unwritten)
			continue;
		if (word == unwritten) {
			diag_set(answer, "some are not stored");
			return FORMS_UNCLEAR;
		}
		diag_set(answer,
			 "elements differ in %s: %08" PRIx32 " and %08" PRIx32,
			 forms[form].name, seen[form], word);
		return FORMS_UNCLEAR;
	}
	diag_set(answer, "%s", "");
	for (unsigned i = 0; i < FORMS; i++)
		if (seen[i] != forms[i].result) {
			append_answer(&forms[i], seen[i], answer);
			wrong++;
		}
	if (wrong == 0) {
		diag_set(answer, "are packed");
		return FORMS_WORK;
	}
	answer->text[strlen(answer->text) - 2] = '\0';
	return FORMS_FAIL;
}

void
forms_explain(enum forms_verdict verdict, const struct diag *answer,
	      struct diag *why)
{
	const struct diag wrong = *why;

	if (verdict == FORMS_FAIL)
		diag_set(why,
			 "%.200s; a form of instruction does not work, results "
			 "of the mul ALU in parts of file A: %.200s",
			 wrong.text, answer->text);
}

/* Questions ------------------------------------------------------------------ */

static void
fill(uint32_t *to, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		to[i] = unwritten;
}

/* Return the number of elements whose words were read from the memory, 0 if the
 * program did not run. */
static unsigned
ask_lanes(const struct way *way, void *self, const struct way_memory *memory,
	  uint32_t (*words)[WORDS], struct diag *answer)
{
	const struct device_program program = {
		.code = memory->bus,
		.uniforms = memory->bus + 4 * CODE_WORDS,
		.results = memory->bus + 4 * RESULT_WORDS,
		.result_rows = WORDS
	};
	const struct way_job job = { .launch = { .programs = &program,
						 .n = 1,
						 .timeout_ms = TIMEOUT_MS } };
	uint32_t *page = memory->cpu;

	memset(page, 0, DEVICE_PAGE);
	memcpy(page, lanes_code, sizeof(lanes_code));
	page[CODE_WORDS] = program.results;
	fill(page + RESULT_WORDS, ELEMENTS * WORDS);
	if (way->publish)
		way->publish(self, memory);
	if (way_run(way, self, &job, 0, answer) != DEVICE_OK)
		return 0;
	for (unsigned i = 0; i < ELEMENTS * WORDS; i++)
		words[i / WORDS][i % WORDS] =
			page[RESULT_WORDS + i % WORDS * ELEMENTS + i / WORDS];
	return ELEMENTS;
}

static unsigned
ask_tiles(const struct way *way, void *self, const struct way_memory *memory,
	  uint32_t (*words)[WORDS], struct diag *answer)
{
	static const uint32_t none[1];
	struct way_program program = { .uniforms = 0 };
	const struct tile_draw draw = { .program = &program,
					.uniforms = none,
					.width = TILE_PIXELS,
					.height = TILE_PIXELS };
	const struct way_job job = { .tiles = { .draws = &draw,
						.ndraws = 1,
						.results = memory,
						.tiles_x = 1,
						.tiles_y = 1,
						.clear = unwritten } };
	const uint32_t *from = memory->cpu;

	fill(memory->cpu, PIXELS * WORDS);
	if (!way->load(self, tiles_code,
		       sizeof(tiles_code) / sizeof(*tiles_code), &program,
		       answer) ||
	    way_run(way, self, &job, tile_patience_ms(0), answer) != DEVICE_OK)
		return 0;
	/* x distinguishes even elements from odd ones. */
	for (unsigned i = 0; i < PIXELS; i++)
		for (unsigned k = 0; k < WORDS; k++)
			words[i][k] = from[tile_word(1, i % TILE_PIXELS,
						     i / TILE_PIXELS, k)];
	return PIXELS;
}

enum forms_verdict
forms_ask(const struct way *way, void *self, struct diag *answer)
{
	const bool tiles = way->kind == WAY_TILES;
	uint32_t words[PIXELS][WORDS];
	struct way_memory memory;
	unsigned n;

	if (!way->alloc(self, tiles ? TILE_BYTES : DEVICE_PAGE, &memory,
			answer))
		return FORMS_NOT_RUN;
	n = tiles ? ask_tiles(way, self, &memory, words, answer) :
		    ask_lanes(way, self, &memory, words, answer);
	/* The memory of programs that have not ended stays. */
	if (n == 0)
		return FORMS_NOT_RUN;
	way->free(self, &memory);
	return judge(words, n, answer);
}
