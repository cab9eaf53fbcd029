/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/page_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * POSIX_FADV_DONTNEED skips dirty, mapped and locked pages, and all pages of a
 * tmpfs, which has no medium.  From Linux 6.5 on cachestat(2) counts the pages
 * of each kind, in newer versions only if the caller may write the file.
 */
#ifndef SYS_cachestat
/* The same for all processors that we support. */
#define SYS_cachestat 451
#endif

/* Of cachestat(2), as linux/mman.h has them. */
struct file_range {
	uint64_t at, bytes; /* 0 bytes: to its end */
};

bool
page_cache_count(int fd, struct page_counts *counts)
{
	struct file_range whole = { .bytes = 0 };

	return syscall(SYS_cachestat, fd, &whole, counts, 0) == 0;
}

/* Write dirty pages back, since only clean ones can be dropped.  Succeeds
 * where nothing can be written, as on a read-only file system. */
bool
page_cache_write_back(int fd)
{
	struct page_counts counts;

	/* A journal would flush the drive even for clean files, which takes
	 * some milliseconds. */
	if (page_cache_count(fd, &counts) &&
	    counts.dirty + counts.being_written == 0)
		return true;
	return fdatasync(fd) == 0 || errno == EINVAL || errno == EROFS ||
	       errno == ENOSYS || errno == EOPNOTSUPP;
}

bool
page_cache_drop(int fd, uint64_t bytes)
{
	return posix_fadvise(fd, 0, (off_t)bytes, POSIX_FADV_DONTNEED) == 0;
}
