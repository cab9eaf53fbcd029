/* SPDX-License-Identifier: MIT */
/*
 * page_cache: what the system keeps of a file in memory, for --uncached, which
 * reads files from their media and leaves nothing of them in memory.
 *
 * Linux drops pages when asked to (posix_fadvise(2), POSIX_FADV_DONTNEED), but
 * not those that are dirty, mapped or locked, and none of a tmpfs, which has no
 * medium.  From 6.5 on it tells how many there are of which kind
 * (cachestat(2)), of files that the caller may write.
 */
#ifndef SRC_LANES_PAGE_CACHE_H
#define SRC_LANES_PAGE_CACHE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Write what has been written to the file to its medium, and drop all of its
 * pages.  *stays: some are still there, as far as the system tells.  Returns 0,
 * or the errno with which writing failed; where there is nothing that can be
 * written (a read-only file system) that is no failure.
 */
int
page_cache_empty(int fd, bool *stays);

/* Drop the pages of the first `bytes` bytes; 0: of the whole file.  What cannot
 * be dropped stays. */
void
page_cache_drop(int fd, off_t bytes);

#endif
