/* SPDX-License-Identifier: MIT */
/*
 * capture: run something in a child process and keep what it writes.
 *
 * The child's stdin is /dev/null.  A harness that breaks (no fork, no file)
 * ends the test program with status 99.
 */
#ifndef TESTS_SUPPORT_CAPTURE_H
#define TESTS_SUPPORT_CAPTURE_H

#include <stdbool.h>

#include "src/base/text.h"

struct capture {
	int status;	 /* exit status, or 128 and the signal */
	struct text out; /* stdout; both if together */
	struct text err; /* stderr; empty if together */
};

/* What the child returns is its exit status, unless it execs.  It may change
 * its descriptors, its environment and its directory. */
void
capture_run(struct capture *capture, int (*child)(void *data), void *data,
	    bool together);

void
capture_free(struct capture *capture);

#endif
