/* SPDX-License-Identifier: MIT */
/*
 * slow-disk: a model of a rotating disk, to be preloaded (LD_PRELOAD).
 *
 * Regular files below the directory SLOW_DISK are read as if they were on a
 * disk with one head, whose data are not in the cache.  The disk fetches pieces
 * of 256 KiB, as the kernel reads ahead for sequential reading.  A piece takes
 * its bytes at 150 MB/s and, if it does not follow the last one, 12 ms before:
 * what a disk of 7200 revolutions a minute needs on average to move its head
 * (8 ms) and for half a turn (4 ms).  Pieces wait for each other.  Directories
 * and inodes cost nothing, and the size of a file does not matter for how far
 * the head moves.
 *
 *	SLOW_DISK_LOG	a file that gets the number of moves in the end
 *	SLOW_DISK_SYS	a directory in the place of /sys/dev/block
 */
#include "config.h"

/* openat and openat64 are two functions here. */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
	PIECE_BYTES = 256 << 10,
	MOVE_US = 12000,
	BYTES_PER_US = 150,
	MOST_FILES = 65536
};

/* How far a file has been fetched. */
struct fetched {
	ino_t inode;
	off_t end;
};

static struct {
	pthread_mutex_t lock;
	struct fetched files[MOST_FILES]; /* by inode; 0 = free */
	const struct fetched *last;	  /* under the head */
	unsigned long moves;
	const char *directory;
	const char *sys;
} disk = { .lock = PTHREAD_MUTEX_INITIALIZER };

__attribute__((constructor)) static void
begin(void)
{
	disk.directory = getenv("SLOW_DISK");
	disk.sys = getenv("SLOW_DISK_SYS");
}

__attribute__((destructor)) static void
end(void)
{
	const char *log = getenv("SLOW_DISK_LOG");
	FILE *file = log ? fopen(log, "w") : NULL;

	if (file) {
		fprintf(file, "%lu\n", disk.moves);
		fclose(file);
	}
}

/* Lock held. */
static struct fetched *
find_file(ino_t inode)
{
	struct fetched *file = &disk.files[inode % MOST_FILES];

	while (file->inode != 0 && file->inode != inode)
		if (++file == disk.files + MOST_FILES)
			file = disk.files;
	file->inode = inode;
	return file;
}

/* The bytes that a read asks for. */
struct want {
	ino_t inode;
	off_t begin, end;
};

/* Is the file on the disk, and not at its end? */
static bool
is_on_disk(int fd, size_t bytes, off64_t at, struct want *want)
{
	char link[64], path[PATH_MAX];
	struct stat st;
	ssize_t len;

	if (!disk.directory || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len <= 0)
		return false;
	path[len] = '\0';
	want->inode = st.st_ino;
	want->begin = at < 0 ? lseek(fd, 0, SEEK_CUR) : at;
	want->end = want->begin + (off_t)bytes;
	if (want->end > st.st_size)
		want->end = st.st_size;
	return want->begin < want->end &&
	       strncmp(path, disk.directory, strlen(disk.directory)) == 0;
}

/* Lock held. */
static void
fetch(struct fetched *file, off_t end)
{
	while (file->end < end) {
		long us = PIECE_BYTES / BYTES_PER_US;
		struct timespec wait = { 0 };

		if (disk.last != file) {
			disk.moves++;
			us += MOVE_US;
		}
		wait.tv_nsec = us * 1000;
		nanosleep(&wait, NULL);
		disk.last = file;
		file->end += PIECE_BYTES;
	}
}

/* As read(2), or as pread(2) unless `at` is -1. */
static ssize_t
read_at(int fd, void *to, size_t bytes, off64_t at)
{
	return at < 0 ? syscall(SYS_read, fd, to, bytes) :
			preadv64(fd, &(struct iovec){ to, bytes }, 1, at);
}

static ssize_t
read_slowly(int fd, void *to, size_t bytes, off64_t at)
{
	struct want want;

	if (is_on_disk(fd, bytes, at, &want)) {
		pthread_mutex_lock(&disk.lock);
		fetch(find_file(want.inode), want.end);
		pthread_mutex_unlock(&disk.lock);
	}
	return read_at(fd, to, bytes, at);
}

ssize_t
read(int fd, void *to, size_t bytes)
{
	return read_slowly(fd, to, bytes, -1);
}

ssize_t
pread64(int fd, void *to, size_t bytes, off64_t at)
{
	return read_slowly(fd, to, bytes, at);
}

ssize_t
pread(int fd, void *to, size_t bytes, off_t at)
{
	return read_slowly(fd, to, bytes, at);
}

/* Reads only what is fetched already, as RWF_NOWAIT asks for; under both names
 * that the C library has for it. */
ssize_t
preadv64v2(int fd, const struct iovec *to, int n, off64_t at, int flags)
{
	size_t bytes = to->iov_len;
	struct want want;
	off_t end;

	(void)n;
	(void)flags;
	if (is_on_disk(fd, bytes, at, &want)) {
		pthread_mutex_lock(&disk.lock);
		end = find_file(want.inode)->end;
		pthread_mutex_unlock(&disk.lock);
		if (end <= want.begin) {
			errno = EAGAIN;
			return -1;
		}
		if (end < want.end)
			bytes = (size_t)(end - want.begin);
	}
	return read_at(fd, to->iov_base, bytes, at);
}

ssize_t
preadv2(int fd, const struct iovec *to, int n, off_t offset, int flags)
{
	return preadv64v2(fd, to, n, offset, flags);
}

/* The directory in the place of /sys/dev/block. */
static const char *
replace(const char *path, char other[PATH_MAX])
{
	static const char usual[] = "/sys/dev/block/";

	if (!disk.sys || strncmp(path, usual, strlen(usual)) != 0)
		return path;
	snprintf(other, PATH_MAX, "%s/%s", disk.sys, path + strlen(usual));
	return other;
}

int
openat64(int at, const char *path, int flags, ...)
{
	char other[PATH_MAX];
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return (int)syscall(SYS_openat, at, replace(path, other), flags, mode);
}

int
openat(int at, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return openat64(at, path, flags, mode);
}

ssize_t
readlinkat(int at, const char *path, char *to, size_t size)
{
	char other[PATH_MAX];

	return syscall(SYS_readlinkat, at, replace(path, other), to, size);
}
