/* SPDX-License-Identifier: MIT */
/*
 * outfile: has a file taken all that was written to it?
 *
 * fflush and fclose report the last write alone: what an earlier one could not
 * write, to a disk that was full for a moment, is lost without a word.
 */
#ifndef SRC_BASE_OUTFILE_H
#define SRC_BASE_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/* Write out what is buffered.  False and errno if that fails; errno is EIO if
 * an earlier write has failed. */
bool
outfile_flush(FILE *stream);

/* The same, and close it in any case. */
bool
outfile_close(FILE *stream);

#endif
