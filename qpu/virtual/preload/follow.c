/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "qpu/virtual/preload/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "qpu/virtual/preload/node.h"

enum {
	LINKS_MAX = 8, /* that point to each other */
	LONGEST = 2000 /* path that is looked at */
};

static const char *const names[BOARD_NODES] = { [BOARD_VCIO] = "vcio",
						[BOARD_VCSM] = "vcsm-cma",
						[BOARD_MEM] = "mem",
						[BOARD_CLASSIC] = "vcsm",
						[BOARD_GENCMD] = "vcio_gencmd",
						[BOARD_CARD] = "dri/card0",
						[BOARD_RENDER] =
							"dri/renderD128" };

/* The part after the last slash. */
static const char *
base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The absolute path without links and dots before the last name; false if
 * there is no such directory. */
static bool
make_canonical(int dir, const char *path, char canonical[BOARD_PATH])
{
	const char *base = base_of(path);
	char parent[BOARD_PATH], link[32];
	ssize_t len;
	int fd;

	snprintf(parent, sizeof(parent), "%.*s.", (int)(base - path), path);
	fd = (int)syscall(SYS_openat, dir, parent, O_PATH | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = syscall(SYS_readlinkat, AT_FDCWD, link, canonical, LONGEST);
	syscall(SYS_close, fd);
	if (len < 0 || len == LONGEST)
		return false;
	snprintf(canonical + len, BOARD_PATH - LONGEST, "/%s", base);
	return true;
}

/* Is it a name of the board, in whatever way the path leads there? */
static bool
is_ours(int dir, const char *path, char place[BOARD_PATH])
{
	char canonical[BOARD_PATH];
	const char *base = base_of(path);

	for (unsigned i = 0; i < BOARD_NODES; i++)
		if (names[i] && strcmp(base, base_of(names[i])) == 0)
			return make_canonical(dir, path, canonical) &&
			       node_path(canonical, place) != canonical;
	return false;
}

/* Does a node of this machine have the number of one of the board's? */
static bool
has_our_number(const struct board *board, const struct statx *status,
	       char place[BOARD_PATH])
{
	const dev_t number =
		makedev(status->stx_rdev_major, status->stx_rdev_minor);

	for (unsigned i = 0; i < BOARD_NODES; i++) {
		if (!names[i] || board->shared->stand_ins[i].ino == 0 ||
		    node_number(board, (enum board_node)i) != number)
			continue;
		snprintf(place, BOARD_PATH, "%s/" BOARD_ROOT "/dev/%s",
			 board->dir, names[i]);
		return true;
	}
	return false;
}

/* Replace the path of a link by where it leads to; false if there is none. */
static bool
step(int dir, char path[LONGEST + 1])
{
	char target[LONGEST + 1];
	const ssize_t len =
		syscall(SYS_readlinkat, dir, path, target, sizeof(target));
	size_t at = 0;

	if (len <= 0 || len > LONGEST)
		return false;
	if (*target != '/')
		at = (size_t)(base_of(path) - path);
	if (at + (size_t)len > LONGEST)
		return false;
	memcpy(path + at, target, (size_t)len);
	path[at + (size_t)len] = '\0';
	return true;
}

static bool
find(const struct board *board, int dir, const char *first,
     char place[BOARD_PATH])
{
	char path[LONGEST + 1];
	struct statx status;

	strcpy(path, first);
	for (unsigned i = 0; i < LINKS_MAX; i++) {
		if (is_ours(dir, path, place))
			return true;
		if (syscall(SYS_statx, dir, path, AT_SYMLINK_NOFOLLOW,
			    STATX_TYPE, &status) != 0)
			return false;
		if (S_ISCHR(status.stx_mode))
			return has_our_number(board, &status, place);
		if (!S_ISLNK(status.stx_mode) || !step(dir, path))
			return false;
	}
	return false;
}

const char *
follow_path(int dir, const char *path, char place[BOARD_PATH])
{
	const char *real = node_path(path, place);
	const int error = errno;
	const struct board *board;

	if (real != path || !path || !*path || strlen(path) > LONGEST)
		return real;
	board = board_get();
	if (board && board->soc && find(board, dir, path, place))
		real = place;
	errno = error;
	return real;
}
