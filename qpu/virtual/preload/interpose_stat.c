/* SPDX-License-Identifier: MIT */
/*
 * Interposed functions that describe files: stat() and its relatives.
 */
#include "config.h"
/* Both sizes of file offsets are defined here, none is chosen. */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS
#undef _FORTIFY_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "qpu/virtual/mmio/next.h"
#include "qpu/virtual/preload/node.h"

/* C libraries before 2.33 have no function of the name fstatat. */
#ifdef _STAT_VER
#define NEXT_STAT(...) NEXT(BITS(__fxstatat))(_STAT_VER, __VA_ARGS__)
#else
#define NEXT_STAT(...) NEXT(BITS(fstatat))(__VA_ARGS__)
#endif

#define OLD_NAMES
#define BITS(name) name
#include "qpu/virtual/preload/stat_template.h"
#undef BITS
#define BITS(name) name##64
#include "qpu/virtual/preload/stat_template.h"
#undef BITS

EXPORT int
statx(int dir, const char *path, int flags, unsigned mask, struct statx *status)
{
	const struct board *board = board_get();
	struct board_stand_in file;
	enum board_node node;
	char place[BOARD_PATH];
	const char *real = node_follow(dir, path, flags, place);

	if (NEXT(statx)(dir, real, flags, mask, status) != 0)
		return -1;
	file = node_file(status);
	node = node_of_file(board, &file);
	if (node != BOARD_NO_NODE) {
		const struct node_face face = node_face(board, node);

		status->stx_mode = (uint16_t)(S_IFCHR | face.access.mode);
		status->stx_rdev_major = major(face.number);
		status->stx_rdev_minor = minor(face.number);
		status->stx_uid = 0;
		status->stx_gid = face.access.group;
		status->stx_size = 0;
		status->stx_blocks = 0;
	}
	return 0;
}
