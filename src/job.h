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

#include "cpu/batch.h"

enum job_kind {
	JOB_FILE,		/* open and hash `name` */
	JOB_STDIN,		/* hash standard input */
	JOB_REMARK		/* nothing to hash */
};

/* What --verify found out about a digest. */
enum job_verdict {
	JOB_TRUSTED,		/* compared and equal, or not compared */
	JOB_CORRECTED,		/* the engine was wrong; digest is right now */
	JOB_DISPUTED		/* reference and libcrypto disagree */
};

struct job {
	/* Set by the source. */
	enum job_kind kind;
	char *name;		/* the source's; valid until the job returns */
	size_t held_bytes;	/* memory the source holds for this job */
	int subject;		/* the rest is for the source alone */
	int errnum;
	uintmax_t number[2];
	uint8_t expected[SHA256_DIGEST_BYTES];

	/* Set by the pipeline. */
	bool done;
	bool opened;		/* an error came after the open, not from it */
	int error;		/* errno value; 0 = digest is valid */
	enum job_verdict verdict;
	uint64_t size;		/* bytes hashed */
	const char *device;	/* the engine's name that made the digest */
	uint8_t digest[SHA256_DIGEST_BYTES];
};

#endif
