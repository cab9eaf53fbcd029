/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/check/tile_rig.h"

#include <stdlib.h>
#include <string.h>

#include "qpu/asm/asm.h"
#include "qpu/pi/emulated.h"
#include "qpu/ways/drm.h"
#include "src/base/clock.h"

enum { WAIT_MS = 10000 };

/* The options of a device name, after its colon. */
static const char *
options_of(const char *words)
{
	const char *colon = strchr(words, ':');

	return colon ? colon + 1 : "";
}

static bool
is_emulator(const char *words)
{
	return strncmp(words, "emulator:tiles", 14) == 0;
}

bool
tile_rig_is_meant(const char *words)
{
	enum obstacle obstacle;

	if (is_emulator(words) || strcmp(words, "qpu:drm") == 0)
		return true;
	if (strcmp(words, "qpu") != 0)
		return false;
	obstacle = drm_look(NULL);
	return obstacle == USABLE || obstacle > DRM_NO_DEVICE;
}

bool
tile_rig_open(struct tile_rig *rig, const char *words, struct diag *why)
{
	const bool emulated = is_emulator(words);

	*rig = (struct tile_rig){ .device = emulated ? &device_tiles_emulated :
						       &device_drm,
				  .emulated = emulated };
	rig->handle = rig->device->open(options_of(words), &rig->qpus, why);
	if (!rig->handle)
		return false;
	if (!rig->device->alloc(rig->handle, TILE_RIG_TILES * TILE_BYTES,
				&rig->results, why) ||
	    !rig->device->alloc(rig->handle, TILE_RIG_DATA, &rig->data, why)) {
		tile_rig_close(rig);
		return false;
	}
	return true;
}

void
tile_rig_close(struct tile_rig *rig)
{
	rig->device->close(rig->handle);
	rig->handle = NULL;
}

bool
tile_rig_load(struct tile_rig *rig, const char *text, unsigned uniforms,
	      struct tile_program *program, struct diag *why)
{
	struct qpu_asm_program assembled;
	uint64_t *code = NULL;
	bool good;

	good = qpu_asm_text("question", text, strlen(text), NULL, &assembled);
	if (good)
		code = calloc(assembled.nwords, sizeof(*code));
	else
		*why = assembled.ndiagnostics > 0 ?
			       assembled.diagnostics[0].diag :
			       (struct diag){ .text = "does not assemble" };
	for (size_t i = 0; code && i < assembled.nwords; i++)
		code[i] = assembled.words[i].word;
	if (good && !code)
		diag_set(why, "out of memory");
	*program = (struct tile_program){ .uniforms = uniforms };
	good = code &&
	       rig->device->load_program(rig->handle, code, assembled.nwords,
					 program, why);
	free(code);
	qpu_asm_free(&assembled);
	return good;
}

bool
tile_rig_submit(struct tile_rig *rig, const struct tile_rig_job *question,
		uint64_t *ticket, struct diag *why)
{
	struct tile_draw draws[TILE_RIG_WINDOWS];
	const struct tile_job job = { .draws = draws,
				      .ndraws = question->nwindows,
				      .results = &rig->results,
				      .tiles_x = question->tiles,
				      .tiles_y = 1,
				      .clear = TILE_RIG_CLEAR };

	for (unsigned i = 0; i < question->nwindows; i++) {
		const struct tile_rig_window *window = &question->windows[i];

		draws[i] = (struct tile_draw){ .program = question->program,
					       .uniforms = window->uniforms,
					       .x = window->x,
					       .y = window->y,
					       .width = window->width,
					       .height = window->height };
	}
	return rig->device->submit(rig->handle, &job, ticket, why) == DEVICE_OK;
}

bool
tile_rig_wait(struct tile_rig *rig, uint64_t ticket, struct diag *why)
{
	return rig->device->wait(rig->handle, ticket, WAIT_MS, why) ==
	       DEVICE_OK;
}

/* Return 0 for a real device, which would have to run a job to read its clock. */
static double
now_ms(const struct tile_rig *rig)
{
	struct device_totals totals;

	if (!rig->emulated)
		return (double)clock_ns() / CLOCK_NS_PER_MS;
	rig->device->totals(rig->handle, &totals);
	return totals.busy_ms;
}

bool
tile_rig_run(struct tile_rig *rig, const struct tile_rig_job *job, double *ms,
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
