/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/rig.h"

#include <assert.h>
#include <string.h>

#include "qpu/pi/emulated.h"
#include "qpu/ways/drm.h"

enum {
	LINE = 64,
	TEXT_BYTES = 4096,
	/* All launches are to take a fraction of this. */
	TIMEOUT_MS = 500
};

/* Names of ways; those that begin like others come first. */
static const struct row {
	const char *name;
	const struct way *way;
	bool emulated;
} rows[] = { { "emulator:tiles", &way_emulated_tiles, true },
	     { "emulator", &way_emulated, true },
	     { "qpu:drm", &way_drm, false },
	     { "qpu", &way_vcio, false } };

/* The row that words mean, or NULL. */
static const struct row *
row_of(const char *words)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const size_t len = strlen(rows[i].name);

		if (strncmp(words, rows[i].name, len) == 0 &&
		    strchr(":,", words[len]))
			return &rows[i];
	}
	return NULL;
}

const struct way *
rig_way(const char *words)
{
	const struct row *row = row_of(words);

	if (strcmp(words, "qpu") == 0 &&
	    obstacle_gpu(drm_obstacle(NULL)) == DRIVER_HAS_GPU)
		return &way_drm;
	return row ? row->way : NULL;
}

bool
rig_open(struct rig *rig, const char *words, struct diag *why)
{
	const struct row *row = row_of(words);
	const char *colon = strchr(words, ':');
	bool good;

	*rig = (struct rig){ .way = rig_way(words) };
	if (!rig->way)
		return diag_set(why, "there is no device '%s'", words);
	rig->emulated = row->emulated;
	if (rig->way->probe && !rig->way->probe(why))
		return false;
	rig->handle = rig->way->open(colon ? colon + 1 : "", &rig->qpus, why);
	if (!rig->handle)
		return false;
	if (rig->way->kind == WAY_TILES)
		good = rig->way->alloc(rig->handle, TILE_RIG_TILES * TILE_BYTES,
				       &rig->results, why) &&
		       rig->way->alloc(rig->handle, TILE_RIG_DATA, &rig->memory,
				       why);
	else
		good = rig->way->alloc(rig->handle, RIG_BYTES, &rig->memory,
				       why);
	if (!good)
		rig_close(rig);
	return good;
}

void
rig_close(struct rig *rig)
{
	rig->way->close(rig->handle);
	rig->handle = NULL;
}

bool
rig_assemble_text(const char *text, struct qpu_asm_program *program,
		  struct diag *why)
{
	if (qpu_asm_text("question", text, strlen(text), NULL, program))
		return true;
	return diag_set(why, "%s",
			program->nmessages ? program->messages[0].text :
					     "does not assemble");
}

/* Programs --------------------------------------------------------------- */

/* How many other QPUs the first one waits for. */
static const char prologue[] = "mov rb31, unif\n";

/* Instructions after the end are fetched, so they must exist. */
#define END "thrend\nnop\nnop\n.rep i, 16\nnop\n.endr\n"

static const char end_of_first[] = "mov r1, rb31\n"
				   ":wait\n"
				   "mov.setf -, r1\n"
				   "brr.allz -, r:end\n"
				   "nop\nnop\nnop\n"
				   "sacq -, 3\n"
				   "brr -, r:wait\n"
				   "sub r1, r1, 1\n"
				   "nop\nnop\n"
				   ":end\n"
				   "mov irq, 1\n" END;
static const char end_of_others[] = "srel -, 3\n" END;

/* Return zeroed, unused memory, or NULL when there is no more. */
static volatile uint32_t *
take(struct rig *rig, size_t bytes, uint32_t *bus, struct diag *why)
{
	volatile uint32_t *cpu =
		(uint32_t *)rig->memory.cpu + rig->used_bytes / 4;

	assert(rig->used_bytes % LINE == 0 &&
	       rig->used_bytes <= rig->memory.bytes);
	bytes = (bytes + LINE - 1) / LINE * LINE;
	if (bytes > rig->memory.bytes - rig->used_bytes) {
		diag_set(why, "the memory of the questions is used up");
		return NULL;
	}
	*bus = rig->memory.bus + (uint32_t)rig->used_bytes;
	for (size_t i = 0; i < bytes / 4; i++)
		cpu[i] = 0;
	rig->used_bytes += bytes;
	return cpu;
}

static bool
assemble(struct rig *rig, const char *body, const char *end, uint32_t *code,
	 struct diag *why)
{
	struct qpu_asm_program program;
	volatile uint32_t *words = NULL;
	char text[TEXT_BYTES];

	snprintf(text, sizeof(text), "%s%s%s", prologue, body, end);
	if (rig_assemble_text(text, &program, why))
		words = take(rig, program.nwords * 8, code, why);
	for (size_t i = 0; words && i < program.nwords; i++) {
		words[2 * i] = (uint32_t)program.words[i].word;
		words[2 * i + 1] = (uint32_t)(program.words[i].word >> 32);
	}
	qpu_asm_free(&program);
	return words;
}

bool
rig_assemble(struct rig *rig, const char *text, unsigned n,
	     struct rig_program *program, struct diag *why)
{
	uint32_t first, others, vector;

	assert(n > 0 && n <= rig->qpus);
	*program = (struct rig_program){ .n = n };
	program->vector = take(rig, RIG_WORDS * sizeof(uint32_t), &vector, why);
	if (!program->vector ||
	    !assemble(rig, text, end_of_first, &first, why) ||
	    !assemble(rig, text, end_of_others, &others, why))
		return false;
	for (unsigned i = 0; i < n; i++) {
		struct device_program *one = &program->programs[i];

		program->uniforms[i] = take(rig, RIG_WORDS * sizeof(uint32_t),
					    &one->uniforms, why);
		if (!program->uniforms[i])
			return false;
		program->uniforms[i][0] = n - 1;
		program->uniforms[i][1] = vector;
		one->code = i == 0 ? first : others;
		one->results = vector;
		one->result_rows = i == 0;
	}
	return true;
}

static bool
is_unanswered(const struct device_totals *totals)
{
	for (unsigned i = 0; i < totals->ncounters; i++)
		if (strcmp(totals->counters[i].name,
			   "requests without an answer") == 0)
			return totals->counters[i].value > 0;
	return false;
}

bool
rig_run(struct rig *rig, const struct rig_program *program, double *ms,
	struct diag *why)
{
	struct device_totals before, after;

	if (rig->broken) {
		diag_set(why, "an earlier launch failed");
		return false;
	}
	if (rig->way->publish)
		rig->way->publish(rig->handle, &rig->memory);
	rig->way->totals(rig->handle, &before);
	rig->broken = way_run(rig->way, rig->handle,
			      &(struct way_job){
				      .launch = { .programs = program->programs,
						  .n = program->n,
						  .timeout_ms = TIMEOUT_MS } },
			      0, why) != DEVICE_OK;
	rig->way->totals(rig->handle, &after);
	rig->silent = is_unanswered(&after);
	if (ms)
		*ms = after.busy_ms - before.busy_ms;
	return !rig->broken;
}
