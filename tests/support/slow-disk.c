/* SPDX-License-Identifier: MIT */
/*
 * slow-disk: models of slow storage, to be preloaded (LD_PRELOAD).
 *
 * Far away: below the directory LATENCY_BELOW each open and each read of a file or
 * a directory takes LATENCY_US microseconds more; any number goes on at a time, as
 * with a file server.  Nobody can tell what is in the page cache.
 *
 * A rotating disk: regular files below the directory SLOW_DISK are read as if they were on a
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

#include <dlfcn.h>
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

static const char *below;
static struct timespec latency;

static long
call(long number, long a, long b, long c, long d)
{
	static long (*real)(long, ...);

	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return real(number, a, b, c, d);
}

__attribute__((constructor)) static void
begin(void)
{
	const char *us = getenv("LATENCY_US");
	const long value = us ? atol(us) : 0;

	below = getenv("LATENCY_BELOW");
	latency = (struct timespec){ .tv_sec = value / 1000000,
				     .tv_nsec = value % 1000000 * 1000 };
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

/* Is it a file, or a directory, below this one? */
static bool
is_below(int fd, const char *directory)
{
	char link[64], path[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = directory ? readlink(link, path, sizeof(path) - 1) : 0;
	path[len > 0 ? len : 0] = '\0';
	return len > 0 && strncmp(path, directory, strlen(directory)) == 0;
}

/* Is the file on the disk, and not at its end? */
static bool
is_on_disk(int fd, size_t bytes, off64_t at, struct want *want)
{
	struct stat st;

	if (!disk.directory || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	want->inode = st.st_ino;
	want->begin = at < 0 ? lseek(fd, 0, SEEK_CUR) : at;
	want->end = want->begin + (off_t)bytes;
	if (want->end > st.st_size)
		want->end = st.st_size;
	return want->begin < want->end && is_below(fd, disk.directory);
}

static void
travel(int fd)
{
	if (is_below(fd, below))
		nanosleep(&latency, NULL);
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
	return at < 0 ? call(SYS_read, fd, (long)to, (long)bytes, 0) :
			preadv64(fd, &(struct iovec){ to, bytes }, 1, at);
}

static ssize_t
read_slowly(int fd, void *to, size_t bytes, off64_t at)
{
	struct want want;

	travel(fd);
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
	if (below) {
		errno = EOPNOTSUPP;
		return -1;
	}
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

static long
note_open(long fd)
{
	if (fd >= 0)
		travel((int)fd);
	return fd;
}

#define DEFINE_OPEN(name, parameter, at)                                       \
	int name(parameter const char *path, int flags, ...)                   \
	{                                                                      \
		char other[PATH_MAX];                                          \
		va_list args;                                                  \
		mode_t mode;                                                   \
                                                                               \
		va_start(args, flags);                                         \
		mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;             \
		va_end(args);                                                  \
		return (int)note_open(call(SYS_openat, at,                     \
					   (long)replace(path, other), flags,  \
					   (long)mode));                       \
	}
#define AT int at,
DEFINE_OPEN(open, , AT_FDCWD)
DEFINE_OPEN(open64, , AT_FDCWD)
DEFINE_OPEN(openat, AT, at)
DEFINE_OPEN(openat64, AT, at)

ssize_t
readlinkat(int at, const char *path, char *to, size_t size)
{
	char other[PATH_MAX];

	return call(SYS_readlinkat, at, (long)replace(path, other), (long)to,
		    (long)size);
}

/* coreutils read streams, whose system calls nobody sees: one that goes on in
 * order has 128 KiB read ahead. */
typedef FILE *
open_stream(const char *, const char *);
typedef size_t
read_stream(void *, size_t, size_t, FILE *);

FILE *
fopen(const char *path, const char *mode)
{
	open_stream *real = (open_stream *)dlsym(RTLD_NEXT, "fopen");
	FILE *stream = real(path, mode);

	if (stream)
		note_open(fileno(stream));
	return stream;
}

#undef fread_unlocked
size_t
fread_unlocked(void *to, size_t size, size_t n, FILE *stream)
{
	read_stream *real = (read_stream *)dlsym(RTLD_NEXT, "fread_unlocked");

	if (ftello(stream) % (128 << 10) == 0)
		travel(fileno(stream));
	return real(to, size, n, stream);
}

/* openat2(2) has no function in the C library. */
long
syscall(long number, ...)
{
	va_list args;
	long a, b, c, d, result;

	va_start(args, number);
	a = va_arg(args, long);
	b = va_arg(args, long);
	c = va_arg(args, long);
	d = va_arg(args, long);
	va_end(args);
	result = call(number, a, b, c, d);
#ifdef SYS_openat2
	if (number == SYS_openat2)
		return note_open(result);
#endif
	return result;
}
