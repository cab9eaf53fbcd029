/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/drm_node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qpu/ways/board.h"

enum {
	DRM_MAJOR = 226, /* of all nodes in /dev/dri */
	/* Register IDENT0 of a VideoCore IV: "V3D", and version 2. */
	VIDEOCORE_IV = 0x02443356
};

/* Calls to a node ---------------------------------------------------------- */

static int
descriptor(const void *context)
{
	return (int)(intptr_t)context;
}

static int
node_request(void *context, unsigned long request, void *argument)
{
	return ioctl(descriptor(context), request, argument) < 0 ? -errno : 0;
}

static void *
node_map(void *context, uint64_t offset, size_t bytes)
{
	void *memory;

	if ((uint64_t)(off_t)offset != offset)
		return NULL;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		      descriptor(context), (off_t)offset);
	return memory == MAP_FAILED ? NULL : memory;
}

static void
node_unmap(void *context, void *memory, size_t bytes)
{
	(void)context;
	munmap(memory, bytes);
}

static void
node_close(void *context)
{
	close(descriptor(context));
}

/* One node ----------------------------------------------------------------- */

/* Is what answers here a driver whose V3D can run programs? */
static enum obstacle
judge(const struct drm_calls *calls)
{
	uint64_t ident;

	if (!drm_is_driver(calls, "vc4"))
		return NO_NODE;
	if (drm_param(calls, VC4_PARAM_IDENT0, &ident) != 0 ||
	    ident != VIDEOCORE_IV)
		return DRM_NO_V3D;
	return USABLE;
}

/* Nothing that has the name of a node can block, is followed as a link, or
 * becomes the terminal of this process. */
static enum obstacle
look_at_node(const char *path, struct finding *finding, struct drm_calls *calls)
{
	enum obstacle obstacle;
	struct statx status;
	int fd;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS,
		  &status) != 0)
		return NO_NODE;
	if (!S_ISCHR(status.stx_mode))
		return DRM_NO_DEVICE;
	fd = open(path,
		  O_RDWR | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		return board_group_may_open(status.stx_mode, status.stx_gid,
					    "render", finding) ?
			       DRM_FOR_GROUP :
			       DRM_FOR_ROOT;
	if (fd < 0) {
		snprintf(finding->more, sizeof(finding->more), "%s",
			 strerror(errno));
		return DRM_CANNOT_OPEN;
	}
	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &status) != 0 ||
	    !S_ISCHR(status.stx_mode) || status.stx_rdev_major != DRM_MAJOR) {
		close(fd);
		return DRM_NO_DEVICE;
	}
	*calls = (struct drm_calls){ .context = (void *)(intptr_t)fd,
				     .request = node_request,
				     .map = node_map,
				     .unmap = node_unmap,
				     .close = node_close };
	obstacle = judge(calls);
	if (obstacle != USABLE)
		close(fd);
	return obstacle;
}

/* The first node that can be used, else what is in the way at one of them. */
static void
look_at_nodes(const char *root, struct finding *finding,
	      struct drm_calls *calls)
{
	char path[4096];

	finding->obstacle = NO_NODE;
	for (unsigned i = VC4_NODE_FIRST; i <= VC4_NODE_LAST; i++) {
		struct finding found = { .obstacle = USABLE };

		snprintf(found.detail, sizeof(found.detail),
			 "/dev/dri/renderD%u", i);
		snprintf(path, sizeof(path), "%s%s", root, found.detail);
		found.obstacle = look_at_node(path, &found, calls);
		if (found.obstacle == USABLE ||
		    found.obstacle > finding->obstacle)
			*finding = found;
		if (found.obstacle == USABLE)
			return;
	}
	if (finding->obstacle != NO_NODE)
		return;
	if (board_v3d_owner(root) != V3D_FREE)
		finding->obstacle = NO_NODE_OF_VC4;
	snprintf(finding->detail, sizeof(finding->detail), "%s",
		 board_config(root));
}

/* In a container the device tree may be hidden; then the kernel's driver, which
 * no machine loads without its GPU, shows that there is one. */
static bool
may_have_nodes(const char *root, const struct board *board)
{
	if (board->soc || *board->model)
		return board->soc && board->soc->videocore4;
	return board_has(root, "sys/bus/platform/drivers/vc4-drm");
}

bool
drm_node_open(const char *root, struct finding *finding,
	      struct drm_calls *calls, struct diag *why_not)
{
	struct finding of_board;
	struct board board;

	/* A board of another maker has the driver, too. */
	board_look(root, &board, &of_board);
	*finding = of_board;
	if (may_have_nodes(root, &board))
		look_at_nodes(root, finding, calls);
	if (finding->obstacle == USABLE)
		return true;
	if (!board.soc && finding->obstacle == NO_NODE)
		*finding = of_board;
	obstacle_explain(finding, why_not);
	return false;
}
