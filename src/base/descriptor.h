/* SPDX-License-Identifier: MIT */
/*
 * descriptor: opens files, never under the number of a standard stream.  A
 * program started with a closed stdin must not take a file that it opens for its
 * standard input, nor find it by the name /dev/stdin, even for a moment.  Nor is
 * anything that it has open found by a name like /dev/fd/5.
 */
#ifndef SRC_BASE_DESCRIPTOR_H
#define SRC_BASE_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Note which standard streams are closed, and give their numbers to sockets, so that
 * no file gets them.  main calls it first. */
void
descriptor_init(void);

/* Allow as many descriptors as the hard limit does.  The soft one is there for
 * programs that call select(2), and for their children. */
void
descriptor_raise_limit(void);

/* Return fd (0, 1 or 2), or -1 if it was closed when the program started. */
int
descriptor_standard(int fd);

/* Return a part (1 / parts) of the descriptors that the process may have, at most
 * `most`, or 0 if the limit is unknown. */
unsigned
descriptor_share(unsigned parts, unsigned most);

/* Open a name for reading, with more flags.  Return -1 and errno on failure. */
int
descriptor_open(const char *name, int flags);

/* The same, but fail with EAGAIN where the name is not in the system's cache (since
 * Linux 5.12).  With O_NOATIME it may fail with EPERM. */
int
descriptor_open_cached(const char *name, int flags);

/*
 * Do the same for a name below a directory, without following symbolic links:
 * the error is then ELOOP or ENOTDIR.  The name may be longer than PATH_MAX,
 * and has no part "..".
 */
int
descriptor_open_below(int directory, const char *name, int flags);

/* Return true if the open file is on one of n file systems, given by their magic
 * numbers (statfs(2)), false also if statfs fails. */
bool
descriptor_is_on(int fd, const uint32_t *file_systems, size_t n);

#endif
