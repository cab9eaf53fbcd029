/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/drm_details.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qpu/ways/shared_facts.h"
#include "qpu/ways/clock_job.h"
#include "qpu/ways/node.h"
#include "qpu/ways/render.h"

static void
add_nodes(struct facts *facts)
{
	/* More than one board has had. */
	static const char *const paths[] = { "/dev/dri/renderD128",
					     "/dev/dri/renderD129",
					     "/dev/dri/renderD130" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		if (i == 0 || access(paths[i], F_OK) == 0)
			facts_add_device_node(facts, paths[i]);
}

static void
add_identity(struct facts *facts, const struct drm_calls *calls)
{
	uint64_t ident[3];
	char text[64];

	for (unsigned i = 0; i < 3; i++)
		if (drm_param(calls, VC4_PARAM_IDENT0 + i, &ident[i]) != 0)
			return;
	snprintf(text, sizeof(text),
		 "0x%08" PRIx64 " 0x%08" PRIx64 " 0x%08" PRIx64, ident[0],
		 ident[1], ident[2]);
	facts_add_text(facts, "ident", "identity of the V3D", text);
}

/* Seconds since the kernel started, of a record like "6,339,5140900,-;text". */
static double
record_seconds(const char *record)
{
	const char *comma = strchr(record, ',');

	comma = comma ? strchr(comma + 1, ',') : NULL;
	return comma ? strtod(comma + 1, NULL) / 1e6 : 0;
}

/* The kernel says only in its log that it has reset the GPU.  Each read gives a
 * record; who may not read the log gets nothing. */
static void
add_resets(struct facts *facts)
{
	const int fd =
		open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	unsigned resets = 0, unread = 0;
	char record[1024];
	double last = 0;
	ssize_t len;

	while (fd >= 0 && unread < 2) {
		len = read(fd, record, sizeof(record) - 1);
		/* A record that has just been overwritten is an error, too. */
		unread = len > 0 ? 0 : unread + 1;
		record[len > 0 ? len : 0] = '\0';
		if (strstr(record, "Resetting GPU")) {
			resets++;
			last = record_seconds(record);
		}
	}
	if (fd < 0)
		return;
	close(fd);
	facts_add_number(facts, "gpu_resets", "resets of the GPU since boot",
			 resets, 1, "");
	if (resets > 0)
		facts_add_number(facts, "last_gpu_reset",
				 "last of them, after boot", last, 1, "s");
}

/* Takes over the calls. */
static void
add_clock(struct facts *facts, const struct drm_calls *calls)
{
	struct render *render;
	unsigned qpus;
	uint32_t hz;

	render = render_open(calls, &qpus, NULL);
	if (!render)
		return;
	facts_add_number(facts, "qpus", "QPUs", qpus, 1, "");
	hz = clock_job_run(render);
	if (hz > 0)
		facts_add_number(facts, "clock_hz",
				 "clock of the QPUs, measured by a job", hz,
				 1e6, "MHz");
	render_close(render);
}

void
drm_details_add(struct facts *facts)
{
	struct drm_calls calls;
	struct drm_node node;
	struct diag why_not;
	char commands[96] = "";
	const bool usable = drm_node_open("", &node, &calls, &why_not);

	if (node.path[0] == '\0')
		return;
	facts_add_text(facts, "node", "node of the driver vc4", node.path);
	if (usable) {
		add_identity(facts, &calls);
		add_clock(facts, &calls);
	}
	facts_add_contiguous(facts);
	facts_add_kernel(facts);
	add_nodes(facts);
	add_resets(facts);
	if (node.obstacle == DRM_FOR_GROUP)
		snprintf(commands, sizeof(commands), "sudo adduser $USER %s\n",
			 node.group);
	/* Other obstacles are not the owner's to remove. */
	if (node.obstacle == DRM_FOR_GROUP || node.obstacle == DRM_FOR_ROOT)
		facts_add_step(facts, 1, why_not.text, commands);
}
