/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/tools/qpuemu/board_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "qpuemu."
enum {
	SUFFIX = 6,  /* random characters after it */
	LONGEST = 32 /* more than a name has */
};

/* Remove an entry, but not the directory and the file that marks a board. */
static int
remove_entry(const char *path, const struct stat *status, int type,
	     struct FTW *place)
{
	(void)status;
	(void)type;
	if (place->level == 0 ||
	    (place->level == 1 && strcmp(path + place->base, BOARD_FILE) == 0))
		return 0;
	return remove(path);
}

/*
 * The file that marks a board goes last: what is left of a removal that was
 * killed is still known as a board at the next start.
 */
void
board_directory_remove(const char *dir)
{
	int fd;

	if (nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0)
		return;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	unlinkat(fd, BOARD_FILE, 0);
	close(fd);
	rmdir(dir);
}

/* The path of a place without links.  Blanks and colons end names in the
 * loader's variables. */
static bool
find_place(const char *name, char place[PATH_MAX])
{
	return name && *name == '/' && realpath(name, place) &&
	       !strpbrk(place, " :;") &&
	       strlen(place) < BOARD_DIRECTORY - LONGEST &&
	       access(place, W_OK | X_OK) == 0;
}

/* Lock a directory until the descriptor is closed, which is returned, or -1. */
static int
lock_directory(int place, const char *name)
{
	const int fd = openat(place, name,
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    fstat(fd, &st) == 0 && st.st_uid == geteuid() && st.st_nlink > 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Remove boards of killed processes, and those that were only begun, which are
 * empty; nothing else of such a name. */
static void
sweep(const char *place)
{
	DIR *stream = opendir(place);
	const struct dirent *dirent;
	char path[PATH_MAX + NAME_MAX + 2];

	while (stream && (dirent = readdir(stream))) {
		int fd;

		if (strncmp(dirent->d_name, PREFIX, strlen(PREFIX)) != 0 ||
		    strlen(dirent->d_name) != strlen(PREFIX) + SUFFIX)
			continue;
		fd = lock_directory(dirfd(stream), dirent->d_name);
		if (fd < 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", place, dirent->d_name);
		if (board_shared_is_in(fd))
			board_directory_remove(path);
		else
			rmdir(path);
		close(fd);
	}
	if (stream)
		closedir(stream);
}

/* Another process may lock and remove the directory first: then try again. */
static bool
make_locked(char dir[BOARD_DIRECTORY], const char *place)
{
	enum { TRIES = 10 };

	for (int i = 0; i < TRIES; i++) {
		if (snprintf(dir, BOARD_DIRECTORY, "%s/" PREFIX "XXXXXX",
			     place) >= BOARD_DIRECTORY ||
		    !mkdtemp(dir))
			return false;
		if (lock_directory(AT_FDCWD, dir) >= 0)
			return true;
	}
	return false;
}

/* /dev/shm is preferred, since it is never written to a disk. */
bool
board_directory_make(char dir[BOARD_DIRECTORY], struct diag *why)
{
	const char *const names[] = { getenv("TMPDIR"), "/dev/shm", "/tmp" };
	char place[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!find_place(names[i], place))
			continue;
		sweep(place);
		if (make_locked(dir, place))
			return true;
		diag_set(why, "%s: %s", place, strerror(errno));
		return false;
	}
	diag_set(why, "no directory for temporary files: set TMPDIR");
	return false;
}
