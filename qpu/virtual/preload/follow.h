/* SPDX-License-Identifier: MIT */
/*
 * follow: finds the board's nodes by other names: symbolic links, relative
 * paths, and nodes that were made outside with the number of one of ours.
 */
#ifndef QPU_VIRTUAL_PRELOAD_FOLLOW_H
#define QPU_VIRTUAL_PRELOAD_FOLLOW_H

#include "qpu/virtual/board/board.h"

/*
 * As node_path(), for a path that is to be followed: what open() and stat()
 * get, with the directory that a relative path starts at.
 */
const char *
follow_path(int dir, const char *path, char place[BOARD_PATH]);

#endif
