/* SPDX-License-Identifier: MIT */
/*
 * node: maps paths and descriptors to files of the virtual board.
 *
 * The private directory holds the files of a Raspberry Pi, and paths of such
 * files are looked up only there.  A device node is a regular file in it; a
 * descriptor is recognised by its inode number, also after dup, fork or exec.
 */
#ifndef QPU_VIRTUAL_PRELOAD_NODE_H
#define QPU_VIRTUAL_PRELOAD_NODE_H

#include <stdbool.h>
#include <sys/types.h>

#include "qpu/pi/virtual_board.h"

/* Return the path itself if it is not the board's, else its stand-in's path, in
 * `place`. */
const char *
node_path(const char *path, char place[BOARD_PATH]);

/*
 * The same for a path from `dir`, if it is relative; it may also be a link to
 * such a path, unless AT_SYMLINK_NOFOLLOW is one of the flags.
 */
const char *
node_follow(int dir, const char *path, int flags, char place[BOARD_PATH]);

/* The reverse, in place; a null path is allowed. */
void
node_show(char *path);

struct statx;

/* The file of a status; its ino is 0 if the system did not give it. */
struct board_stand_in
node_file(const struct statx *);

/* The node that a file stands in for, or BOARD_NO_NODE, as for a null board. */
enum board_node
node_of_file(const struct board *, const struct board_stand_in *);
/* Return the node of a descriptor, and its file, whose ino is 0 if there is none. */
enum board_node
node_of_descriptor(const struct board *, int fd, struct board_stand_in *);

/* A node by the path of its stand-in, from node_path(). */
enum board_node
node_of_place(const char *place);

/* The permissions, group and number that stat(2) shows; the owner is root. */
struct node_face {
	struct system_node access;
	dev_t number;
};

struct node_face
node_face(const struct board *, enum board_node);

/* Return true if it is a node that this user may not open. `place` is from
 * node_path(). */
bool
node_is_denied(const char *place);

#endif
