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

#include "src/base/fips180.h"

/*
 * What a source writes on a job, and reads when the job returns; the lanes do not
 * read it.  The kind says which member is set, or none.
 */
enum note_kind {
	NOTE_NONE, /* an input of the command line, a name list or a tree */

	/* Remarks of names, about the list of --files0-from. */
	NOTE_NAMES_UNOPENED,	   /* error */
	NOTE_NAMES_UNREAD,	   /* error */
	NOTE_NAMES_EMPTY_NAME,	   /* place */
	NOTE_NAMES_STDIN_IN_STDIN, /* "-" in a list on standard input */
	NOTE_NAMES_NO_MEMORY,	   /* for a copy of a name */

	/* Remarks of tree; the job has the name. */
	NOTE_TREE_UNREAD,  /* error: the directory cannot be read */
	NOTE_TREE_SPECIAL, /* neither file, directory nor link */
	NOTE_TREE_LINKS,   /* links that were skipped; the end of a walk */
	NOTE_TREE_OTHER,   /* the directory is on another file system */
	NOTE_TREE_PSEUDO,  /* it is on a pseudo file system */

	/* update: a file to hash unless it is known; a remark. */
	NOTE_UPDATE_FILE, /* file */
	NOTE_UPDATE_OWN,  /* LIST or a file beside it */

	/* check_source: an entry of a check list, then remarks. */
	NOTE_CHECK_ENTRY,     /* entry */
	NOTE_CHECK_UNOPENED,  /* error; the job has the list's name */
	NOTE_CHECK_BEGIN,     /* the same; the jobs that follow are of it */
	NOTE_CHECK_MALFORMED, /* line */
	NOTE_CHECK_UNREAD,    /* error; the list */
	NOTE_CHECK_END,	      /* lines */

	/* unlisted: a file, which is hashed if it may have been moved, or else
	 * a remark; then remarks. */
	NOTE_UNLISTED_FILE,    /* no list has the job's name */
	NOTE_UNLISTED_ERROR,   /* error: the job has the name of DIR */
	NOTE_UNLISTED_FOREIGN, /* place: no list has any name below that DIR;
				* the job has the first file that is there */
	NOTE_UNLISTED_UNKNOWN, /* a list was not read or not remembered */
	NOTE_UNLISTED_END
};

struct list_row;

struct note {
	enum note_kind kind;
	union {
		int error;	 /* errno value */
		uintmax_t place; /* of a name in its list or options, from 1 */
		uintmax_t links; /* symbolic links that were skipped */
		uintmax_t line;	 /* number in the check list, from 1 */
		struct {
			struct list_row *row;	     /* in LIST, or NULL */
			const struct list_row *part; /* in LIST.part */
			bool again; /* it changed while it was read */
		} file;
		struct {
			uintmax_t line; /* the same */
			uint8_t expected[SHA256_DIGEST_BYTES];
		} entry;
		struct {
			uintmax_t well_formed;
			uintmax_t malformed;
			uintmax_t elsewhere; /* well-formed, in other
					      * parts (--part) */
			bool has_zeros;	     /* where lines end */
		} lines;		     /* of a whole check list */
	};
};

/* Does the remark only say what a walk has skipped? */
static inline bool
note_of_skipped(const struct note *note)
{
	switch (note->kind) {
	case NOTE_TREE_SPECIAL:
	case NOTE_TREE_LINKS:
	case NOTE_UPDATE_OWN:
	case NOTE_TREE_OTHER:
	case NOTE_TREE_PSEUDO: return true;
	default: return false;
	}
}

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

/* What a file was like when it was opened. */
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
	       a.modified.tv_sec == b.modified.tv_sec &&
	       a.modified.tv_nsec == b.modified.tv_nsec;
}

struct job {
	/* Set by the source. */
	enum job_kind kind;
	char *name;	   /* the source's; valid until the job returns */
	size_t held_bytes; /* memory the source holds for this job */
	const struct job_filter *filter; /* NULL: hash any file */
	const struct job_root *root;	 /* NULL: open `name` as it is */
	enum job_watch watched;
	struct note note; /* the source's own */

	/* Set by the pipeline. */
	uint64_t seq;	   /* its number in the order of the source */
	uint64_t blocks;   /* by the size of its file, before it is opened */
	struct job *next;  /* in a queue of the pipeline */
	struct job *later; /* the next one in the order of the source */
	bool has_token;	   /* for a descriptor (handover.h) */
	bool is_open; /* ahead of its turn, as `fd`; reader_open takes it */
	int fd;
	struct file_version version; /* of the file that was opened last */
	bool begun_by_device;	     /* its first blocks were hashed there */
	/* The device has failed: the same version is to be read again. */
	bool begins_again;
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
