/* SPDX-License-Identifier: MIT */
/*
 * descriptor: opens files, never under the number of a standard stream.  A
 * program started with a closed stdin must not take the first file it opens
 * for its standard input.
 */
#ifndef SRC_BASE_DESCRIPTOR_H
#define SRC_BASE_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Call first in main: notes which standard streams are closed. */
void
descriptor_init(void);

/* Allow as many descriptors as the hard limit does.  The soft one is there for
 * programs that call select(2), and for their children. */
void
descriptor_raise_limit(void);

/* fd (0, 1 or 2), or -1 if it was closed when the program started. */
int
descriptor_standard(int fd);

/* The same file under a number that is none of a standard stream's; -1 stays -1,
 * with its errno. */
int
descriptor_raise(int fd);

/* A part (1 / parts) of the descriptors that the process may have, or `most`;
 * 0 where that is not known. */
unsigned
descriptor_share(unsigned parts, unsigned most);

/* open(name) for reading, with more flags; -1 and errno. */
int
descriptor_open(const char *name, int flags);

/*
 * The same for a name below a directory, in which no part may be a symbolic
 * link: the error is then ELOOP or ENOTDIR.  The name may be longer than
 * PATH_MAX.  It has no part "..".
 */
int
descriptor_open_below(int directory, const char *name, int flags);

/* Is the open file on one of n file systems, by their magic numbers (statfs(2))?
 * False if the system does not tell. */
bool
descriptor_is_on(int fd, const uint32_t *file_systems, size_t n);

#endif
