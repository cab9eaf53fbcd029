/* SPDX-License-Identifier: MIT */
/*
 * scratch: a directory for the files of a test.
 *
 * scratch_enter() makes it and goes there; the directory and all that is in it
 * is removed when the test exits.  What cannot be made ends the test with
 * status 99.  Paths are relative to the current directory; folders that a path
 * names are made.
 */
#ifndef TESTS_SUPPORT_SCRATCH_H
#define TESTS_SUPPORT_SCRATCH_H

#include <stddef.h>

/* The absolute path of the directory; the same one if called again. */
const char *
scratch_enter(void);

/* Write a file of these bytes; text is a string. */
void
scratch_file(const char *path, const void *bytes, size_t n);
void
scratch_text(const char *path, const char *text);

/* Make a file of n bytes that differ from position to position, so that
 * exchanged blocks show: byte i is (i * 131 + i / 256) % 256. */
void
scratch_pattern(const char *path, size_t n);

void
scratch_fifo(const char *path);

void
scratch_link(const char *path, const char *target);

void
scratch_folder(const char *path);

/* Remove all that is in the directory, or one path of it with all below. */
void
scratch_empty(void);
void
scratch_remove(const char *path);

#endif
