/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/ways/node.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	DRM_MAJOR = 226, /* of all nodes in /dev/dri */
	/* Register IDENT0 of a VideoCore IV: "V3D", and version 2. */
	VIDEOCORE_IV = 0x02443356
};

struct look {
	const char *root;
	struct drm_node *node;
	struct drm_calls *calls;
	int error; /* DRM_CANNOT_OPEN */
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

enum drm_obstacle
drm_node_judge(const struct drm_calls *calls)
{
	uint64_t ident, branches;

	if (!drm_is_driver(calls, "vc4"))
		return DRM_NO_NODE;
	if (drm_param(calls, VC4_PARAM_IDENT0, &ident) != 0 ||
	    ident != VIDEOCORE_IV)
		return DRM_NO_V3D;
	if (drm_param(calls, VC4_PARAM_BRANCHES, &branches) != 0 ||
	    branches == 0)
		return DRM_NO_BRANCHES;
	return DRM_USABLE;
}

/* Who may open a node that this user may not? */
static enum drm_obstacle
who_may_open(struct look *look, const struct statx *status)
{
	const struct group *group;

	if ((status->stx_mode & 060) != 060 || status->stx_gid == 0)
		return DRM_FOR_ROOT;
	group = getgrgid(status->stx_gid);
	snprintf(look->node->group, sizeof(look->node->group), "%s",
		 group ? group->gr_name : "render");
	return DRM_FOR_GROUP;
}

/* Nothing that has the name of a node can block, is followed as a link, or
 * becomes the terminal of this process. */
static enum drm_obstacle
look_at_node(struct look *look, const char *path)
{
	enum drm_obstacle obstacle;
	struct statx status;
	int fd;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS,
		  &status) != 0)
		return DRM_NO_NODE;
	if (!S_ISCHR(status.stx_mode))
		return DRM_NO_DEVICE;
	fd = open(path,
		  O_RDWR | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		return who_may_open(look, &status);
	if (fd < 0) {
		look->error = errno;
		return DRM_CANNOT_OPEN;
	}
	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &status) != 0 ||
	    !S_ISCHR(status.stx_mode) || status.stx_rdev_major != DRM_MAJOR) {
		close(fd);
		return DRM_NO_DEVICE;
	}
	*look->calls = (struct drm_calls){ .context = (void *)(intptr_t)fd,
					   .request = node_request,
					   .map = node_map,
					   .unmap = node_unmap,
					   .close = node_close };
	obstacle = drm_node_judge(look->calls);
	if (obstacle != DRM_USABLE)
		close(fd);
	return obstacle;
}

static void
look_at_nodes(struct look *look)
{
	struct drm_node *node = look->node;
	char path[4096], name[DRM_NODE_PATH];

	node->obstacle = DRM_NO_NODE;
	for (unsigned i = VC4_NODE_FIRST; i <= VC4_NODE_LAST; i++) {
		enum drm_obstacle obstacle;

		snprintf(name, sizeof(name), "/dev/dri/renderD%u", i);
		snprintf(path, sizeof(path), "%s%s", look->root, name);
		obstacle = look_at_node(look, path);
		if (obstacle == DRM_USABLE || obstacle > node->obstacle) {
			node->obstacle = obstacle;
			memcpy(node->path, name, sizeof(name));
		}
		if (obstacle == DRM_USABLE)
			return;
	}
}

/* The board ---------------------------------------------------------------- */

/* What the device tree has under this name, with a NUL; its length, or -1. */
static ssize_t
read_property(const char *root, const char *name, char *value, size_t size)
{
	char path[4096];
	ssize_t len = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/proc/device-tree/%s", root, name);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, value, size - 1);
		close(fd);
	}
	value[len > 0 ? len : 0] = '\0';
	return len;
}

/* "compatible" is a list of strings that end with NUL; other machines have none.
 * The chip may be unknown, NULL. */
static bool
look_at_board(const char *root, const struct soc **soc)
{
	char names[512];
	const ssize_t len =
		read_property(root, "compatible", names, sizeof(names));
	bool is_pi = false;

	*soc = NULL;
	for (ssize_t at = 0; at < len; at += (ssize_t)strlen(names + at) + 1) {
		const struct soc *named = soc_of_compatible(names + at);

		if (named)
			*soc = named;
		if (strncmp(names + at, "raspberrypi,", 12) == 0)
			is_pi = true;
	}
	return is_pi;
}

static enum drm_obstacle
judge_board(const char *root)
{
	const struct soc *soc;
	const bool is_pi = look_at_board(root, &soc);

	if (soc && soc->videocore4)
		return DRM_USABLE;
	return is_pi ? DRM_OTHER_GPU : DRM_NO_PI;
}

const struct soc *
drm_node_soc(const char *root)
{
	const struct soc *soc;

	look_at_board(root, &soc);
	return soc && soc->videocore4 ? soc : NULL;
}

/* Does the device tree enable the V3D for the kernel's driver?  A node of it
 * without a status is enabled. */
static bool
gives_gpu(const char *root)
{
	char value[32];

	if (read_property(root, "soc/v3d@7ec00000/status", value,
			  sizeof(value)) > 0)
		return strcmp(value, "disabled") != 0;
	return read_property(root, "soc/v3d@7ec00000/compatible", value,
			     sizeof(value)) > 0;
}

/* All of it ---------------------------------------------------------------- */

static void
explain(const struct look *look, struct diag *why_not)
{
	const char *path = look->node->path;

	switch (look->node->obstacle) {
	case DRM_USABLE: break;
	case DRM_NO_PI: diag_set(why_not, "this is not a Raspberry Pi"); break;
	case DRM_OTHER_GPU:
	case DRM_NO_V3D:
		diag_set(why_not, "this board's GPU is not a VideoCore IV: "
				  "Raspberry Pi 1, 2, 3 and Zero have one");
		break;
	case DRM_NO_NODE:
		if (gives_gpu(look->root))
			diag_set(why_not,
				 "the device tree gives the GPU to the "
				 "kernel's driver vc4, which has made no node "
				 "in /dev/dri: 'sudo modprobe vc4' loads it, "
				 "and 'sudo dmesg | grep vc4' says why it "
				 "failed");
		else
			diag_set(
				why_not,
				"the kernel's driver vc4 does not have the GPU: put "
				"dtoverlay=vc4-kms-v3d into " PI_CONFIG
				" and reboot");
		break;
	case DRM_NO_DEVICE:
		diag_set(why_not,
			 "%s is no device of the kernel's graphics "
			 "drivers",
			 path);
		break;
	case DRM_CANNOT_OPEN:
		diag_set(why_not, "%s cannot be opened: %s", path,
			 strerror(look->error));
		break;
	case DRM_FOR_GROUP:
		diag_set(why_not,
			 "no permission for %s: add yourself to its group with "
			 "'sudo adduser $USER %s', then log in again",
			 path, look->node->group);
		break;
	case DRM_FOR_ROOT:
		diag_set(why_not,
			 "only root may open %s: use sudo, or install udev's "
			 "usual rules, which give it to the group render",
			 path);
		break;
	case DRM_NO_BRANCHES:
		diag_set(why_not, "the driver vc4 of this kernel does not take "
				  "programs with branches: Linux 4.9 or later "
				  "does");
		break;
	}
}

bool
drm_node_open(const char *root, struct drm_node *node, struct drm_calls *calls,
	      struct diag *why_not)
{
	struct look look = { .root = root, .node = node, .calls = calls };

	*node = (struct drm_node){ .obstacle = judge_board(root) };
	if (node->obstacle == DRM_USABLE)
		look_at_nodes(&look);
	if (node->obstacle == DRM_USABLE)
		return true;
	explain(&look, why_not);
	return false;
}
