/* SPDX-License-Identifier: MIT */
/*
 * job: one step of the program's work in the order of its inputs: a message
 * to hash, or a remark, which is not hashed but reported between the results.
 *
 * A source makes jobs; the pipeline hashes their messages in any order and
 * gives them back to the source in the order in which they were made.
 */
#ifndef SRC_LANES_JOB_H
#define SRC_LANES_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "src/base/clock.h"
#include "src/base/fips180.h"

enum job_kind {
	JOB_FILE,  /* open and hash `name` */
	JOB_STDIN, /* hash standard input */
	JOB_REMARK /* nothing to hash */
};

/* How far a digest can be trusted when nothing failed. */
enum job_verdict {
	JOB_TRUSTED,
	/* With --verify: */
	JOB_CORRECTED, /* the engine was wrong; digest is right now */
	JOB_DISPUTED,  /* reference and libcrypto disagree */
	JOB_CHANGED,   /* `watched`, and the file changed while it was read */
	JOB_KNOWN,     /* not read: the filter's `knows` returned true */
	/* The filter refused the file, and it was not read: */
	JOB_NOT_REGULAR,
	JOB_IS_OUTPUT
};

struct job;

/*
 * Hash a file only if it is a regular file when it is opened, and not the file
 * that standard output is written to.
 */
struct job_filter {
	bool any_kind;	 /* pass other files than regular ones */
	bool has_output; /* standard output is a regular file: */
	dev_t device;
	ino_t inode;
	/* Return true if the digest of the job's version is known, so that the
	 * file need not be read.  Optional; called on any thread. */
	bool (*knows)(const struct job *);
	void *context; /* of `knows` */
};

/* How to detect that a file changes while it is read. */
enum job_watch {
	JOB_UNWATCHED,
	JOB_WATCHED, /* by its size and mtime */
	JOB_GUARDED  /* by its ctime as well, which a rename changes */
};

/*
 * The directory at which a walk began, open.  What the walk has found is opened
 * below it, so that no symbolic link is followed.
 */
struct job_root {
	int fd;
	size_t prefix_bytes; /* its own name and a '/', in names below it */
};

/* The identity and state of a file when it was opened. */
struct file_version {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec modified;
	struct timespec changed; /* ctime */
	bool is_regular;
	bool has_names; /* more than one */
};

/* Return true if both are the same file with the same content, so far as size
 * and mtime show; ctime would change with a new name. */
static inline bool
file_version_is_same(struct file_version a, struct file_version b)
{
	return a.device == b.device && a.inode == b.inode && a.size == b.size &&
	       clock_is_equal(&a.modified, &b.modified);
}

enum { JOB_NOTE_BYTES = 48 };

struct job {
	/* Set by the source. */
	enum job_kind kind;
	char *name;	   /* the source's; valid until the job returns */
	size_t held_bytes; /* memory the source holds for this job */
	const struct job_filter *filter; /* NULL to hash any file */
	const struct job_root *root;	 /* NULL to open `name` as it is */
	enum job_watch watched;
	/* The source's own (inputs/note.h): what it writes there comes back with
	 * the job. */
	union {
		max_align_t align;
		uint8_t bytes[JOB_NOTE_BYTES];
	} note;

	/* Set by the pipeline. */
	uint64_t seq;	  /* its number in the order of the source */
	uint64_t blocks;  /* by the size of its file, before it is opened */
	struct job *next; /* in a queue of the pipeline */
	bool has_token;	  /* for a descriptor (handover.h) */
	bool is_open;	  /* ahead of its turn, as `fd`; reader_open takes it */
	int fd;
	off_t stdin_at; /* where standard input begins in its file, or -1 */
	/* Of the file that was opened last, before its first read; zeros: not
	 * asked for. */
	struct file_version version;
	bool started_on_device; /* its first blocks were hashed there */
	/* The device has failed: the same version is to be read again. */
	bool restarted;
	bool done;
	bool opened; /* the error, if any, came after the open */
	int error;   /* errno value; 0 = digest is valid */
	enum job_verdict verdict;
	bool was_cached;    /* uncached (run.h), but some was in memory */
	uint64_t size;	    /* bytes hashed */
	const char *device; /* name of the engine that made the digest */
	uint8_t digest[SHA256_DIGEST_BYTES];
};

#endif
