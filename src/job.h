/* SPDX-License-Identifier: MIT */
/*
 * job: one step of the program's work in the order of its inputs: a message
 * to hash, or a remark that only has to appear at the right place.
 *
 * A source makes jobs; the pipeline hashes their messages in any order and
 * gives them back to the source in the order in which they were made.
 */
#ifndef SRC_JOB_H
#define SRC_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpu/batch.h"

enum job_kind {
	JOB_FILE,		/* open and hash `name` */
	JOB_STDIN,		/* hash standard input */
	JOB_REMARK		/* nothing to hash */
};

/* What a digest is worth when nothing failed. */
enum job_verdict {
	JOB_TRUSTED,
	/* --verify: */
	JOB_CORRECTED,		/* the engine was wrong; digest is right now */
	JOB_DISPUTED,		/* reference and libcrypto disagree */
	/* It was asked for in `watched`: */
	JOB_CHANGED,		/* the file changed while it was read */
	/* The filter refused the file, which has not been read: */
	JOB_NOT_REGULAR,
	JOB_IS_OUTPUT
};

/*
 * For what a walk has come upon: to be hashed if, when it is opened, it is a
 * regular file, and not the one that standard output is written to.
 */
struct job_filter {
	bool has_output;	/* standard output is a regular file: */
	dev_t device;
	ino_t inode;
};

struct job {
	/* Set by the source. */
	enum job_kind kind;
	char *name;		/* the source's; valid until the job returns */
	size_t held_bytes;	/* memory the source holds for this job */
	const struct job_filter *filter;	/* NULL: any file will do */
	bool watched;		/* say if it changes while it is read */
	int subject;		/* the rest is for the source alone */
	int errnum;
	uintmax_t number[2];
	uint8_t expected[SHA256_DIGEST_BYTES];

	/* Set by the pipeline. */
	bool done;
	bool opened;		/* an error came after the open, not from it */
	int error;		/* errno value (of a remark: the source's);
				 * 0 = digest is valid */
	enum job_verdict verdict;
	uint64_t size;		/* bytes hashed */
	const char *device;	/* the engine's name that made the digest */
	uint8_t digest[SHA256_DIGEST_BYTES];
};

#endif
