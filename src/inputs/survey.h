/* SPDX-License-Identifier: MIT */
/*
 * survey: the names of the files that are going to be hashed, found ahead of
 * the work, for the totals of --progress.
 *
 * It reads check lists and the list of --files0-from a second time, with
 * descriptors and buffers of its own, as far as they are regular files: what
 * can be read only once is left to the work, and trees are walked only once.
 * It holds no more than a buffer of each list.
 */
#ifndef SRC_INPUTS_SURVEY_H
#define SRC_INPUTS_SURVEY_H

#include "src/inputs/checklist.h"
#include "src/inputs/input_options.h"
#include "src/inputs/names.h"
#include "src/inputs/records.h"
#include "src/output/ticker.h"

struct survey {
	struct forecast forecast;
	const struct input_options *options;
	bool check; /* names are those of check lists */
	bool begun;
	struct names names;
	struct job job; /* has the last of them */
	/* With check: the list being read. */
	bool reading;
	struct records records;
	struct checklist_parser parser;
};

/* Opens nothing yet.  `options` must outlive it. */
void
survey_init(struct survey *, const struct input_options *options, bool check);

void
survey_close(struct survey *);

#endif
