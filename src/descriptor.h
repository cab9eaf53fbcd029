/* SPDX-License-Identifier: MIT */
/*
 * descriptor: files are opened here, and never under the number of a standard
 * stream: a program started with a closed stdin must not take the first file
 * it opens for its standard input.
 */
#ifndef SRC_DESCRIPTOR_H
#define SRC_DESCRIPTOR_H

/* First thing in main: see which standard streams are closed. */
void
descriptor_init(void);

/* fd (0, 1 or 2), or -1 if it was closed when the program started. */
int
descriptor_standard(int fd);

/* open(name) for reading, with more flags; -1 and errno. */
int
descriptor_open(const char *name, int flags);

#endif
