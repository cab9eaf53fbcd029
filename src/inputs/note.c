/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "src/inputs/note.h"

#include <assert.h>
#include <string.h>

_Static_assert(sizeof(struct note) <= sizeof((struct job){ 0 }.note),
	       "a note fits into a job");

void
note_write(struct job *job, const struct note *note)
{
	memcpy(job->note, note, sizeof(*note));
}

enum note_kind
note_kind(const struct job *job)
{
	struct note note;

	memcpy(&note, job->note, sizeof(note));
	return note.kind;
}

bool
note_is_skip(const struct job *job)
{
	switch (note_kind(job)) {
	case NOTE_TREE_SPECIAL:
	case NOTE_TREE_LINKS:
	case NOTE_TREE_OTHER:
	case NOTE_TREE_PSEUDO: return true;
	default: return false;
	}
}

struct note
note_read(const struct job *job, enum note_kind kind)
{
	struct note note;

	memcpy(&note, job->note, sizeof(note));
	assert(note.kind == kind);
	return note;
}
