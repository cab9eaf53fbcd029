/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "qpu/virtual/node.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "qpu/mailbox.h"

enum {
	MEM_MAJOR = 1,
	MEM_MINOR = 1,
	VCSM_MAJOR = 10,
	VCSM_MINOR = 124,
	GROUP_KMEM = 15,	/* as on Raspberry Pi OS */
	GROUP_VIDEO = 44,
	LONGEST = 2000		/* path that can be ours */
};

/* What is the board's business, with all that is below; nothing else is. */
static const char *const claimed[] = {
	"/dev/dri",
	"/dev/mem",
	"/dev/vcio",
	"/dev/vcsm-cma",
	"/proc/device-tree",
	"/sys/bus/platform/drivers/vc4_v3d",
	"/sys/class/drm",
	"/sys/firmware/devicetree",
	"/sys/module/vc4"
};

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

/* Theirs only where the board has one of that name, too: /proc/cpuinfo, and
 * nodes that the program made. */
static bool
is_shadowed(const char *path, const char *place)
{
	return (strcmp(path, "/proc/cpuinfo") == 0 || begins(path, "/dev")) &&
	       syscall(SYS_faccessat, AT_FDCWD, place, F_OK) == 0;
}

const char *
node_path(const char *path, char place[STATE_PATH])
{
	const struct world *world;
	int error = errno;

	if (!path || path[0] != '/' ||
	    (path[1] != 'd' && path[1] != 'p' && path[1] != 's'))
		return path;
	world = world_get();
	if (!world || !world->soc || strlen(path) > LONGEST)
		return path;
	snprintf(place, STATE_PATH, "%s/" STATE_ROOT "%.*s", world->dir,
		 LONGEST, path);
	if (is_claimed(path) || is_shadowed(path, place))
		path = place;
	errno = error;
	return path;
}

void
node_show(char *path)
{
	const struct world *world = world_get();
	char prefix[STATE_PATH];
	int len;

	if (!path || !world)
		return;
	len = snprintf(prefix, sizeof(prefix), "%s/" STATE_ROOT, world->dir);
	if (begins(path, prefix))
		memmove(path, path + len, strlen(path + len) + 1);
}

enum state_node
node_of_file(const struct world *world, uint64_t dev, uint64_t ino)
{
	const struct state_stand_in *stand_ins = world->state->stand_ins;

	for (unsigned i = 0; i < STATE_NODES; i++)
		if (ino && stand_ins[i].ino == ino && stand_ins[i].dev == dev)
			return (enum state_node)i;
	return STATE_NO_NODE;
}

/* By statx() since its answer is the same for every size of file offsets. */
enum state_node
node_of_descriptor(const struct world *world, int fd)
{
	const int error = errno;
	struct statx status;

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_INO,
		    &status) == 0)
		return node_of_file(world, makedev(status.stx_dev_major,
						   status.stx_dev_minor),
				    status.stx_ino);
	errno = error;
	return STATE_NO_NODE;
}

dev_t
node_number(enum state_node node)
{
	switch (node) {
	case STATE_VCIO:
		return makedev(MAILBOX_MAJOR, 0);
	case STATE_MEM:
		return makedev(MEM_MAJOR, MEM_MINOR);
	default:
		return makedev(VCSM_MAJOR, VCSM_MINOR);
	}
}

mode_t
node_mode(enum state_node node)
{
	return S_IFCHR | (node == STATE_MEM ? 0640 : 0660);
}

gid_t
node_group(enum state_node node)
{
	return node == STATE_MEM ? GROUP_KMEM : GROUP_VIDEO;
}

bool
node_is_link(int dir, const char *path)
{
	const struct world *world = world_get();
	char target[STATE_PATH];
	const ssize_t len = readlinkat(dir, path, target, sizeof(target));
	const size_t prefix = world ? strlen(world->dir) : 0;

	return world && len > (ssize_t)prefix &&
	       memcmp(target, world->dir, prefix) == 0;
}

bool
node_is_denied(const char *place)
{
	const struct world *world = world_get();
	struct statx status;

	return world->state->options.deny &&
	       syscall(SYS_statx, AT_FDCWD, place, 0, STATX_INO,
		       &status) == 0 &&
	       node_of_file(world, makedev(status.stx_dev_major,
					   status.stx_dev_minor),
			    status.stx_ino) != STATE_NO_NODE;
}

/* The launcher takes away what the program leaves. */
static void
remember_link(struct state *state, const char *path)
{
	char cwd[PATH_MAX] = "";
	sigset_t signals;
	unsigned i = 0;

	if (*path != '/' && !getcwd(cwd, sizeof(cwd)))
		return;
	state_lock(state, &signals);
	while (i < STATE_LINKS && *state->links[i])
		i++;
	if (i < STATE_LINKS &&
	    snprintf(state->links[i], STATE_PATH, "%s%s%s", cwd,
		     *cwd ? "/" : "", path) >= STATE_PATH)
		*state->links[i] = '\0';
	state_unlock(state, &signals);
}

int
node_make(const char *path)
{
	const struct world *world = world_get();
	char target[STATE_PATH], place[STATE_PATH];

	if (world->state->options.deny) {
		errno = EPERM;
		return -1;
	}
	/* Only where the board is root may it write to /dev. */
	if (begins(path, "/dev")) {
		snprintf(place, sizeof(place), "%s/" STATE_ROOT "%s",
			 world->dir, path);
		path = place;
	}
	snprintf(target, sizeof(target), "%s/" STATE_ROOT "/dev/vcio",
		 world->dir);
	if (symlink(target, path) != 0)
		return -1;
	remember_link(world->state, path);
	return 0;
}
