/* SPDX-License-Identifier: MIT */
/*
 * Template: interposed functions of the stat family, for one size of offsets
 * and times.  Parameters:
 *
 *	BITS(name)	the name of a type or function of that size
 *	NEXT_STAT(...)	calls the C library's fstatat() of that size
 *	OLD_NAMES	also define the names that old programs call
 */

/* Make a stand-in look like a node. */
static void
BITS(disguise)(struct BITS(stat) * status)
{
	const struct board *board = board_get();
	const struct board_stand_in file = { status->st_dev, status->st_ino };
	enum board_node node = BOARD_NO_NODE;
	struct node_face face;

	if (S_ISREG(status->st_mode))
		node = node_of_file(board, &file);
	if (node == BOARD_NO_NODE)
		return;
	face = node_face(board, node);
	status->st_mode = S_IFCHR | face.access.mode;
	status->st_rdev = face.number;
	status->st_uid = 0;
	status->st_gid = face.access.group;
	status->st_size = 0;
	status->st_blocks = 0;
}

static int
BITS(look)(int dir, const char *path, struct BITS(stat) * status, int flags)
{
	char place[BOARD_PATH];
	const char *real = node_follow(dir, path, flags, place);

	if (NEXT_STAT(dir, real, status, flags) != 0)
		return -1;
	BITS(disguise)(status);
	return 0;
}

EXPORT int
BITS(stat)(const char *path, struct BITS(stat) * status)
{
	return BITS(look)(AT_FDCWD, path, status, 0);
}

EXPORT int
BITS(lstat)(const char *path, struct BITS(stat) * status)
{
	return BITS(look)(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

EXPORT int
BITS(fstatat)(int dir, const char *path, struct BITS(stat) * status, int flags)
{
	return BITS(look)(dir, path, status, flags);
}

EXPORT int
BITS(fstat)(int fd, struct BITS(stat) * status)
{
	return BITS(look)(fd, "", status, AT_EMPTY_PATH);
}

#ifdef OLD_NAMES
/* Called by programs compiled with an old C library. */
EXPORT int
BITS(__xstat)(int version, const char *path, struct BITS(stat) * status)
{
	(void)version;
	return BITS(look)(AT_FDCWD, path, status, 0);
}

EXPORT int
BITS(__lxstat)(int version, const char *path, struct BITS(stat) * status)
{
	(void)version;
	return BITS(look)(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

EXPORT int
BITS(__fxstat)(int version, int fd, struct BITS(stat) * status)
{
	(void)version;
	return BITS(look)(fd, "", status, AT_EMPTY_PATH);
}

EXPORT int
BITS(__fxstatat)(int version, int dir, const char *path,
		 struct BITS(stat) * status, int flags)
{
	(void)version;
	return BITS(look)(dir, path, status, flags);
}
#endif
