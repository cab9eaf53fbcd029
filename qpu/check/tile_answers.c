/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/tile_answers.h"

#include <inttypes.h>
#include <string.h>

#include "qpu/check/settle.h"

#define END "thrend\nnop\nsbdone\n"
#define COORDINATES                                                            \
	"mov r0, y_coord\n"                                                    \
	"shl r0, r0, 8\n"                                                      \
	"shl r0, r0, 8\n"                                                      \
	"or r0, r0, x_coord\n"

enum { ANSWERS = 3, SHOWN_PIXELS = 16, HALF_TILE = 16 };

/* Does an answer hold of this pixel? */
typedef bool
test_of_pixel(unsigned x, unsigned y, const uint32_t s[TILE_SAMPLES]);

struct answer {
	const char *text;
	test_of_pixel *holds; /* NULL: all pixels have these samples */
	uint32_t samples[TILE_SAMPLES];
};

struct question {
	const char *id, *text, *source;
	unsigned width;			/* of the window */
	bool depth;			/* the words are depths, not colours */
	struct answer answers[ANSWERS]; /* the emulator's first */
};

#define ALL(word)                                                              \
	NULL,                                                                  \
	{                                                                      \
		word, word, word, word                                         \
	}
#define CLEAR ALL(TILE_RIG_CLEAR)
#define HOLDS(test)                                                            \
	test,                                                                  \
	{                                                                      \
		0                                                              \
	}

static bool
are(const uint32_t s[TILE_SAMPLES], uint32_t a, uint32_t b, uint32_t c,
    uint32_t d)
{
	return s[0] == a && s[1] == b && s[2] == c && s[3] == d;
}

static bool
are_all(const uint32_t s[TILE_SAMPLES], uint32_t word)
{
	return are(s, word, word, word, word);
}

static bool
are_coordinates(unsigned x, unsigned y, const uint32_t s[TILE_SAMPLES])
{
	return are(s, x, y, y << 16 | x, s[3]) && s[3] < 16 &&
	       (s[3] & 3) == ((x & 1) | (y & 1) << 1);
}

static bool
turns_all(unsigned x, unsigned y, const uint32_t s[TILE_SAMPLES])
{
	(void)x;
	(void)y;
	return are(s, s[0] & 15, (s[0] + 2) & 15, (s[0] + 14) & 15, s[0]);
}

static bool
turns_quads(unsigned x, unsigned y, const uint32_t s[TILE_SAMPLES])
{
	const uint32_t other = (s[0] & 12) | ((s[0] + 2) & 3);

	(void)x;
	(void)y;
	return are(s, s[0] & 15, other, other, s[0]);
}

static bool
is_half(unsigned x, unsigned y, const uint32_t s[TILE_SAMPLES])
{
	(void)x;
	(void)y;
	return are_all(s, TILE_RIG_CLEAR) || are_all(s, s[0] & 7);
}

static bool
stays(unsigned x, unsigned y, const uint32_t s[TILE_SAMPLES])
{
	(void)y;
	return are_all(s, x < HALF_TILE ? 2 : TILE_RIG_CLEAR);
}

static bool
moves(unsigned x, unsigned y, const uint32_t s[TILE_SAMPLES])
{
	(void)y;
	return are_all(s, x < HALF_TILE ? 1 : 2);
}

static const struct question questions[] = {
	{ "H1",
	  "a constant in all samples of a tile",
	  "nop\nnop\nldi r0, 0x12345678\n"
	  "mov tlbm, r0\nmov tlbm, r0\nmov tlbm, r0\nmov tlbm, r0\n" END,
	  TILE_PIXELS,
	  false,
	  { { "is there", ALL(0x12345678) }, { "nothing is drawn", CLEAR } } },
	{ "H2",
	  "four words that are no colours",
	  "ldi r0, 0xffffffff\nldi r1, 0x7f800001\n"
	  "ldi r2, 1\nldi r3, 0x80000000\n"
	  "mov tlbm, r0\nmov tlbm, r1\nmov tlbm, r2\nmov tlbm, r3\n" END,
	  TILE_PIXELS,
	  false,
	  { { "stay as they are",
	      NULL,
	      { 0xffffffff, 0x7f800001, 0x00000001, 0x80000000 } } } },
	{ "H3",
	  "coordinates, and the elements of a quad",
	  COORDINATES "mov tlbm, x_coord\nmov tlbm, y_coord\n"
		      "mov tlbm, r0\nmov tlbm, elem_num\n" END,
	  TILE_PIXELS,
	  false,
	  { { "x to the right, y down, in rows", HOLDS(are_coordinates) } } },
	{ "H8a",
	  "rotations by 14 and 2 of an accumulator",
	  "mov r0, elem_num\nnop\nmov r1, r0 >> 14\nmov r2, r0 >> 2\n"
	  "mov tlbm, r0\nmov tlbm, r1\nmov tlbm, r2\nmov tlbm, r0\n" END,
	  TILE_PIXELS,
	  false,
	  { { "turn all elements", HOLDS(turns_all) },
	    { "turn quads", HOLDS(turns_quads) } } },
	{ "H8b",
	  "rotations by 14 and 2 of register file A",
	  "mov ra0, elem_num\nmov r0, elem_num\nnop\n"
	  "mov r1, ra0 >> 14\nmov r2, ra0 >> 2\n"
	  "mov tlbm, r0\nmov tlbm, r1\nmov tlbm, r2\nmov tlbm, r0\n" END,
	  TILE_PIXELS,
	  false,
	  { { "turn quads", HOLDS(turns_quads) },
	    { "turn all elements", HOLDS(turns_all) } } },
	{ "H2b",
	  "samples that half of the elements write",
	  "mov r0, elem_num\nnop\nsub.setf -, r0, 8\n"
	  "mov.ifn tlbm, r0\nmov.ifn tlbm, r0\n"
	  "mov.ifn tlbm, r0\nmov.ifn tlbm, r0\n" END,
	  TILE_PIXELS,
	  false,
	  { { "leave the others clear", HOLDS(is_half) },
	    { "nothing is drawn", CLEAR } } },
	{ "H6",
	  "a depth that the program writes, in four samples",
	  "ldi r0, 0xabcdef\nldi r1, 1\nnop\nmov tlbz, r0\n"
	  "mov tlbm, r1\nmov tlbm, r1\nmov tlbm, r1\nmov tlbm, r1\n" END,
	  TILE_PIXELS,
	  true,
	  { { "is stored", ALL(0xabcdef00) }, { "is not stored", ALL(0) } } },
	{ "H4",
	  "samples after a write to QUAD_X",
	  "ldi r1, 1\nldi r2, 2\nmov r0, 15\nadd r0, r0, 1\n"
	  "add r3, x_coord, r0\n"
	  "mov tlbm, r1\nmov tlbm, r1\nmov tlbm, r1\nmov tlbm, r1\n"
	  "mov x_coord, r3\nnop\nnop\n"
	  "mov tlbm, r2\nmov tlbm, r2\nmov tlbm, r2\nmov tlbm, r2\n" END,
	  HALF_TILE,
	  false,
	  { { "go to the same pixel", HOLDS(stays) },
	    { "go to another pixel: a lane could store eight words",
	      HOLDS(moves) },
	    { "nothing is drawn", CLEAR } } }
};

/* Verdicts ----------------------------------------------------------------- */

static void
get_samples(const struct tile_memory *memory, unsigned x, unsigned y,
	    uint32_t s[TILE_SAMPLES])
{
	const uint32_t *words = memory->cpu;

	for (unsigned i = 0; i < TILE_SAMPLES; i++)
		s[i] = words[tile_word(1, x, y, i)];
}

static bool
holds_everywhere(const struct answer *answer, const struct tile_memory *memory)
{
	uint32_t s[TILE_SAMPLES];
	unsigned clear = 0;

	for (unsigned y = 0; y < TILE_PIXELS; y++)
		for (unsigned x = 0; x < TILE_PIXELS; x++) {
			get_samples(memory, x, y, s);
			if (answer->holds ?
				    !answer->holds(x, y, s) :
				    memcmp(s, answer->samples, sizeof(s)) != 0)
				return false;
			clear += s[0] == TILE_RIG_CLEAR;
		}
	/* Half of the elements of all threads are half of the pixels. */
	return answer->holds != is_half ||
	       clear == TILE_PIXELS * TILE_PIXELS / 2;
}

static void
print_pixels(const struct tile_memory *memory, FILE *raw)
{
	uint32_t s[TILE_SAMPLES];

	for (unsigned i = 0; i < SHOWN_PIXELS; i++) {
		get_samples(memory, i % 4, i / 4, s);
		fprintf(raw,
			" %08" PRIx32 " %08" PRIx32 " %08" PRIx32 " %08" PRIx32,
			s[0], s[1], s[2], s[3]);
	}
	fputc('\n', raw);
}

static void
print_verdict(const struct question *question, const struct tile_memory *memory,
	      FILE *report)
{
	for (unsigned i = 0; i < ANSWERS && question->answers[i].text; i++)
		if (holds_everywhere(&question->answers[i], memory)) {
			fprintf(report, "%s (%sas emulated)\n",
				question->answers[i].text,
				i == 0 ? "" : "NOT ");
			return;
		}
	fputs("none of the answers we know\n", report);
}

bool
tile_answers_print(struct tile_rig *rig, FILE *report, FILE *raw)
{
	fputs("\n== Pixels ==\n", report);
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
		const struct question *question = &questions[i];
		const struct tile_memory *memory =
			question->depth ? &rig->depths : &rig->results;
		struct tile_program program;
		const struct tile_rig_job job = { .program = &program,
						  .tiles = 1,
						  .width = question->width,
						  .height = TILE_PIXELS,
						  .depth = question->depth };
		struct diag why;

		fprintf(report, "%-3s %s: ", question->id, question->text);
		settle(report);
		memset(memory->cpu, 0x5a, TILE_BYTES);
		if (!tile_rig_load(rig, question->source, 0, 0, &program,
				   &why)) {
			fprintf(report, "refused: %s\n", why.text);
			continue;
		}
		if (!tile_rig_run(rig, &job, NULL, &why)) {
			fprintf(report, "NO ANSWER: %s\n", why.text);
			return false;
		}
		print_verdict(question, memory, report);
		fputs(question->id, raw);
		print_pixels(memory, raw);
	}
	return true;
}

/* Threads ------------------------------------------------------------------ */

static const char thread_source[] = COORDINATES
	"mov r5rep, r0\nldi r1, 200\n"
	":step\nsub.setf r1, r1, 1\nbrr.anynz -, r:step\n"
	"nop\nnop\nnop\n"
	"mov tlbm, qpu_num\nmov tlbm, elem_num\n"
	"mov tlbm, r5\nmov tlbm, r0\n" END;

bool
tile_threads_print(struct tile_rig *rig, FILE *report, FILE *raw)
{
	const uint32_t none[1] = { 0 };
	struct tile_program program;
	const struct tile_rig_job job = { .program = &program,
					  .uniforms = none,
					  .tiles = 1,
					  .width = TILE_PIXELS,
					  .height = TILE_PIXELS };
	unsigned of_qpu[16] = { 0 }, threads = 0, odd = 0;
	uint32_t s[TILE_SAMPLES];
	struct diag why;

	settle(report);
	if (!tile_rig_load(rig, thread_source, 1, 0, &program, &why) ||
	    !tile_rig_run(rig, &job, NULL, &why)) {
		fprintf(report, "H3  threads: NO ANSWER: %s\n", why.text);
		return false;
	}
	fputs("H3  elements 4, 8 and 12 of threads, from element 0:", report);
	for (unsigned y = 0; y < TILE_PIXELS; y++)
		for (unsigned x = 0; x < TILE_PIXELS; x++) {
			get_samples(&rig->results, x, y, s);
			fprintf(raw,
				"thread %u,%u: %" PRIu32 " %" PRIu32 " %" PRIx32
				"\n",
				x, y, s[0], s[1], s[2]);
			odd += s[3] != (y << 16 | x) || s[0] > 15 || s[1] > 15;
			threads += s[1] == 0;
			of_qpu[s[0] & 15] += s[1] == 0;
			/* The report names the quads of the first thread. */
			if (s[2] == 0 && s[1] > 0 && s[1] % 4 == 0)
				fprintf(report, " (%u, %u)", x, y);
		}
	fprintf(report, "\nH3  threads of a tile: %u; of each QPU:", threads);
	for (unsigned i = 0; i < 16; i++)
		if (of_qpu[i] > 0)
			fprintf(report, " %u", of_qpu[i]);
	fprintf(report, "%s\n", odd ? "; some pixels have no such words" : "");
	return true;
}
