/* SPDX-License-Identifier: MIT */
/*
 * sum: the source of the program's main mode.  Its inputs are those the
 * command line names; what it emits are digest lines.
 */
#ifndef SRC_SUM_H
#define SRC_SUM_H

#include "src/digest_line.h"
#include "src/json.h"
#include "src/names.h"
#include "src/options.h"
#include "src/source.h"
#include "src/tree.h"

struct sum {
	struct source source;
	struct names names;
	struct tree tree;	/* with --recursive */
	const struct options *options;
	struct digest_line_style style;
	struct text line;
	struct json object;
	bool read_stdin;	/* by now */
};

void
sum_init(struct sum *, const struct options *);

void
sum_close(struct sum *);

#endif
