/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/drm/drm.h"

#include "qpu/drm/clock_job.h"
#include "qpu/drm/drm_details.h"
#include "qpu/drm/render.h"
#include "qpu/drm/seat.h"
#include "src/base/engine.h"

struct drm_options {
	bool chosen; /* "drm": this way and no other */
};

const struct option_row drm_option_rows[] = { { .name = "drm",
						.kind = OPTION_FLAG,
						OPTION_FIELD(struct drm_options,
							     chosen) },
					      { .name = NULL } };

static enum drm_obstacle
look(struct diag *why_not)
{
	struct drm_calls calls;
	struct drm_node node;

	if (drm_node_open("", &node, &calls, why_not))
		calls.close(calls.context);
	return node.obstacle;
}

static bool
drm_probe(struct diag *why_not)
{
	return look(why_not) == DRM_USABLE;
}

enum drm_obstacle
drm_look(void)
{
	return look(NULL);
}

unsigned
drm_speed(struct engine_speed *speed)
{
	const struct soc *soc = drm_node_soc("");

	*speed = (struct engine_speed){ 0 };
	if (!soc)
		return 0;
	soc_speed(soc, speed);
	return soc->qpu_mhz;
}

static void *
drm_open(const char *words, unsigned *qpus, struct diag *why_not)
{
	struct drm_options options = { .chosen = false };
	struct drm_calls calls;
	struct drm_node node;

	if (!option_parse_words(drm_option_rows, &options, words, why_not) ||
	    !drm_node_open("", &node, &calls, why_not))
		return NULL;
	return render_open(&calls, qpus, why_not);
}

static void
drm_totals(void *self, struct device_totals *totals)
{
	render_totals(self, totals);
	/* The first time nothing has been hashed, and the clock is low. */
	if (render_totals_asked(self) < 2)
		return;
	totals->clock_hz = clock_job_run(self);
	totals->clock_measured = true;
}

static unsigned
drm_job_ms(void *self)
{
	enum { JOB_MS = 20, JOB_MS_BESIDE_DESKTOP = 8 };

	(void)self;
	return seat_has_desktop("") ? JOB_MS_BESIDE_DESKTOP : JOB_MS;
}

const struct tile_device device_drm = { .name = "qpu",
					.probe = drm_probe,
					.open = drm_open,
					.alloc = render_alloc,
					.free = render_free,
					.load_program = render_load_program,
					.submit = render_submit,
					.wait = render_wait,
					.totals = drm_totals,
					.job_ms = drm_job_ms,
					.details = drm_details_add,
					.close = render_close };
