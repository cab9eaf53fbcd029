/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/vcio_nodes.h"

#include <fcntl.h>
#include <stdio.h>
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

/* Since October 2016 the firmware refuses to run QPU programs where the device
 * tree gives the V3D to the kernel; before, both collided. */
static enum obstacle
look_at_owner(struct look *look)
{
	name_detail(look, board_config(look->root));
	switch (board_v3d_owner(look->root)) {
	case V3D_OF_OVERLAY: return KMS;
	case V3D_OF_KERNEL: return OTHER_KERNEL;
	case V3D_FREE: break;
	}
	return USABLE;
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
