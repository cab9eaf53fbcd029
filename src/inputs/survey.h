/* SPDX-License-Identifier: MIT */
/*
 * survey: looks ahead at the files that are going to be hashed, for the totals
 * of --progress.
 *
 * It has a source of jobs of its own, which reads check lists and the list of
 * --files0-from once more, and walks trees once more, and looks up the sizes
 * of the files that it finds.  Lists that are not regular files can be read
 * only once: there nothing is known in advance.  Of standard input the bytes
 * left are counted, if it is a regular file or a block device.
 */
#ifndef SRC_INPUTS_SURVEY_H
#define SRC_INPUTS_SURVEY_H

#include "src/inputs/check_source.h"
#include "src/inputs/hash_source.h"
#include "src/inputs/input_options.h"
#include "src/output/status_line.h"

struct survey {
	struct forecast forecast;
	struct input_options options;
	bool check; /* names come from check lists */
	union {
		struct source source;
		struct hash_source hash;
		struct check_source lists;
	} jobs;
	bool counts;  /* it is going to be asked, and something can be known */
	bool unsized; /* the size of one of the files is not known */
	size_t counted;
	uint64_t bytes;	      /* of the files that were looked at */
	uint64_t stdin_bytes; /* what is left of standard input */
	bool stdin_sized;
};

/* The number of operands is known at once; nothing is opened yet.  It looks at
 * nothing unless it `counts`. */
void
survey_init(struct survey *, const struct input_options *, bool check,
	    bool counts);

/* Close the survey.  The forecast must not ask for more files after that. */
void
survey_close(struct survey *);

#endif
