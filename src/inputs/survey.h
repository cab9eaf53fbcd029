/* SPDX-License-Identifier: MIT */
/*
 * survey: looks ahead at the files that are going to be hashed, for the totals
 * of --progress.
 *
 * It reads check lists and the list of --files0-from once more, and walks trees
 * once more, with buffers and descriptors of its own, and looks up the sizes of
 * the files that it finds.  Lists that are not regular files can be read only
 * once: there nothing is known in advance.  The size of standard input is that
 * of what is left of it, where it is a regular file or a block device.  Memory
 * holds a buffer of one list, and what a walk needs (tree.h).
 */
#ifndef SRC_INPUTS_SURVEY_H
#define SRC_INPUTS_SURVEY_H

#include "src/base/text.h"
#include "src/inputs/checklist.h"
#include "src/inputs/input_options.h"
#include "src/inputs/names.h"
#include "src/inputs/records.h"
#include "src/inputs/tree.h"
#include "src/output/status_line.h"

struct survey {
	struct forecast forecast;
	const struct input_options *options;
	bool check;	 /* names are those of check lists */
	bool unknowable; /* they can be had only once */
	bool unsized;	 /* the size of one of them is not known */
	size_t counted;
	uint64_t stdin_bytes; /* what is left of standard input */
	bool stdin_sized;
	uint64_t bytes; /* of the files that were looked at */
	struct names names;
	struct tree tree;
	struct job job; /* the last one that it has made */
	struct text path;
	struct text place; /* as in check_source.h */
	size_t folder;
	/* With check: the list being read. */
	bool reading;
	struct records records;
	struct checklist_parser parser;
};

/* The number of operands is known at once; nothing is opened yet. */
void
survey_init(struct survey *, const struct input_options *, bool check);

/* The forecast must not be asked to look any more. */
void
survey_close(struct survey *);

#endif
