/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/vcio_nodes.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "qpu/abi/dma_heap.h"

struct look {
	const char *root;
	struct vcio_nodes *nodes;
	struct finding *finding;
};

static void
name_detail(struct look *look, const char *detail)
{
	snprintf(look->finding->detail, sizeof(look->finding->detail), "%s",
		 detail);
}

static enum obstacle
look_at_board(struct look *look)
{
	board_look(look->root, &look->nodes->board, look->finding);
	return look->finding->obstacle;
}

/* Has the kernel's driver taken a V3D, "3fc00000.v3d"? */
static bool
driver_is_bound(const char *root)
{
	char path[4096];
	const struct dirent *entry;
	bool bound = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/sys/bus/platform/drivers/vc4_v3d",
		 root);
	dir = opendir(path);
	if (!dir)
		return false;
	while (!bound && (entry = readdir(dir)) != NULL) {
		const char *dot = strrchr(entry->d_name, '.');

		bound = dot && strcmp(dot, ".v3d") == 0;
	}
	closedir(dir);
	return bound;
}

/*
 * Since October 2016 the firmware refuses to run QPU programs where the
 * device tree gives the V3D to the kernel; before, both collided.  A node
 * without a status is enabled, as in the device trees of the kernel's own
 * source; those of Raspberry Pi OS say "disabled", and an overlay "okay".
 */
static enum obstacle
look_at_owner(struct look *look)
{
	const char *node = "proc/device-tree/soc/v3d@7ec00000";
	char name[128], status[16];
	bool claimed, told;

	snprintf(name, sizeof(name), "%s/status", node);
	told = board_read(look->root, name, status, sizeof(status)) >= 0;
	claimed = told ? strcmp(status, "disabled") != 0 :
			 board_has(look->root, node);
	if (!claimed && !driver_is_bound(look->root))
		return USABLE;
	if (claimed && !told)
		return OTHER_KERNEL;
	name_detail(look, board_config(look->root));
	return KMS;
}

/* What is in the way of a node that is there. */
static enum obstacle
may_open(struct look *look, const char *node)
{
	char path[4096];
	struct statx status;

	if (board_may_open(look->root, node))
		return USABLE;
	name_detail(look, node);
	snprintf(path, sizeof(path), "%s%s", look->root, node);
	return statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &status) == 0 &&
			       board_group_may_open(status.stx_mode,
						    status.stx_gid, "video",
						    look->finding) ?
		       VCIO_FOR_GROUP :
		       VCIO_FOR_ROOT;
}

static enum obstacle
look_at_mailbox(struct look *look)
{
	return board_has(look->root, "/dev/vcio") ?
		       may_open(look, "/dev/vcio") :
		       NO_MAILBOX;
}

/* A module that is loaded makes no node when the firmware has no service for
 * it, as the firmware of gpu_mem=16. */
static enum obstacle
look_at_memory(struct look *look)
{
	/* Called after what reserves the memory, a node of the device tree or
	 * "cma=" on the kernel's command line; Linux 6.17 has a name of its own
	 * for both, and keeps the first one for programs of before
	 * (drivers/dma-buf/heaps/cma_heap.c). */
	static const char *const heaps[] = { "/dev/dma_heap/reserved",
					     "/dev/dma_heap/default_cma_region",
					     DMA_HEAP_NODE };
	const char *root = look->root;
	enum obstacle obstacle;

	if (!board_has(root, "/dev/vcsm-cma")) {
		name_detail(look, board_config(root));
		return board_has(root, "sys/module/vc_sm_cma") ? LITTLE_MEMORY :
								 NO_MODULE;
	}
	obstacle = may_open(look, "/dev/vcsm-cma");
	for (unsigned i = 0; i < sizeof(heaps) / sizeof(*heaps); i++)
		if (board_may_open(root, heaps[i]))
			look->nodes->heap = heaps[i];
	return obstacle;
}

bool
vcio_nodes_look(const char *root, struct vcio_nodes *nodes,
		struct diag *why_not)
{
	static enum obstacle (*const looks[])(struct look *) = {
		look_at_board, look_at_owner, look_at_mailbox, look_at_memory
	};
	struct finding *finding = &nodes->finding;
	struct look look = { .root = root, .nodes = nodes, .finding = finding };

	*nodes = (struct vcio_nodes){ .finding.obstacle = USABLE };
	for (unsigned i = 0;
	     i < sizeof(looks) / sizeof(*looks) && finding->obstacle == USABLE;
	     i++)
		finding->obstacle = looks[i](&look);
	if (finding->obstacle == USABLE)
		return true;
	obstacle_explain(finding, why_not);
	return false;
}
