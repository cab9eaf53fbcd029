/* SPDX-License-Identifier: MIT */
#include <config.h>

#include "tests/support/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[64];
static pid_t owner; /* a child of the test removes nothing */

static void
require(bool made, const char *what)
{
	if (made)
		return;
	printf("Bail out! %s: %s\n", what, strerror(errno));
	fflush(stdout);
	_exit(99);
}

/* Remove what nftw has found; but the scratch directory itself stays, and a folder
 * that cannot be read is made readable first. */
static int
remove_entry(const char *path, const struct stat *stat, int kind,
	     struct FTW *place)
{
	(void)stat;
	if (place->level == 0 && strcmp(path, directory) == 0 &&
	    getpid() == owner && kind == FTW_DP)
		return 0;
	if (kind == FTW_DNR)
		(void)!chmod(path, 0700);
	return remove(path) != 0 && errno != ENOENT;
}

void
scratch_remove(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void
scratch_empty(void)
{
	scratch_remove(directory);
}

static void
leave(void)
{
	if (getpid() != owner || chdir("/") != 0)
		return;
	scratch_empty();
	rmdir(directory);
}

const char *
scratch_enter(void)
{
	const char *parent = getenv("TMPDIR");

	if (!directory[0]) {
		if (!parent || strlen(parent) > 32)
			parent = "/tmp";
		snprintf(directory, sizeof(directory), "%s/test-XXXXXX",
			 parent);
		require(mkdtemp(directory), directory);
		owner = getpid();
		atexit(leave);
	}
	require(chdir(directory) == 0, directory);
	return directory;
}

/* Make the folders that a path names. */
static void
make_parents(const char *path)
{
	char *copy = strdup(path);

	require(copy, path);
	for (char *at = strchr(copy + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		require(mkdir(copy, 0777) == 0 || errno == EEXIST, copy);
		*at = '/';
	}
	free(copy);
}

void
scratch_file(const char *path, const void *bytes, size_t n)
{
	FILE *file;

	make_parents(path);
	file = fopen(path, "w");
	require(file, path);
	require(fwrite(bytes, 1, n, file) == n, path);
	require(fclose(file) == 0, path);
}

void
scratch_text(const char *path, const char *text)
{
	scratch_file(path, text, strlen(text));
}

void
scratch_pattern(const char *path, size_t n)
{
	unsigned char *bytes = malloc(n + 1);

	require(bytes, path);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)(i * 131 + i / 256);
	scratch_file(path, bytes, n);
	free(bytes);
}

void
scratch_fifo(const char *path)
{
	make_parents(path);
	require(mkfifo(path, 0666) == 0, path);
}

void
scratch_link(const char *path, const char *target)
{
	make_parents(path);
	require(symlink(target, path) == 0, path);
}

void
scratch_folder(const char *path)
{
	make_parents(path);
	require(mkdir(path, 0777) == 0 || errno == EEXIST, path);
}
