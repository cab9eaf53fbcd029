/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/preload/node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "qpu/abi/mailbox.h"
#include "qpu/pi/render_node.h"

enum {
	MEM_MAJOR = 1,
	MEM_MINOR = 1,
	MISC_MAJOR = 10,
	VCSM_MINOR = 124,
	VCIO_MINOR = 123,
	HEAP_MAJOR = 252, /* of those that the kernel gives out */
	HEAP_MINOR = 0,
	DRM_MAJOR = 226,
	RENDER_MINOR = 128,
	LONGEST = 2000 /* path that can be ours */
};

/* Paths that only the board has, with all that is below them. */
static const char *const claimed[] = { "/boot",
				       "/dev/dma_heap",
				       "/dev/dri",
				       "/dev/mem",
				       "/dev/vcio",
				       "/dev/vcsm-cma",
				       "/proc/device-tree",
				       "/sys/bus/platform/drivers/vc4_v3d",
				       "/sys/class/drm",
				       "/sys/firmware/devicetree",
				       "/etc/modprobe.d",
				       "/sys/module/vc4",
				       "/sys/module/vc_sm_cma" };

static bool
begins(const char *path, const char *prefix)
{
	const size_t len = strlen(prefix);

	return strncmp(path, prefix, len) == 0 &&
	       (path[len] == '\0' || path[len] == '/');
}

static bool
is_claimed(const char *path)
{
	for (size_t i = 0; i < sizeof(claimed) / sizeof(*claimed); i++)
		if (begins(path, claimed[i]))
			return true;
	return false;
}

/* Return true if the board has a file for a path of this machine: cpuinfo,
 * meminfo, and nodes that the program made. */
static bool
is_shadowed(const char *path, const char *place)
{
	return (strcmp(path, "/proc/cpuinfo") == 0 ||
		strcmp(path, "/proc/meminfo") == 0 || begins(path, "/dev")) &&
	       syscall(SYS_faccessat, AT_FDCWD, place, F_OK) == 0;
}

const char *
node_path(const char *path, char place[BOARD_PATH])
{
	const struct board *board;
	int error = errno;

	if (!path || path[0] != '/' ||
	    (path[1] != 'b' && path[1] != 'd' && path[1] != 'e' &&
	     path[1] != 'p' && path[1] != 's'))
		return path;
	board = board_get();
	if (!board || !board->soc || strlen(path) > LONGEST)
		return path;
	snprintf(place, BOARD_PATH, "%s/" BOARD_ROOT "%.*s", board->dir,
		 LONGEST, path);
	if (is_claimed(path) || is_shadowed(path, place))
		path = place;
	errno = error;
	return path;
}

void
node_show(char *path)
{
	const struct board *board = board_get();
	char prefix[BOARD_PATH];
	int len;

	if (!path || !board)
		return;
	len = snprintf(prefix, sizeof(prefix), "%s/" BOARD_ROOT, board->dir);
	if (begins(path, prefix))
		memmove(path, path + len, strlen(path + len) + 1);
}

enum board_node
node_of_file(const struct board *board, const struct board_stand_in *file)
{
	for (unsigned i = 0; board && i < BOARD_NODES; i++)
		if (board_stand_in_is(&board->shared->stand_ins[i], file))
			return (enum board_node)i;
	return board ? render_node_of_file(board, file) : BOARD_NO_NODE;
}

struct board_stand_in
node_file(const struct statx *status)
{
	return (struct board_stand_in){
		makedev(status->stx_dev_major, status->stx_dev_minor),
		status->stx_mask & STATX_INO ? status->stx_ino : 0
	};
}

/* Find a file by a path from `fd`, or by an empty one; its ino is 0 if there is none.
 * statx() gives the same answer for every size of file offsets. */
static struct board_stand_in
find_file(int fd, const char *path)
{
	const int error = errno;
	struct statx status;

	if (syscall(SYS_statx, fd, path, AT_EMPTY_PATH, STATX_INO, &status) !=
	    0) {
		errno = error;
		return (struct board_stand_in){ .ino = 0 };
	}
	return node_file(&status);
}

enum board_node
node_of_descriptor(const struct board *board, int fd,
		   struct board_stand_in *file)
{
	*file = board ? find_file(fd, "") : (struct board_stand_in){ .ino = 0 };
	return node_of_file(board, file);
}

/* Return true if it is a link to a path of the board. */
static bool
is_link_to_board(int dir, const char *path, char place[BOARD_PATH])
{
	char target[LONGEST + 1];
	const ssize_t len =
		syscall(SYS_readlinkat, dir, path, target, (size_t)LONGEST);

	if (len <= 0)
		return false;
	target[len] = '\0';
	return node_path(target, place) == place;
}

const char *
node_follow(int dir, const char *path, int flags, char place[BOARD_PATH])
{
	const char *real = node_path(path, place);
	const struct board *board = board_get();
	const int error = errno;

	if (!(flags & AT_SYMLINK_NOFOLLOW) && real == path && path && board &&
	    board->soc && is_link_to_board(dir, path, place))
		real = place;
	errno = error;
	return real;
}

struct node_face
node_face(const struct board *board, enum board_node node)
{
	const struct system *system = board->system;
	const struct system_node of_video = { 0660, SYSTEM_GROUP_VIDEO };
	const struct system_node of_kmem = { 0640, SYSTEM_GROUP_KMEM };

	switch (node) {
	case BOARD_VCIO:
		return (struct node_face){
			system->vcio, system->misc ?
					      makedev(MISC_MAJOR, VCIO_MINOR) :
					      makedev(MAILBOX_MAJOR, 0)
		};
	case BOARD_VCSM:
		return (struct node_face){ system->vcsm,
					   makedev(MISC_MAJOR, VCSM_MINOR) };
	case BOARD_HEAP:
		return (struct node_face){ system->heap,
					   makedev(HEAP_MAJOR, HEAP_MINOR) };
	case BOARD_RENDER:
		return (struct node_face){ system->render,
					   makedev(DRM_MAJOR, RENDER_MINOR) };
	case BOARD_CARD:
		return (struct node_face){ of_video, makedev(DRM_MAJOR, 0) };
	default:
		return (struct node_face){ of_kmem,
					   makedev(MEM_MAJOR, MEM_MINOR) };
	}
}

enum board_node
node_of_place(const char *place)
{
	const struct board_stand_in file = find_file(AT_FDCWD, place);

	return node_of_file(board_get(), &file);
}

bool
node_is_denied(const char *place)
{
	const struct board *board = board_get();
	struct node_face face;
	enum board_node node;

	if (board->shared->options.user == SYSTEM_ROOT)
		return false;
	node = node_of_place(place);
	if (node == BOARD_NO_NODE)
		return false;
	face = node_face(board, node);
	return !system_may_open(board->system, &face.access,
				board->shared->options.user);
}
