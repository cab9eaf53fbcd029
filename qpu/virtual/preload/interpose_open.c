/* SPDX-License-Identifier: MIT */
/*
 * Interposed functions that open files and look for them.
 */
#include "config.h"
/* Both sizes of file offsets are defined here, none is chosen. */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS
#undef _FORTIFY_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "qpu/pi/render_node.h"
#include "qpu/virtual/mmio/next.h"
#include "qpu/virtual/preload/node.h"

/* Functions whose names end with _2 or _chk are called by programs that were compiled
 * with checks (_FORTIFY_SOURCE). */

/* A node of the kernel's driver is another file each time it is opened. */
static bool
is_drm(enum board_node node, int flags)
{
	return (node == BOARD_CARD || node == BOARD_RENDER) &&
	       !(flags & (O_PATH | O_DIRECTORY));
}

static int
open_at(int dir, const char *path, int flags, mode_t mode)
{
	char place[BOARD_PATH];
	const char *real = node_follow(
		dir, path, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0, place);

	if (real == path)
		return NEXT(openat)(dir, path, flags, mode);
	if (node_is_denied(real)) {
		errno = EACCES;
		return -1;
	}
	if (is_drm(node_of_place(real), flags))
		return render_node_open(board_get(), node_of_place(real),
					flags);
	/* Nodes exist already and are never truncated. */
	flags &= ~(O_CREAT | O_EXCL | O_TRUNC);
	return NEXT(openat)(AT_FDCWD, real, flags, 0);
}

EXPORT int
close(int fd)
{
	const struct board *board = board_get();
	struct board_stand_in file;
	const enum board_node node = node_of_descriptor(board, fd, &file);
	const int result = (int)syscall(SYS_close, fd);

	if (node == BOARD_CARD || node == BOARD_RENDER)
		render_node_closed(board);
	return result;
}

/* open() has a mode argument only with certain flags. */
#define MODE_AFTER(flags)                                                      \
	__extension__({                                                        \
		mode_t mode_ = 0;                                              \
		if ((flags) & (O_CREAT | __O_TMPFILE)) {                       \
			va_list args_;                                         \
			va_start(args_, flags);                                \
			mode_ = va_arg(args_, mode_t);                         \
			va_end(args_);                                         \
		}                                                              \
		mode_;                                                         \
	})

/* The functions for one size of file offsets. */
#define OPENS(bits, always)                                                    \
	EXPORT int open##bits(const char *path, int flags, ...)                \
	{                                                                      \
		return open_at(AT_FDCWD, path, flags | always,                 \
			       MODE_AFTER(flags));                             \
	}                                                                      \
	EXPORT int openat##bits(int dir, const char *path, int flags, ...)     \
	{                                                                      \
		return open_at(dir, path, flags | always, MODE_AFTER(flags));  \
	}                                                                      \
	EXPORT int __open##bits##_2(const char *path, int flags)               \
	{                                                                      \
		return open_at(AT_FDCWD, path, flags | always, 0);             \
	}                                                                      \
	EXPORT int __openat##bits##_2(int dir, const char *path, int flags)    \
	{                                                                      \
		return open_at(dir, path, flags | always, 0);                  \
	}

OPENS(, 0)
OPENS(64, O_LARGEFILE)

/* Replace a path by its stand-in's; return false without permission. */
static bool
find_real(const char **path, char place[BOARD_PATH])
{
	const char *real = node_follow(AT_FDCWD, *path, 0, place);

	if (real != *path && node_is_denied(real)) {
		errno = EACCES;
		return false;
	}
	*path = real;
	return true;
}

/* A function that opens a path. */
#define OPENER(type, name, parameters, ...)                                    \
	EXPORT type name parameters                                            \
	{                                                                      \
		char place[BOARD_PATH];                                        \
		return find_real(&path, place) ? NEXT(name)(__VA_ARGS__) :     \
						 NULL;                         \
	}

OPENER(FILE *, fopen, (const char *path, const char *mode), path, mode)
OPENER(FILE *, fopen64, (const char *path, const char *mode), path, mode)
OPENER(DIR *, opendir, (const char *path), path)

/* Existence may be asked without permission. */
static int
access_at(int dir, const char *path, int how, int flags)
{
	char place[BOARD_PATH];
	const char *real = node_follow(dir, path, flags, place);

	if (real != path && how != F_OK && node_is_denied(real)) {
		errno = EACCES;
		return -1;
	}
	return NEXT(faccessat)(dir, real, how, flags);
}

EXPORT int
access(const char *path, int how)
{
	return access_at(AT_FDCWD, path, how, 0);
}

EXPORT int
faccessat(int dir, const char *path, int how, int flags)
{
	return access_at(dir, path, how, flags);
}

/* A function that is given the path of the stand-in.  ls reads extended attributes, and
 * reports missing files. */
#define ON_PATH(type, name, parameters, ...)                                   \
	EXPORT type name parameters                                            \
	{                                                                      \
		char place[BOARD_PATH];                                        \
		path = node_path(path, place);                                 \
		return NEXT(name)(__VA_ARGS__);                                \
	}

ON_PATH(ssize_t, readlink, (const char *path, char *text, size_t bytes), path,
	text, bytes)
ON_PATH(ssize_t, readlinkat,
	(int dir, const char *path, char *text, size_t bytes), dir, path, text,
	bytes)
ON_PATH(int, chdir, (const char *path), path)
ON_PATH(ssize_t, getxattr,
	(const char *path, const char *name, void *value, size_t bytes), path,
	name, value, bytes)
ON_PATH(ssize_t, lgetxattr,
	(const char *path, const char *name, void *value, size_t bytes), path,
	name, value, bytes)

EXPORT ssize_t
__readlink_chk(const char *path, char *text, size_t bytes, size_t size)
{
	if (bytes > size)
		abort();
	return readlink(path, text, bytes);
}

EXPORT char *
realpath(const char *path, char *resolved)
{
	char place[BOARD_PATH];
	char *real = NEXT(realpath)(node_path(path, place), resolved);

	node_show(real);
	return real;
}

EXPORT char *
__realpath_chk(const char *path, char *resolved, size_t size)
{
	if (size < PATH_MAX)
		abort();
	return realpath(path, resolved);
}
