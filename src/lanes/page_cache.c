/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/page_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Linux drops pages when asked to (posix_fadvise(2), POSIX_FADV_DONTNEED), but
 * not those that are dirty, mapped or locked, and none of a tmpfs, which has no
 * medium.  From 6.5 on it tells how many there are of which kind
 * (cachestat(2)), of files that the caller may write.
 */
#ifndef SYS_cachestat
/* The same for all processors that we support. */
#define SYS_cachestat 451
#endif

/* Of cachestat(2), as linux/mman.h has them. */
struct file_range {
	uint64_t at, bytes; /* 0 bytes: to its end */
};

/* False: the system does not tell. */
bool
page_cache_count(int fd, struct page_counts *counts)
{
	struct file_range whole = { .bytes = 0 };

	return syscall(SYS_cachestat, fd, &whole, counts, 0) == 0;
}

/* Only pages that are not dirty can be dropped.  Where nothing can be written (a
 * read-only file system) that is no failure. */
bool
page_cache_write_back(int fd)
{
	struct page_counts counts;

	/* A journal makes this cost a flush of the drive for clean files, too:
	 * some milliseconds. */
	if (page_cache_count(fd, &counts) &&
	    counts.dirty + counts.being_written == 0)
		return true;
	return fdatasync(fd) == 0 || errno == EINVAL || errno == EROFS ||
	       errno == ENOSYS || errno == EOPNOTSUPP;
}

/* Drop the pages of the first `bytes` bytes; 0: of the whole file. */
bool
page_cache_drop(int fd, uint64_t bytes)
{
	return posix_fadvise(fd, 0, (off_t)bytes, POSIX_FADV_DONTNEED) == 0;
}
