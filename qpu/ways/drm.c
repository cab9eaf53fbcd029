/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/drm.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "qpu/ways/board.h"
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

/* Is a screen switched on, whose frames the GPU may draw?  The kernel tells so of
 * a connector, "card0-HDMI-A-1", also where no desktop is known to systemd. */
static bool
has_screen(void)
{
	static const char folder[] = "sys/class/drm";
	const struct dirent *entry;
	bool found = false;
	DIR *dir = opendir("/sys/class/drm");

	while (dir && !found && (entry = readdir(dir)) != NULL) {
		char name[sizeof(folder) + sizeof(entry->d_name) + 16];
		char state[16];

		snprintf(name, sizeof(name), "%s/%s/enabled", folder,
			 entry->d_name);
		found = strchr(entry->d_name, '-') &&
			board_read("", name, state, sizeof(state)) > 0 &&
			strcmp(state, "enabled\n") == 0;
	}
	if (dir)
		closedir(dir);
	return found;
}

static unsigned
drm_queue_ms(void *self)
{
	enum { QUEUE_MS = 40, QUEUE_MS_BESIDE_SCREEN = 8 };

	(void)self;
	return has_screen() ? QUEUE_MS_BESIDE_SCREEN : QUEUE_MS;
}

const struct tile_device device_drm = { .name = "qpu",
					.probe = drm_probe,
					.open = drm_open,
					.alloc = render_alloc,
					.free = render_free,
					.load_program = render_load_program,
					.submit = render_submit,
					.wait = render_wait,
					.totals = render_totals,
					.queue_ms = drm_queue_ms,
					.details = details_add_drm,
					.close = render_close };
