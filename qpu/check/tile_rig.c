/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/tile_rig.h"

#include <assert.h>
#include <stdlib.h>

#include "src/base/clock.h"

enum { WAIT_MS = 10000 };

bool
tile_rig_load(struct rig *rig, const char *text, unsigned uniforms,
	      struct way_program *program, struct diag *why)
{
	struct qpu_asm_program assembled;
	uint64_t *code = NULL;
	bool good = rig_assemble_text(text, &assembled, why);

	if (good)
		code = calloc(assembled.nwords, sizeof(*code));
	for (size_t i = 0; code && i < assembled.nwords; i++)
		code[i] = assembled.words[i].word;
	if (good && !code)
		diag_set(why, "out of memory");
	*program = (struct way_program){ .uniforms = uniforms };
	good = code && rig->way->load(rig->handle, code, assembled.nwords,
				      program, why);
	free(code);
	qpu_asm_free(&assembled);
	return good;
}

bool
tile_rig_submit(struct rig *rig, const struct tile_rig_job *question,
		uint64_t *ticket, struct diag *why)
{
	assert(question->tiles <= TILE_RIG_TILES &&
	       question->ndraws <= TILE_RIG_DRAWS);
	const struct way_job job = { .tiles = { .draws = question->draws,
						.ndraws = question->ndraws,
						.results = &rig->results,
						.tiles_x = question->tiles,
						.tiles_y = 1,
						.clear = TILE_RIG_CLEAR } };

	return rig->way->submit(rig->handle, &job, ticket, why) == DEVICE_OK;
}

bool
tile_rig_wait(struct rig *rig, uint64_t ticket, struct diag *why)
{
	return rig->way->wait(rig->handle, ticket, WAIT_MS, why) == DEVICE_OK;
}

/* Return 0 for a real device, which would have to run a job to read its clock. */
static double
now_ms(const struct rig *rig)
{
	struct device_totals totals;

	if (!rig->emulated)
		return (double)clock_ns() / CLOCK_NS_PER_MS;
	rig->way->totals(rig->handle, &totals);
	return totals.busy_ms;
}

bool
tile_rig_run(struct rig *rig, const struct tile_rig_job *job, double *ms,
	     struct diag *why)
{
	const double begun = now_ms(rig);
	uint64_t ticket;

	if (!tile_rig_submit(rig, job, &ticket, why) ||
	    !tile_rig_wait(rig, ticket, why))
		return false;
	if (ms)
		*ms = now_ms(rig) - begun;
	return true;
}
