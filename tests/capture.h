/* SPDX-License-Identifier: MIT */
/*
 * capture: run something in a child process and keep what it writes; and the
 * oracle, the sha256sum of GNU coreutils that is installed here.
 *
 * The child's stdin is /dev/null.  A harness that breaks (no fork, no pipe)
 * ends the test program with status 99.
 */
#ifndef TESTS_CAPTURE_H
#define TESTS_CAPTURE_H

#include <stdbool.h>

#include "src/text.h"

struct capture {
	int status;		/* exit status, or 128 and the signal */
	struct text out;	/* stdout; both if together */
	struct text err;	/* stderr; empty if together */
};

/* What the child returns is its exit status, unless it execs.  It may change
 * its descriptors, its environment and its directory as it likes. */
void
capture_run(struct capture *capture, int (*child)(void *data), void *data,
	    bool together);

void
capture_free(struct capture *capture);

enum oracle {
	ORACLE_NONE,		/* none, or one before 9.0, which escapes fewer
				 * characters: skip */
	ORACLE_9_1,		/* the one we follow to the letter */
	ORACLE_OTHER		/* differs where NUL, CR or '\\' matter */
};

/* Which one the path has. */
enum oracle
oracle_find(void);

/* sha256sum with these arguments, argv[0] included ("sha256sum"); locale may
 * be NULL.  For use as data of capture_run. */
struct oracle_call {
	char **argv;
	const char *locale;
	const char *directory;	/* NULL: the current one */
	bool posixly_correct;
};

int
oracle_exec(void *oracle_call);

/* A directory with nothing in it, the caller removes it. */
char *
capture_mkdir(char path[64]);

#endif
