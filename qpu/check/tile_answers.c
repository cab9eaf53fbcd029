/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/questions.h"

#include <inttypes.h>
#include <string.h>

#define END "thrend\nnop\nsbdone\n"

enum { SHOWN_PIXELS = 4, QPUS = 16 };

/* The samples of a pixel, where all are the same. */
struct answer {
	const char *text;
	uint32_t samples[TILE_SAMPLES];
};

/* A question, with the emulator's answer. */
struct question {
	const char *text, *source;
	bool by_place; /* its samples are coordinates */
	struct answer answer;
};

static const struct question questions[] = {
	{ "Four words that are no colours",
	  "ldi r0, 0xffffffff\nldi r1, 0x7f800001\n"
	  "ldi r2, 1\nldi r3, 0x80000000\n"
	  "mov tlbm, r0\nmov tlbm, r1\nmov tlbm, r2\nmov tlbm, r3\n" END,
	  false,
	  { "stay as they are", { 0xffffffff, 0x7f800001, 1, 0x80000000 } } },
	{ "Coordinates, and the elements of a quad",
	  "mov r0, y_coord\nshl r0, r0, 8\nshl r0, r0, 8\n"
	  "or r0, r0, x_coord\n"
	  "mov tlbm, x_coord\nmov tlbm, y_coord\n"
	  "mov tlbm, r0\nmov tlbm, elem_num\n" END,
	  true,
	  { .text = "x to the right, y down, in rows" } }
};

static const struct answer nothing = { "nothing is drawn",
				       { TILE_RIG_CLEAR, TILE_RIG_CLEAR,
					 TILE_RIG_CLEAR, TILE_RIG_CLEAR } };

static void
get_samples(const struct rig *rig, unsigned x, unsigned y,
	    uint32_t s[TILE_SAMPLES])
{
	const uint32_t *words = rig->results.cpu;

	for (unsigned i = 0; i < TILE_SAMPLES; i++)
		s[i] = words[tile_word(1, x, y, i)];
}

static bool
are_coordinates(unsigned x, unsigned y, const uint32_t s[TILE_SAMPLES])
{
	return s[0] == x && s[1] == y && s[2] == (y << 16 | x) && s[3] < 16 &&
	       (s[3] & 3) == ((x & 1) | (y & 1) << 1);
}

static bool
holds_everywhere(const struct rig *rig, bool by_place,
		 const struct answer *answer)
{
	uint32_t s[TILE_SAMPLES];

	for (unsigned y = 0; y < TILE_PIXELS; y++)
		for (unsigned x = 0; x < TILE_PIXELS; x++) {
			get_samples(rig, x, y, s);
			if (by_place ? !are_coordinates(x, y, s) :
				       memcmp(s, answer->samples, sizeof(s)))
				return false;
		}
	return true;
}

/* A program runs for all pixels of a tile. */
static bool
run(struct rig *rig, const struct way_program *program, struct diag *why)
{
	static const uint32_t none[1];
	const struct tile_rig_job job = { .tiles = 1,
					  .ndraws = 1,
					  .draws = { { program, none, NULL, 0,
						       0, TILE_PIXELS,
						       TILE_PIXELS } } };

	memset(rig->results.cpu, 0x5a, TILE_BYTES);
	return tile_rig_run(rig, &job, NULL, why);
}

static bool
print_question(struct rig *rig, const struct question *question, FILE *report)
{
	struct way_program program;
	uint32_t s[TILE_SAMPLES];
	struct diag why;

	fprintf(report, "%s: ", question->text);
	settle(report);
	if (!tile_rig_load(rig, question->source, 0, &program, &why) ||
	    !run(rig, &program, &why)) {
		fprintf(report, "NO ANSWER: %s\n", why.text);
		return false;
	}
	if (holds_everywhere(rig, question->by_place, &question->answer)) {
		fprintf(report, "%s (as emulated)\n", question->answer.text);
		return true;
	}
	if (holds_everywhere(rig, false, &nothing)) {
		fprintf(report, "%s (NOT as emulated)\n", nothing.text);
		return true;
	}
	fputs("none of the answers we know:", report);
	for (unsigned i = 0; i < SHOWN_PIXELS; i++) {
		get_samples(rig, i % 2, i / 2, s);
		fprintf(report,
			" %08" PRIx32 " %08" PRIx32 " %08" PRIx32 " %08" PRIx32,
			s[0], s[1], s[2], s[3]);
	}
	fputc('\n', report);
	return true;
}

/* Threads ------------------------------------------------------------------ */

/* Each pixel stores its QPU, its element, and the coordinates of element 0; the
 * threads last long enough to occupy all QPUs.  The program uses the same probe
 * (qpu/sha/tiles_plan.h). */
static const uint64_t thread_code[] = {
#include "qpu/sha/probe.words"
};

static bool
print_threads(struct rig *rig, FILE *report)
{
	struct way_program program = { .uniforms = 1 };
	unsigned of_qpu[QPUS] = { 0 }, threads = 0, odd = 0;
	uint32_t s[TILE_SAMPLES];
	struct diag why;

	settle(report);
	if (!rig->way->load(rig->handle, thread_code,
			    sizeof(thread_code) / sizeof(*thread_code),
			    &program, &why) ||
	    !run(rig, &program, &why)) {
		fprintf(report, "Threads: NO ANSWER: %s\n", why.text);
		return false;
	}
	fputs("Elements 4, 8 and 12 of threads, from element 0:", report);
	for (unsigned y = 0; y < TILE_PIXELS; y++)
		for (unsigned x = 0; x < TILE_PIXELS; x++) {
			get_samples(rig, x, y, s);
			odd += s[3] != (y << 16 | x) || s[0] >= QPUS ||
			       s[1] > 15;
			threads += s[1] == 0;
			of_qpu[s[0] % QPUS] += s[1] == 0;
			/* The report names the quads of the first thread. */
			if (s[2] == 0 && s[1] > 0 && s[1] % 4 == 0)
				fprintf(report, " (%u, %u)", x, y);
		}
	fprintf(report, "\nThreads of a tile: %u; of each QPU:", threads);
	for (unsigned i = 0; i < QPUS; i++)
		if (of_qpu[i] > 0)
			fprintf(report, " %u", of_qpu[i]);
	fprintf(report, "%s\n", odd ? "; some pixels have no such words" : "");
	return true;
}

bool
tile_answers_print(struct rig *rig, FILE *report)
{
	struct diag answer;

	begin_part("Pixels", report);
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++)
		if (!print_question(rig, &questions[i], report))
			return false;
	fprintf(report, FORMS_QUESTION ": ");
	settle(report);
	return print_forms(forms_ask(rig->way, rig->handle, &answer), &answer,
			   report) &&
	       print_threads(rig, report);
}
