/* SPDX-License-Identifier: MIT */
/*
 * mount: what the kernel says of the mount that an open file is on.
 *
 * st_dev alone does not lead to it: each subvolume of btrfs has a number of its
 * own, which no list of mounts has.  The number of the mount does
 * (proc_pid_fdinfo(5), proc_pid_mountinfo(5)).
 */
#ifndef SRC_LANES_MOUNT_H
#define SRC_LANES_MOUNT_H

#include <stdbool.h>

/* What a line of mountinfo says; its strings are unescaped. */
struct mount {
	char *line; /* holds the others */
	const char *type;
	char *source;
	const char *options; /* of the file system */
};

/* /proc is looked for below `root` ("" is the usual place).  False: nothing is
 * known. */
bool
mount_find(const char *root, int fd, struct mount *);

void
mount_free(struct mount *);

#endif
