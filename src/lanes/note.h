/* SPDX-License-Identifier: MIT */
/*
 * note: what a source writes on a job, and reads when the job returns.
 *
 * It is a tagged union: the kind says which member is set, or none.  The lanes
 * carry it and do not read it.
 */
#ifndef SRC_LANES_NOTE_H
#define SRC_LANES_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/batch.h"

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
	NOTE_TREE_LINKS,   /* links; the end of a walk that skipped some */
	NOTE_TREE_OTHER,   /* the directory is on another file system */
	NOTE_TREE_PSEUDO,  /* it is on a pseudo file system */

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

struct note {
	enum note_kind kind;
	union {
		int error;	 /* errno value */
		uintmax_t place; /* of a name in its list or options, from 1 */
		uintmax_t links; /* symbolic links that were skipped */
		uintmax_t line;	 /* number in the check list, from 1 */
		struct {
			uintmax_t line; /* the same */
			uint8_t expected[SHA256_DIGEST_BYTES];
		} entry;
		struct {
			uintmax_t well_formed;
			uintmax_t malformed;
			uintmax_t elsewhere; /* well-formed, in other
					      * parts (--part) */
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
	case NOTE_TREE_OTHER:
	case NOTE_TREE_PSEUDO: return true;
	default: return false;
	}
}

#endif
