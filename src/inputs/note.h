/* SPDX-License-Identifier: MIT */
/*
 * note: what the sources of inputs write on a job, and read when the job returns
 * from the pipeline, which does not look at it.
 */
#ifndef SRC_INPUTS_NOTE_H
#define SRC_INPUTS_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/lanes/job.h"

/* The kind says which member of the note is set, or none. */
enum note_kind {
	NOTE_NONE, /* an input of the command line, a name list or a tree */

	/* Remarks of names, about the list of --files0-from. */
	NOTE_NAMES_UNOPENED,	   /* error */
	NOTE_NAMES_UNREAD,	   /* error */
	NOTE_NAMES_EMPTY_NAME,	   /* number */
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
	NOTE_UNLISTED_UNNAMED, /* number: no list has any name below that DIR;
				* the job has the first file that is there */
	NOTE_UNLISTED_UNKNOWN, /* a list was not read or not remembered */
	NOTE_UNLISTED_END
};

struct list_row;

/* The lines of a check list. */
struct note_lines {
	uintmax_t well_formed;
	uintmax_t malformed;
	uintmax_t elsewhere; /* well-formed, in other parts or not selected */
	bool has_zeros;	     /* where lines end */
};

struct note {
	enum note_kind kind;
	union {
		int error;	  /* errno value */
		uintmax_t number; /* of a name in its list or options, from 1 */
		uintmax_t links;  /* symbolic links that were skipped */
		uintmax_t line;	  /* number in the check list, from 1 */
		struct {
			struct list_row *row;	     /* in LIST, or NULL */
			const struct list_row *part; /* in LIST.part */
			bool again; /* it changed while it was read */
		} file;
		struct {
			uintmax_t line; /* the same */
			uint8_t expected[SHA256_DIGEST_BYTES];
		} entry;
		struct note_lines lines; /* of a whole check list */
	};
};

_Static_assert(sizeof(struct note) <= JOB_NOTE_BYTES,
	       "a job has room for a note");

/* Return the note of a job. */
static inline struct note *
note_of(const struct job *job)
{
	return (struct note *)(uintptr_t)job->note.bytes;
}

/* Return true if the remark only names what a walk has skipped. */
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

#endif
