/* SPDX-License-Identifier: MIT */
/*
 * hash_source: the source of jobs when the program prints digests.  It makes
 * a job for each input that the command line names, and prints the digest line
 * of each job that returns.
 */
#ifndef SRC_INPUTS_HASH_SOURCE_H
#define SRC_INPUTS_HASH_SOURCE_H

#include "src/inputs/hard_links.h"
#include "src/inputs/input_options.h"
#include "src/inputs/names.h"
#include "src/inputs/tree.h"
#include "src/inputs/update.h"
#include "src/lanes/source.h"
#include "src/output/results.h"

struct hash_source {
	struct source source;
	struct names names;
	struct tree tree;     /* with --recursive */
	struct update update; /* with --update */
	struct hard_links links;
	const struct input_options *options;
	struct text path; /* used by next only */
	struct results results;
	/* The totals of emitted jobs: */
	bool explained_lines;
	bool read_stdin;
	uintmax_t files;  /* with a digest */
	uintmax_t failed; /* without one */
	uintmax_t bytes;
};

/* Return false after a message if the list of --update cannot be used. */
bool
hash_source_init(struct hash_source *, const struct input_options *);

/*
 * Finish after the run: write the new list of --update, the last object of the
 * stream with --json, and if `stats` is set a line of counts on standard
 * error.
 */
void
hash_source_sum_up(struct hash_source *, bool stats);

void
hash_source_close(struct hash_source *);

#endif
