/* SPDX-License-Identifier: MIT */
/*
 * node: which files are those of the virtual board.
 *
 * Below the private directory there is a tree of what a Raspberry Pi has and
 * this machine may not have.  Paths that belong to it are looked up there and
 * nowhere else.  A device node is a regular file in it, and a descriptor is
 * recognised by that file, however it was come by.
 */
#ifndef QPU_VIRTUAL_NODE_H
#define QPU_VIRTUAL_NODE_H

#include <stdbool.h>
#include <sys/types.h>

#include "qpu/virtual/world.h"

/* The path itself when it is none of ours, else that of what stands in for it,
 * in `place`. */
const char *
node_path(const char *path, char place[STATE_PATH]);

/* The other way round, in place; a null path is allowed. */
void
node_show(char *path);

/* Whose stand-in this is, or STATE_NO_NODE.  No ino_t: it is not the same type
 * for all who call. */
enum state_node
node_of_file(const struct world *, uint64_t dev, uint64_t ino);
enum state_node
node_of_descriptor(const struct world *, int fd);

/* What a node looks like on a Raspberry Pi: number, type and rights, group;
 * the owner is root. */
dev_t
node_number(enum state_node);
mode_t
node_mode(enum state_node);
gid_t
node_group(enum state_node);

/* Is it a link that node_make() made? */
bool
node_is_link(int dir, const char *path);

/* Is it for this user?  Of a path that node_path() gave. */
bool
node_is_denied(const char *place);

/* What mknod() does when it makes a character node of the mailbox: a link to
 * the stand-in.  0 or -1 with errno. */
int
node_make(const char *path);

#endif
