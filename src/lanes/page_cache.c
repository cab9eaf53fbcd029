/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/lanes/page_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_cachestat
/* The same for all processors that we support. */
#define SYS_cachestat 451
#endif

/* Of cachestat(2), as linux/mman.h has them. */
struct file_range {
	uint64_t at, bytes; /* 0 bytes: to its end */
};

struct page_counts {
	uint64_t cached, dirty, being_written, evicted, evicted_lately;
};

/* False: the system does not tell. */
static bool
count_pages(int fd, struct page_counts *counts)
{
	struct file_range whole = { .bytes = 0 };

	return syscall(SYS_cachestat, fd, &whole, counts, 0) == 0;
}

/* Only pages that are not dirty can be dropped. */
static int
write_back(int fd)
{
	struct page_counts counts;

	/* A journal makes this cost a flush of the drive for clean files, too:
	 * some milliseconds. */
	if (count_pages(fd, &counts) &&
	    counts.dirty + counts.being_written == 0)
		return 0;
	if (fdatasync(fd) == 0 || errno == EINVAL || errno == EROFS ||
	    errno == ENOSYS || errno == EOPNOTSUPP)
		return 0;
	return errno;
}

int
page_cache_empty(int fd, bool *stays)
{
	const int error = write_back(fd);
	struct page_counts counts;

	*stays = posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0;
	if (count_pages(fd, &counts))
		*stays = counts.cached > 0;
	return error;
}

void
page_cache_drop(int fd, off_t bytes)
{
	posix_fadvise(fd, 0, bytes, POSIX_FADV_DONTNEED);
}
