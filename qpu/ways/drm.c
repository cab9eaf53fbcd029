/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/drm.h"

#include <stdio.h>
#include <string.h>

#include "qpu/ways/board.h"
#include "qpu/ways/clock_job.h"
#include "qpu/ways/details.h"
#include "qpu/ways/drm_node.h"
#include "qpu/ways/render.h"
#include "src/base/engine.h"

struct drm_options {
	bool chosen; /* "drm": this way and no other */
};

const struct option_row drm_option_rows[] = { { .name = "drm",
						.kind = OPTION_FLAG,
						OPTION_FIELD(struct drm_options,
							     chosen) },
					      { .name = NULL } };

/* The first obstacle on this machine. */
static enum obstacle
look(struct diag *why_not)
{
	struct finding finding;
	struct drm_calls calls;

	if (drm_node_open("", &finding, &calls, why_not))
		calls.close(calls.context);
	return finding.obstacle;
}

static bool
drm_probe(struct diag *why_not)
{
	return look(why_not) == USABLE;
}

enum obstacle
drm_look(void)
{
	return look(NULL);
}

unsigned
drm_speed(struct engine_speed *speed)
{
	struct finding finding;
	struct board board;

	*speed = (struct engine_speed){ 0 };
	board_look("", &board, &finding);
	if (!board.soc || !board.soc->videocore4)
		return 0;
	soc_speed(board.soc, speed);
	return board.soc->qpu_mhz;
}

static void *
drm_open(const char *words, unsigned *qpus, struct diag *why_not)
{
	struct drm_options options = { .chosen = false };
	struct drm_calls calls;
	struct finding finding;

	if (!option_parse_words(drm_option_rows, &options, words, why_not) ||
	    !drm_node_open("", &finding, &calls, why_not))
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

enum { VALUE_BYTES = 64, PATH_BYTES = 128 };

/* The value of a line "NAME=value" of a file.  False: it has none. */
static bool
read_value(const char *path, const char *name, char value[VALUE_BYTES])
{
	const size_t len = strlen(name);
	FILE *file = fopen(path, "re");
	char line[256];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		found = strncmp(line, name, len) == 0 && line[len] == '=' &&
			strlen(line + len + 1) < VALUE_BYTES;
	}
	if (found)
		strcpy(value, line + len + 1);
	if (file)
		fclose(file);
	return found;
}

/*
 * Is there somebody before the screen whose frames the GPU draws?  systemd-logind
 * writes down who uses the first seat of a computer.  Without it the answer is
 * no, as it is for a text console, from which a desktop may have been started by
 * hand.
 */
static bool
has_desktop(void)
{
	char path[PATH_BYTES], session[VALUE_BYTES], value[VALUE_BYTES];

	if (!read_value("/run/systemd/seats/seat0", "ACTIVE", session) ||
	    strchr(session, '/'))
		return false;
	snprintf(path, sizeof(path), "/run/systemd/sessions/%s", session);
	return read_value(path, "CLASS", value) && strcmp(value, "user") == 0 &&
	       read_value(path, "TYPE", value) &&
	       (strcmp(value, "wayland") == 0 || strcmp(value, "x11") == 0);
}

static unsigned
drm_job_ms(void *self)
{
	enum { JOB_MS = 20, JOB_MS_BESIDE_DESKTOP = 8 };

	(void)self;
	return has_desktop() ? JOB_MS_BESIDE_DESKTOP : JOB_MS;
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
					.details = details_add_drm,
					.close = render_close };
